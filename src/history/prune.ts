import { errorText } from "../protocol/index.ts";
import { FileLock, removeIfThere } from "../state/index.ts";
import type { PathState } from "./change.ts";
import { removeFolder } from "./content.ts";
import type { HistoryContext } from "./context.ts";
import { idAt, timeOfId } from "./ids.ts";
import type { PruneOptions, PruneResult, VerifyReport } from "./interface.ts";
import { type Entry, projectKeys, readFloor, readJournals, writeFloor } from "./journal.ts";
import { findAllOpen, type OpenChange, readOpen } from "./open-changes.ts";
import { removeLeftovers } from "./perform.ts";
import { isObjectList, type Listed, type Store } from "./store.ts";
import { readKnownList, readSeen } from "./sweep-cache.ts";

/** Calls `use` for every object that an entry of the journal needs. */
function useObjects(store: Store, entry: Entry, use: (id: string) => void): void {
  useList(entry.files, use);
  useList(entry.git, use);
  if (entry.folders !== undefined) useList(entry.folders, use);
  for (const { before, after } of store.readList(entry.files) ?? []) {
    useState(before, use);
    useState(after, use);
  }
  for (const { index, files } of store.readList(entry.git) ?? []) {
    if (index?.before !== undefined) use(index.before);
    for (const { before, after } of files) {
      useState(before, use);
      useState(after, use);
    }
  }
}

/** Objects of open changes and of what the last sweeps saw. */
export function objectsInUse(store: Store): ReadonlySet<string> {
  const used = new Set<string>();
  const use = (id: string) => used.add(id);
  for (const file of findAllOpen(store)) {
    const open = readOpen(store, file);
    if (open !== undefined) useOpen(store, open, use);
  }
  for (const name of store.names("seen")) {
    const seen = readKnownList(store, name) ?? readSeen(store, store.path("seen", name))?.seen;
    if (seen === undefined) continue;
    useList(seen, use);
    for (const { state } of store.readList(seen) ?? []) useState(state, use);
  }
  return used;
}

function useOpen(store: Store, open: OpenChange, use: (id: string) => void): void {
  const { seen, targets, sweeps, writing, adopting } = open;
  const git = [...open.git, ...(open.running?.git ?? [])];
  useList(targets, use);
  if (writing !== undefined) useList(writing.paths, use);
  if (adopting !== undefined) useList(adopting, use);
  for (const snapshot of git) {
    useList(snapshot.refs, use);
    useList(snapshot.stashes, use);
  }
  for (const list of [seen, ...sweeps.map(sweep => sweep.seen), ...git.map(({ files }) => files)]) {
    useList(list, use);
    for (const { state } of store.readList(list) ?? []) useState(state, use);
  }
}

function useList<T>(list: Listed<T>, use: (id: string) => void): void {
  if (isObjectList(list)) use(list.object);
}

function useState(state: PathState, use: (id: string) => void): void {
  if (state.kind === "file" && (state.content.in === "store" || state.content.in === "digest"))
    use(state.content.id);
}

const MEBIBYTE = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
/** An object may be in the store before the change that needs it is written. */
const YOUNG_MS = 60 * 60 * 1000;
const NOTHING: PruneResult = { changes: 0, objects: 0, bytes: 0 };

/**
 * Raises the floor below which changes are gone: the oldest first, whole changes at a time. Then removes the objects
 * that nothing needs any more. Another process that prunes at the same time does all of it.
 */
export function prune(context: HistoryContext, options: PruneOptions = {}): PruneResult {
  const { store, system, settings } = context;
  if (system.files.inspect(store.root) === undefined) return NOTHING;
  const lock = new FileLock(store.path("prune.lock"), { system, timeoutMs: 0 });
  if (!lock.tryAcquire()) return NOTHING;
  try {
    removeLeftovers(store);
    const { olderThanMs = settings.maxAgeDays * DAY_MS, toBytes = settings.maxTotalMb * MEBIBYTE } = options;
    const { entries } = readJournals(store, projectKeys(store, undefined));
    const sizes = objectSizes(store);
    const inUse = objectsInUse(store);
    const byAge = idAt(system.clock.nowMs() - olderThanMs);
    const floor =
      [byAge, readFloor(store), floorForSize(store, entries, sizes, inUse, toBytes)].sort().at(-1) ?? "";
    if (floor > readFloor(store)) writeFloor(store, floor);
    const kept = entries.filter(({ id }) => id > floor);
    const removed = removeUnused(store, kept, sizes, inUse);
    removeOldFiles(store, floor, new Set(entries.map(({ id }) => id)));
    store.writeSealed(store.path("pruned"), system.clock.nowMs());
    return { changes: entries.length - kept.length, ...removed };
  } finally {
    lock.release();
  }
}

/** At most once a day, or when a session added a great deal. */
export function pruneWhenDue(context: HistoryContext): void {
  const { store, system, settings } = context;
  const last = store.readSealed<number>(store.path("pruned"));
  if (last !== undefined && system.clock.nowMs() - last < DAY_MS) {
    const limit = settings.maxTotalMb * MEBIBYTE;
    if (storedBytes(store) <= limit) return;
  }
  prune(context);
}

/** What was added since the last measuring, and what was there then. */
function storedBytes(store: Store): number {
  const lines = store.readLines<number>(store.path("usage"), () => {});
  return lines.reduce((sum, bytes) => sum + bytes, 0);
}

/** Remembers how much a capture added, so that nobody has to measure. */
export function noteUsage(store: Store): void {
  if (store.added < MEBIBYTE) return;
  store.appendSealed(store.path("usage"), store.added);
  store.added = 0;
}

