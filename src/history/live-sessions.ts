import { hasEnded, removeIfThere } from "../state/index.ts";
import { ancestors, isInside, join, leftMs, type ProcessIdentity } from "../system/index.ts";
import { createDisk, findRepository } from "../workspace/index.ts";
import type { HistoryContext } from "./context.ts";
import { parseStatus, readStatus } from "./git-status.ts";
import { findUndone, projectKey, readJournals, toChange } from "./journal.ts";
import { factsAt } from "./path-state.ts";
import { readSession, sessionKey } from "./sessions.ts";
import type { Store } from "./store.ts";

/** A session that has not ended: its host has not said so, and the host's process runs. */
export interface LiveSession {
  readonly session: string;
  readonly host: string;
  readonly project: string;
  readonly sinceMs: number;
  /** its last prompt */
  readonly lastMs: number;
  /** of the host; undefined where the system does not tell */
  readonly process: ProcessIdentity | undefined;
}

/** Of a session that nobody prompted for so long it is not known whether it goes on. */
const MAX_SILENCE_MS = 24 * 3_600_000;
const MAX_LIVE = 64;

/** Remembers that a session is there. Each prompt says it anew, since a session may go on in another process. */
export function noteLive(
  store: Store,
  { session, host, project }: Pick<LiveSession, "session" | "host" | "project">,
  process: ProcessIdentity | undefined,
): void {
  const path = livePath(store, session);
  const lastMs = store.system.clock.nowMs();
  const known = store.readSealed<LiveSession>(path);
  const live: LiveSession = {
    session,
    host,
    project: known?.project ?? project,
    sinceMs: known?.sinceMs ?? lastMs,
    lastMs,
    process,
  };
  store.writeSealed(path, live);
}

export function isNotedLive(store: Store, session: string): boolean {
  return store.system.files.inspect(livePath(store, session)) !== undefined;
}

export function endLive(store: Store, session: string): void {
  removeIfThere(store.system.files, livePath(store, session));
}

function livePath(store: Store, session: string): string {
  return store.path("live", sessionKey(session));
}

/** All of the machine, the longest first. Those that have ended are forgotten. */
export function listLive(store: Store): readonly LiveSession[] {
  const { clock, processes } = store.system;
  const found: LiveSession[] = [];
  for (const name of store.names("live")) {
    const live = store.readSealed<LiveSession>(store.path("live", name));
    const isOver =
      live === undefined ||
      clock.nowMs() - live.lastMs > MAX_SILENCE_MS ||
      (live.process !== undefined && hasEnded(processes, live.process));
    if (isOver) removeIfThere(store.system.files, store.path("live", name));
    else if (found.length < MAX_LIVE) found.push(live);
  }
  return found.sort((one, other) => one.sinceMs - other.sinceMs);
}

/** Sessions that are live in a project, or in one below or above it. */
export function liveIn(store: Store, project: string): readonly LiveSession[] {
  return listLive(store).filter(live => isInside(project, live.project) || isInside(live.project, project));
}

/** A file that a session left and that is in no commit. */
export interface UncommittedFile {
  readonly path: string;
  /** undefined where git did not say */
  readonly isTracked: boolean | undefined;
  readonly isIgnored?: boolean;
}

const MAX_FILES = 10_000;

/** What a session wrote that stands and is not committed; outside git all that it wrote. One `git status` a repository. */
export async function listUncommitted(
  context: HistoryContext,
  { session, project }: Pick<LiveSession, "session" | "project">,
): Promise<readonly UncommittedFile[]> {
  const { store, system } = context;
  const disk = createDisk(system);
  const trees = new Map<string, Work | undefined>();
  const found: UncommittedFile[] = [];
  for (const path of writtenBy(store, session, project)) {
    if (found.length >= MAX_FILES) break;
    const kind = factsAt(system.files, path)?.kind;
    const top = findRepository(disk, path)?.top;
    if (top === undefined) {
      if (kind === "file" || kind === "symlink") found.push({ path, isTracked: false });
      continue;
    }
    if (!trees.has(top)) trees.set(top, await workIn(context, top));
    const work = trees.get(top);
    if (work === undefined) found.push({ path, isTracked: undefined });
    else if (work.isTracked.has(path)) found.push({ path, isTracked: work.isTracked.get(path) });
    else if (kind !== undefined && [path, ...ancestors(path)].some(one => work.ignored.has(one)))
      found.push({ path, isTracked: false, isIgnored: true });
  }
  return found;
}

export async function listAtWork(
  context: HistoryContext,
  project: string | undefined,
): Promise<readonly (LiveSession & { readonly files: readonly string[] })[]> {
  const { store } = context;
  const found: (LiveSession & { readonly files: readonly string[] })[] = [];
  for (const live of project === undefined ? listLive(store) : liveIn(store, project)) {
    const files = await listUncommitted(context, live);
    // What git ignores is never committed.
    const left = files.filter(({ isIgnored }) => isIgnored !== true);
    found.push({ ...live, files: left.map(({ path }) => path) });
  }
  return found;
}

/** What is in no commit, by path. */
interface Work {
  readonly isTracked: ReadonlyMap<string, boolean>;
  /** files and folders */
  readonly ignored: ReadonlySet<string>;
}

/** Undefined where git does not say. */
async function workIn({ system }: HistoryContext, top: string): Promise<Work | undefined> {
  const result = await readStatus(system, top, leftMs(system.clock));
  if (!result.ok) return undefined;
  const { changed, untracked, ignored } = parseStatus(result.text);
  return {
    isTracked: new Map([
      ...changed.map(({ path }) => [join(top, path), true] as const),
      ...untracked.map(path => [join(top, path), false] as const),
    ]),
    ignored: new Set(ignored.map(path => join(top, path))),
  };
}

/** Files of which the last word of a session was to make or change them. */
function writtenBy(store: Store, session: string, project: string): readonly string[] {
  const own = readSession(store, session, project).project;
  const { entries } = readJournals(store, [projectKey(store, own)]);
  const undone = findUndone(entries);
  const written = new Set<string>();
  for (const entry of entries) {
    if (entry.session !== session || entry.kind !== "call") continue;
    const change = toChange(store, entry, undone);
    const gone = new Set(change.undonePaths);
    for (const { path, after, what } of change.files) {
      if (what === "deleted") written.delete(path);
      else if (after.kind !== "directory" && !gone.has(path) && what !== "time") written.add(path);
    }
  }
  return [...written];
}
