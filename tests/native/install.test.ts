import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSandbox, PACKAGE_ROOT } from "../install/sandbox.ts";
import { describeNative } from "./program.ts";

const CLI = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");
const CALL = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm -rf ~" } };

describeNative("the native program, installed", () => {
  it("is what hosts start, passes every check and goes without a trace", () => {
    const sandbox = createSandbox();
    sandbox.write("bin/claude", "#!/bin/sh\necho 'claude 2.1.325'\n", 0o755);
    const options = { cwd: sandbox.project, env: sandbox.env, encoding: "utf8" } as const;
    const run = (...words: readonly string[]) => spawnSync(process.execPath, [CLI, ...words], options);

    const report = JSON.parse(run("install", "--format", "json").stdout);
    expect(report).toMatchObject({ success: true, engine: "native", hosts: [{ host: "claude-code" }] });
    const { stdout } = spawnSync(report.binary, ["pre-tool-use"], {
      ...options,
      input: JSON.stringify(CALL),
    });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(run("doctor")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/native, .*[\s\S]*All checks passed/),
    });
    expect(run("uninstall", "--purge", "--yes").status).toBe(0);
    expect(
      Object.keys(sandbox.snapshot()).filter(name => !name.startsWith("project/.claude/runtime/")),
    ).toEqual([]);
  });
});
