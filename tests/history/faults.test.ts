import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/settings.ts";
import { NO_FOOTPRINT } from "../../src/guard/footprint.ts";
import { beginCall } from "../../src/history/begin.ts";
import { completeChange } from "../../src/history/complete.ts";
import { openContext } from "../../src/history/context.ts";
import { openHistory } from "../../src/history/index.ts";
import { findOpen } from "../../src/history/open-changes.ts";
import {
  createMemorySystem,
  type MemoryMachine,
  type MemorySystem,
  ProcessDied,
} from "../../src/system/memory.ts";
import { SystemError } from "../../src/system/system.ts";
import { testProject } from "./project.ts";

const HOME = "/home/user";
const ROOT = `${HOME}/project`;
const SETTINGS = { ...BUILT_IN.history, budgetMs: 1_000_000 };
const PLACES = { project: ROOT, home: HOME, stateHome: `${HOME}/.amplihack`, temps: [], regenerable: [] };
const REQUEST = {
  host: "claude-code",
  session: "s1",
  tool: "Bash",
  toolUseId: "t1",
  command: "rm -r dir; echo two > a.txt; echo new > new.txt",
  verdict: "allow",
  rules: [],
};
const FOOTPRINT = {
  ...NO_FOOTPRINT,
  targets: [
    { path: `${ROOT}/dir`, how: "delete", isTree: true },
    { path: `${ROOT}/a.txt`, how: "write", isTree: false },
    { path: `${ROOT}/new.txt`, how: "write", isTree: false },
  ],
} as const;

const FILES = ["a.txt", "new.txt", "dir/b.txt", "dir/inner/c.txt"] as const;
const BEFORE = ["one", undefined, "b", "c"];
const AFTER = ["two", "new", undefined, undefined];

function machine(shared?: MemoryMachine): MemorySystem {
  return createMemorySystem({
    cwd: ROOT,
    ...(shared === undefined
      ? { files: { [`${ROOT}/a.txt`]: "one", [`${ROOT}/dir/b.txt`]: "b", [`${ROOT}/dir/inner/c.txt`]: "c" } }
      : { machine: shared }),
  });
}

const contentOf = (system: MemorySystem) => FILES.map(file => system.peek(`${ROOT}/${file}`));

/** What the command does, by another process. */
function runCommand({ machine: shared }: MemorySystem): void {
  const { files, put } = machine(shared);
  files.remove(`${ROOT}/dir/inner/c.txt`);
  files.removeDirectory(`${ROOT}/dir/inner`);
  files.remove(`${ROOT}/dir/b.txt`);
  files.removeDirectory(`${ROOT}/dir`);
  put(`${ROOT}/a.txt`, "two");
  put(`${ROOT}/new.txt`, "new");
}

const begin = (system: MemorySystem) => beginCall(openContext(system, PLACES, SETTINGS), REQUEST, FOOTPRINT);

async function complete(system: MemorySystem): Promise<void> {
  const context = openContext(system, PLACES, SETTINGS);
  for (const open of findOpen(context.store, "s1")) await completeChange(context, open, { exit: "ok" });
}

async function undo(system: MemorySystem, force = false): Promise<void> {
  const history = openHistory(system, PLACES, SETTINGS);
  await history.applyUndo(await history.planUndo({ kind: "newest" }), { force });
}

/** How many file operations a step takes when nothing goes wrong. */
async function operationsOf(
  prepare: (system: MemorySystem) => Promise<void>,
  step: (system: MemorySystem) => Promise<unknown>,
) {
  const system = machine();
  await prepare(system);
  const { count } = system.faults;
  await step(system);
  return system.faults.count - count;
}

async function changed(system: MemorySystem): Promise<void> {
  await begin(system);
  runCommand(system);
}

async function finished(system: MemorySystem): Promise<void> {
  await changed(system);
  await complete(system);
}

const readable = (system: MemorySystem) => {
  const { problems } = openHistory(machine(system.machine), PLACES, SETTINGS).verify();
  return problems.filter(problem => !problem.includes("damaged"));
};

describe("a failing file operation", () => {
  it("before a call is told as something that is not kept, and touches no file", async () => {
    const total = await operationsOf(async () => {}, begin);
    for (let at = 1; at <= total; at++) {
      const system = machine();
      system.faults.failAt(at, "ENOSPC");
      const captured = await begin(system).catch(error => {
        expect(error).toBeInstanceOf(SystemError);
        return undefined;
      });
      system.faults.clear();
      expect(contentOf(system)).toEqual(BEFORE);
      runCommand(system);
      if (captured?.isComplete !== true) continue;
      await complete(system);
      await undo(system);
      expect(contentOf(system)).toEqual(BEFORE);
    }
  });

  it("in an undo takes back what was done, or all of it is done", async () => {
    const total = await operationsOf(finished, undo);
    for (let at = 1; at <= total; at++) {
      const system = machine();
      await finished(system);
      system.faults.failAt(at, "EIO");
      const failure = await undo(system).then(
        () => undefined,
        error => error,
      );
      system.faults.clear();
      expect([BEFORE, AFTER]).toContainEqual(contentOf(system));
      if (failure === undefined) continue;
      if (contentOf(system)[0] === "two") await undo(system);
      expect(contentOf(system)).toEqual(BEFORE);
    }
  });
});

