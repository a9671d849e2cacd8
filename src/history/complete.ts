import { removeIfThere } from "../state/index.ts";
import { ancestors, dirname, type ExactFacts, type Files, isInside, leftMs } from "../system/index.ts";
import { createDisk, openRepository } from "../workspace/index.ts";
import {
  ABSENT,
  type Change,
  type Folder,
  type GitChange,
  type NotKept,
  type PathChange,
  type PathState,
} from "./change.ts";
import { compareSweep, statesBefore } from "./compare-sweep.ts";
import { boundedDigest, type Digest, type HistoryContext } from "./context.ts";
import { isTrace, openInEditors, savedByEditors } from "./editors.ts";
import { withoutLinks } from "./folders.ts";
import { captureGit, compareGit, type GitComparison, type GitSnapshot } from "./git-snapshot.ts";
import { releaseCall } from "./ids.ts";
import { appendChange, projectKey } from "./journal.ts";
import { Keeper, keeperLimits, OWN_FILES } from "./keeper.ts";
import {
  type CallEnd,
  callKey,
  callName,
  findAllOpen,
  type OpenChange,
  type OpenFile,
  readOpen,
  removeOpen,
} from "./open-changes.ts";
import { findOtherCalls, type OwnChanges } from "./other-calls.ts";
import { findOtherGit } from "./other-git.ts";
import { compareSeen, factsAt, identityIn, isUntouched, type Seen } from "./path-state.ts";
import type { Listed, Store } from "./store.ts";
import { isObjectList } from "./store.ts";
import { readSeen, seenPath } from "./sweep-cache.ts";
import { walkTree } from "./walk.ts";

/** A call has ended, so that more work may be done than before one. */
const PATIENCE = 20;
const MIN_WORK_MS = 3_000;

/**
 * Finds out what a call changed and writes it to the journal. Undefined when it changed nothing, or when another
 * process was faster.
 */
export async function completeChange(
  context: HistoryContext,
  file: OpenFile,
  end: CallEnd = {},
): Promise<Change | undefined> {
  const { store, system } = context;
  const open = readOpen(store, file);
  if (open === undefined) return undefined;
  const change = await describeEnd(context, open, end);
  if (change !== undefined) {
    appendChange(store, change);
    // A call that begins in the millisecond in which this one ended has begun before that end.
    if (system.clock.nowMs() === change.endMs) system.clock.sleepMs(1);
  }
  forget(store, file, open);
  return change;
}

/** Forgets what another open change of the same call tells as well. */
export function dropChange({ store }: HistoryContext, file: OpenFile): void {
  const open = readOpen(store, file);
  if (open === undefined) removeOpen(store, file);
  else forget(store, file, open);
}

function forget(store: Store, file: OpenFile, open: OpenChange): void {
  const { kind, toolUseId, session, tool, command } = open.change;
  removeOpen(store, file);
  if (kind === "call" && toolUseId !== undefined)
    releaseCall(store, callName(store, session, callKey(store, toolUseId, tool, command), tool, command));
  dropLists(store, open);
}

/** What an open change has done so far; undefined when that is nothing. Nothing is written. */
export async function describeChange(context: HistoryContext, open: OpenChange): Promise<Change | undefined> {
  return describeEnd(context, open, {});
}

