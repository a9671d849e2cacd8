import type { FootprintTarget } from "../guard/index.ts";
import { tryList } from "../state/index.ts";
import { ancestors, dirname, type ExactFacts, isInside, join, leftMs, relative } from "../system/index.ts";
import { createDisk, findRepository, type Repository } from "../workspace/index.ts";
import { ABSENT, type NotKept } from "./change.ts";
import { mayConvert } from "./conversions.ts";
import { parseStatus, readBlobSizes, readIndex, readStatus } from "./git-status.ts";
import type { Keeper } from "./keeper.ts";
import { factsAt, type Seen, toState } from "./path-state.ts";
import { filteredInTree } from "./run-git.ts";
import { walkTree } from "./walk.ts";

/** A path that a call names; looked at again when it has ended. */
export interface NamedTarget {
  readonly path: string;
  readonly isTree: boolean;
  /** the call takes away what is there, and puts nothing in its place */
  readonly isDeletion?: boolean;
}

/** Trees with more files than this leave clean tracked ones to git's own objects. */
const MAX_COPIED_TREE = 300;

/** Keeps what stands at the paths that a call names, and whatever must be made on the way to them. */
export async function captureTargets(
  keeper: Keeper,
  targets: readonly FootprintTarget[],
): Promise<{ readonly targets: readonly NamedTarget[]; readonly seen: readonly Seen[] }> {
  const { files } = keeper.store.system;
  const seen = new Map<string, Seen>();
  const named = new Map<string, NamedTarget>();
  for (const { path, isTree, how, isEmptyBelow, isPossible } of targets) {
    if (keeper.rules.isOutOfReach(path)) continue;
    if (isPossible === true) {
      const known = seen.has(path) ? undefined : capturePossible(keeper, path);
      if (known === undefined) continue;
      seen.set(path, known);
      named.set(path, named.get(path) ?? { path, isTree: false });
      continue;
    }
    if (isEmptyBelow === true) {
      named.set(path, named.get(path) ?? { path, isTree: false });
      for (const one of captureEmpty(keeper, path)) if (!seen.has(one.path)) seen.set(one.path, one);
      continue;
    }
    const other = named.get(path);
    const isDeletion = how === "delete" && (other === undefined || other.isDeletion === true);
    named.set(path, {
      path,
      isTree: isTree || other?.isTree === true,
      ...(isDeletion ? { isDeletion } : {}),
    });
    const isKnown = (directory: string) => seen.get(directory)?.state.kind === "absent";
    const facts = isKnown(dirname(path)) ? undefined : factsAt(files, path);
    for (const missing of facts === undefined ? missingParents(keeper, path, isKnown) : []) {
      seen.set(missing, { path: missing, state: { kind: "absent" }, stamp: "" });
      named.set(missing, named.get(missing) ?? { path: missing, isTree: false });
    }
    if (seen.has(path) && !isTree) continue;
    const lostBefore = keeper.lost.length;
    const captured =
      isTree && facts?.kind === "directory"
        ? await captureTree(keeper, path, facts)
        : [facts === undefined ? { path, state: ABSENT, stamp: "" } : keeper.capture(path, facts)];
    for (const one of captured) seen.set(one.path, one);
    await findInGit(keeper, path, lostBefore, seen);
    excuse(keeper, how, lostBefore, seen);
  }
  return { targets: [...named.values()], seen: [...seen.values()] };
}

/** Undefined, and nothing counts as lost, where it cannot be kept. */
function capturePossible(keeper: Keeper, path: string): Seen | undefined {
  const lostBefore = keeper.lost.length;
  const found = keeper.capture(path);
  return keeper.lost.splice(lostBefore).length === 0 ? found : undefined;
}

