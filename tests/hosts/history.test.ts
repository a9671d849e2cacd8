import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScriptStep } from "../../src/verify/live/scripted-model.ts";
import { Projects, type Scene } from "../history/commands/projects.ts";
import { runShell } from "../history/commands/run-shell.ts";
import { readState, type State, unlike } from "../history/commands/state.ts";
import { changedPaths } from "../history/commands/tree.ts";
import { PACKAGE_ROOT } from "../install/sandbox.ts";
import { call, command, type DrivenHost, FILE_TOOLS, type FileTools } from "./file-tools.ts";
import { NATIVE_HOOKS } from "./play-session.ts";
import { INSTALLED, runScript } from "./run-script.ts";

const AMPLIHACK = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");

/** What no git command brings back, beside what the project has changed and staged. Gemini hides the user's settings. */
const MORE_FILES = `
git config user.name Test && git config user.email test@example.test
mkdir -p new/inner local data
printf 'draft\\n' > new/draft.md; chmod 600 new/draft.md
printf 'inner\\n' > new/inner/file
ln -s ../src new/link
printf 'KEY=1\\n' > .env; chmod 600 .env
printf 'SQLite format 3\\000data' > app.sqlite
printf 'rows\\n' > data/items.db
printf 'mine\\n' > local/settings.txt
`;

/** Deletes, overwrites, edits and moves. */
function firstTurn(
  host: DrivenHost,
  { write, read, edit }: FileTools,
  project: string,
): readonly ScriptStep[] {
  const at = (name: string) => join(project, name);
  // Its tool for writing makes new files only.
  const overwrite =
    host === "copilot-cli" ? edit(at("src/a.ts"), "not staged", "lost") : write(at("src/a.ts"), "lost\n");
  return [
    read(at("src/a.ts")),
    overwrite,
    read(at("notes.txt")),
    edit(at("notes.txt"), "not tracked", "edited"),
    write(at("docs/fresh.md"), "fresh\n"),
    command("rm -rf new src/deep"),
    command("printf 'none\\n' > data/items.db"),
    command("rm app.sqlite && cat missing.txt"),
    command("git clean -fd"),
    command("mv docs/manual.md docs/renamed.md"),
    // Codex itself refuses `rm -f`; in the other hosts nothing is left to remove.
    command("rm -r src/deep"),
  ];
}

const FIRST_LOSSES = [
  "app.sqlite",
  "data/items.db",
  "docs/manual.md",
  "docs/renamed.md",
  "new/draft.md",
  "notes.txt",
  "src/a.ts",
  "src/deep/x/y.ts",
];

/** Resets, drops, rewrites in place and runs programs of which nothing is known. */
function secondTurn({ write, read, edit }: FileTools, project: string): readonly ScriptStep[] {
  const at = (name: string) => join(project, name);
  return [
    command("rm -rf local"),
    command("git reset --hard HEAD~1"),
    command("git stash drop"),
    command("git branch -D topic"),
    read(at("README.md")),
    edit(at("README.md"), "two", "edited"),
    command("sed -i s/export/EXPORT/ src/*.ts"),
    command("git commit -q -am 'by the model'"),
    command("make wipe"),
    command("cp README.md src/b.ts"),
    command("git checkout -- ."),
    command("git clean -fdx"),
    write(at("docs/again.md"), "again\n"),
  ];
}

const SECOND_LOSSES = [
  ".env",
  "README.md",
  "docs/again.md",
  "local/settings.txt",
  "src/a.ts",
  "src/b.ts",
  "src/c.ts",
];

const projects = new Projects();

const ENGINES = existsSync(NATIVE_HOOKS) ? ["node", "native"] : ["node"];

describe.each(INSTALLED)("a session in %s that destroys work", host => {
  it.each(ENGINES)("is undone by turn and as a whole, hooks on %s", async engine => {
    const scene = await projects.make("dirty");
    const { home, project } = scene;
    await runShell(MORE_FILES, { cwd: project, env: scene.env });
    const place = { home, project, temporary: join(home, "tmp") };
    mkdirSync(place.temporary);
    const tools = FILE_TOOLS[host];
    const first = firstTurn(host, tools, project);
    const second = secondTurn(tools, project);

    const env = { AMPLIHACK_HOOK_ENGINE: engine };
    const start = await look(scene);
    const one = await runScript(host, place, () => first, { env });
    expect(one.results, one.end).toHaveLength(first.length);
    const middle = await look(scene);
    const two = await runScript(host, place, () => second, { env, earlier: first });
    expect(two.results, two.end).toHaveLength(second.length);
    const end = await look(scene);

    const told = [...one.results, ...two.results].join("\n");
    expect(questions(home), told).toEqual([]);
    expect(destroyed(start, middle), told).toEqual(expect.arrayContaining(FIRST_LOSSES));
    expect(destroyed(middle, end), told).toEqual(expect.arrayContaining(SECOND_LOSSES));
    expect(audited(home).filter(note => note.startsWith("kept: "))).not.toEqual([]);

    const person = { project, env: two.env };
    const changes = listed(person);
    expect(new Set(changes.map(({ host: by, session }) => `${by} ${session}`)).size).toBe(1);
    expect([...new Set(changes.map(({ turn }) => turn))]).toEqual([2, 1]);

    undo(person, "--turn");
    expect(unlike(middle, end.tree, await look(scene))).toEqual([]);
    type(person, ["redo", "--yes"]);
    const redone = await look(scene);
    expect(changedPaths(end.tree, redone.tree)).toEqual([]);
    expect(redone.printed).toBe(end.printed);
    undo(person, "--session");
    expect(unlike(start, end.tree, await look(scene))).toEqual([]);
  });
});

