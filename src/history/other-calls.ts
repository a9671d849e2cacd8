import { ancestors, leftMs } from "../system/index.ts";
import type { PathChange, PathState } from "./change.ts";
import { statesBefore } from "./compare-sweep.ts";
import { bringFromGit, type InGit } from "./content.ts";
import type { HistoryContext } from "./context.ts";
import { projectKey, readJournals, toChange } from "./journal.ts";
import { findAllOpen, type OpenChange, readOpen } from "./open-changes.ts";
import { compareStates, isSameState } from "./path-state.ts";
import type { Store } from "./store.ts";
import type { NamedTarget } from "./targets.ts";

export interface OwnChanges {
  readonly changes: readonly PathChange[];
  /** when the call was over at the latest, where its end was not seen in time */
  readonly endMs: number | undefined;
}

/** Another call, as far as it is known what it did to paths. */
interface OtherCall {
  readonly id: string;
  readonly timeMs: number;
  readonly isOpen: boolean;
  /** it says that it writes there, or that it takes away what is there */
  claims(change: Pick<PathChange, "path" | "after">): boolean;
  /** what stood there when it began */
  before(): ReadonlyMap<string, PathState>;
  /** what it left behind */
  after(path: string): PathState | undefined;
}

/** A path as a call found it that began while this one ran. */
interface SeenLater {
  readonly state: PathState;
  readonly timeMs: number;
}

/** Calls that ran while this one did. */
export interface OtherCalls {
  /** By path, how the first of those found it that began later: what this call did until then may be gone by its end. */
  readonly seenLater: ReadonlyMap<string, SeenLater>;
  /**
   * What is this call's own. `former` tells what stood at paths of `seenLater` that are as they were before: somebody
   * took back there what the call had done. `hasJustEnded`: its end was told now, and not found out later.
   */
  ownOf(
    changes: readonly PathChange[],
    former: ReadonlyMap<string, PathState>,
    hasJustEnded: boolean,
  ): OwnChanges;
}

/**
 * What other calls did while this one ran is theirs: a path that an open call claims, and what a call left behind that
 * ended meanwhile. What this call made of such a path before them or afterwards is its own; but of one that its host
 * called ended, and that was not said to go on, it may be that only a process with the same words went on: what changed
 * after the next call began is left to that one.
 */
export async function findOtherCalls(
  context: HistoryContext,
  own: OpenChange,
  found: ReadonlyMap<string, PathChange>,
): Promise<OtherCalls> {
  const { store } = context;
  const { id, timeMs, project } = own.change;
  const claimed = claimsOf(store.readList(own.targets) ?? []);
  const isLeftToLater = isOver(own);
  const others = await withComparableContent(store, found, [
    ...(await openCalls(context, own, isLeftToLater ? [...found.keys()] : [])),
    ...endedCalls(store, project, id, timeMs),
  ]);
  const open = others.filter(({ isOpen }) => isOpen);
  const ended = others.filter(({ isOpen }) => !isOpen);
  const isLaters = (change: PathChange) =>
    isLeftToLater && !claimed(change) && open.some(other => other.id > id && other.before().has(change.path));
  const seenLater = new Map<string, SeenLater>();
  // One that looked at the tree while this call did may have seen a path before it.
  const later = [...open, ...ended]
    .filter(other => other.id > id && other.timeMs >= (own.lookedMs ?? timeMs))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  for (const other of later)
    for (const [path, state] of other.before())
      if (!seenLater.has(path)) seenLater.set(path, { state, timeMs: other.timeMs });
  /** What it had done when the first of the others looked. */
  const early = (path: string, before: PathState): PathChange | undefined => {
    const seen = seenLater.get(path);
    const change = seen === undefined ? undefined : compareStates(path, before, seen.state);
    if (seen === undefined || change === undefined || change.what === "time") return undefined;
    const isOfOthers =
      ended.some(other => isSame(other.after(path), seen.state)) ||
      (!claimed(change) && open.some(other => other.id < id && other.claims(change)));
    return isOfOthers ? undefined : change;
  };
  /** Others saw half of what this call alone said that it writes there. */
  const isHalf = ({ after }: PathChange, change: PathChange) =>
    !isSame(after, change.after) &&
    claimed(change) &&
    !open.some(other => other.claims(change)) &&
    ended.every(other => other.after(change.path) === undefined);
  return {
    seenLater,
    ownOf(changes, former, hasJustEnded) {
      const ends: (number | undefined)[] = [];
      const taken = [...former].flatMap(([path, before]) => early(path, before) ?? []);
      const found = changes.flatMap(change => {
        const first = early(change.path, change.before);
        const wentOn = hasJustEnded && first !== undefined && isHalf(first, change);
        if (first !== undefined && !wentOn && isLeftByOthers(change, id, ended)) {
          taken.push(first);
          return [];
        }
        if (isLaters(change)) {
          if (first !== undefined) taken.push(first);
          return [];
        }
        if (!claimed(change) && open.some(other => other.claims(change))) return [];
        ends.push(undefined);
        return first === undefined ? sinceOthers(store, change, ended) : [change];
      });
      for (const { path } of taken) ends.push(seenLater.get(path)?.timeMs);
      const isOver = ends.length > 0 && ends.every(end => end !== undefined);
      const endMs = isOver ? Math.max(...ends.map(end => end ?? 0)) : undefined;
      return { changes: [...found, ...taken], endMs };
    },
  };
}