async function describeEnd(
  given: HistoryContext,
  open: OpenChange,
  end: CallEnd,
): Promise<Change | undefined> {
  const context = { ...given, system: withoutLinks(given.system) };
  const { store, system, settings } = context;
  // What an undo wrote is all read: the next one must find it as it is.
  const isOfCall = open.change.kind === "call";
  const workMs = isOfCall ? Math.max(MIN_WORK_MS, settings.budgetMs * PATIENCE) : Number.POSITIVE_INFINITY;
  const digest = boundedDigest(context, workMs);
  const problems: NotKept[] = [...open.notKept];
  const seen = store.readList(open.seen);
  if (seen === undefined)
    problems.push({ path: open.change.project, why: "what was there before cannot be read" });
  const found = new Map<string, PathChange>();
  const named = compareNamed(context, open, seen ?? [], digest);
  for (const change of named.changes) found.set(change.path, change);
  problems.push(...named.problems);
  const git = await compareRepositories(context, open);
  for (const sweep of open.sweeps) {
    const comparison = git.get(sweep.gitDirectory ?? "");
    const { changes, problem } = await compareSweep(
      context,
      sweep,
      digest,
      leftMs(system.clock),
      comparison,
      open.change.timeMs,
    );
    if (problem !== undefined) problems.push({ path: sweep.root, why: problem });
    const inner = open.sweeps.filter(({ root }) => root !== sweep.root && isInside(sweep.root, root));
    for (const change of changes) {
      // A submodule that git let go is full of files that the repository around it has never seen.
      const isOfInner = inner.some(({ root }) => root !== change.path && isInside(root, change.path));
      const isEditors = change.what === "created" && isTrace(change.path);
      if (!named.paths.has(change.path) && !isOfInner && !isEditors) found.set(change.path, change);
    }
  }
  const hasJustEnded = end.exit !== undefined && open.running === undefined;
  const own = await ownOf(context, open, named, found, hasJustEnded);
  const files = findMoves(own.changes, named.moved);
  const states: GitChange[] = [...git.values()].flatMap(({ change }) => change ?? []);
  if (files.length + states.length === 0) return undefined;
  const compared = files.map(({ path }) => path).filter(path => !named.paths.has(path));
  const inEditors = [
    ...new Set([
      ...openInEditors(system.files, compared),
      ...savedByEditors(system, context.places.home, open.change.timeMs, compared),
    ]),
  ];
  return {
    ...open.change,
    only: open.change.only ?? undefined,
    durationMs: end.durationMs ?? system.clock.nowMs() - open.change.timeMs,
    endMs: own.endMs ?? system.clock.nowMs(),
    exit: end.exit,
    status: "done",
    isComplete: open.isComplete && problems.length === open.notKept.length,
    notKept: [...problems, ...goneOutput(system.files, open, named.leftAt)],
    ...(compared.length > 0 ? { isCompared: true } : {}),
    ...(inEditors.length > 0 ? { inEditors } : {}),
    files: [...files].sort((one, other) => (one.path < other.path ? -1 : 1)),
    git: states,
    folders: listFolders(system.files, files),
    undoneBy: undefined,
    undonePaths: [],
  };
}

/** What of the differences is the call's, and what it did that others have taken back since. */
async function ownOf(
  context: HistoryContext,
  open: OpenChange,
  named: NamedComparison,
  found: ReadonlyMap<string, PathChange>,
  hasJustEnded: boolean,
): Promise<OwnChanges> {
  // What begins while this looks at the tree is seen by both: others are read last.
  const others = await findOtherCalls(context, open, found);
  const unchanged = [...others.seenLater.keys()].filter(path => !found.has(path));
  const former = new Map<string, PathState>();
  if (unchanged.length > 0)
    for (const sweep of open.sweeps)
      for (const one of await statesBefore(context, sweep, unchanged, leftMs(context.system.clock)))
        former.set(...one);
  for (const path of unchanged) if (named.paths.has(path)) former.set(path, named.before(path));
  return others.ownOf([...found.values()], former, hasJustEnded);
}

/** What git ignored and no copy was made of, and which the call took away: nobody shall look for it in vain. */
function goneOutput(
  files: Pick<Files, "stampsOf" | "exactFacts">,
  open: OpenChange,
  leftAt: ReadonlyMap<string, string>,
): readonly NotKept[] {
  const named = goneLeftOut(files, open, leftAt);
  const left = open.sweeps.flatMap(({ ignored }) =>
    ignored.filter(path => !`${path}/`.includes(`${OWN_FILES}/`)),
  );
  if (left.length === 0) return named;
  const stamps = files.stampsOf(left.join("\0")).split("\n");
  const isNamed = new Set(named.map(({ path }) => path));
  const swept = left.filter((path, at) => stamps[at] === "" && !isNamed.has(path));
  return [...named, ...swept.map(path => ({ path, why: "git ignores it, so no copy was made" }))];
}

