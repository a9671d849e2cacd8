import { ancestors, basename, dirname, type Files, isInside, join, type System } from "../system/index.ts";
import { createDisk, openRepository, type Repository, trackedFiles } from "../workspace/index.ts";
import { ABSENT, type PathChange, type PathState } from "./change.ts";
import type { Digest, HistoryContext } from "./context.ts";
import { differentModes, readModes, rememberModes, usualModes } from "./file-modes.ts";
import type { GitComparison } from "./git-snapshot.ts";
import {
  differencesFrom,
  hashWithGit,
  listCommitFiles,
  parseStatus,
  readBlobSizes,
  type TrackedPath,
  type WorkTreeStatus,
} from "./git-status.ts";
import { cachedRegenerable } from "./keeper.ts";
import { isSmallTree, readKnownStatus } from "./known-status.ts";
import { compareSeen, compareStates, factsAt, isUntouched, presentState, type Seen } from "./path-state.ts";
import { runGit, withoutTree } from "./run-git.ts";
import { workPaths } from "./sweep.ts";
import { recallSweep, type Sweep } from "./sweep-cache.ts";
import { findFolders, foldersIn, type KnownFolders } from "./tree-folders.ts";
import { isGitEntry, walkTree } from "./walk.ts";

export interface SweepComparison {
  readonly changes: readonly PathChange[];
  /** undefined when all of it could be compared */
  readonly problem: string | undefined;
}

/**
 * What changed in a tree since its sweep, which began at `sinceMs`. `git` tells of files that git left out or put there.
 */
export async function compareSweep(
  context: HistoryContext,
  sweep: Sweep,
  digest: Digest,
  timeoutMs: number,
  git: GitComparison | undefined,
  sinceMs: number,
): Promise<SweepComparison> {
  const list = context.store.readList(sweep.seen);
  if (list === undefined) return { changes: [], problem: "what was there before cannot be read" };
  const seen = new Map(list.map(one => [one.path, one]));
  if (sweep.gitDirectory === undefined) return comparePlain(context, sweep, seen, digest, sinceMs);
  // Without a status before the call nothing is known about clean files.
  if (!sweep.isComplete && sweep.head === undefined && seen.size === 0)
    return { changes: [], problem: undefined };
  const isThere = factsAt(context.system.files, `${sweep.root}/.git`) !== undefined;
  if (!isThere) return compareRemoved(context, sweep, seen, digest, timeoutMs, sinceMs);
  const repository = openRepository(createDisk(context.system), sweep.gitDirectory, sweep.root);
  const result = await readKnownStatus(context.store, repository, () => timeoutMs);
  if (!result.ok) return { changes: [], problem: result.problem };
  const modes = result.isKnown === true ? [] : modeChanges(context, sweep, repository, seen, digest);
  if (modes.length === 0 && isAsBefore(context, sweep, result.text, git))
    return { changes: [], problem: undefined };
  const status = parseStatus(result.text);
  const isMoved = sweep.head !== undefined && status.head !== sweep.head;
  const tracked = isMoved
    ? await differencesFrom(context.system, sweep.root, sweep.head ?? "", timeoutMs)
    : status.changed;
  if (tracked === undefined) return { changes: [], problem: "git could not compare with the former commit" };
  const at = ({ path }: { readonly path: string }) => join(sweep.root, path);
  const clean = [...tracked, ...(git?.leftOut ?? [])].filter(one => !seen.has(at(one)));
  // With the commit and index of before, git has just compared each file with what it was.
  const isSameIndex = !isMoved && git !== undefined && git.change?.index === undefined;
  const sizes = isSameIndex ? sizesInIndex(context.system, repository) : undefined;
  const inHead = await trackedBefore(context, sweep, clean, timeoutMs, sizes);
  const same = isSameIndex
    ? new Set<string>()
    : await sameAsBefore(context.system, sweep.root, inHead, seen, timeoutMs);
  const candidates = new Set([
    ...seen.keys(),
    ...inHead.keys(),
    ...workPaths(context, sweep.root, { ...status, changed: tracked }),
    ...(git?.putThere ?? []).map(at),
    ...status.ignored.map(path => join(sweep.root, path)).filter(context.rules.isPrecious),
    ...(sweep.hasDirectories
      ? directoriesIn(context, sweep, status, { seen: foldersIn(list), timeMs: sinceMs })
      : []),
  ]);
  const changes: PathChange[] = modes.filter(({ path }) => !candidates.has(path));
  for (const path of candidates) {
    if (same.has(path)) continue;
    const change = compareOne(context.system, sweep, path, seen.get(path), inHead, digest, sinceMs);
    if (change !== undefined) changes.push(change);
  }
  const made = sweep.hasDirectories ? [] : madeDirectories(context, sweep, changes, seen);
  const unknown = tracked
    .map(at)
    .find(path => !seen.has(path) && !inHead.has(path) && isUnseen(context.system, sweep, path));
  const problem =
    unknown === undefined
      ? undefined
      : `git wrote ${unknown} there; if an ignored file had that name, it was not kept`;
  return { changes: [...changes, ...made], problem };
}

