import { isInside } from "../system/index.ts";
import { ABSENT, type PathChange } from "./change.ts";
import { projectKey, readJournals, toChange } from "./journal.ts";
import { findAllOpen, type OpenChange, readOpen } from "./open-changes.ts";
import { compareStates, isSameState } from "./path-state.ts";
import type { Store } from "./store.ts";
import type { NamedTarget } from "./targets.ts";

/**
 * What other calls did while this one ran is theirs: a path that an open call names, and what a call left behind that
 * ended meanwhile. What this call made of such a path afterwards is its own.
 */
export function withoutOthers(
  store: Store,
  own: OpenChange,
  changes: readonly PathChange[],
): readonly PathChange[] {
  const { id, timeMs, project } = own.change;
  if (changes.length === 0) return changes;
  const isNamed = namedBy(store.readList(own.targets) ?? []);
  const others = findAllOpen(store).filter(open => open.id !== id);
  const claimed = others.map(open => {
    const other = readOpen(store, open);
    return namedBy(other === undefined ? [] : (store.readList(other.targets) ?? []));
  });
  const ended = statesLeft(store, project, id, timeMs);
  return changes.flatMap(change => {
    const { path } = change;
    if (!isNamed(path) && claimed.some(isClaimed => isClaimed(path))) return [];
    const left = ended.get(path) ?? [];
    const last = left.at(-1);
    if (last === undefined) return [change];
    // Several may have ended since it was looked at.
    if (left.some(other => isSameState(other.after, change.after))) return [];
    // Only what can be restored is worth going back to.
    const isKept = last.after.kind !== "file" || last.after.content.in === "store" || hasContent(store, last);
    return isKept ? (compareStates(path, last.after, change.after) ?? []) : [change];
  });
}

function hasContent(store: Store, { after }: PathChange): boolean {
  return after.kind === "file" && after.content.in === "digest" && store.hasObject(after.content.id);
}

function namedBy(targets: readonly NamedTarget[]): (path: string) => boolean {
  return path => targets.some(target => (target.isTree ? isInside(target.path, path) : target.path === path));
}

/** By path, the changes of calls of this project that ended since, in that order; one that ended in the very millisecond was over. */
function statesLeft(
  store: Store,
  project: string,
  ownId: string,
  sinceMs: number,
): ReadonlyMap<string, readonly PathChange[]> {
  const left = new Map<string, PathChange[]>();
  const { entries } = readJournals(store, [projectKey(store, project)], { sinceMs });
  const ended = entries.filter(entry => entry.id !== ownId && entry.endMs > sinceMs);
  for (const entry of [...ended].sort((one, other) => one.endMs - other.endMs))
    for (const change of toChange(store, entry).files)
      left.set(change.path, [...(left.get(change.path) ?? []), change]);
  return left;
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
