import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Projects } from "./projects.ts";
import { onNode, perform, Session, type } from "./session.ts";
import { expectAsBefore, expectContentOf, idOf, runAll, stage, undo, write } from "./stage.ts";
import { readState, type State, unlike } from "./state.ts";
import { bash, type ToolCall } from "./tool-calls.ts";
import { changedPaths, readTree } from "./tree.ts";

const projects = new Projects();

const COMMIT = "git add -A && git commit -qm 'turn one'";
const SED = "sed -i 's/rewritten/again/' src/a.ts";
const BRANCH = "git branch -D topic";
const FORMAT = "python3 scripts/format.py";
const RESET = "git reset -q --hard HEAD~1";
const TURN_ONE = ["rm -rf docs", write("src/a.ts", "rewritten\n"), COMMIT];
const TURN_TWO = [SED, BRANCH, FORMAT, RESET];

interface Longer {
  readonly longer: Readonly<Record<string, number>>;
}

/** Every run has these; the whole is for the long one, since it found an inexact undo once beside other tests. */
const ALWAYS: readonly Longer[] = [
  { longer: { [BRANCH]: 8 } },
  { longer: { [COMMIT]: 5, [BRANCH]: 8, [RESET]: 1 } },
  { longer: { [COMMIT]: 6, [SED]: 7 } },
];
const SEEMS_TO_GO_ON: readonly Longer[] =
  process.env["AMPLIHACK_TEST_LONG"] !== "1"
    ? ALWAYS
    : [
        ...ALWAYS,
        { longer: { [FORMAT]: 8 } },
        { longer: { [SED]: 8, [BRANCH]: 1, [FORMAT]: 8, [RESET]: 8 } },
        { longer: { [COMMIT]: 4, [BRANCH]: 2, [FORMAT]: 3 } },
        { longer: { [COMMIT]: 7, [SED]: 6, [FORMAT]: 7 } },
        { longer: { [COMMIT]: 5, [BRANCH]: 5, [FORMAT]: 2, [RESET]: 7 } },
      ];