/** Deletes when `go` is there, long after the host was told that the command runs, and says by `over` that it is done. */
function later(temporary: string): string {
  const wait = `until test -e ${temporary}/go; do sleep 0.1; done`;
  return `${wait}; rm -rf new; git clean -fdxq; git checkout -q -- .; touch ${temporary}/over`;
}

/** By a tool of the host that does not wait, and by the shell. */
const BACKGROUND: Readonly<Record<string, (temporary: string) => ScriptStep>> = {
  "a tool that does not wait": temporary =>
    call("Bash", { command: later(temporary), description: "Clean up", run_in_background: true }),
  "the shell": temporary => command(`setsid -f sh -c '${later(temporary)}' > /dev/null 2>&1`),
};

const BACKGROUND_RUNS = INSTALLED.flatMap(host =>
  Object.entries(BACKGROUND)
    .filter(([how]) => how === "the shell" || host === "claude-code")
    .map(([how, start]) => ({ host, how, start })),
);

describe.each(BACKGROUND_RUNS)("a command that $host runs in the background by $how", ({ host, start }) => {
  it.each(ENGINES)("is undone as a whole, hooks on %s", async engine => {
    const scene = await projects.make("dirty");
    const { home, project } = scene;
    await runShell(MORE_FILES, { cwd: project, env: scene.env });
    const temporary = join(home, "tmp");
    mkdirSync(temporary);
    const before = await look(scene);
    const steps = [
      start(temporary),
      // OpenCode refuses by itself what it sees to lie outside the project.
      command('touch "$SIGNALS/go"; until test -e "$SIGNALS/over"; do sleep 0.1; done; echo over'),
    ];
    const ran = await runScript(host, { home, project, temporary }, () => steps, {
      env: { AMPLIHACK_HOOK_ENGINE: engine, SIGNALS: temporary },
    });
    expect(ran.results, ran.end).toHaveLength(steps.length);
    expect(questions(home), ran.told).toEqual([]);
    const after = await look(scene);
    expect(destroyed(before, after), ran.told).toEqual(
      expect.arrayContaining(["new/draft.md", "notes.txt", "src/a.ts"]),
    );
    undo({ project, env: ran.env }, "--session");
    expect(unlike(before, after.tree, await look(scene))).toEqual([]);
  });
});

/** The project and what lies beside it, without files of hosts: theirs are in the home, and one of OpenCode's in `.git`. */
async function look({ home, env, ...scene }: Scene): Promise<State> {
  const work = join(home, "work");
  const state = await readState({
    ...scene,
    home: work,
    env: { ...env, HOME: work },
    repositories: ["project"],
  });
  return { ...state, tree: new Map([...state.tree].filter(([path]) => path !== "project/.git/opencode")) };
}

function destroyed(before: State, after: State): readonly string[] {
  return changedPaths(before.tree, after.tree).map(path => path.replace(/^project\//, ""));
}

function readLines<T>(path: string): readonly T[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map(line => JSON.parse(line) as T);
}

interface RunRecord {
  readonly hook: string;
  readonly decision: string;
  readonly rules: readonly string[];
}

/** Calls that the guard did not let pass. Without a person a question is a refusal. */
function questions(home: string): readonly string[] {
  return readLines<RunRecord>(join(home, ".amplihack/logs/runs.jsonl"))
    .filter(({ hook, decision }) => hook === "pre_tool_use" && decision !== "none")
    .map(({ decision, rules }) => `${decision} ${rules.join(" ")}`);
}

function audited(home: string): readonly string[] {
  return readLines<{ readonly notes?: readonly string[] }>(join(home, ".amplihack/logs/audit.jsonl")).flatMap(
    ({ notes = [] }) => notes,
  );
}

interface Person {
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

function type({ project, env }: Person, words: readonly string[]): string {
  const ran = spawnSync(process.execPath, [AMPLIHACK, ...words], { cwd: project, env, encoding: "utf8" });
  expect(ran.status, `${words.join(" ")}: ${ran.stdout}${ran.stderr}`).toBe(0);
  return ran.stdout;
}

function undo(person: Person, what: string): void {
  type(person, ["undo", what, "--yes"]);
}

interface Listed {
  readonly host: string;
  readonly session: string;
  readonly turn: number;
}

function listed(person: Person): readonly Listed[] {
  return JSON.parse(type(person, ["history", "--format", "json", "--limit", "100"])) as readonly Listed[];
}
