import { projectKey } from "./journal.ts";
import type { Seen } from "./path-state.ts";
import type { Listed, Store } from "./store.ts";

interface SeenFile {
  /** when these were looked at */
  readonly timeMs: number;
  readonly seen: Listed<Seen>;
}

/** A file that is written twice within one tick of the file system's clock can keep its stamp. */
const TICK_MS = 50;
const NANOSECONDS_IN_MS = 1_000_000n;

/** What the last sweep of a tree saw. A file whose stamp is still that of then is not read again. */
export interface SeenCache {
  find(path: string): Seen | undefined;
  /** By path, those of which one look at all of them tells that nothing touched them, and whose content is kept. */
  findUntouched(paths: readonly string[]): ReadonlyMap<string, Seen>;
  /** Remembers what was seen now. The list that is there already is used again when nothing differs. */
  save(seen: readonly Seen[]): Listed<Seen>;
}

export function openSeenCache(store: Store, root: string): SeenCache {
  const path = seenPath(store, projectKey(store, root));
  const { clock } = store.system;
  const file = readSeen(store, path);
  const list = file === undefined ? [] : (store.readList(file.seen) ?? []);
  const known = new Map(list.map(seen => [seen.path, seen]));
  const nowMs = clock.nowMs();
  const find = (wanted: string) => {
    const found = known.get(wanted);
    return found === undefined || isRacy(found, file?.timeMs ?? 0) ? undefined : found;
  };
  return {
    find,
    findUntouched: paths =>
      untouched(
        store,
        paths.flatMap(one => find(one) ?? []),
      ),
    save(seen) {
      const isSame = seen.length === list.length && seen.every((one, at) => isEqual(one, list[at]));
      const hasRacy = isSame && file !== undefined && seen.some(one => isRacy(one, file.timeMs));
      if (isSame && file !== undefined && !hasRacy) return file.seen;
      const listed = isSame && file !== undefined ? file.seen : store.list(seen);
      store.writeSealed(path, { timeMs: nowMs, seen: listed } satisfies SeenFile);
      return listed;
    },
  };
}

function untouched(store: Store, known: readonly Seen[]): ReadonlyMap<string, Seen> {
  const kept = known.filter(({ state }) => state.kind === "absent" || storedId(state) !== undefined);
  if (kept.length === 0) return new Map();
  const stampsAt = (paths: readonly string[]) => store.system.files.stampsOf(paths.join("\0")).split("\n");
  const stamps = stampsAt(kept.map(({ path }) => path));
  const same = kept.filter(({ stamp }, at) => stamp === stamps[at]);
  const objects = stampsAt(same.map(({ state }) => store.objectPath(storedId(state) ?? "")));
  const isThere = ({ state }: Seen, at: number) => state.kind === "absent" || objects[at] !== "";
  return new Map(same.filter(isThere).map(seen => [seen.path, seen]));
}

function storedId(state: Seen["state"]): string | undefined {
  return state.kind === "file" && state.content.in === "store" ? state.content.id : undefined;
}

export function seenPath(store: Store, key: string): string {
  return store.path("seen", key);
}

/** The objects that a cache refers to must outlive it. */
export function readSeen(store: Store, path: string): SeenFile | undefined {
  return store.readSealed<SeenFile>(path);
}

/** Was it touched after that moment, or so shortly before that it may be touched again without another stamp? */
export function isChangedSince(stamp: string, timeMs: number): boolean {
  const [, , , modifiedNs, changedNs] = stamp.split(":");
  return Math.max(Number(modifiedNs ?? 0), Number(changedNs ?? 0)) / 1e6 > timeMs - TICK_MS;
}

function isRacy({ state }: Seen, timeMs: number): boolean {
  if (state.kind !== "file") return false;
  return Number(BigInt(state.modifiedNs) / NANOSECONDS_IN_MS) > timeMs - TICK_MS;
}

function isEqual(one: Seen, other: Seen | undefined): boolean {
  return (
    other !== undefined && one.path === other.path && one.stamp === other.stamp && hasSameContent(one, other)
  );
}

function hasSameContent({ state: one }: Seen, { state: other }: Seen): boolean {
  if (one.kind !== "file" || other.kind !== "file") return one.kind === other.kind;
  return (
    one.content.in === other.content.in &&
    ("id" in one.content ? one.content.id : "") === ("id" in other.content ? other.content.id : "")
  );
}