/** Directories and files without content. What is in build output is made again. */
function captureEmpty(keeper: Keeper, top: string): readonly Seen[] {
  const seen: Seen[] = [keeper.capture(top)];
  walkTree(keeper.store.system.files, top, {
    visit(path, facts) {
      const isDirectory = facts.kind === "directory";
      if (keeper.rules.isOutOfReach(path) || (isDirectory && keeper.rules.isRegenerable(path))) return false;
      if (isDirectory || (facts.kind === "file" && facts.size === 0)) seen.push(keeper.capture(path, facts));
      return true;
    },
    fail: (path, why) => keeper.lose(path, why),
    isLate: () => keeper.isLateInWalk(),
  });
  return seen;
}

/** Moving something, or changing its mode, does not lose the content of what is too large to be copied. */
function excuse(
  keeper: Keeper,
  how: FootprintTarget["how"],
  lostBefore: number,
  seen: ReadonlyMap<string, Seen>,
): void {
  if (how !== "move" && how !== "attributes") return;
  const lost = keeper.lost.splice(lostBefore);
  const isExcused = ({ path }: NotKept) =>
    seen.get(path)?.state.kind === "file" && !keeper.rules.isExcluded(path);
  keeper.lost.push(...lost.filter(one => !isExcused(one)));
}

/** What could not be copied and is clean in git comes back from there. */
async function findInGit(
  keeper: Keeper,
  top: string,
  lostBefore: number,
  seen: Map<string, Seen>,
): Promise<void> {
  if (keeper.lost.length === lostBefore) return;
  const { files } = keeper.store.system;
  const repository = findRepository(createDisk(keeper.store.system), dirname(top));
  const clean = await cleanInside(keeper, repository, top, false);
  if (clean === undefined) return;
  for (const one of keeper.lost.splice(lostBefore)) {
    const facts = factsAt(files, one.path);
    const found = facts === undefined ? undefined : clean({ path: one.path, facts });
    if (found === undefined) keeper.lost.push(one);
    else seen.set(one.path, found);
  }
}

/** Up to the first that is there, or that is known to be missing. */
function missingParents(
  { store, rules }: Keeper,
  path: string,
  isKnown: (directory: string) => boolean,
): readonly string[] {
  const missing: string[] = [];
  for (const directory of ancestors(dirname(path))) {
    if (isKnown(directory)) break;
    if (rules.isOutOfReach(directory) || factsAt(store.system.files, directory) !== undefined) break;
    missing.push(directory);
  }
  return missing;
}

interface Found {
  readonly path: string;
  readonly facts: ExactFacts;
}

async function captureTree(keeper: Keeper, top: string, facts: ExactFacts): Promise<readonly Seen[]> {
  const { system } = keeper.store;
  const found: Found[] = [{ path: top, facts }];
  const outputs: string[] = [];
  const isOutput = keeper.rules.isRegenerable(top);
  if (isOutput) outputs.push(top);
  else collect(keeper, top, found, outputs);
  const files = found.filter(one => one.facts.kind === "file");
  const needsGit = outputs.length > 0 || files.length > MAX_COPIED_TREE;
  const repository = needsGit ? findRepository(createDisk(system), top) : undefined;
  const tracked = await trackedInside(keeper, repository, outputs);
  // Where git tracks something, the rest is somebody's work too.
  for (const output of outputs)
    if (tracked.some(path => isInside(output, path))) collectAll(keeper, output, found);
    else leaveOut(keeper, output);
  const clean = files.length > MAX_COPIED_TREE ? await cleanInside(keeper, repository, top, true) : undefined;
  return found.map(one => clean?.(one) ?? keeper.capture(one.path, one.facts));
}

function leaveOut({ store: { system }, leftOut }: Keeper, path: string): void {
  const facts = factsAt(system.files, path);
  if (facts?.kind === "directory" && tryList(system.files, path).length > 0)
    leftOut.push({ path, identity: facts.identity });
}

function collectAll(keeper: Keeper, top: string, found: Found[]): void {
  const facts = factsAt(keeper.store.system.files, top);
  const known = new Set(found.map(({ path }) => path));
  if (facts !== undefined && !known.has(top)) found.push({ path: top, facts });
  walkTree(keeper.store.system.files, top, {
    visit(path, inner) {
      if (keeper.rules.isOutOfReach(path)) return false;
      found.push({ path, facts: inner });
      return true;
    },
    fail: (path, why) => keeper.lose(path, why),
    isLate: () => keeper.isLateInWalk(),
  });
}

