import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runWorkstreams } from "../../src/recipes/orchestration/run-workstreams.ts";
import { readWorkstreams } from "../../src/recipes/orchestration/workstreams.ts";
import { Interruption } from "../../src/recipes/run/interruption.ts";
import { type RecipeMachine, recipeMachine } from "./recipe-machine.ts";

/** A machine with a repository, and a stand-in for this program that runs `script` in each worktree. */
function machineWith(script: string) {
  const machine = recipeMachine();
  machine.write("a.txt", "a\n");
  git(machine, "init", "-q", "-b", "main");
  git(machine, "add", "-A");
  git(machine, "commit", "-qm", "start");
  const launcher = machine.write(
    join(machine.home, "program"),
    `#!/bin/bash\ncontext=$(cat "\${@: -1}"); recipe=$3\n${script}\n`,
    0o755,
  );
  return { machine, launcher };
}

function git(machine: RecipeMachine, ...words: readonly string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
  return execFileSync("git", [...who, ...words], { cwd: machine.project, encoding: "utf8", stdio: "pipe" });
}

const COMMIT = "git -c user.name=a -c user.email=a@b commit -qam work";

async function runAll(
  { machine, launcher }: ReturnType<typeof machineWith>,
  entries: readonly Record<string, string | number>[],
  interruption = new Interruption(),
) {
  let printed = "";
  const code = await runWorkstreams(machine.system, {
    workstreams: readWorkstreams([...entries], "f.json"),
    repository: machine.project,
    launcher: [launcher],
    interruption,
    print: text => {
      printed += text;
    },
  });
  return { code, printed };
}

describe("workstreams", () => {
  it("run on branches of their own, and what they did is kept", async () => {
    const opened = machineWith(
      `echo "$recipe: $context" >&2; echo b >> a.txt; ${COMMIT}; printf 'no newline'`,
    );
    const { code, printed } = await runAll(opened, [
      { issue: "#12", branch: "feat/one", task: "do 'one'", recipe: "part" },
      { issue: "TBD", branch: "feat/two", task: "do two" },
    ]);
    expect(code).toBe(0);
    expect(printed).toContain('[feat/one] part: {"task_description":"do \'one\'","repo_path":');
    expect(printed).toContain('"issue_number":"12"');
    expect(printed).toContain("[feat/two] default-workflow: ");
    expect(printed).toContain("[feat/two] no newline\n");
    expect(printed).toMatch(
      /PARALLEL WORKSTREAM REPORT\n {2}✓ feat\/one: done; commits on feat\/one, kept in /,
    );
    expect(printed).toMatch(/2 of 2 succeeded\n$/);
    expect(git(opened.machine, "log", "--format=%s", "feat/two")).toBe("work\nstart\n");
    expect(git(opened.machine, "status", "--porcelain")).toBe("");
    expect(readdirSync(opened.machine.env["TMPDIR"] ?? "")).toEqual([]);
  });

  it("leave nothing behind where nothing was done", async () => {
    const opened = machineWith("true");
    const { code, printed } = await runAll(opened, [{ branch: "feat/idle", task: "look" }]);
    expect([code, printed]).toEqual([0, expect.stringContaining("done; nothing was changed")]);
    expect(git(opened.machine, "branch", "--list", "feat/*")).toBe("");
    expect(git(opened.machine, "worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  it("fail together when one fails; its changes are kept, and the next run goes on there", async () => {
    const opened = machineWith("[ -e new.txt ] && { echo again; exit 0; }; echo x > new.txt; exit 3");
    const entries = [{ branch: "feat/x", task: "t" }];
    const { code, printed } = await runAll(opened, entries);
    expect([code, printed]).toEqual([
      1,
      expect.stringMatching(/✗ feat\/x: exit 3; changes that are not committed/),
    ]);
    const second = await runAll(opened, entries);
    expect([second.code, second.printed]).toEqual([0, expect.stringContaining("[feat/x] again\n")]);
    const kept = /kept in (.+)\n/.exec(second.printed)?.[1] ?? "";
    expect(existsSync(join(kept, "new.txt"))).toBe(true);
  });

  it("end when their time is up", async () => {
    const opened = machineWith("echo begun; sleep 60");
    const { code, printed } = await runAll(opened, [{ branch: "feat/slow", task: "t", max_runtime: 1 }]);
    expect([code, printed]).toEqual([1, expect.stringContaining("✗ feat/slow: stopped after 1 s")]);
  });

  it("end when the run is interrupted", async () => {
    const interruption = new Interruption();
    interruption.interrupt("SIGINT");
    const { code, printed } = await runAll(machineWith("true"), [{ branch: "b", task: "t" }], interruption);
    expect([code, printed]).toEqual([130, expect.stringContaining("✗ b: not started")]);
  });

  it("need a repository", async () => {
    const machine = recipeMachine();
    await expect(runAll({ machine, launcher: "/bin/true" }, [{ branch: "b", task: "t" }])).rejects.toThrow(
      "is in no git repository",
    );
  });

  it("do not use a directory that is something else", async () => {
    const opened = machineWith("echo b >> a.txt");
    const first = await runAll(opened, [{ branch: "feat/x", task: "t" }]);
    const path = /kept in (.+)\n/.exec(first.printed)?.[1] ?? "";
    execFileSync("git", ["switch", "-qc", "other"], { cwd: path });
    const { code, printed } = await runAll(opened, [{ branch: "feat/x", task: "t" }]);
    expect([code, printed]).toEqual([1, expect.stringContaining("is not a worktree of feat/x")]);
  });
});
