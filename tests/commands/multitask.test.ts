import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { TaskView } from "../../src/recipes/index.ts";
import { repositoryDirectory } from "../../src/recipes/orchestration/worktrees.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { systemIn } from "../install/sandbox.ts";
import { recordCall } from "./agent-call.ts";
import { newUserInside } from "./run-command.ts";

/** A process of this machine that is no more. */
const ENDED = { pid: 1, host: createNodeSystem().processes.self.host, start: "of another boot" };
const PROGRAM = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));

/** An agent that does what stands in the task between SH< and >. */
const AGENT = `#!/bin/bash
[ "$1" = --version ] && { echo "codex 9.9.9"; exit 0; }
all="$*"; all=\${all#*SH<}; eval "\${all%%>*}"
echo "I did it."
`;

/** A recipe without an agent, for what does not depend on one: the task is the file that loses its first line. */
const QUICK = `name: quick
context: {task_description: "", repo_path: ""}
steps:
  - id: cut
    working_dir: "{{repo_path}}"
    command: sed -i 1d {{task_description}} && git commit -qam cut
`;

/** A repository with two files, and an agent that is a script. Only `start` needs a process of its own. */
function place() {
  const { home, project, type: typeInside } = newUserInside();
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "codex"), AGENT);
  chmodSync(join(bin, "codex"), 0o755);
  writeFileSync(join(home, ".gitconfig"), "[user]\nname = Ann\nemail = ann@example.test\n");
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: home, AMPLIHACK_NONINTERACTIVE: "1" };
  const git = (...words: readonly string[]) =>
    execFileSync("git", words, { cwd: project, env, encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(project, name), "one\ntwo\nthree\n");
  git("add", "-A");
  git("commit", "-qm", "start");
  const quick = join(home, "quick.yaml");
  writeFileSync(quick, QUICK);
  onTestFinished(async () => void (await typeInside(["multitask", "stop", "--all"], { env })));
  const type = (...words: readonly string[]) => typeInside(["multitask", ...words], { env });
  const start = (...words: readonly string[]) => {
    const given = ["multitask", "start", "--agent", "codex", ...words];
    const ran = spawnSync(process.execPath, [PROGRAM, ...given], { cwd: project, env, encoding: "utf8" });
    expect([ran.stderr, ran.status]).toEqual([expect.any(String), 0]);
  };
  const views = async () => JSON.parse((await type("list", "--json")).stdout) as readonly TaskView[];
  const task = async (name: string) => (await views()).find(view => view.name === name) as TaskView;
  const attach = (name: string) => type("attach", name);
  const startQuick = async (name: string, file: string) => {
    start("--recipe", quick, "--name", name, file);
    expect((await attach(name)).code).toBe(0);
  };
  const read = (name: string) => readFileSync(join(project, name), "utf8");
  return { home, project, env, git, type, typeInside, start, startQuick, views, task, attach, read };
}

