import { isInside, sha256Hex } from "../system/index.ts";
import type { Change, Folder, GitChange, PathChange } from "./change.ts";
import { sessionKey } from "./sessions.ts";
import type { Listed, Store } from "./store.ts";

/** A change as its line holds it. What was undone is derived from the undos. */
export type Entry = Omit<Change, "endMs" | "files" | "git" | "folders" | "undoneBy" | "undonePaths"> & {
  readonly endMs: number;
  readonly files: Listed<PathChange>;
  readonly git: Listed<GitChange>;
  readonly folders?: Listed<Folder>;
};

/** Commands and notes are for people; a line must stay one write. */
const MAX_COMMAND = 500;
const MAX_NOTES = 5;

export function projectKey({ keys, system }: Store, project: string): string {
  const known = keys.get(project) ?? sha256Hex(system.text.encode(project)).slice(0, 16);
  keys.set(project, known);
  return known;
}

/** Appends a finished change to the journal of its session in its project. */
export function appendChange(store: Store, change: Change): void {
  const { undoneBy: _by, undonePaths: _paths, files, git, folders = [], ...rest } = change;
  const key = projectKey(store, change.project);
  const named = store.path("journal", key, "project");
  if (store.system.files.inspect(named) === undefined) store.writeSealed(named, change.project);
  const entry: Entry = {
    ...rest,
    command: rest.command.slice(0, MAX_COMMAND),
    notKept: rest.notKept.slice(0, MAX_NOTES),
    only: rest.only,
    endMs: rest.endMs ?? store.system.clock.nowMs(),
    files: store.list(files),
    git: store.list(git),
    ...(folders.length === 0 ? {} : { folders: store.list(folders) }),
  };
  store.appendSealed(store.path("journal", key, `${sessionKey(change.session)}.jsonl`), entry);
}

export interface Journal {
  readonly entries: readonly Entry[];
  readonly problems: readonly string[];
}

/** Keys of the projects that are this directory or lie below it; of all when none is given. */
export function projectKeys(store: Store, project: string | undefined): readonly string[] {
  const keys = store.names("journal");
  if (project === undefined) return keys;
  const own = projectKey(store, project);
  return keys.filter(key => {
    if (key === own) return true;
    const path = store.readSealed<string>(store.path("journal", key, "project"));
    return path !== undefined && isInside(project, path);
  });
}

/** Whole entries above the floor, oldest first. With `sinceMs` those that ended earlier may be missing. */
export function readJournals(
  store: Store,
  keys: readonly string[],
  options: { readonly session?: string; readonly sinceMs?: number } = {},
): Journal {
  const { sinceMs } = options;
  const floor = readFloor(store);
  const problems: string[] = [];
  const byId = new Map<string, Entry>();
  for (const key of keys) {
    for (const name of store.names("journal", key)) {
      if (!name.endsWith(".jsonl")) continue;
      if (options.session !== undefined && name !== `${sessionKey(options.session)}.jsonl`) continue;
      const path = store.path("journal", key, name);
      if (sinceMs !== undefined && !isWrittenSince(store, path, sinceMs)) continue;
      const broken = (line: number) => problems.push(`${path}: line ${line} is damaged and was left out`);
      const lines =
        sinceMs === undefined
          ? store.readLines<Entry>(path, broken)
          : store.readLastLines<Entry>(path, ({ endMs }) => endMs < sinceMs);
      for (const entry of lines) if (entry.id > floor) byId.set(entry.id, entry);
    }
  }
  const entries = [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  return { entries, problems };
}

/** Clocks of file systems lag behind by a tick. */
const LAG_MS = 2_000;

function isWrittenSince({ system }: Store, path: string, sinceMs: number): boolean {
  const facts = system.files.inspect(path);
  return facts !== undefined && facts.modifiedMs >= sinceMs - LAG_MS;
}

/** Changes up to this id were pruned. */
export function readFloor(store: Store): string {
  return store.readSealed<string>(store.path("floor")) ?? "";
}

export function writeFloor(store: Store, id: string): void {
  store.writeSealed(store.path("floor"), id);
}

/** The files of an entry are read when they are first asked for: lists are long, and most readers want few. */
export function toChange(store: Store, entry: Entry, undone: Undone = NOTHING_UNDONE): Change {
  const { files, git, folders: _folders, ...rest } = entry;
  let readFiles: readonly PathChange[] | undefined;
  let readGit: readonly GitChange[] | undefined;
  return {
    ...rest,
    session: rest.session ?? undefined,
    only: rest.only ?? undefined,
    get files() {
      readFiles ??= store.readList(files) ?? [];
      return readFiles;
    },
    get git() {
      readGit ??= store.readList(git) ?? [];
      return readGit;
    },
    get undoneBy() {
      return undone.by(entry.id, () => this.files);
    },
    get undonePaths() {
      return undone.paths(entry.id, () => this.files);
    },
  };
}

export interface Undone {
  /** `files` is asked only where some of a change was taken back. */
  by(id: string, files: () => readonly PathChange[]): string | undefined;
  paths(id: string, files: () => readonly PathChange[]): readonly string[];
}

const NOTHING_UNDONE: Undone = { by: () => undefined, paths: () => [] };

/** What the undos among these entries took back, less what redos brought again, as a whole or by path. */
export function findUndone(entries: readonly Entry[]): Undone {
  const redosOf = byChange(entries.filter(entry => entry.kind === "redo"));
  const isOf = ({ only }: Entry, path: string) => (only ?? undefined) === undefined || isBelow(only, path);
  const isRedone = (id: string, path: string) => redosOf(id).some(redo => isOf(redo, path));
  const isWhole = ({ only }: Entry) => (only ?? undefined) === undefined;
  const undosOf = byChange(
    entries.filter(entry => entry.kind === "undo" && !redosOf(entry.id).some(isWhole)),
  );
  const isTaken = (undo: Entry, path: string) => isOf(undo, path) && !isRedone(undo.id, path);
  return {
    by(id, files) {
      const redo = redosOf(id).at(-1);
      if (redo !== undefined)
        return redosOf(id).some(isWhole) || files().every(({ path }) => isRedone(id, path))
          ? redo.id
          : undefined;
      const found = undosOf(id);
      const whole = found.find(undo => isWhole(undo) && redosOf(undo.id).length === 0);
      if (whole !== undefined || found.length === 0) return whole?.id;
      const isAll = files().every(({ path }) => found.some(undo => isTaken(undo, path)));
      return isAll ? found.at(-1)?.id : undefined;
    },
    paths(id, files) {
      const found = undosOf(id);
      if (found.length + redosOf(id).length === 0) return [];
      const isBack = (path: string) => isRedone(id, path) || found.some(undo => isTaken(undo, path));
      return files()
        .map(({ path }) => path)
        .filter(isBack);
    },
  };
}

function byChange(entries: readonly Entry[]): (id: string) => readonly Entry[] {
  const found = new Map<string, Entry[]>();
  for (const entry of entries)
    for (const id of entry.of) {
      const known = found.get(id);
      if (known === undefined) found.set(id, [entry]);
      else known.push(entry);
    }
  return id => found.get(id) ?? [];
}

function isBelow(tops: readonly string[] | undefined, path: string): boolean {
  return tops?.some(top => isInside(top, path)) === true;
}