/** The same of what the call named: it is somewhere else now, or a tool has to make it again. */
function goneLeftOut(
  files: Pick<Files, "exactFacts">,
  { leftOut = [] }: OpenChange,
  leftAt: ReadonlyMap<string, string>,
): readonly NotKept[] {
  return leftOut.flatMap(({ path, identity }) => {
    if (factsAt(files, path)?.identity === identity) return [];
    const to = leftAt.get(identity);
    const why = to === undefined ? NO_COPY : `it was moved to ${to}, and stays there`;
    return { path, why };
  });
}

const NO_COPY = "a tool makes again what was in it, so no copy was made";

/** The directories by which an undo finds its way: one that was replaced since is not written into. */
function listFolders(files: Pick<Files, "inspect">, changes: readonly PathChange[]): readonly Folder[] {
  const found = new Map<string, string>();
  for (const { path, after } of changes) {
    for (const directory of ancestors(after.kind === "directory" ? path : dirname(path))) {
      if (found.has(directory)) break;
      const facts = files.inspect(directory);
      if (facts?.kind === "directory") found.set(directory, facts.identity);
    }
  }
  return [...found];
}

/** Repositories of a call as they are now. */
export function captureRepositories(
  { store, system, rules, settings }: HistoryContext,
  { git }: OpenChange,
): readonly GitSnapshot[] {
  const disk = createDisk(system);
  const keeper = new Keeper(store, rules, keeperLimits(settings, PATIENCE));
  return git.map(({ gitDirectory, top }) => captureGit(keeper, openRepository(disk, gitDirectory, top)));
}

async function compareRepositories(
  context: HistoryContext,
  open: OpenChange,
): Promise<ReadonlyMap<string, GitComparison>> {
  if (open.git.length === 0) return new Map();
  const { store, rules, settings } = context;
  const found = new Map<string, GitComparison>();
  const others = findOtherGit(store, open);
  const ended = new Map(open.running?.git?.map(one => [one.gitDirectory, one]));
  for (const [at, after] of captureRepositories(context, open).entries()) {
    const before = open.git[at];
    if (before === undefined) continue;
    const { gitDirectory } = before;
    const timeoutMs = new Keeper(store, rules, keeperLimits(settings, PATIENCE)).msForGit(gitDirectory);
    const known = others.isChangedLater(gitDirectory) ? ended.get(gitDirectory) : undefined;
    const comparison = await compareGit(store, before, known ?? after, timeoutMs);
    const untilMs = known === undefined ? undefined : open.running?.sinceMs;
    found.set(gitDirectory, await others.ownOf(comparison, timeoutMs, untilMs));
  }
  return found;
}

interface NamedComparison {
  readonly changes: readonly PathChange[];
  readonly paths: ReadonlySet<string>;
  /** of these paths, what stood there */
  before(path: string): PathState;
  /** by the former path of a file, the one it has now */
  readonly moved: ReadonlyMap<string, string>;
  /** where directories are now of which no copy was made: what is in them is not the call's work */
  readonly leftAt: ReadonlyMap<string, string>;
  readonly problems: readonly NotKept[];
}

/** What became of the paths that the call named, and of all that was or is below them. */
function compareNamed(
  { store, system, rules }: HistoryContext,
  open: OpenChange,
  seen: readonly Seen[],
  digest: Digest,
): NamedComparison {
  const { files } = system;
  const sinceMs = open.change.timeMs;
  const problems: NotKept[] = [];
  const before = new Map(seen.map(one => [one.path, one]));
  const left = new Set(open.leftOut?.map(({ identity }) => identity));
  const leftAt = new Map<string, string>();
  const isLeftOut = (path: string, { identity }: ExactFacts) => {
    if (left.has(identity)) leftAt.set(identity, path);
    return left.has(identity);
  };
  const paths = new Set(before.keys());
  for (const { path, isTree } of store.readList(open.targets) ?? []) {
    paths.add(path);
    // What is in a directory that took the place of a file or link came with it.
    const isReplaced = ["file", "link"].includes(before.get(path)?.state.kind ?? "");
    const facts = factsAt(files, path);
    if (!(isTree || isReplaced) || facts?.kind !== "directory" || isLeftOut(path, facts)) continue;
    walkTree(files, path, {
      visit(inner, { kind, ...innerFacts }) {
        if (rules.isOutOfReach(inner) || isLeftOut(inner, { kind, ...innerFacts })) return false;
        if (kind === "directory" && rules.isRegenerable(inner) && !before.has(inner)) return false;
        // In a tracked tree of build output only what is tracked was looked at before.
        if (!before.has(inner) && rules.isRegenerable(path)) return false;
        paths.add(inner);
        return true;
      },
      fail: (inner, why) =>
        problems.push({ path: inner, why: `what the call did there is not known: ${why}` }),
      isLate: () => false,
    });
  }
  const changes: PathChange[] = [];
  const created = new Map<string, string>();
  for (const path of paths) {
    const old = before.get(path);
    const facts = factsAt(files, path);
    if (old !== undefined && isUntouched(old, facts, sinceMs)) continue;
    const change = compareSeen(files, path, old, old?.state ?? ABSENT, digest, facts);
    if (change !== undefined) changes.push(change);
    if (change?.what === "created" && facts?.kind === "file") created.set(facts.identity, path);
  }
  const moved = new Map<string, string>();
  for (const { path, what } of changes) {
    const to = what === "deleted" ? created.get(identityIn(before.get(path)?.stamp ?? "")) : undefined;
    if (to !== undefined) moved.set(path, to);
  }
  return { changes, paths, before: path => before.get(path)?.state ?? ABSENT, moved, leftAt, problems };
}

