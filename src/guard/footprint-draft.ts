import { knownText, type Value } from "../shell/index.ts";
import { dirname, isInside } from "../system/index.ts";
import { expandTarget, resolveTargets, type Target, type Workspace } from "../workspace/index.ts";
import type { Actor } from "./effects.ts";
import type { Footprint, FootprintRepository, FootprintTarget } from "./footprint.ts";

/** A footprint while it grows. */
export interface Draft {
  readonly workspace: Workspace;
  readonly targets: Map<string, FootprintTarget>;
  readonly repositories: Map<string, FootprintRepository>;
  readonly unknownIn: Set<string>;
  readonly unresolved: Set<string>;
}

export function startDraft(workspace: Workspace): Draft {
  return {
    workspace,
    targets: new Map(),
    repositories: new Map(),
    unknownIn: new Set(),
    unresolved: new Set(),
  };
}

export function finishDraft({ targets, repositories, unknownIn, unresolved }: Draft): Footprint {
  return {
    targets: [...targets.values()],
    repositories: [...repositories.values()],
    unknownIn: [...unknownIn],
    unresolved: [...unresolved],
  };
}

/** The directory, or the one of the project in which it is made; the session's own when it is not known. */
export function addDirectory({ workspace, unknownIn }: Draft, path: string | undefined): void {
  const { disk, cwd, project } = workspace;
  if (path?.startsWith("/") !== true) {
    unknownIn.add(cwd);
    return;
  }
  let directory = disk.resolve(path, true);
  if (disk.kind(directory) === "directory") {
    unknownIn.add(directory);
    return;
  }
  while (directory !== "/" && disk.kind(directory) !== "directory") directory = dirname(directory);
  unknownIn.add(project !== undefined && isInside(project, directory) ? directory : cwd);
}

/** Everything that a word names; without `how` it is a directory in which anything may change. */
export function addWord(
  draft: Draft,
  word: Value,
  by: Pick<Actor, "cwd" | "place">,
  how: FootprintTarget["how"] | undefined,
  isTree: boolean,
  beside: (path: string) => string = path => path,
): void {
  const { disk } = draft.workspace;
  const followsLast = how === "write" || how === "attributes";
  for (const target of resolveTargets(disk, word, by.cwd, by.place, { followsLast })) {
    if (target.isRemote || isDevice(target.path)) continue;
    const found = expandTarget(disk, target, followsLast);
    if (found === undefined) addUnresolved(draft, target, by);
    else if (how === undefined)
      for (const path of [...found.paths, ...found.trees]) addDirectory(draft, path);
    else {
      for (const path of found.paths) addPath(draft, beside(path), how, isTree);
      for (const path of found.trees) addPath(draft, path, how, true);
    }
  }
  if (followsLast) addLinks(draft, word, by);
}

/** Writing to a link may put a file in its place: programs differ. */
function addLinks(draft: Draft, word: Value, by: Pick<Actor, "cwd" | "place">): void {
  const { disk } = draft.workspace;
  if (knownText(word) === undefined) return;
  for (const { path, isRemote } of resolveTargets(disk, word, by.cwd, by.place, { followsLast: false }))
    if (path !== undefined && !isRemote && disk.kind(path) === "symlink")
      addPath(draft, path, "delete", false);
}

export function addPath(draft: Draft, path: string, how: FootprintTarget["how"], isTree: boolean): void {
  const { disk } = draft.workspace;
  const isNew = how === "write" && disk.isAbsent(path);
  // Directories on the way are made with it.
  let top = path;
  while (isNew && dirname(top) !== "/" && disk.isAbsent(dirname(top))) top = dirname(top);
  const key = `${how} ${top}`;
  const known = draft.targets.get(key);
  draft.targets.set(key, { path: top, how, isTree: isTree || top !== path || known?.isTree === true });
}

export function addUnresolved(draft: Draft, target: Target, by: Pick<Actor, "cwd">): void {
  if (target.isRemote) return;
  draft.unresolved.add(target.shown);
  addDirectory(draft, target.base ?? knownText(by.cwd));
}

/** Terminals, the null device and the like keep nothing. */
function isDevice(path: string | undefined): boolean {
  return path !== undefined && /^\/(dev|proc)\/(?!shm\/)/.test(path);
}
