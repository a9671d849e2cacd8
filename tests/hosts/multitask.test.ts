import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createNodeSystem } from "../../src/system/node.ts";
import {
  createTemporaryUser,
  DRIVERS,
  type HostDriver,
  registerHooks,
  type TemporaryUser,
} from "../../src/verify/live/live.ts";
import { type Delegation, type ScriptedModel, startModel } from "../../src/verify/live/scripted-model.ts";
import { PACKAGE } from "../install/sandbox.ts";
import { PROGRAMS } from "./harness.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
/** Hosts, and how many words with which one answers a prompt stand before its options. */
const LAUNCHED: Readonly<Record<string, number>> = { "claude-code": 0, codex: 1 };
const HOSTS = DRIVERS.filter(({ host }) => host in LAUNCHED && PROGRAMS[host] !== undefined);

const does = (mark: string, ...commands: readonly string[]): Delegation => ({
  mark,
  steps: [
    ...commands.map(command => ({ kind: "command", command }) as const),
    { kind: "text", text: `${mark}: done` },
  ],
});

const isOfTheWork = (path: string) => !/^\.git(\/|$)|^\.claude($|\/runtime(\/|$))/.test(path);

/** A program of the host's name in front of the real one, which adds what the scripted model needs. */
function wrap(user: TemporaryUser, driver: HostDriver, url: string, bin: string): void {
  const program = PROGRAMS[driver.host] ?? "";
  const trial = { home: user.home, project: user.project, url, model: "scripted", key: "not-a-key" };
  const first = LAUNCHED[driver.host] ?? 0;
  const more = driver
    .args("PROMPT", trial)
    .filter(word => !["PROMPT", "-p", "exec", "--skip-git-repo-check"].includes(word));
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  const path = join(bin, driver.agent);
  const lines = [
    "#!/bin/bash",
    ...Object.entries(driver.env(trial)).map(([name, value]) => `export ${name}=${quote(value)}`),
    `[ "$1" = --version ] && exec ${program} --version`,
    `first=("\${@:1:${first}}"); shift ${first}`,
    "more=()",
    // What the launcher gives already may not stand twice.
    ...more.map(
      word => `[[ " $* " == *" "${quote(word)}" "* && ${quote(word)} == --* ]] || more+=(${quote(word)})`,
    ),
    `exec ${program} "\${first[@]}" "\${more[@]}" "$@"`,
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  chmodSync(path, 0o755);
}

/** A person with these hosts, our hooks in each, and a repository with a commit. */
async function setUp(model: ScriptedModel) {
  const system = createNodeSystem();
  const installed = HOSTS.map(({ host }) => dirname(PROGRAMS[host] ?? "")).join(":");
  const user = createTemporaryUser(system, { PATH: `${installed}:${process.env["PATH"] ?? ""}` });
  const bin = join(user.home, "wrapped");
  mkdirSync(bin);
  for (const driver of HOSTS) {
    await registerHooks(user, PACKAGE, driver.host);
    wrap(user, driver, model.url, bin);
  }
  const env = { ...user.env, PATH: `${bin}:${user.env["PATH"]}` };
  writeFileSync(join(user.home, ".gitconfig"), "[user]\nname = Ann\nemail = ann@example.test\n");
  const git = (...words: readonly string[]) =>
    execFileSync("git", words, { cwd: user.project, env, encoding: "utf8" }).trim();
  git("init", "-q");
  writeFileSync(join(user.project, "rate.txt"), "1\n");
  git("add", "rate.txt");
  git("commit", "-qm", "start");
  const type = async (
    words: readonly string[],
    program = process.execPath,
    first: readonly string[] = [PROGRAM],
  ) => {
    const child = spawn(program, [...first, ...words], {
      cwd: user.project,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    child.stdout.on("data", chunk => (said.stdout += String(chunk)));
    child.stderr.on("data", chunk => (said.stderr += String(chunk)));
    const code = await new Promise<number | null>(resume => child.once("close", resume));
    return { ...said, code };
  };
  return { user, bin, git, type };
}

describe.each(HOSTS)("multitask with $host", driver => {
  it("runs two tasks at once, knows from the history who wrote where, and merges them one by one", async () => {
    const model = await startModel(
      [{ kind: "text", text: "done" }],
      [
        does("first-task", "echo first > first.txt"),
        does("second-task", "echo second > second.txt", "echo 2 > stray.txt"),
      ],
    );
    const { user, type, git } = await setUp(model);
    try {
      const task = ["multitask", "start", "--agent", driver.agent];
      expect(await type([...task, "first-task", "second-task"])).toMatchObject({ code: 0 });
      for (const name of ["first-task", "second-task"])
        expect(await type(["multitask", "attach", name])).toMatchObject({
          code: 0,
          stdout: expect.stringContaining(`${name}: done`),
        });
      const list = await type(["multitask", "list", "--json"]);
      expect(JSON.parse(list.stdout)).toMatchObject([
        { name: "first-task", state: "done", files: ["first.txt"], overlaps: [], crossings: [] },
        { name: "second-task", state: "done", files: ["second.txt", "stray.txt"], crossings: [] },
      ]);
      const { worktree } = (JSON.parse(list.stdout) as readonly { readonly worktree: string }[])[0] ?? {};
      const known = await type(["history", "--all-projects", "--json"]);
      expect(known.stdout).toContain(join(worktree ?? "", "first.txt"));
      expect(await type(["multitask", "merge"])).toMatchObject({ code: 0 });
      expect(git("log", "--first-parent", "--format=%s")).toBe(
        "Merge task second-task: second-task\nMerge task first-task: first-task\nstart",
      );
      // What the hooks keep in a project of Claude Code's is out of git's sight, and all that is there beside the work.
      expect(readdirSync(user.project, { recursive: true }).map(String).filter(isOfTheWork).sort()).toEqual([
        "first.txt",
        "rate.txt",
        "second.txt",
        "stray.txt",
      ]);
      expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");
    } finally {
      await type(["multitask", "stop", "--all"]);
      await model.close();
      user.remove();
    }
  });
});

describe.each(HOSTS.flatMap(from => HOSTS.filter(to => to !== from).map(to => ({ from, to }))))(
  "handover from $from.host to $to.host",
  ({ from, to }) => {
    it("starts the other with the task, where it stopped and the diff", async () => {
      const model = await startModel(
        [{ kind: "text", text: "done" }],
        [does("You take over work", "echo 3 > rate.txt"), does("make-the-rate-2", "echo 2 > rate.txt")],
      );
      const { user, bin, type } = await setUp(model);
      try {
        const words =
          { "claude-code": ["-p"], codex: ["exec", "--skip-git-repo-check"] }[from.host as string] ?? [];
        const first = await type([...words, "Please make-the-rate-2."], join(bin, from.agent), []);
        expect(first).toMatchObject({ code: 0 });
        expect(readFileSync(join(user.project, "rate.txt"), "utf8")).toBe("2\n");
        const before = model.requests.length;
        const over = await type(["handover", "--to", to.agent, "--once"]);
        expect([over.code, over.stderr]).toEqual([0, expect.stringContaining("takes over from")]);
        const told = model.requests
          .slice(before)
          .map(({ text }) => text)
          .join("\n");
        expect(told).toContain("Please make-the-rate-2.");
        expect(told).toContain("make-the-rate-2: done");
        expect(told).toContain("+2");
        expect(readFileSync(join(user.project, "rate.txt"), "utf8")).toBe("3\n");
      } finally {
        await model.close();
        user.remove();
      }
    });
  },
);
