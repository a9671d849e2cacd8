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
  /** it says that it writes there */
  names(path: string): boolean;
  /** what stood there when it began */
  before(path: string): PathState | undefined;
  /** what it left behind */
  after(path: string): PathState | undefined;
}

/**
 * What other calls did while this one ran is theirs: a path that an open call names, and what a call left behind that
 * ended meanwhile. What this call made of such a path before them or afterwards is its own.
 */
export function ownChanges(store: Store, own: OpenChange, changes: readonly PathChange[]): OwnChanges {
  const { id, timeMs, project } = own.change;
  if (changes.length === 0) return { changes, endMs: undefined };
  const isNamed = namedBy(store.readList(own.targets) ?? []);
  const open = openCalls(store, id);
  const ended = endedCalls(store, project, id, timeMs);
  const later = [...open, ...ended]
    .filter(other => other.id > id)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const ends: (number | undefined)[] = [];
  const found = changes.flatMap(change => {
    const { path } = change;
    const first = later.find(other => other.before(path) !== undefined);
    const seen = first?.before(path);
    const early = seen === undefined ? undefined : compareStates(path, change.before, seen);
    const isOfOthers =
      ended.some(other => isSame(other.after(path), seen)) ||
      (!isNamed(path) && open.some(other => other.id < id && other.names(path)));
    if (early !== undefined && early.what !== "time" && !isOfOthers) {
      ends.push(first?.timeMs);
      return [early];
    }
    if (!isNamed(path) && open.some(other => other.names(path))) return [];
    ends.push(undefined);
    return sinceOthers(store, change, ended);
  });
  const isOver = ends.length > 0 && ends.every(end => end !== undefined);
  return { changes: found, endMs: isOver ? Math.max(...ends.map(end => end ?? 0)) : undefined };
}

function isSame(one: PathState | undefined, other: PathState | undefined): boolean {
  return one !== undefined && other !== undefined && isSameState(one, other);
}

/** What a call made of a path after others had left it. */
function sinceOthers(store: Store, change: PathChange, ended: readonly OtherCall[]): readonly PathChange[] {
  const { path } = change;
  const left = ended.flatMap(other => other.after(path) ?? []);
  const last = left.at(-1);
  if (last === undefined) return [change];
  // Several may have ended since it was looked at.
  if (left.some(state => isSameState(state, change.after))) return [];
  // Only what can be restored is worth going back to.
  return isKept(store, last) ? [compareStates(path, last, change.after)].flatMap(one => one ?? []) : [change];
}

function isKept(store: Store, state: PathState): boolean {
  if (state.kind !== "file" || state.content.in === "store") return true;
  return state.content.in === "digest" && store.hasObject(state.content.id);
}

/** An undo names every file of its own, and there may be many thousands. */
function namedBy(targets: readonly NamedTarget[]): (path: string) => boolean {
  const named = new Set(targets.map(({ path }) => path));
  const trees = new Set(targets.flatMap(({ path, isTree }) => (isTree ? path : [])));
  return path => named.has(path) || (trees.size > 0 && ancestors(path).some(above => trees.has(above)));
}

function openCalls(store: Store, ownId: string): readonly OtherCall[] {
  return findAllOpen(store).flatMap(file => {
    const open = file.id === ownId ? undefined : readOpen(store, file);
    if (open === undefined) return [];
    const names = namedBy(store.readList(open.targets) ?? []);
    let states: ReadonlyMap<string, PathState> | undefined;
    const before = (path: string) => {
      states ??= new Map(
        [...open.sweeps.map(({ seen }) => seen), open.seen]
          .flatMap(list => store.readList(list) ?? [])
          .map(({ path: at, state }) => [at, state]),
      );
      return states.get(path);
    };
    const { id, timeMs } = open.change;
    return [{ id, timeMs, names, before, after: () => undefined }];
  });
}

/** Calls of this project that ended since, in that order; one that ended in the very millisecond was over. */
function endedCalls(store: Store, project: string, ownId: string, sinceMs: number): readonly OtherCall[] {
  const { entries } = readJournals(store, [projectKey(store, project)], { sinceMs });
  return entries
    .filter(entry => entry.id !== ownId && entry.endMs > sinceMs)
    .sort((one, other) => one.endMs - other.endMs)
    .map(entry => {
      const files = new Map(toChange(store, entry).files.map(change => [change.path, change]));
      return {
        id: entry.id,
        timeMs: entry.timeMs,
        names: () => false,
        before: path => files.get(path)?.before,
        after: path => files.get(path)?.after,
      };
    });
}