async function stopped(child: ChildProcess): Promise<void> {
  child.kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

describe.concurrent("several calls", () => {
  it("are taken back by turn, newest turn first", async () => {
    const { scene, session, before } = await stage(projects, "dirty");
    await session.start();
    await session.prompt();
    await runAll(session, TURN_ONE);
    const between = await readState(scene);
    await session.stop();
    await session.prompt();
    await runAll(session, TURN_TWO);
    expect((await undo(scene, "--turn")).code).toBe(0);
    await expectContentOf({ scene, before: between });
    expect((await undo(scene, "--turn")).code).toBe(0);
    await expectContentOf({ scene, before });
    expect((await undo(scene, "--turn")).code).toBe(1);
  });

  // A parallel agent runs the same command in the same host: the call seems to go on while others come and go.
  it.each(SEEMS_TO_GO_ON)(
    "are taken back by turn also where some seem to go on for so many steps: $longer",
    async ({ longer }) => {
      const { scene, session, before } = await stage(projects, "dirty");
      const alive: { readonly child: ChildProcess; steps: number }[] = [];
      const step = async () => {
        for (const one of alive) {
          one.steps -= 1;
          if (one.steps === 0) await stopped(one.child);
        }
      };
      const make = async (calls: readonly (string | ToolCall)[]) => {
        for (const call of calls) {
          await step();
          const steps = typeof call === "string" ? longer[call] : undefined;
          if (typeof call !== "string" || steps === undefined) {
            await runAll(session, [call]);
            continue;
          }
          const open = await session.begin(bash(call));
          const same = ["-e", "setInterval(() => {}, 1000)", call];
          const child = spawn(process.execPath, same, { stdio: "ignore" });
          alive.push({ child, steps });
          await once(child, "spawn");
          await perform(open, scene);
          await open.end();
        }
      };
      try {
        await session.prompt();
        await make(TURN_ONE);
        const between = await readState(scene);
        await session.prompt();
        await make(TURN_TWO);
        await step();
        expect((await undo(scene, "--turn")).code).toBe(0);
        await expectContentOf({ scene, before: between });
        await step();
        expect((await undo(scene, "--turn")).code).toBe(0);
        await expectContentOf({ scene, before });
      } finally {
        for (const { child } of alive) child.kill();
      }
    },
  );

  it("do not take back what another session committed meanwhile", async () => {
    const { scene, session } = await stage(projects, "dirty");
    const other = new Session(scene, onNode, "session-2");
    const open = await session.begin(bash("python3 scripts/format.py"));
    await runAll(other, ["git add added.txt && git commit -qm theirs -- added.txt", "git branch theirs"]);
    await perform(open, scene);
    await open.end();
    const { printed } = await readState(scene);
    const mine = await idOf(scene, "format.py");
    expect((await undo(scene, mine)).code).toBe(0);
    const now = await readState(scene);
    const refs = (text: string) => text.split("\n").filter(line => /refs\/|branch\.oid/.test(line));
    expect(refs(now.printed)).toEqual(refs(printed));
    expect(readFileSync(join(scene.project, "src/d.ts"), "utf8")).toContain("export const d");
  });

  it.each([
    ["two turns at once", ["--turn", "2"]],
    ["the session", ["--session"]],
    ["the session by its id", ["--session", "session-1"]],
    ["the last hour", ["--since", "1h"]],
  ] as const)("are taken back as one: %s", async (_, words) => {
    const { scene, session, before } = await stage(projects, "dirty");
    await session.prompt();
    await runAll(session, TURN_ONE);
    await session.prompt();
    await runAll(session, TURN_TWO);
    expect((await undo(scene, ...words)).code).toBe(0);
    await expectContentOf({ scene, before });
  });

  it("are taken back one by one, and come again one by one", async () => {
    const { scene, session, before } = await stage(projects, "untracked");
    const calls = ["rm -rf new", write("top.txt", "lost\n"), "git clean -fdq", "git reset -q --hard v1"];
    const states: State[] = [];
    for (const call of calls) {
      states.push(await readState(scene));
      await runAll(session, [call]);
    }
    const after = readTree(scene.home);
    const last = await readState(scene);
    for (const state of states.toReversed()) {
      expect((await undo(scene)).code).toBe(0);
      await expectAsBefore({ scene, before: state }, after);
    }
    await expectAsBefore({ scene, before }, after);
    for (const state of [...states.slice(1), last]) {
      expect((await type(scene, ["redo", "--yes"])).code).toBe(0);
      const now = await readState(scene);
      expect(changedPaths(state.tree, now.tree)).toEqual([]);
      expect(now.printed).toBe(state.printed);
    }
  });

  it("without a repository are taken back as one", async () => {
    const { scene, session, before } = await stage(projects, "plain");
    await session.prompt();
    await runAll(session, [
      "./wipe.sh",
      write("src/a.ts", "x\n"),
      "mv src source",
      "make -n fmt",
      "rm -rf docs",
    ]);
    const after = readTree(scene.home);
    expect((await undo(scene, "--session")).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });

  it("that make and delete the same file leave nothing", async () => {
    const { scene, session, before } = await stage(projects, "clean");
    await runAll(session, [write("scratch/a.txt", "a\n"), "mv scratch other", "rm -rf other"]);
    const after = readTree(scene.home);
    await undo(scene, "--session");
    await expectAsBefore({ scene, before }, after);
  });
});

describe.concurrent("a part of what was done", () => {
  it("comes back by path; the rest stays open", async () => {
    const { scene, session, before } = await stage(projects, "dirty");
    await runAll(session, ["rm -rf src docs && echo x > notes.txt"]);
    const after = readTree(scene.home);
    expect((await undo(scene, "--", "src")).code).toBe(0);
    const now = readTree(scene.home);
    expect(changedPaths(after, now).every(path => path.startsWith("work/project/src"))).toBe(true);
    expect(changedPaths(before.tree, now).some(path => path.startsWith("work/project/src"))).toBe(false);
    expect(readFileSync(join(scene.project, "notes.txt"), "utf8")).toBe("x\n");
    expect((await undo(scene)).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });

  it("comes back by id, out of order, where nothing else touched it", async () => {
    const { scene, session, before } = await stage(projects, "dirty");
    await runAll(session, ["rm -rf docs", "rm -rf src", "echo x > notes.txt"]);
    const after = readTree(scene.home);
    for (const command of ["rm -rf docs", "echo x", "rm -rf src"]) {
      expect((await undo(scene, await idOf(scene, command))).code, command).toBe(0);
    }
    await expectAsBefore({ scene, before }, after);
  });

  it("is in conflict with a later call; force keeps what stands there, and redo brings it back", async () => {
    const { scene, session } = await stage(projects, "dirty");
    await runAll(session, ["echo first > notes.txt", "echo second > notes.txt"]);
    const after = await readState(scene);
    const id = await idOf(scene, "echo first");
    const refused = await undo(scene, id);
    expect(refused.code).toBe(3);
    expect(refused.stdout + refused.stderr).toContain("notes.txt");
    expect(unlike(after, after.tree, await readState(scene))).toEqual([]);
    expect((await undo(scene, "--force", id)).code).toBe(0);
    expect(readFileSync(join(scene.project, "notes.txt"), "utf8")).toBe("not tracked\n");
    expect((await type(scene, ["redo", "--yes"])).code).toBe(0);
    expect(changedPaths(after.tree, readTree(scene.home))).toEqual([]);
  });

  it.each(["git commit -qam later", "git stash -q && git switch -q topic"])(
    "is in conflict with a later move of git: %s",
    async later => {
      const { scene, session } = await stage(projects, "dirty");
      await runAll(session, ["git reset -q --hard HEAD~1", "echo more >> README.md", later]);
      const after = await readState(scene);
      expect((await undo(scene, await idOf(scene, "git reset"))).code).toBe(3);
      expect(unlike(after, after.tree, await readState(scene))).toEqual([]);
    },
  );
});