/** What stood at these paths when the tree was swept; those of which a sweep does not tell are left out. */
export async function statesBefore(
  context: HistoryContext,
  sweep: Sweep,
  paths: Iterable<string>,
  timeoutMs: number,
): Promise<ReadonlyMap<string, PathState>> {
  const { root, gitDirectory, head, ignored, isComplete } = sweep;
  const found = new Map<string, PathState>();
  const unseen = new Set<string>();
  const isOutput = cachedRegenerable(context, root);
  const isSwept = (path: string) =>
    path !== root &&
    isInside(root, path) &&
    !ancestors(path).some(isGitEntry) &&
    isOutput(dirname(path)) === undefined &&
    !context.rules.isOutOfReach(path) &&
    !ignored.some(one => isInside(one, path));
  const seen = new Map(context.store.readList(sweep.seen)?.map(({ path, state }) => [path, state]));
  for (const path of paths) {
    const state = seen.get(path);
    if (state !== undefined) found.set(path, state);
    else if (isSwept(path)) unseen.add(path);
  }
  if (unseen.size === 0) return found;
  const isGit = gitDirectory !== undefined && head !== undefined;
  const tracked = isGit ? await listCommitFiles(context.system, gitDirectory, head, timeoutMs) : [];
  const clean = tracked.filter(({ path }) => unseen.has(join(root, path)));
  const inHead = await trackedBefore(context, sweep, clean, timeoutMs);
  for (const path of unseen) {
    const state = inHead.get(path) ?? (isComplete ? ABSENT : undefined);
    if (state !== undefined) found.set(path, state);
  }
  return found;
}

/** Permissions of files that are clean in git before and after. Their content is what it was. */
function modeChanges(
  { store, system }: HistoryContext,
  sweep: Sweep,
  repository: Repository,
  seen: ReadonlyMap<string, Seen>,
  digest: Digest,
): readonly PathChange[] {
  const now =
    sweep.modes === undefined || !isSmallTree(system, repository)
      ? undefined
      : rememberModes(store, repository);
  if (now === undefined) return [];
  const modes = new Map(sweep.modes);
  const { plain, executable } = usualModes(system.files, repository.gitDirectory);
  return differentModes(sweep.modes ?? [], now).flatMap(path => {
    const after = seen.has(path) ? ABSENT : presentState(system.files, path, digest);
    if (after.kind !== "file") return [];
    const mode = modes.get(path) ?? ((after.mode & 0o100) === 0 ? plain : executable);
    return compareStates(path, { ...after, mode }, after) ?? [];
  });
}

/** Git says what it said before the call, and no file of the sweep was touched. */
function isAsBefore(
  context: HistoryContext,
  { root, head, seen, hasDirectories }: Sweep,
  text: string,
  git: GitComparison | undefined,
): boolean {
  if (!hasDirectories || (git?.leftOut.length ?? 0) + (git?.putThere.length ?? 0) > 0) return false;
  const known = recallSweep(context, root, text)?.sweep;
  return known?.head === head && JSON.stringify(known?.seen) === JSON.stringify(seen);
}

