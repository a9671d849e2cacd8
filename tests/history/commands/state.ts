import { readGit } from "./git-facts.ts";
import type { Scene } from "./projects.ts";
import { differences, readTree, type Tree, unlinked } from "./tree.ts";

/** Files and git's words of a scene at one moment. */
export interface State {
  readonly tree: Tree;
  readonly printed: string;
  readonly clean: ReadonlySet<string>;
}

export async function readState(scene: Scene): Promise<State> {
  const { printed, clean } = await readGit(scene);
  return { tree: readTree(scene.home), printed, clean };
}

/** What is not as it was before, in words; empty when all is. `after` is how the calls left it. */
export function unlike(before: State, after: Tree, undone: Omit<State, "clean">): readonly string[] {
  const files = [
    ...differences({ before: before.tree, after, undone: undone.tree, clean: before.clean }),
    ...unlinked(before.tree, undone.tree),
  ];
  return before.printed === undone.printed
    ? files
    : [...files, gitDifference(before.printed, undone.printed)];
}

function gitDifference(before: string, now: string): string {
  const [was, is] = [before.split("\n"), now.split("\n")];
  const gone = was.filter(line => !is.includes(line)).map(line => `- ${line}`);
  const fresh = is.filter(line => !was.includes(line)).map(line => `+ ${line}`);
  return `git: ${[...gone, ...fresh].slice(0, 12).join(" | ")}`;
}

/** Fails with the whole list: an assertion would show the beginning of it. */
export function expectNothing(wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Error(wrong.slice(0, MAX_SHOWN).join("\n"));
}

const MAX_SHOWN = 30;
