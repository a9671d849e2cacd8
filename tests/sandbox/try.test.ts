import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/index.ts";
import { loadSandbox } from "../../src/sandbox/index.ts";
import type { System } from "../../src/system/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { survey, whyNotCaught } from "../../src/workspace/index.ts";
import { buildFolder } from "../build-folder.ts";
import { readTree } from "../history/commands/tree.ts";
import {
  applyIn,
  canTry,
  discardIn,
  dyingSystem,
  type Place,
  placesOf,
  startAgain,
  tryIn,
  undoIn,
} from "./try-scene.ts";

describe.skipIf(!canTry)("try", () => {
  const made: string[] = [];
  afterAll(() => {
    for (const home of made) {
      execFileSync("chmod", ["-R", "u+rwX", home]);
      rmSync(home, { recursive: true, force: true });
    }
  });

  const prepare = (): Place => {
    const home = realpathSync(mkdtempSync(join(buildFolder(), "try-")));
    made.push(home);
    const project = join(home, "work/project");
    mkdirSync(join(project, "src/deep"), { recursive: true });
    const files = { a: "one\n", b: "two\n", "src/c": "three\n", "src/deep/d": "four\n", empty: "" };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
    symlinkSync("a", join(project, "link"));
    chmodSync(join(project, "b"), 0o600);
    const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
    return { home, project, env };
  };
  const whats = (held: Awaited<ReturnType<typeof tryIn>>["held"], { project }: Place) =>
    Object.fromEntries(
      (held?.changes.files ?? []).map(({ path, what }) => [path.slice(project.length + 1), what]),
    );
  const CHANGES = `echo more >> a; rm b; mv src/c moved; rm -rf src; mkdir src; echo new > src/new; mkdir -p made/deep
    ln -sf b link; chmod 755 empty; ln src/new made/second; mkfifo pipe; exit 5`;

  it("touches nothing, and tells what was created, changed, deleted and moved", async () => {
    const place = prepare();
    const before = readTree(place.home);
    const { code, held } = await tryIn(place, CHANGES);
    expect(code).toBe(5);
    expect(readTree(place.home)).toEqual(before);
    expect(whats(held, place)).toEqual({
      a: "changed",
      b: "deleted",
      empty: "mode",
      link: "changed",
      made: "created",
      "made/deep": "created",
      "made/second": "created",
      moved: "moved",
      "src/c": "deleted",
      "src/deep": "deleted",
      "src/deep/d": "deleted",
      "src/new": "created",
    });
    expect(held?.changes.left).toEqual([join(place.project, "pipe")]);
    expect(held?.changes.files.find(({ path }) => path.endsWith("/moved"))?.from).toMatch(/src\/c$/);
  });

  it("keeps nothing of a command that changes nothing", async () => {
    const place = prepare();
    expect((await tryIn(place, "cat a; touch -r b b; exit 0")).held).toBeUndefined();
    expect(readdirSync(join(place.home, ".amplihack/sandbox/tries"))).toEqual([]);
  });

  it("discards all of it, also folders that the command closed", async () => {
    const place = prepare();
    const before = readTree(place.home);
    const { held } = await tryIn(place, "mkdir -p x/y; echo z > x/y/z; chmod 000 x/y x");
    if (held === undefined) throw new Error("nothing was held");
    await discardIn(place, held.record);
    expect(readTree(place.home)).toEqual(before);
    expect(readdirSync(join(place.home, ".amplihack/sandbox/tries"))).toEqual([]);
  });

  it("applies all of it as one change, which undo takes back", async () => {
    const [place, bare] = [prepare(), prepare()];
    const before = readTree(place.home);
    execFileSync("bash", ["-c", `${CHANGES.replace("mkfifo pipe; ", "").replace("exit 5", ":")}`], {
      cwd: bare.project,
      env: bare.env,
    });
    const { held } = await tryIn(place, CHANGES);
    if (held === undefined) throw new Error("nothing was held");
    const { change, notKept } = await applyIn(place, held.record);
    expect(notKept).toEqual([]);
    const plain = (home: string) =>
      [...readTree(home)]
        .filter(([path]) => path.startsWith("work"))
        .map(([path, { kind, mode, content, inode }]) => [path, kind, mode, content, inode !== undefined]);
    expect(plain(place.home)).toEqual(plain(bare.home));
    const undone = await undoIn(place);
    expect(undone.missing).toEqual([]);
    expect(change).toBeDefined();
    const contents = (tree: ReturnType<typeof readTree>) =>
      [...tree].map(([path, { kind, mode, content }]) => [path, kind, mode, content].join(" "));
    expect(contents(readTree(place.home))).toEqual(contents(before));
  });

  it.each([
    ["changed", (project: string) => writeFileSync(join(project, "a"), "mine\n"), /a: it was changed since/],
    ["deleted", (project: string) => rmSync(join(project, "a")), /a: it was deleted since/],
    [
      "created",
      (project: string) => writeFileSync(join(project, "fresh"), "mine\n"),
      /fresh: it was changed since/,
    ],
    [
      "added to a folder that goes",
      (project: string) => writeFileSync(join(project, "src/mine"), "mine\n"),
      /src\/mine: it was changed since/,
    ],
  ])("holds what somebody else %s since", async (_, meddle, message) => {
    const place = prepare();
    const { held } = await tryIn(place, "echo x >> a; echo y > fresh; rm -rf src");
    if (held === undefined) throw new Error("nothing was held");
    meddle(place.project);
    const before = readTree(place.home);
    const error = await applyIn(place, held.record).catch(each => each);
    expect(error).toMatchObject({ kind: "conflict", exitCode: 3 });
    expect(error.causes.join("\n")).toMatch(message);
    expect(readTree(place.home)).toEqual(before);
    expect(await startAgain(place)).toMatchObject([{ id: held.record.id, status: "held" }]);
  });

  it.each([
    [
      "moved a folder into one that goes",
      "rm -rf src",
      "src/photos",
      "photos",
      /src\/photos: it was made since/,
    ],
    [
      "moved another folder into the place of one that goes",
      "rm -rf src",
      "src",
      "photos",
      /src: another folder is in its place/,
    ],
    [
      "moved another folder into the place of one that is written to",
      "echo x > src/one",
      "src",
      "photos",
      /src: another folder is in its place/,
    ],
    [
      "moved a folder to where one was made",
      "mkdir -p made; echo x > made/one",
      "made",
      "photos",
      /made\/one: it was made since/,
    ],
    [
      "put a link to elsewhere in the place of a folder",
      "echo x > src/fresh",
      "src",
      "photos-link",
      /src: (another folder is in its place|it was changed since)/,
    ],
    [
      "put a link to elsewhere above a folder",
      "echo x > src/deep/fresh",
      "src",
      "photos-link",
      /src: (another folder is in its place|it was changed since)/,
    ],
    [
      "put a link where a folder was made",
      "mkdir made; echo x > made/one",
      "made",
      "photos-link",
      /made: it was (made|changed) since/,
    ],
  ])("holds what is applied where somebody else %s", async (_, command, to, from, message) => {
    const place = prepare();
    const outside = join(place.home, "work");
    mkdirSync(join(outside, "photos/deep"), { recursive: true });
    writeFileSync(join(outside, "photos/one"), "mine\n");
    symlinkSync(join(outside, "photos"), join(outside, "photos-link"));
    const { held } = await tryIn(place, command);
    if (held === undefined) throw new Error("nothing was held");
    if (existsSync(join(place.project, to))) renameSync(join(place.project, to), join(outside, "away"));
    renameSync(join(outside, from), join(place.project, to));
    const before = readTree(place.home);
    const error = await applyIn(place, held.record).catch(each => each);
    expect(readTree(place.home)).toEqual(before);
    expect(error).toMatchObject({ kind: "conflict", exitCode: 3 });
    expect(error.causes.join("\n")).toMatch(message);
  });

  it("holds a changed file that has other names, and deletes one of several names", async () => {
    const place = prepare();
    linkSync(join(place.project, "a"), join(place.project, "again"));
    const changed = await tryIn(place, "echo x >> a");
    if (changed.held === undefined) throw new Error("nothing was held");
    await expect(applyIn(place, changed.held.record)).rejects.toMatchObject({ kind: "conflict" });
    const deleted = await tryIn(place, "rm again");
    if (deleted.held === undefined) throw new Error("nothing was held");
    await applyIn(place, deleted.held.record);
    expect(existsSync(join(place.project, "again"))).toBe(false);
    expect(readFileSync(join(place.project, "a"), "utf8")).toBe("one\n");
  });

  it("does not try where the home is the project, and says so", async () => {
    const place = prepare();
    execFileSync("git", ["init", "-q"], { cwd: place.home });
    await expect(tryIn(place, "echo x > a", { cwd: place.home })).rejects.toMatchObject({
      message: expect.stringContaining("home directory"),
      exitCode: 126,
    });
  });

  it.each([
    ["a temporary folder", "/tmp/work/project", {}],
    ["a cache", "/home/user/.npm/project", {}],
    ["a folder that a person opened", "/srv/open/project", {}],
    ["another repository", "/srv/other/project", { "/srv/other/.git/HEAD": "ref: refs/heads/main" }],
  ])("does not try where what is caught would lie in %s", (_, project, files) => {
    const system = createMemorySystem({
      files: { [`${project}/a`]: "", "/home/user/.amplihack/x": "", "/proc/self/mountinfo": "", ...files },
    });
    // The state lies on another file system.
    const other: System = {
      ...system,
      files: Object.assign(Object.create(system.files), {
        follow: (path: string) => {
          const facts = system.files.follow(path);
          const isState = path.startsWith("/home/user/.amplihack");
          return facts === undefined || !isState ? facts : { ...facts, identity: "other:1" };
        },
      }),
    };
    const why = (on: System) => {
      const place = { cwd: project, home: "/home/user", stateHome: "/home/user/.amplihack", system: on };
      return whyNotCaught(on, survey({ ...place, settings: BUILT_IN.guard }), project, ["/srv/open"]);
    };
    expect(why(system)).toBeUndefined();
    expect(why(other)).toMatch(
      /^they would be caught in \S+, which other commands in the sandbox may change$/,
    );
  });

  it("removes what a killed run left, and nothing else", async () => {
    const place = prepare();
    const system = createNodeSystem();
    const { held } = await tryIn(place, "echo x > fresh");
    if (held === undefined) throw new Error("nothing was held");
    const { writeTry } = await loadSandbox();
    const { stateHome } = placesOf(place);
    const gone = { pid: 2 ** 22 - 1, start: "1", host: system.processes.self.host };
    writeTry(system, stateHome, {
      ...held.record,
      id: "killed",
      caught: [],
      status: "running",
      runner: gone,
    });
    expect((await startAgain(place)).map(({ id }) => id)).toEqual([held.record.id]);
  });

  it("is finished or not begun when apply is killed at any file operation", async () => {
    const places = { begun: prepare(), done: prepare() };
    const seen = async (place: Place) => {
      const tree = [...readTree(join(place.home, "work"))];
      return tree.map(([path, { kind, mode, content }]) => `${path} ${kind} ${mode} ${content}`).join("\n");
    };
    const before = await seen(places.begun);
    const { held } = await tryIn(places.done, CHANGES);
    if (held === undefined) throw new Error("nothing was held");
    const counter = dyingSystem(Number.POSITIVE_INFINITY);
    await applyIn(places.done, held.record, counter.system);
    const after = await seen(places.done);
    expect(counter.count()).toBeGreaterThan(30);
    const outcomes = new Set<string>();
    for (let at = 1; at <= counter.count(); at += 5) {
      const place = prepare();
      const tried = await tryIn(place, CHANGES);
      if (tried.held === undefined) throw new Error("nothing was held");
      await applyIn(place, tried.held.record, dyingSystem(at).system).catch(() => {});
      const left = await startAgain(place);
      const now = await seen(place);
      expect([before, after], `killed at operation ${at}`).toContain(now);
      expect(left.map(({ status }) => status)).toEqual(now === before ? ["held"] : []);
      outcomes.add(now === before ? "before" : "after");
      if (now === after) expect((await undoIn(place)).missing).toEqual([]);
    }
    expect(outcomes).toEqual(new Set(["before", "after"]));
  });
});