/** The working tree of a submodule or linked worktree that the call took away: all of its files were tracked or seen. */
async function compareRemoved(
  context: HistoryContext,
  sweep: Sweep,
  seen: ReadonlyMap<string, Seen>,
  digest: Digest,
  timeoutMs: number,
  sinceMs: number,
): Promise<SweepComparison> {
  const { gitDirectory = "", head } = sweep;
  if (head === undefined || factsAt(context.system.files, gitDirectory) === undefined)
    return { changes: [], problem: "its repository is gone" };
  const tracked = await listCommitFiles(context.system, gitDirectory, head, timeoutMs);
  const inHead = await trackedBefore(context, sweep, tracked, timeoutMs);
  const changes: PathChange[] = [];
  for (const path of new Set([...seen.keys(), ...inHead.keys()])) {
    const change = compareOne(context.system, sweep, path, seen.get(path), inHead, digest, sinceMs);
    if (change !== undefined) changes.push(change);
  }
  return { changes, problem: undefined };
}

/** Paths whose files are what git had before, although it tracks them no longer or in another place. */
async function sameAsBefore(
  system: System,
  root: string,
  inHead: ReadonlyMap<string, PathState>,
  seen: ReadonlyMap<string, Seen>,
  timeoutMs: number,
): Promise<ReadonlySet<string>> {
  const paths: string[] = [];
  for (const [path, state] of inHead) {
    if (state.kind !== "file" || seen.has(path)) continue;
    const facts = factsAt(system.files, path);
    if (facts?.kind === "file" && (facts.mode & 0o100) === (state.mode & 0o100)) paths.push(path);
  }
  const ids = await hashWithGit(system, root, paths, timeoutMs);
  return new Set(
    paths.filter(path => {
      const state = inHead.get(path);
      return state?.kind === "file" && state.content.in === "git" && state.content.id === ids.get(path);
    }),
  );
}

function compareOne(
  { files }: System,
  sweep: Sweep,
  path: string,
  seen: Seen | undefined,
  inHead: ReadonlyMap<string, PathState>,
  digest: Digest,
  sinceMs: number,
): PathChange | undefined {
  const facts = factsAt(files, path);
  if (seen !== undefined && isUntouched(seen, facts, sinceMs)) return undefined;
  const before = seen?.state ?? inHead.get(path) ?? ABSENT;
  // It may have been there, and nobody looked.
  if (
    before.kind === "absent" &&
    seen === undefined &&
    sweep.ignored.some(ignored => isInside(ignored, path))
  )
    return undefined;
  return compareSeen(files, path, seen, before, digest, facts);
}

function isUnseen({ files }: System, { ignored }: Sweep, path: string): boolean {
  return ignored.some(one => isInside(one, path)) && factsAt(files, path) !== undefined;
}

/** Clean files that git tracked before the call, by path: their content is in its objects. */
async function trackedBefore(
  context: HistoryContext,
  { root, gitDirectory, modes: given }: Sweep,
  tracked: readonly TrackedPath[],
  timeoutMs: number,
  noted: ReadonlyMap<string, number> = new Map(),
): Promise<ReadonlyMap<string, PathState>> {
  const { system } = context;
  const found = new Map<string, PathState>();
  const known = tracked.filter(({ id, mode }) => id !== undefined && mode !== "160000");
  if (known.length === 0) return found;
  // Its objects are read where they are: the working tree may be gone.
  const place = gitDirectory === undefined ? { cwd: root } : withoutTree(gitDirectory);
  const sizeOf = ({ path }: TrackedPath) => noted.get(path) || undefined;
  const unknown = known.flatMap(one => (sizeOf(one) === undefined ? (one.id ?? []) : []));
  const sizes = unknown.length === 0 ? undefined : await readBlobSizes(system, place, unknown, timeoutMs);
  const { plain, executable } = usualModes(system.files, gitDirectory ?? root);
  const modes = new Map(given ?? readModes(context.store, root));
  const modeOf = (at: string, isExecutable: boolean) => {
    const unusual = modes.get(at);
    const fits = unusual !== undefined && ((unusual & 0o100) !== 0) === isExecutable;
    return fits ? unusual : isExecutable ? executable : plain;
  };
  for (const one of known) {
    const { path, id = "", mode } = one;
    const at = join(root, path);
    if (mode === "120000") {
      const target = await runGit(system, ["cat-file", "blob", id], { ...place, timeoutMs });
      if (target.isOk) found.set(at, { kind: "link", target: target.text, modifiedNs: "0" });
    } else {
      found.set(at, {
        kind: "file",
        size: sizeOf(one) ?? sizes?.get(id) ?? 0,
        mode: modeOf(at, mode === "100755"),
        modifiedNs: "0",
        content: {
          in: "git",
          id,
          repository: root,
          gitDirectory: gitDirectory ?? "",
          ...(sizeOf(one) === undefined ? {} : { hasSizeOfFile: true }),
        },
      });
    }
  }
  return found;
}