describe("a process that is killed", () => {
  it("before a call leaves a readable history and every file", async () => {
    const total = await operationsOf(async () => {}, begin);
    for (let at = 1; at <= total; at++) {
      const system = machine();
      system.faults.dieAt(at);
      await expect(begin(system)).rejects.toBeInstanceOf(ProcessDied);
      expect(contentOf(system)).toEqual(BEFORE);
      expect(readable(system)).toEqual([]);
    }
  });

  it("after a call leaves a change that can be undone", async () => {
    const total = await operationsOf(changed, complete);
    for (let at = 1; at <= total; at++) {
      const system = machine();
      await changed(system);
      system.faults.dieAt(at);
      await expect(complete(system)).rejects.toBeInstanceOf(ProcessDied);
      system.processes.end();
      const next = machine(system.machine);
      expect(readable(next)).toEqual([]);
      await undo(next);
      expect(contentOf(next)).toEqual(BEFORE);
    }
  });

  it("in an undo leaves each file as it was before or after, and a second undo finishes it", async () => {
    const total = await operationsOf(finished, undo);
    for (let at = 1; at <= total; at++) {
      const system = machine();
      await finished(system);
      system.faults.dieAt(at);
      await undo(system).catch(error => expect(error).toBeInstanceOf(ProcessDied));
      system.processes.end();
      const next = machine(system.machine);
      for (const [index, content] of contentOf(next).entries())
        expect([BEFORE[index], AFTER[index]]).toContain(content);
      expect(readable(next)).toEqual([]);
      if (contentOf(next).join() !== BEFORE.join()) await undo(next);
      expect(contentOf(next)).toEqual(BEFORE);
    }
  });
});

/** Operations that write below the project, by name; git's own are not among them. */
const WRITING = [
  "rename",
  "changeMode",
  "setModified",
  "makeDirectory",
  "remove",
  "removeDirectory",
  "copy",
] as const;

const IN_GIT = { "dir/a.txt": "a\n", "dir/inner/b.txt": "b\r\n" };

/** An undo of clean tracked files, of which the n-th operation in the project throws `error`. */
async function undoFromGit(at: number, error: Error | undefined) {
  const p = testProject();
  p.write({ ...IN_GIT, "other.txt": "o\n", ".gitattributes": "b.txt eol=crlf\n" });
  p.git("init", "-q", "-b", "main");
  p.git("add", "-A");
  p.git("commit", "-qm", "one");
  const before = p.state();
  await p.call("rm -rf dir; echo > .gitattributes", { unknownIn: [p.root] });
  const after = p.state();
  const { system, places, settings } = p.context;
  let count = 0;
  const files = Object.create(system.files);
  for (const name of WRITING)
    files[name] = (...args: [string, string, number]) => {
      const isInProject = args.some(
        one => `${one}`.startsWith(p.root) || `${one}`.startsWith("/proc/self/fd/"),
      );
      if (isInProject && ++count === at && error !== undefined) throw error;
      return (system.files[name] as (...given: unknown[]) => unknown)(...args);
    };
  // Another process, which has ended.
  const self = { ...system.processes.self, pid: 2 ** 22 + 1 };
  const processes = Object.defineProperty(Object.create(system.processes), "self", { get: () => self });
  const history = openHistory({ ...system, files, processes }, places, settings);
  const failure = await history
    .planUndo({ kind: "newest" })
    .then(plan => history.applyUndo(plan))
    .then(
      () => undefined,
      thrown => thrown,
    );
  return { p, before, after, count, failure };
}

describe("an undo that renames whole folders of files that come from git", () => {
  it("takes back what was done where an operation fails", async () => {
    const { count, failure } = await undoFromGit(0, undefined);
    expect(failure).toBeUndefined();
    for (let at = 1; at <= count; at++) {
      const { p, before, after } = await undoFromGit(at, new SystemError("EIO", "write", "somewhere"));
      expect([before, after]).toContainEqual(p.state());
      if (JSON.stringify(p.state()) !== JSON.stringify(before)) await p.undo();
      expect(p.state()).toEqual(before);
    }
  });

  it("leaves each file as it was before or after where it is killed, and a second undo finishes it", async () => {
    const { count } = await undoFromGit(0, undefined);
    for (let at = 1; at <= count; at++) {
      const { p, before, failure } = await undoFromGit(at, new ProcessDied());
      expect(failure).toBeInstanceOf(ProcessDied);
      for (const [path, text] of Object.entries(IN_GIT))
        expect([undefined, text]).toContain(existsSync(join(p.root, path)) ? p.read(path) : undefined);
      if (JSON.stringify(p.state()) !== JSON.stringify(before)) await p.undo();
      expect(p.state()).toEqual(before);
    }
  });
});
