import { ancestors } from "../system/index.ts";
import type { PathChange, PathState } from "./change.ts";
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
 * ended meanwhile. What this call made of such a path before them or afterwards is its own.
 */
export function findOtherCalls(store: Store, own: OpenChange): OtherCalls {
  const { id, timeMs, project } = own.change;
  const claimed = claimsOf(store.readList(own.targets) ?? []);
  const open = openCalls(store, id);
  const ended = endedCalls(store, project, id, timeMs);
  const seenLater = new Map<string, SeenLater>();
  const later = [...open, ...ended]
    .filter(other => other.id > id)
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
        if (first !== undefined && !wentOn && isLeftByOthers(change, ended)) {
          taken.push(first);
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

/** None of the others that ended left something else there, from which this call went on. */
function isLeftByOthers({ path, after }: PathChange, ended: readonly OtherCall[]): boolean {
  const left = ended.flatMap(other => other.after(path) ?? []);
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

function openCalls(store: Store, ownId: string): readonly OtherCall[] {
  return findAllOpen(store).flatMap(file => {
    const open = file.id === ownId ? undefined : readOpen(store, file);
    if (open === undefined) return [];
    const { id, timeMs } = open.change;
    const before = () => {
      const lists = [...open.sweeps.map(({ seen }) => seen), open.seen];
      return new Map(
        lists.flatMap(list => store.readList(list) ?? []).map(({ path, state }) => [path, state] as const),
      );
    };
    return [
      { id, timeMs, claims: claimsOf(store.readList(open.targets) ?? []), before, after: () => undefined },
    ];
  });
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
        claims: () => false,
        before: () => new Map([...files].map(([path, { before }]) => [path, before])),
        after: path => files.get(path)?.after,
      };
    });
}