function sizesInIndex(system: System, repository: Repository): ReadonlyMap<string, number> | undefined {
  const tracked = isSmallTree(system, repository) ? trackedFiles(createDisk(system), repository) : undefined;
  return tracked && new Map([...tracked].map(([path, { size }]) => [path, size]));
}

/** Directories that are there now, without those that git ignores since. */
function directoriesIn(
  { system, rules }: HistoryContext,
  { root, ignored }: Sweep,
  status: WorkTreeStatus,
  known: KnownFolders,
): readonly string[] {
  const left = new Set(ignored);
  for (const path of status.ignored) if (path.endsWith("/")) left.add(join(root, path));
  const found = findFolders(system.files, root, known, {
    isLeftOut: path =>
      (left.has(path) && !known.seen.has(path)) ||
      rules.isRegenerable(path) ||
      isOwnFolder(system.files, path),
    fail() {
      // What cannot be listed now was not made by the call.
    },
    isLate: () => false,
  });
  return found.map(({ path }) => path);
}

/** The hooks make it between a sweep and this, when they write for the first time. */
function isOwnFolder(files: Pick<Files, "list">, path: string): boolean {
  return basename(path) === ".claude" && files.list(path).every(name => name === "runtime");
}

/** Directories in which there is nothing but what the call made: it made them too. Innermost first. */
function madeDirectories(
  { system: { files } }: HistoryContext,
  { root }: Sweep,
  changes: readonly PathChange[],
  seen: ReadonlyMap<string, Seen>,
): readonly PathChange[] {
  const made = new Set(changes.filter(({ what }) => what === "created").map(({ path }) => path));
  const parents = new Set<string>();
  for (const path of made)
    for (const directory of ancestors(dirname(path))) {
      if (directory === root || !isInside(root, directory) || seen.has(directory)) break;
      parents.add(directory);
    }
  const found: PathChange[] = [];
  for (const path of [...parents].sort((one, other) => other.length - one.length)) {
    if (!files.list(path).every(name => made.has(`${path}/${name}`))) continue;
    made.add(path);
    const change = compareStates(
      path,
      ABSENT,
      presentState(files, path, () => undefined),
    );
    if (change !== undefined) found.push(change);
  }
  return found;
}

function comparePlain(
  { system, rules }: HistoryContext,
  { root, isComplete }: Sweep,
  seen: ReadonlyMap<string, Seen>,
  digest: Digest,
  sinceMs: number,
): SweepComparison {
  const changes: PathChange[] = [];
  let problem: string | undefined;
  const visited = new Set<string>();
  const compare = (path: string, old: Seen | undefined) => {
    const change = compareSeen(system.files, path, old, old?.state ?? ABSENT, digest);
    if (change !== undefined) changes.push(change);
  };
  walkTree(system.files, root, {
    visit(path, facts) {
      if (facts.kind === "directory" && (isGitEntry(path) || rules.isRegenerable(path))) return false;
      if (rules.isOutOfReach(path)) return false;
      const old = seen.get(path);
      if (old === undefined && facts.kind === "directory" && isOwnFolder(system.files, path)) return false;
      visited.add(path);
      // What an unfinished sweep did not see may have been there.
      if (old === undefined && !isComplete) return true;
      if (old === undefined || !isUntouched(old, facts, sinceMs)) compare(path, old);
      return true;
    },
    fail(path, why) {
      problem ??= `what the call did in ${path} is not known: ${why}`;
    },
    isLate: () => false,
  });
  for (const [path, old] of seen) if (!visited.has(path)) compare(path, old);
  return { changes, problem };
}
