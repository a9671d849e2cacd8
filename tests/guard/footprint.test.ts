import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeCommand } from "../../src/exports/guard.ts";
import { type Footprint, isEmptyFootprint, NO_FOOTPRINT } from "../../src/guard/footprint.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { isInside } from "../../src/system/paths.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { GIT, NAMED, READING, UNKNOWN } from "./real-commands.ts";

/** A small world: a project with work in every state, a directory beside it, and a home. */
const WORLD = `
set -e
cd project
printf 'a line\\nanother line\\nlast\\n' > a.txt; printf 'b\\nc\\n' > b.txt
printf one > src/one.ts; printf two > src/two.ts; printf three > src/deep/three.ts
printf '*.log\\n' > .gitignore
printf 'all:\\n\\trm -f a.txt\\n' > Makefile; printf 'all:\\n\\techo x > built.txt\\n' > src/Makefile
printf '#!/bin/sh\\nrm -f a.txt\\necho x > made.txt\\n' > run.sh; chmod +x run.sh
printf 'import os\\nos.remove("a.txt")\\n' > script.py
printf '{"scripts":{"wreck":"rm -f a.txt"}}\\n' > package.json
git init -q --template= -b main .; git config user.name t; git config user.email t@example.com
git config alias.co checkout; git config alias.undo '!rm -f b.txt'
git config protocol.file.allow always; git config commit.gpgsign false
git add -A; git commit -qm first; git branch other; git tag v0
printf 'second\\n' > second.txt; git add second.txt; git commit -qm second
git checkout -q -b side HEAD~1; printf 'side\\n' > side.txt; git add side.txt; git commit -qm side; git checkout -q main
printf 'stashed\\n' > b.txt; git stash -q
printf 'a line\\nchanged\\nlast\\n' > a.txt
git diff --no-prefix > change.diff; git checkout -q -- a.txt
printf 'a line\\nother work\\nlast\\n' > src/one.ts
printf 'staged\\n' > staged.txt; git add staged.txt
printf 'new\\n' > new.txt; printf 'log\\n' > kept.log; printf 'x\\n' > 'with space.txt'; printf 'd\\n' > ./-dash
printf 'a.txt\\nb.txt\\n' > names.txt
mkdir -p empty nest/inner; ln -s a.txt link; ln -s src/deep dirlink; ln -s ../outside outlink
mkdir dirlink/inner; printf i > dirlink/inner/i.txt
tar cf archive.tar src; command -v zip > /dev/null && zip -q pack.zip a.txt
gzip -c a.txt > packed.gz
cd ../outside; printf o > o.txt; mkdir more; printf m > more/m.txt
git init -q --template= repo; cd repo; printf r > r.txt; git add -A
git -c user.name=t -c user.email=t@example.com commit -qm r
mkdir -p ../../home/notes; printf n > ../../home/notes/n.txt
`;

type Snapshot = ReadonlyMap<string, string>;

/** Every name with what it is; times of files count, those of directories follow from what is in them. */
function snapshot(top: string): Snapshot {
  const found = new Map<string, string>();
  const walk = (directory: string) => {
    for (const name of readdirSync(join(top, directory))) {
      const path = join(directory, name);
      const facts = lstatSync(join(top, path));
      const kind = facts.isDirectory()
        ? "directory"
        : facts.isSymbolicLink()
          ? `link to ${readlinkSync(join(top, path))}`
          : `${readFileSync(join(top, path)).toString("latin1")} ${facts.mtimeMs}`;
      found.set(path, `${facts.mode.toString(8)} ${kind}`);
      if (facts.isDirectory()) walk(path);
    }
  };
  walk(".");
  return found;
}

function changesBetween(before: Snapshot, after: Snapshot): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    path => before.get(path) !== after.get(path),
  );
}

interface Run {
  readonly command: string;
  readonly footprint: Footprint;
  /** absolute */
  readonly changed: readonly string[];
  readonly project: string;
  /** the program is not on this machine */
  readonly isMissing: boolean;
}

