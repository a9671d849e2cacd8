import { chmodSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HistorySettings } from "../../src/config/settings.ts";
import { NO_FOOTPRINT } from "../../src/guard/footprint.ts";
import { beginCall } from "../../src/history/begin.ts";
import { completeChange } from "../../src/history/complete.ts";
import { openContext } from "../../src/history/context.ts";
import { findOpen, readOpen } from "../../src/history/open-changes.ts";
import { objectsInUse } from "../../src/history/prune.ts";
import { AMPLE, type TestProject, testProject } from "./project.ts";

/** By this clock all files are old enough for their stamps to be trusted. */
const AHEAD_MS = 60_000;

function openAhead(project: TestProject, stateHome: string, settings: HistorySettings = AMPLE) {
  const { system, places } = project.context;
  const looked: string[] = [];
  const ahead = {
    ...system,
    clock: { ...system.clock, nowMs: () => system.clock.nowMs() + AHEAD_MS },
    files: Object.assign(Object.create(system.files) as typeof system.files, {
      exactFacts(path: string) {
        looked.push(path);
        return system.files.exactFacts(path);
      },
    }),
  };
  const context = openContext(ahead, { ...places, stateHome }, settings);
  const begin = async () => {
    looked.length = 0;
    const request = {
      host: "claude-code",
      session: "s1",
      tool: "Bash",
      toolUseId: undefined,
      command: "make",
      verdict: "allow",
      rules: [],
    };
    const captured = await beginCall(context, request, { ...NO_FOOTPRINT, unknownIn: [project.root] });
    const [file] = findOpen(context.store, "s1");
    const open = file === undefined ? undefined : readOpen(context.store, file);
    const sweeps = open?.sweeps.map(sweep => ({ ...sweep, seen: context.store.readList(sweep.seen) }));
    // What is asked for later is a function of its own each time.
    return { captured: { ...captured, change: "", keptIn: undefined }, sweeps };
  };
  const end = async () => {
    const [file] = findOpen(context.store, "s1");
    const change = file === undefined ? undefined : await completeChange(context, file);
    return change?.files.map(({ path, what }) => `${what} ${path.slice(project.root.length + 1)}`);
  };
  /** The top is looked at by a sweep, and not to find out that none is needed. */
  const hasLooked = (name = "") => looked.includes(join(project.root, name));
  return { context, begin, end, hasLooked };
}

function workInProgress(): TestProject {
  const project = testProject();
  project.git("init", "--quiet");
  project.write({ ".gitignore": "data/\n*.log\n", "src/a.ts": "a\n", "src/b.ts": "b\n", "gone.ts": "g\n" });
  project.git("add", "--all");
  project.git("commit", "--quiet", "--message", "All");
  project.write({ "src/a.ts": "a, changed\n", "new/c.ts": "c\n", "data/items.db": "rows\n", "x.log": "x\n" });
  rmSync(join(project.root, "gone.ts"));
  return project;
}

const at = (project: TestProject, name: string) => join(project.root, name);

const TOUCHES: Readonly<Record<string, (project: TestProject) => void>> = {
  nothing: () => {},
  "a changed file, to the same size": project => project.write({ "src/a.ts": "A, changed\n" }),
  "the mode of a changed file": project => chmodSync(at(project, "src/a.ts"), 0o600),
  "an untracked file, which becomes a link": project => {
    rmSync(at(project, "new/c.ts"));
    symlinkSync("../src/a.ts", at(project, "new/c.ts"));
  },
  "an untracked link, which goes": project => rmSync(at(project, "new/c.ts")),
  "a clean file": project => project.write({ "src/b.ts": "b, changed\n" }),
  "a deleted file, which comes again": project => project.write({ "gone.ts": "again\n" }),
  "a new file": project => project.write({ "new/d.ts": "d\n" }),
  "a precious file in an ignored folder": project => project.write({ "data/items.db": "more rows\n" }),
  "a new precious file in an ignored folder": project => project.write({ "data/more.db": "rows\n" }),
  "a new precious file in a new ignored folder": project => project.write({ "data/deep/more.db": "rows\n" }),
  "an ignored file that is not kept": project => project.write({ "x.log": "y\n" }),
  "an empty folder, which is made": project => mkdirSync(at(project, "src/empty/inner"), { recursive: true }),
  "an empty folder, which goes": project => rmdirSync(at(project, "src/empty/inner")),
  "the mode of an empty folder": project => chmodSync(at(project, "src/empty"), 0o700),
  "the mode of a clean file": project => chmodSync(at(project, ".gitignore"), 0o600),
  "the commit": project => project.git("commit", "--quiet", "--message", "More", "--all"),
};

