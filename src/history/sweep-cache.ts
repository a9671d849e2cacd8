import { readText } from "../state/index.ts";
import type { KnownModes } from "./file-modes.ts";
import { projectKey } from "./journal.ts";
import type { Keeper } from "./keeper.ts";
import { isChangedSince, type Seen } from "./path-state.ts";
import { isObjectList, type Listed, MAX_OWN_BYTES, type Store, seal, unseal } from "./store.ts";
import { foldersIn, type KnownFolders, NO_FOLDERS } from "./tree-folders.ts";

interface SeenFile {
  /** when these were looked at */
  readonly timeMs: number;
  readonly seen: Listed<Seen>;
  /** which directories are left out; all others of the tree are in `seen` */
  readonly folders?: string | undefined;
}

/** What the last sweep of a tree saw. A file whose stamp is still that of then is not read again. */
export interface SeenCache {
  find(path: string): Seen | undefined;
  /** By path, those of which one look at all of them tells that nothing touched them, and whose content is kept. */
  findUntouched(paths: readonly string[]): ReadonlyMap<string, Seen>;
  /** The directories that were seen, when the same ones were left out as now. */
  findFolders(leftOut: string): KnownFolders;
  /** Remembers what was seen now. The list that is there already is used again when nothing differs. */
  save(seen: readonly Seen[], leftOut?: string): Listed<Seen>;
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
    findFolders(leftOut) {
      if (file?.folders !== leftOut) return NO_FOLDERS;
      return { seen: foldersIn(list), timeMs: file.timeMs };
    },
    save(seen, folders) {
      const isSame = seen.length === list.length && seen.every((one, at) => isEqual(one, list[at]));
      const hasRacy = isSame && file !== undefined && seen.some(one => isRacy(one, file.timeMs));
      if (isSame && file !== undefined && !hasRacy && file.folders === folders) return file.seen;
      const listed = isSame && file !== undefined ? file.seen : store.list(seen);
      store.writeSealed(path, { timeMs: nowMs, seen: listed, folders } satisfies SeenFile);
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

/** What was written a moment before it was looked at may have been written again, with the same stamp. */
function isRacy({ stamp }: Seen, timeMs: number): boolean {
  return isChangedSince(stamp, timeMs);
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

/** What stood in a working tree, or in a project without git, before a call: the files that exist nowhere else. */
export interface Sweep {
  readonly root: string;
  /** undefined outside git */
  readonly gitDirectory: string | undefined;
  readonly head: string | undefined;
  readonly seen: Listed<Seen>;
  /** what git ignored and is not kept; whether it was there is not known of what is below */
  readonly ignored: readonly string[];
  /** how many of `seen`, from the first on, are tracked files that differ from HEAD or the index */
  readonly changed?: number;
  /** how many of `seen`, up to the last one, git has although not as they are on the disk */
  readonly converted?: number;
  /** every directory that is not left out is in `seen` */
  readonly hasDirectories: boolean;
  readonly isComplete: boolean;
  /** of clean tracked files; undefined in a large tree */
  readonly modes?: KnownModes | undefined;
}

/** What the sweep of a working tree came to. */
export interface KnownSweep {
  readonly sweep: Sweep;
  /** repositories in the tree that it does not track, below its top */
  readonly nested: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

interface Head extends KnownSweep {
  readonly rules: string;
  readonly statusLength: number;
  readonly pathsLength: number;
}

type Reader = Pick<Keeper, "store" | "rules">;

/**
 * The last sweep of a tree, when another one would come to the same: git says what it said then, and nothing that was
 * looked at was touched since. Its file holds a head, the words of git, the paths, and the stamps of these.
 */
export function recallSweep({ store, rules }: Reader, root: string, status: string): KnownSweep | undefined {
  const text = readText(store.system, knownSweepPath(store, root), MAX_OWN_BYTES) ?? "";
  const statusAt = text.indexOf("\n") + 1;
  const head = readHead(text);
  if (head?.rules !== rules.key) return undefined;
  const pathsAt = statusAt + head.statusLength;
  const stampsAt = pathsAt + head.pathsLength;
  if (text.slice(statusAt, pathsAt) !== status) return undefined;
  const stamps = store.system.files.stampsOf(text.slice(pathsAt, stampsAt));
  return stamps === text.slice(stampsAt) ? head : undefined;
}

function readHead(text: string): Head | undefined {
  const end = text.indexOf("\n");
  return end < 0 ? undefined : unseal<Head>(text.slice(0, end));
}

/**
 * Remembers a sweep that came to its end. `folders` are directories that were listed, with the stamps from before that.
 * What was touched a moment before cannot be told from what is touched now, so that such a sweep is not remembered.
 */
export function rememberSweep(
  { store, rules }: Reader,
  known: KnownSweep,
  status: string,
  seen: readonly Seen[],
  folders: ReadonlyMap<string, string>,
  sinceMs: number,
): void {
  const stamps = [...seen.map(({ stamp }) => stamp), ...folders.values()];
  if (stamps.some(stamp => isChangedSince(stamp, sinceMs))) return;
  const objects = sweepObjects(known.sweep, seen)
    .map(id => store.objectPath(id))
    .join("\0");
  const paths = [...seen.map(({ path }) => path), ...folders.keys(), objects].join("\0");
  const head: Head = {
    ...known,
    rules: rules.key,
    statusLength: status.length,
    pathsLength: paths.length,
  };
  const all = [...stamps, store.system.files.stampsOf(objects)].join("\n");
  store.replace(knownSweepPath(store, known.sweep.root), `${seal(head)}\n${status}${paths}${all}`);
}

/** What the sweep kept must still be there when it is used again. */
function sweepObjects({ seen: list }: Sweep, seen: readonly Seen[]): readonly string[] {
  const kept = seen.flatMap(({ state }) =>
    state.kind === "file" && state.content.in === "store" ? state.content.id : [],
  );
  return isObjectList(list) ? [list.object, ...kept] : kept;
}

const SUFFIX = ".sweep";

function knownSweepPath(store: Store, root: string): string {
  return store.path("seen", projectKey(store, root) + SUFFIX);
}

/** The list of what was seen, of a sweep that is remembered under that name in `seen/`. */
export function readKnownList(store: Store, name: string): Sweep["seen"] | undefined {
  if (!name.endsWith(SUFFIX)) return undefined;
  return readHead(readText(store.system, store.path("seen", name), MAX_OWN_BYTES) ?? "")?.sweep.seen;
}
