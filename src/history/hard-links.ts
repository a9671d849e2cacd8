import { dirname, type Files, isInside } from "../system/index.ts";
import type { FileState, PathState } from "./change.ts";
import { type HistoryContext, tryDigest } from "./context.ts";
import type { PathStep } from "./interface.ts";
import { contentId, factsAt } from "./path-state.ts";
import { isGitEntry, walkTree } from "./walk.ts";

/** Directories, in one search. */
const MAX_SEARCHED = 20_000;

/** The state of a file that has, or had, several names. */
type SharedState = FileState & { readonly names: NonNullable<FileState["names"]> };

export function isShared(state: PathState): state is SharedState {
  return state.kind === "file" && state.names !== undefined && state.names.count > 1;
}

/** One file has one content: where changes know several for its names, that of the oldest one is the former. */
export function shareTargets<T extends { readonly target: PathState; readonly since: string }>(
  chains: Map<string, T>,
): void {
  const oldest = new Map<string, T>();
  for (const chain of chains.values()) {
    if (!isShared(chain.target)) continue;
    const known = oldest.get(chain.target.names.inode);
    if (known === undefined || chain.since < known.since) oldest.set(chain.target.names.inode, chain);
  }
  for (const [path, chain] of chains) {
    const found = isShared(chain.target) ? oldest.get(chain.target.names.inode) : undefined;
    if (found !== undefined) chains.set(path, { ...chain, target: found.target });
  }
}

/** The same steps, with the names of one file made names of one file again. */
export function linkSteps(context: HistoryContext, steps: readonly PathStep[]): readonly PathStep[] {
  const groups = new Map<string, PathStep[]>();
  for (const step of steps) {
    if (!isShared(step.target) || step.isInPlace === true) continue;
    const { inode } = step.target.names;
    groups.set(inode, [...(groups.get(inode) ?? []), step]);
  }
  if (groups.size === 0) return steps;
  // Each of these becomes something else, or is one of the names that are looked at first.
  const changed = new Set(steps.map(({ path }) => path));
  const linked = new Map<string, PathStep>();
  for (const [inode, group] of groups) {
    const { files } = context.system;
    const anchor =
      steps.find(({ path, target }) => stillHasInode(files, path, target, inode))?.path ??
      findOtherName(context, group, inode, changed) ??
      (group.find(({ action }) => action !== "restore") ?? group[0])?.path;
    for (const step of group)
      if (anchor !== undefined && step.path !== anchor && !hasInode(files, step.path, inode))
        linked.set(step.path, { ...step, action: "restore", linkTo: anchor });
  }
  return steps.map(step => linked.get(step.path) ?? step);
}

export function hasInode(files: Pick<Files, "exactFacts">, path: string, inode: string): boolean {
  return factsAt(files, path)?.identity === inode;
}

/**
 * The same for a path that was a name of it in this state: the number of a file that is gone may be that of another by
 * now, which never was.
 */
export function stillHasInode(
  files: Pick<Files, "exactFacts">,
  path: string,
  state: PathState,
  inode: string,
): boolean {
  return isShared(state) && state.names.inode === inode && hasInode(files, path, inode);
}

/** A name of the file that none of the changes is about: beside the others, in the project, around it or in the home. */
function findOtherName(
  { system, places }: HistoryContext,
  group: readonly PathStep[],
  inode: string,
  changed: ReadonlySet<string>,
): string | undefined {
  const [first] = group;
  if (first === undefined || !isShared(first.target) || first.target.names.count <= group.length)
    return undefined;
  let found: string | undefined;
  let count = 0;
  const searched = new Set<string>();
  const search = (top: string, isDeep: boolean) => {
    walkTree(system.files, top, {
      visit(path, { kind, identity }) {
        if (kind === "file" && identity === inode && !changed.has(path)) found ??= path;
        return isDeep && !isGitEntry(path) && !searched.has(path);
      },
      fail() {
        // What cannot be listed is not searched.
      },
      isLate: () => found !== undefined || ++count > MAX_SEARCHED,
    });
    if (isDeep) searched.add(top);
  };
  for (const directory of new Set(group.map(({ path }) => dirname(path)))) search(directory, false);
  const { project, home } = places;
  for (const top of [project, dirname(project), ...(isInside(home, project) ? [home] : [])])
    search(top, true);
  if (found === undefined) return undefined;
  // The number of a file that is gone may have become that of another.
  const isSame =
    factsAt(system.files, found)?.mode === first.target.mode &&
    tryDigest(system, found) === contentId(first.target);
  return isSame ? found : undefined;
}