/** A call that reads a list now has its open change written after this long. */
const IN_USE_MS = 10_000;

/** Lists of what a sweep saw are large and of no use once no open call and no cache refers to them. */
function dropLists(store: Store, ended: OpenChange): void {
  const { files, clock } = store.system;
  const used = new Set<string>();
  const cached = [
    ...ended.sweeps.map(({ root }) => root),
    ...ended.git.map(({ gitDirectory }) => gitDirectory),
  ];
  for (const root of cached) {
    const seen = readSeen(store, seenPath(store, projectKey(store, root)));
    if (seen === undefined || clock.nowMs() - seen.timeMs < IN_USE_MS) return;
    for (const id of listIds([seen.seen])) used.add(id);
  }
  const unused = sweptLists(ended).filter(id => !used.has(id));
  if (unused.length === 0) return;
  for (const other of findAllOpen(store)) {
    const open = readOpen(store, other);
    for (const id of open === undefined ? [] : sweptLists(open)) used.add(id);
  }
  for (const id of unused) if (!used.has(id)) removeIfThere(files, store.objectPath(id));
}

function sweptLists({ sweeps, git }: OpenChange): readonly string[] {
  return listIds([...sweeps.map(({ seen }) => seen), ...git.map(({ files }) => files)]);
}

function listIds(lists: readonly Listed<Seen>[]): readonly string[] {
  return lists.flatMap(list => (isObjectList(list) ? [list.object] : []));
}

/** Names the pairs of a deleted and a created file with one content, or known to be one file, as moves. */
export function findMoves(
  changes: readonly PathChange[],
  known: ReadonlyMap<string, string>,
): readonly PathChange[] {
  const from = new Map([...known].map(([source, to]) => [to, source]));
  const deleted = new Map<string, PathChange>();
  for (const change of changes) {
    const isFree = change.what === "deleted" && !known.has(change.path);
    const key = isFree ? contentKey(change, "before") : undefined;
    if (key !== undefined) deleted.set(key, change);
  }
  if (deleted.size + known.size === 0) return changes;
  const movedTo = new Map(known);
  const named = changes.map(change => {
    const origin = change.what === "created" ? from.get(change.path) : undefined;
    if (origin !== undefined) return { ...change, what: "moved", from: origin } as const;
    const key = change.what === "created" ? contentKey(change, "after") : undefined;
    const source = key === undefined ? undefined : deleted.get(key);
    if (key === undefined || source === undefined) return change;
    deleted.delete(key);
    movedTo.set(source.path, change.path);
    return { ...change, what: "moved", from: source.path } as const;
  });
  return named.map(change => {
    const to = movedTo.get(change.path);
    return to === undefined ? change : { ...change, to };
  });
}

function contentKey(change: PathChange, side: "before" | "after"): string | undefined {
  const state = change[side] ?? ABSENT;
  if (state.kind !== "file" || state.size === 0) return undefined;
  return "id" in state.content ? state.content.id : undefined;
}