const QUOTE = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Judges every command, then runs each in a copy of its own; two processes start beside those of the commands. */
function runAll(table: string): readonly Run[] {
  const top = temporaryDirectory();
  const world = join(top, "world");
  for (const folder of ["project/src/deep", "outside", "home"])
    mkdirSync(join(world, folder), { recursive: true });
  const env = {
    ...process.env,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_EDITOR: "true",
    HOME: join(world, "home"),
  };
  const made = spawnSync("bash", ["-c", WORLD], { cwd: world, env, encoding: "utf8" });
  expect(made.stderr + made.status).toBe("0");
  const before = snapshot(world);
  const commands = table
    .split("\n")
    .filter(line => line !== "")
    .map(line => line.replaceAll("⏎", "\n"));
  const places = commands.map((_, index) => join(top, String(index)));
  const copies = spawnSync("bash", [
    "-c",
    `for to in "$@"; do cp -a ${QUOTE(world)} "$to"; done`,
    "copy",
    ...places,
  ]);
  expect(copies.status).toBe(0);
  const footprints = commands.map((command, index) => {
    const place = places[index] ?? "";
    const home = join(place, "home");
    return judgeCommand(command, {
      cwd: join(place, "project"),
      home,
      system: createNodeSystem(),
    }).footprint();
  });
  const lines = commands.map((command, index) => {
    const place = places[index] ?? "";
    return `cd ${QUOTE(join(place, "project"))} && HOME=${QUOTE(join(place, "home"))} timeout 20 bash -c ${QUOTE(command)} < /dev/null > /dev/null 2>&1; echo $?`;
  });
  const ran = spawnSync("bash", ["-s"], { input: `${lines.join("\n")}\n`, env, encoding: "utf8" });
  const codes = ran.stdout.trim().split("\n");
  return commands.map((command, index) => {
    const place = places[index] ?? "";
    const changed = changesBetween(before, snapshot(place)).map(path => join(place, path));
    return {
      command,
      footprint: footprints[index] ?? NO_FOOTPRINT,
      changed,
      project: join(place, "project"),
      isMissing: codes[index] === "127",
    };
  });
}

/** A target, a tree above it, or a repository. */
function isNamed(path: string, { targets, repositories }: Footprint): boolean {
  const isTarget = targets.some(one => one.path === path || (one.isTree && isInside(one.path, path)));
  return (
    isTarget ||
    repositories.some(({ top, gitDirectory, changesFiles, changesState }) => {
      if (isInside(gitDirectory, path)) return changesState;
      return changesFiles && top !== undefined && isInside(top, path);
    })
  );
}

/** Everything in the project around a program whose effects cannot be told. */
function isAround(path: string, { footprint, project }: Run): boolean {
  return footprint.unknownIn.some(directory =>
    isInside(isInside(project, directory) ? project : directory, path),
  );
}

/** For people: what was not foreseen, by command. */
function uncovered(runs: readonly Run[], covers: (path: string, run: Run) => boolean): readonly string[] {
  return runs.flatMap(run => {
    const missed = run.changed.filter(path => !covers(path, run));
    const told = JSON.stringify(run.footprint).replaceAll(run.project, "");
    return missed.length === 0
      ? []
      : [`${run.command}: ${missed.join(" ").replaceAll(run.project, "")} — ${told}`];
  });
}

const idle = (runs: readonly Run[]) =>
  runs.filter(({ changed, isMissing }) => changed.length === 0 && !isMissing).map(({ command }) => command);

describe("what a command may change, told before it runs", () => {
  it("has every path that commands with known effects change", () => {
    const runs = runAll(NAMED);
    expect(idle(runs)).toEqual([]);
    expect(uncovered(runs, (path, run) => isNamed(path, run.footprint))).toEqual([]);
  });

  it("has the repository that git changes, and the paths beside it", () => {
    const runs = runAll(GIT);
    expect(idle(runs)).toEqual([]);
    expect(uncovered(runs, (path, run) => isNamed(path, run.footprint))).toEqual([]);
  });

  it("has the project around programs whose effects cannot be told", () => {
    const runs = runAll(UNKNOWN);
    expect(idle(runs)).toEqual([]);
    expect(uncovered(runs, (path, run) => isNamed(path, run.footprint) || isAround(path, run))).toEqual([]);
  });

  it("is nothing for commands that only read, and after them nothing is different", () => {
    const runs = runAll(READING);
    // Git may write down anew what it saw of files that did not change.
    expect(uncovered(runs, path => path.endsWith("/.git/index"))).toEqual([]);
    expect(
      runs
        .filter(run => !isEmptyFootprint(run.footprint))
        .map(({ command, footprint }) => `${command}: ${JSON.stringify(footprint)}`),
    ).toEqual([]);
  });
});

it.each([
  ["the checkout of a task", ".amplihack/workstreams/p-1/task-a", "a.txt", true],
  ["another task's, from a project", "project", "../.amplihack/workstreams/p-1/task-a/a.txt", true],
  ["a checkout elsewhere in the state home", ".amplihack/own", "a.txt", true],
  ["runs and caches of ours", "project", "../.amplihack/runs/a.txt", false],
  ["the history, from a checkout", ".amplihack", "history/a.txt", false],
])("%s is looked at: %s %s %s", (_, directory, file, isThere) => {
  const home = "/home/ann";
  const cwd = join(home, directory);
  const system = createMemorySystem({
    cwd,
    files: { [`${cwd}/.git`]: "", [join(cwd, file, "../.git")]: "" },
  });
  const { targets } = judgeCommand(`echo x > ${file}`, { cwd, home, system }).footprint();
  expect(targets.map(({ path }) => path)).toEqual(isThere ? [join(cwd, file)] : []);
});