/** The newest change that has to go for the rest to fit. */
function floorForSize(
  store: Store,
  entries: readonly Entry[],
  sizes: ReadonlyMap<string, number>,
  inUse: ReadonlySet<string>,
  limit: number,
): string {
  const counted = new Set(inUse);
  let total = 0;
  for (const id of inUse) total += sizes.get(id) ?? 0;
  for (const entry of [...entries].reverse()) {
    useObjects(store, entry, id => {
      if (counted.has(id)) return;
      counted.add(id);
      total += sizes.get(id) ?? 0;
    });
    if (total > limit) return entry.id;
  }
  return "";
}

/** What each object takes on disk. */
function objectSizes(store: Store): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const directory of store.names("objects")) {
    for (const { name, allocatedBytes } of store.system.files.listFacts(store.path("objects", directory)))
      sizes.set(directory + name, allocatedBytes);
  }
  return sizes;
}

function removeUnused(
  store: Store,
  kept: readonly Entry[],
  sizes: ReadonlyMap<string, number>,
  inUse: ReadonlySet<string>,
): Omit<PruneResult, "changes"> {
  const { files, clock } = store.system;
  const needed = new Set(inUse);
  for (const entry of kept) useObjects(store, entry, id => needed.add(id));
  let objects = 0;
  let bytes = 0;
  let left = 0;
  for (const [id, size] of sizes) {
    const facts = needed.has(id) ? undefined : files.inspect(store.objectPath(id));
    if (facts === undefined || clock.nowMs() - facts.modifiedMs < YOUNG_MS) {
      left += size;
      continue;
    }
    removeIfThere(files, store.objectPath(id));
    objects += 1;
    bytes += size;
  }
  removeIfThere(files, store.path("usage"));
  store.appendSealed(store.path("usage"), left);
  return { objects, bytes };
}

/** Journals without a change above the floor, claims of ids without a change, what was left unfinished. */
function removeOldFiles(store: Store, floor: string, known: ReadonlySet<string>): void {
  const { files, clock } = store.system;
  const isOld = (path: string) => {
    const facts = files.inspect(path);
    return facts !== undefined && clock.nowMs() - facts.modifiedMs > DAY_MS;
  };
  for (const key of store.names("journal")) {
    for (const name of store.names("journal", key)) {
      const path = store.path("journal", key, name);
      if (!name.endsWith(".jsonl") || !isOld(path)) continue;
      const entries = store.readLines<Entry>(path, () => {});
      if (entries.every(({ id }) => id <= floor)) removeIfThere(files, path);
    }
  }
  const open = new Set(findAllOpen(store).map(({ id }) => id));
  for (const id of store.names("ids")) {
    const isUnused = id <= floor || (!known.has(id) && timeOfId(id) < clock.nowMs() - DAY_MS);
    if (isUnused && !open.has(id)) removeIfThere(files, store.path("ids", id));
  }
  for (const file of findAllOpen(store)) if (file.id <= floor) removeIfThere(files, file.path);
  for (const folder of ["tmp", "calls", "seen", "sessions"])
    for (const name of store.names(folder)) {
      const path = store.path(folder, name);
      if (!isOld(path)) continue;
      if (files.inspect(path)?.kind === "directory") removeFolder(files, path);
      else if (folder === "tmp" || folder === "calls") removeIfThere(files, path);
    }
}

/** Removes the history as a whole: renamed first, so that no process finds half of it. */
export function clear({ store, system }: HistoryContext): number {
  const { files } = system;
  if (files.inspect(store.root) === undefined) return 0;
  const count = readJournals(store, projectKeys(store, undefined)).entries.length;
  const aside = `${store.root}.${system.random.hex(8)}`;
  files.rename(store.root, aside);
  removeFolder(files, aside);
  return count;
}

const MAX_PROBLEMS = 100;

/** Reads everything: lines, lists and every byte of the objects. */
export function verify({ store, system }: HistoryContext): VerifyReport {
  const { entries, problems: broken } = readJournals(store, projectKeys(store, undefined));
  const problems = [...broken];
  for (const entry of entries) {
    for (const list of [entry.files, entry.git] as readonly Listed<unknown>[])
      if (store.readList(list) === undefined)
        problems.push(`change ${entry.id}: its list of paths is gone or damaged`);
    for (const { path, before } of store.readList(entry.files) ?? [])
      if (before.kind === "file" && before.content.in === "store" && !store.hasObject(before.content.id))
        problems.push(`change ${entry.id}: the former content of ${path} is gone`);
  }
  for (const file of findAllOpen(store))
    if (readOpen(store, file) === undefined) problems.push(`${file.path} is damaged`);
  const sizes = objectSizes(store);
  let bytes = 0;
  for (const [id, size] of sizes) {
    bytes += size;
    const path = store.objectPath(id);
    try {
      if (system.files.digest(path) !== id)
        problems.push(`${path} is damaged: its content has another digest`);
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  return { changes: entries.length, objects: sizes.size, bytes, problems: problems.slice(0, MAX_PROBLEMS) };
}

export function storeSize(store: Store): {
  readonly changes: number;
  readonly objects: number;
  readonly bytes: number;
} {
  const sizes = objectSizes(store);
  const { entries } = readJournals(store, projectKeys(store, undefined));
  return {
    changes: entries.length,
    objects: sizes.size,
    bytes: [...sizes.values()].reduce((a, b) => a + b, 0),
  };
}

/** Tries it. */
export function whyNotWritable(store: Store): string | undefined {
  try {
    const probe = store.path("writable");
    store.writeSealed(probe, true);
    removeIfThere(store.system.files, probe);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