function isSame(one: PathState | undefined, other: PathState | undefined): boolean {
  return one !== undefined && other !== undefined && isSameState(one, other);
}

/** None of the others that ended meanwhile left something else there, from which this call went on. */
function isLeftByOthers(
  { path, before, after }: PathChange,
  id: string,
  ended: readonly OtherCall[],
): boolean {
  const left = ended.flatMap(other => {
    const state = other.after(path);
    // One that began earlier and left what this call found had done so by then, whenever its end was seen.
    const isFormer = other.id < id && isSame(state, before);
    return state === undefined || isFormer ? [] : [state];
  });
  return left.length === 0 || left.some(state => isSameState(state, after));
}

/** What a call made of a path after others had left it. */
function sinceOthers(store: Store, change: PathChange, ended: readonly OtherCall[]): readonly PathChange[] {
  const { path } = change;
  const left = ended.flatMap(other => other.after(path) ?? []);
  const last = left.at(-1);
  if (last === undefined) return [change];
  // It had ended when this one looked.
  if (isSameState(last, change.before)) return [change];
  // Several may have ended since it was looked at.
  if (left.some(state => isSameState(state, change.after))) return [];
  // Only what can be restored is worth going back to.
  const kept = keptState(store, last);
  if (kept === undefined) return [change];
  const found = compareStates(path, kept, change.after);
  return found === undefined ? [] : [{ ...found, wentOn: true }];
}

/** What a call left, with its content in the store; undefined where it is not kept. */
function keptState(store: Store, state: PathState): PathState | undefined {
  if (state.kind !== "file" || state.content.in === "store") return state;
  if (state.content.in !== "digest" || !store.hasObject(state.content.id)) return undefined;
  return { ...state, content: { in: "store", id: state.content.id } };
}

/** An undo names every file of its own, and there may be many thousands. What only deletes puts nothing there. */
function claimsOf(targets: readonly NamedTarget[]): OtherCall["claims"] {
  const named = new Map(targets.map(target => [target.path, target]));
  const isPossible = (target: NamedTarget | undefined, { after }: Pick<PathChange, "after">) =>
    target !== undefined && (target.isDeletion !== true || after.kind === "absent");
  const hasTrees = targets.some(({ isTree }) => isTree);
  return change =>
    isPossible(named.get(change.path), change) ||
    (hasTrees &&
      ancestors(change.path).some(above => {
        const target = named.get(above);
        return target?.isTree === true && isPossible(target, change);
      }));
}