describe("a sweep that would come to what the last one came to", () => {
  it("is not done again", async () => {
    const project = workInProgress();
    const { begin, end, hasLooked } = openAhead(project, join(project.home, ".amplihack"));
    await begin();
    expect(hasLooked()).toBe(true);
    await end();
    await begin();
    expect(hasLooked()).toBe(false);
    await end();
    expect(hasLooked("src")).toBe(false);
  });

  it("is told from another one, whatever was touched before it or while the call ran", async () => {
    const project = workInProgress();
    const known = openAhead(project, join(project.home, ".amplihack"));
    for (const [what, touch] of Object.entries(TOUCHES)) {
      const fresh = openAhead(project, join(project.home, what.replaceAll(" ", "-")));
      expect(await known.begin(), `before: ${what}`).toEqual(await fresh.begin());
      touch(project);
      expect(await known.end(), what).toEqual(await fresh.end());
    }
  });

  it("is done again when what it kept is gone, and when other files are kept", async () => {
    const project = workInProgress();
    const stateHome = join(project.home, ".amplihack");
    const { begin, end, context, hasLooked } = openAhead(project, stateHome);
    const first = await begin();
    await end();
    expect(objectsInUse(context.store).size).toBeGreaterThan(2);
    const objects = context.store.path("objects");
    for (const name of readdirSync(objects)) rmSync(join(objects, name), { recursive: true });
    expect(await begin()).toEqual(first);
    expect(hasLooked()).toBe(true);
    await end();
    const other = openAhead(project, stateHome, { ...AMPLE, exclude: ["*.db"] });
    await other.begin();
    expect(other.hasLooked()).toBe(true);
    const small = openAhead(project, stateHome, { ...AMPLE, maxCallFiles: 1 });
    await small.end();
    await small.begin();
    expect(small.hasLooked()).toBe(true);
  });

  it("is done again when its file is damaged", async () => {
    const project = workInProgress();
    const { begin, end, context } = openAhead(project, join(project.home, ".amplihack"));
    const first = await begin();
    await end();
    const name = readdirSync(context.store.path("seen")).find(one => one.endsWith(".sweep")) ?? "";
    for (const text of ["", "nothing", '{"sum":"00000000","data":{}}\n']) {
      writeFileSync(context.store.path("seen", name), text);
      expect(await begin()).toEqual(first);
      await end();
    }
  });
});

describe("a call that may lose very many files", () => {
  it("names some, and the directory that the others are in, so that nothing there passes for kept", async () => {
    const project = testProject();
    project.git("init", "--quiet");
    const names = Array.from({ length: 150 }, (_, number) => `new/${number % 2}/file-${number}.ts`);
    project.write(Object.fromEntries(names.map(name => [name, "new\n"])));
    const { begin, context } = openAhead(project, join(project.home, ".amplihack"), {
      ...AMPLE,
      maxFileMb: 0,
    });
    const { captured } = await begin();
    // With two files of git's own.
    expect(captured.lost).toHaveLength(152);
    const open = findOpen(context.store, "s1").flatMap(file => readOpen(context.store, file) ?? []);
    const notKept = open[0]?.notKept ?? [];
    expect(notKept).toHaveLength(101);
    expect(notKept.at(-1)).toEqual({ path: project.root, why: "52 more paths in it were not kept" });
  });
});