function collect(keeper: Keeper, top: string, found: Found[], outputs: string[]): void {
  walkTree(keeper.store.system.files, top, {
    visit(path, facts) {
      if (keeper.rules.isOutOfReach(path)) return false;
      if (facts.kind === "directory" && keeper.rules.isRegenerable(path)) {
        outputs.push(path);
        return false;
      }
      found.push({ path, facts });
      return true;
    },
    fail: (path, why) => keeper.lose(path, why),
    isLate: () => keeper.isLateInWalk(),
  });
}

/** Tracked files in directories that have the name of build output, and the directories on the way to them. */
async function trackedInside(
  keeper: Keeper,
  repository: Repository | undefined,
  outputs: readonly string[],
): Promise<readonly string[]> {
  const top = repository?.top;
  if (top === undefined || outputs.length === 0) return [];
  const paths = outputs.filter(path => isInside(top, path)).map(path => relative(top, path));
  if (paths.length === 0) return [];
  const entries = await readIndex(keeper.store.system, top, keeper.msForGit(repository?.gitDirectory ?? ""), {
    paths,
  });
  if (entries === undefined) {
    for (const path of outputs) keeper.lose(path, "git could not tell what it tracks in it");
    return [];
  }
  const all = new Set<string>();
  for (const { path } of entries) {
    const file = join(top, path);
    const output = outputs.find(directory => isInside(directory, file));
    if (output === undefined) continue;
    for (const parent of ancestors(file)) {
      if (!isInside(output, parent)) break;
      all.add(parent);
    }
  }
  return [...all].sort();
}

/** For a tracked file that is the same in HEAD, in the index and on the disk: its state by git's object. */
async function cleanInside(
  keeper: Keeper,
  repository: Repository | undefined,
  directory: string,
  isExact: boolean,
): Promise<((found: Found) => Seen | undefined) | undefined> {
  const { system } = keeper.store;
  const { top, gitDirectory = "" } = repository ?? {};
  // What goes together with its repository cannot come back from there.
  if (top === undefined || !isInside(top, directory) || isInside(directory, gitDirectory)) return undefined;
  const result = await readStatus(system, top, keeper.msForGit(gitDirectory));
  const entries = await readIndex(system, top, keeper.msForGit(gitDirectory), {
    paths: [relative(top, directory)],
  });
  if (!result.ok || entries === undefined) return undefined;
  const status = parseStatus(result.text);
  if (status.head === undefined) return undefined;
  const changed = new Set(status.changed.map(({ path }) => path));
  const ids = new Map(
    entries
      .filter(entry => !entry.isHidden && entry.stage === "0" && entry.mode.startsWith("100"))
      .filter(entry => !changed.has(entry.path))
      .map(entry => [join(top, entry.path), entry.id]),
  );
  const timeoutMs = leftMs(system.clock);
  const filtered = await filteredInTree(system, { cwd: top, timeoutMs });
  const tracked = entries.map(entry => entry.path);
  const sizes =
    isExact && mayConvert(system, repository ?? { commonDirectory: gitDirectory }, top, tracked)
      ? await readBlobSizes(system, { cwd: top }, [...ids.values()], timeoutMs)
      : undefined;
  return ({ path, facts }) => {
    const id = ids.get(path);
    if (id === undefined || facts.kind !== "file" || filtered.has(relative(top, path))) return undefined;
    if (sizes !== undefined && sizes.get(id) !== facts.size) return undefined;
    const state = toState(system.files, path, facts, () => ({
      in: "git",
      id,
      repository: top,
      gitDirectory,
      hasSizeOfFile: true,
    }));
    keeper.files += 1;
    return { path, state, stamp: facts.stamp };
  };
}