/** Its host called it ended, and nothing says that it goes on but processes that look like its own. */
function isOver({ running, background }: OpenChange): boolean {
  return running !== undefined && background?.isDetached !== true;
}

/**
 * Those that began later tell also of clean files what they found: of `paths`, and of what another later one found
 * otherwise than the own call did.
 */
async function openCalls(
  context: HistoryContext,
  own: OpenChange,
  paths: readonly string[],
): Promise<readonly OtherCall[]> {
  const { store, system } = context;
  const ownId = own.change.id;
  const others = findAllOpen(store).flatMap(file => {
    const open = file.id === ownId ? undefined : readOpen(store, file);
    return open === undefined ? [] : { open, seen: statesSeen(store, open) };
  });
  const later = others.filter(({ open }) => open.change.id > ownId);
  const wanted = new Set(paths);
  if (later.length > 1) {
    const seen = statesSeen(store, own);
    for (const other of later)
      for (const [path, state] of other.seen) if (!isSame(seen.get(path), state)) wanted.add(path);
  }
  for (const { open, seen } of later) {
    const unseen = [...wanted].filter(path => !seen.has(path));
    if (unseen.length > 0)
      for (const sweep of open.sweeps)
        for (const one of await statesBefore(context, sweep, unseen, leftMs(system.clock))) seen.set(...one);
  }
  return others.map(({ open, seen }) => ({
    id: open.change.id,
    timeMs: open.change.timeMs,
    isOpen: true,
    claims: isOver(open) ? () => false : claimsOf(store.readList(open.targets) ?? []),
    before: () => seen,
    after: () => undefined,
  }));
}

function statesSeen(store: Store, { seen, sweeps }: OpenChange): Map<string, PathState> {
  const lists = [...sweeps.map(sweep => sweep.seen), seen];
  return new Map(
    lists.flatMap(list => store.readList(list) ?? []).map(({ path, state }) => [path, state] as const),
  );
}

/** What git has and what was kept are compared by their bytes, where calls tell of one path in both ways. */
async function withComparableContent(
  store: Store,
  found: ReadonlyMap<string, PathChange>,
  others: readonly OtherCall[],
): Promise<readonly OtherCall[]> {
  const tells = others.map(other => ({ other, before: other.before() }));
  const inGit: InGit[] = [];
  for (const { before } of tells)
    for (const [path, state] of before) {
      const isOther =
        found.get(path)?.before.kind === "file" && isOfGit(state) !== isOfGit(found.get(path)?.before);
      if (isOther && state.kind === "file" && isOfGit(state)) inGit.push({ path, state });
    }
  if (inGit.length === 0) return tells.map(({ other, before }) => ({ ...other, before: () => before }));
  const bring = await bringFromGit(store, inGit, new Map());
  const paths = new Set(inGit.map(({ path }) => path));
  return tells.map(({ other, before }) => {
    const comparable = new Map(
      [...before].map(([path, state]) => [path, paths.has(path) ? bring(path, state) : state] as const),
    );
    return { ...other, before: () => comparable };
  });
}

function isOfGit(state: PathState | undefined): boolean {
  return state?.kind === "file" && state.content.in === "git";
}

/** Calls of this project that ended since, in that order; also in that very millisecond, in which there is room for both. */
function endedCalls(store: Store, project: string, ownId: string, sinceMs: number): readonly OtherCall[] {
  const { entries } = readJournals(store, [projectKey(store, project)], { sinceMs });
  return entries
    .filter(entry => entry.id !== ownId && entry.endMs >= sinceMs)
    .sort((one, other) => one.endMs - other.endMs)
    .map(entry => {
      // What a call wrote again as it was, it did not leave there.
      const changed = toChange(store, entry).files.filter(({ what }) => what !== "time");
      const files = new Map(changed.map(change => [change.path, change]));
      return {
        id: entry.id,
        timeMs: entry.timeMs,
        isOpen: false,
        claims: () => false,
        before: () => new Map([...files].map(([path, { before }]) => [path, before])),
        after: path => files.get(path)?.after,
      };
    });
}
