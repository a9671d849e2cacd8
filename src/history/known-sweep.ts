import { readText } from "../state/index.ts";
import { projectKey } from "./journal.ts";
import type { Keeper } from "./keeper.ts";
import type { Seen } from "./path-state.ts";
import { seal, unseal } from "./sealed.ts";
import { isChangedSince } from "./seen-cache.ts";
import { isObjectList, type Listed, MAX_OWN_BYTES, type Store } from "./store.ts";

/** What stood in a working tree, or in a project without git, before a call: the files that exist nowhere else. */
export interface Sweep {
  readonly root: string;
  /** undefined outside git */
  readonly gitDirectory: string | undefined;
  readonly head: string | undefined;
  readonly seen: Listed<Seen>;
  /** what git ignored and is not kept; whether it was there is not known of what is below */
  readonly ignored: readonly string[];
  /** every directory is in `seen` */
  readonly hasDirectories: boolean;
  readonly isComplete: boolean;
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
  const objects = objectsOf(known.sweep, seen)
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
function objectsOf({ seen: list }: Sweep, seen: readonly Seen[]): readonly string[] {
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