describe("amplihack multitask", () => {
  it("runs tasks in worktrees of their own, shows them in one overview and merges them one by one", async () => {
    const { git, type, start, views, attach, read } = place();
    start("Change a SH<echo four >> a.txt>".replace(">> ", "| tee -a "), "Change b SH<sed -i 1d b.txt>");
    const names = (await views()).map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(/^change-a/), expect.stringMatching(/^change-b/)]);
    for (const name of names) {
      const { stdout, code } = await attach(name);
      expect([stdout, code]).toEqual([expect.stringContaining("I did it."), 0]);
    }
    expect(await views()).toMatchObject([
      { state: "done", files: ["a.txt"], overlaps: [], crossings: [] },
      { state: "done", files: ["b.txt"], overlaps: [], crossings: [] },
    ]);
    expect((await type("list")).stdout).toMatch(/^change-a.* {2}done {2}.*1 file: Change a/);
    expect([git("status", "--short"), read("a.txt")]).toEqual(["", "one\ntwo\nthree\n"]);
    const merged = await type("merge");
    expect([merged.stdout, merged.code]).toEqual([
      expect.stringMatching(/merged as .*1 file\n.*merged as/),
      0,
    ]);
    expect([read("a.txt"), read("b.txt")]).toEqual(["one\ntwo\nthree\nfour\n", "two\nthree\n"]);
    expect(git("log", "--first-parent", "--format=%s")).toMatch(
      /^Merge task change-b.*\nMerge task change-a.*\nstart$/,
    );
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    expect([git("branch", "--format=%(refname:short)"), await views()]).toEqual(["main", []]);
  });

  it("takes a merge that meets a conflict back whole, names the files, and leaves the worktree to resolve it in", async () => {
    const { env, git, type, start, task, attach, read } = place();
    start("--name", "one", "SH<sed -i 1s/.*/mine/ a.txt>");
    start("--name", "two", "SH<sed -i 1s/.*/other/ a.txt; rm b.txt>");
    for (const name of ["one", "two"]) await attach(name);
    expect((await task("one")).overlaps).toEqual([{ task: "two", files: ["a.txt"] }]);
    expect((await type("list")).stdout).toContain("! two changed a.txt too");
    const merged = await type("merge");
    expect(merged.stdout).toMatch(/^one: merged as/);
    expect([merged.code, merged.stderr]).toEqual([1, expect.stringContaining("both changed a.txt")]);
    expect([git("status", "--short"), read("a.txt"), read("b.txt")]).toEqual([
      "",
      "mine\ntwo\nthree\n",
      "one\ntwo\nthree\n",
    ]);
    const { worktree } = await task("two");
    execFileSync("git", ["merge", "-q", "-X", "ours", "--no-edit", "main"], {
      cwd: worktree,
      stdio: "pipe",
      env,
    });
    expect((await type("merge", "two")).code).toBe(0);
    expect([read("a.txt"), existsSync(worktree)]).toEqual(["other\ntwo\nthree\n", false]);
  });

  it("does not merge what runs; stops it with all it started, and what it had done can still be merged", async () => {
    const { home, project, env, type, start, task, attach, read, git } = place();
    start(
      "--name",
      "slow",
      `SH<printf 'ha%s\\n' lf | tee a.txt; sleep 600 & echo $! | tee ${home}/pid; wait>`,
    );
    const follower = spawn(process.execPath, [PROGRAM, "multitask", "attach", "slow"], {
      cwd: project,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    // It prints what the agent does while it does it.
    let said = "";
    for await (const chunk of follower.stdout) {
      said += String(chunk);
      if (/half\n.*\d+\n/.test(said)) break;
    }
    follower.kill("SIGINT");
    expect(await new Promise(resume => follower.once("close", resume))).toBe(0);
    expect(await task("slow")).toMatchObject({ state: "running", step: "work", files: ["a.txt"] });
    const early = await type("merge", "slow");
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("slow still runs")]);
    expect((await type("stop", "slow")).stdout).toBe("slow: stopped\n");
    expect((await task("slow")).state).toBe("interrupted");
    // It was told to end before the task did, and may take a moment.
    const pid = Number(readFileSync(join(home, "pid"), "utf8"));
    await vi.waitUntil(() => createNodeSystem().processes.look(pid) === undefined, { timeout: 60_000 });
    expect((await attach("slow")).code).toBe(1);
    expect((await type("merge")).stderr).toContain("no task is done");
    expect((await type("merge", "slow")).code).toBe(0);
    expect([read("a.txt"), git("log", "-1", "--format=%s", "HEAD^2")]).toEqual([
      "half\n",
      "What slow had not committed",
    ]);
  });

  it("knows from the history who wrote where another works, and does not merge that unseen", async () => {
    const { home, project, env, type, startQuick, task, read } = place();
    await startQuick("one", "a.txt");
    await startQuick("two", "b.txt");
    const { worktree } = await task("one");
    const stray = join((await task("two")).worktree, "stray.txt");
    for (const path of [stray, join(project, "b.txt")])
      await recordCall(
        systemIn(worktree, env),
        { home, project: worktree },
        { command: `tee ${path}`, targets: [relative(worktree, path)], session: "s-one" },
        () => writeFileSync(path, "foreign\n"),
      );
    expect((await task("two")).crossings).toEqual([
      { path: stray, by: "one", into: "two", session: "s-one" },
    ]);
    const shown = (await type("list")).stdout;
    expect(shown).toContain(`it wrote ${stray}, which is two's`);
    expect(shown).toContain(`it wrote ${join(project, "b.txt")}, in the repository itself`);
    expect(shown).toContain(`one wrote ${stray} here`);
    const refused = await type("merge", "two");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`${stray}: by one`)]);
    expect((await type("merge", "one")).stderr).toContain(`It also wrote ${join(project, "b.txt")}`);
    // The person's tree has a change where the task has one: git refuses, and nothing is lost.
    const forced = await type("merge", "two", "--force");
    expect([forced.code, read("b.txt")]).toEqual([1, "foreign\n"]);
    execFileSync("git", ["checkout", "-q", "b.txt"], { cwd: project });
    expect((await type("merge", "two", "--force")).code).toBe(0);
    expect([read("b.txt"), read("stray.txt")]).toEqual(["two\nthree\n", "foreign\n"]);
  });

  it("discards a task so that its work can be had back", async () => {
    const { git, type, startQuick, task, read } = place();
    await startQuick("idea", "a.txt");
    const { worktree } = await task("idea");
    const { stderr } = await type("discard", "idea");
    const [, commit = ""] = /git branch task\/idea ([0-9a-f]{40})/.exec(stderr) ?? [];
    expect([existsSync(worktree), git("show", `${commit}:a.txt`), read("a.txt")]).toEqual([
      false,
      "two\nthree",
      "one\ntwo\nthree\n",
    ]);
  });

  it("merges or discards a task whose worktree somebody removed", async () => {
    const { type, startQuick, task, read, views } = place();
    await startQuick("one", "a.txt");
    await startQuick("two", "b.txt");
    for (const name of ["one", "two"]) rmSync((await task(name)).worktree, { recursive: true });
    expect((await views()).map(({ files }) => files)).toEqual([["a.txt"], ["b.txt"]]);
    expect((await type("merge", "one")).code).toBe(0);
    expect((await type("discard", "--", "two")).code).toBe(0);
    expect([read("a.txt"), await views()]).toEqual(["two\nthree\n", []]);
  });

  it.each([
    [["start", "--", "--a", "--b"], 1, "0 tasks run, and at most 1 may"],
    [["start", "a"], 1, "no worktree for a: git worktree: fatal"],
    [["start", "--name", "one", "again"], 2, "there is a task one already"],
    [["start", "--name", "x", "a", "b"], 2, "--name is for one task"],
    [["start", " "], 2, "TASK is empty: what an agent is to do"],
    [["start", "a", "b"], 1, "0 tasks run, and at most 1 may"],
    [["attach", "none"], 1, "there is no task none"],
    [["merge", "none"], 1, "there is no task none"],
    [["stop"], 2, "name the tasks, or --all"],
    [["list"], 2, "this is the worktree of the task one", "worktree"],
  ])("says what is wrong with %j", async (words, code, problem, place = "project") => {
    const { home, project, type } = newUserInside();
    execFileSync("git", ["init", "-q", project]);
    const worktree = join(home, "worktree");
    execFileSync("git", ["init", "-q", worktree]);
    for (const top of [project, worktree]) {
      const folder = repositoryDirectory(systemIn(top, { HOME: home }), "multitask", top);
      mkdirSync(folder, { recursive: true });
      const task = {
        name: "one",
        task: "t",
        recipe: "task",
        branch: "task/one",
        worktree,
        base: "",
        startedMs: 1,
      };
      writeFileSync(join(folder, "tasks.json"), JSON.stringify([{ ...task, process: ENDED }]));
    }
    const cwd = place === "project" ? project : worktree;
    const ran = await type(["multitask", ...words], { cwd, env: { AMPLIHACK_MAX_SESSIONS: "1" } });
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(problem)]);
  });
});
