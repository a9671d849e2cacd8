import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Footprint } from "../../src/guard/footprint.ts";
import { runs } from "../generated-inputs.ts";
import { type TestProject, testProject } from "./project.ts";

// Random work of two sessions and of a person, with undos in between. Undoing all of it gives the first state.

const NAMES = ["a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "new.txt", "dir/new.txt", "notes.local"];
const DIRECTORIES = ["dir", "dir/deep", "other", "other/inner"];
const quote = (text: string) => `'${text}'`;

interface Step {
  readonly command: string;
  /** the paths that the command names; undefined for a program whose effects are not known */
  readonly names?: readonly string[];
  readonly isGit?: boolean;
}

const name = fc.constantFrom(...NAMES);
const directory = fc.constantFrom(...DIRECTORIES);
const word = fc.constantFrom("one", "two", "three", "");

const NAMED: readonly fc.Arbitrary<Step>[] = [
  fc.tuple(name, word).map(([path, text]) => ({
    command: `mkdir -p $(dirname ${quote(path)}); test -L ${quote(path)} || printf %s ${quote(text)} > ${quote(path)}`,
    names: [path],
  })),
  name.map(path => ({ command: `rm -f ${quote(path)}`, names: [path] })),
  directory.map(path => ({ command: `rm -rf ${quote(path)}`, names: [path] })),
  directory.map(path => ({ command: `mkdir -p ${quote(path)}`, names: [path] })),
  fc.tuple(name, name).map(([from, to]) => ({
    command: `mv -f ${quote(from)} ${quote(to)} 2>/dev/null`,
    names: [from, to],
  })),
  fc.tuple(directory, fc.constantFrom("moved", "other")).map(([from, to]) => ({
    command: `mv ${quote(from)} ${quote(to)} 2>/dev/null`,
    names: [from, to],
  })),
  fc.tuple(name, fc.constantFrom("600", "755", "444")).map(([path, mode]) => ({
    command: `test -L ${quote(path)} || chmod ${mode} ${quote(path)} 2>/dev/null`,
    names: [path],
  })),
  fc.tuple(name, word).map(([path, target]) => ({
    command: `test -d ${quote(path)} || ln -sfn x${target} ${quote(path)} 2>/dev/null`,
    names: [path],
  })),
  name.map(path => ({
    command: `test -L ${quote(path)} || touch -d 2001-02-03 ${quote(path)} 2>/dev/null`,
    names: [path],
  })),
];

const GIT: readonly Step[] = [
  "git add -A",
  "git commit -qam work",
  "git reset -q --hard",
  "git reset -q --hard HEAD~1",
  "git reset -q HEAD~1",
  "git checkout -q -f side",
  "git checkout -q -f main",
  "git checkout -q -- .",
  "git clean -fdq",
  "git clean -fdxq",
  "git stash -q",
  "git stash -q -u",
  "git stash pop -q",
  "git stash drop -q",
  "git merge -q side -m merge",
  "git branch -f side",
  "git tag -f mark",
].map(command => ({ command: `${command} 2>/dev/null`, isGit: true }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(...NAMED) },
  { weight: 3, arbitrary: fc.constantFrom(...GIT) },
  // The same, when nobody can tell what the program does.
  {
    weight: 3,
    arbitrary: fc.oneof(...NAMED).map(({ command }) => ({ command: `sh -c ${JSON.stringify(command)}` })),
  },
);

type Action =
  | { readonly kind: "call"; readonly session: string; readonly step: Step }
  | { readonly kind: "undo" }
  | { readonly kind: "undo and redo" };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom("s1", "s2"), step)
      .map(([session, one]): Action => ({ kind: "call", session, step: one })),
  },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: "undo" }) },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: "undo and redo" }) },
);

function footprintOf(project: TestProject, { names, isGit }: Step): Partial<Footprint> {
  if (isGit === true)
    return {
      repositories: [
        {
          top: project.root,
          gitDirectory: `${project.root}/.git`,
          changesFiles: true,
          changesState: true,
          changesIgnored: true,
        },
      ],
    };
  if (names === undefined) return { unknownIn: [project.root] };
  return { targets: names.map(path => project.target(path, "write", true)) };
}

function start(hasGit: boolean): TestProject {
  const project = testProject();
  project.write({
    "a.txt": "a",
    "b.txt": "b",
    "dir/c.txt": "c",
    "dir/deep/d.txt": "d",
    ".gitignore": "*.local\n",
  });
  if (!hasGit) return project;
  project.git("init", "-q", "-b", "main");
  project.git("add", "-A");
  project.git("commit", "-qm", "one");
  project.git("branch", "side");
  project.write({ "b.txt": "b2" });
  project.git("commit", "-qam", "two");
  project.write({ "a.txt": "changed", "new.txt": "untracked", "notes.local": "precious" });
  return project;
}

/** Empty directories that a program makes or removes in a repository are not promised, if nobody could tell its effects. */
function isLoose({ names, isGit }: Step, hasGit: boolean): boolean {
  return hasGit && names === undefined && isGit !== true;
}

async function play(hasGit: boolean, actions: readonly Action[]): Promise<void> {
  const project = start(hasGit);
  const done: { id: string; before: Readonly<Record<string, string>> }[] = [];
  const ignoresDirectories = actions.some(one => one.kind === "call" && isLoose(one.step, hasGit));
  const shown = (state: Readonly<Record<string, string>>) =>
    ignoresDirectories
      ? Object.fromEntries(Object.entries(state).filter(([, what]) => !what.startsWith("directory")))
      : state;
  const compare = (before: Readonly<Record<string, string>>) => {
    expect(shown(project.state())).toEqual(shown(before));
  };
  for (const one of actions) {
    if (one.kind === "call") {
      const before = project.state();
      const id = await project.call(one.step.command, footprintOf(project, one.step), one.session);
      if (id === undefined) compare(before);
      else done.push({ id, before });
      continue;
    }
    const last = done.at(-1);
    if (last === undefined) continue;
    const after = project.state();
    const undo = await project.undo(last.id);
    compare(last.before);
    if (one.kind === "undo") done.pop();
    else {
      await project.redo(undo);
      compare(after);
    }
  }
  for (const { id, before } of done.reverse()) {
    await project.undo(id);
    compare(before);
  }
  expect(project.history.verify().problems).toEqual([]);
}

/** Of a clean file git knows only whether it is executable. */
const FINE_MODE = /chmod (600|444)/;

describe("random work of two sessions", () => {
  for (const hasGit of [true, false])
    it(`comes back step by step ${hasGit ? "in a repository" : "without git"}`, async () => {
      const isPossible = ({ command, isGit }: Step) => (hasGit ? !FINE_MODE.test(command) : isGit !== true);
      const steps = action.filter(one => one.kind !== "call" || isPossible(one.step));
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 10 }), actions => play(hasGit, actions)),
        { numRuns: hasGit ? runs(8, 60) : runs(20, 150) },
      );
    });
});
