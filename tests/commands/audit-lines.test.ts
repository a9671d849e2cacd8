import { describe, expect, it } from "vitest";
import { renderAuditLine } from "../../src/commands/guard/audit-lines.ts";
import { newUserInside } from "./run-command.ts";

const LINE = {
  ts: "2026-11-16T06:00:00.000Z",
  host: "claude-code",
  verdict: "deny",
  rules: ["git.push", "git.verify", "fs.system-write"],
  command: `git push --force origin main ${"x".repeat(40)} \u001b[2K\nrm -rf y`,
  cwd: "/work",
  raw: {},
};

describe("the audit log", () => {
  it.each([["log"], ["suggest"], ["replay"]])(
    "is that of nobody else where there is no home: guard %s",
    async name => {
      const { code, stderr } = await newUserInside().type(["guard", name], { env: { HOME: "" } });
      expect([code, stderr]).toEqual([1, expect.stringContaining("HOME is not set")]);
    },
  );
});

describe("a line of the audit log for people", () => {
  it.each([80, 60, 40])("fits %i columns", columns => {
    const lines = renderAuditLine(LINE, { columns }).trimEnd().split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.join("").replace(/\s/g, "")).toContain("gitpush--forceoriginmain");
  });

  it("is one line where nobody looks, and writes out what cannot be seen", () => {
    const text = renderAuditLine(LINE, { columns: undefined });
    expect(text.split("\n")).toHaveLength(2);
    expect(text).toContain("\\u001b[2K⏎ rm -rf y");
  });

  it("is one line where there is room", () => {
    const short = { ...LINE, rules: ["git.push"], command: "git push" };
    expect(renderAuditLine({ ...short, rules: ["fs.home", "fs.cwd"] }, { columns: 80 })).toContain(
      " fs.home +1 ",
    );
    expect(renderAuditLine(short, { columns: 80 })).toBe(
      "2026-11-16 06:00  deny  claude-code git.push        git push\n",
    );
  });
});
