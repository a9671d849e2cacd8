import { hasEnded } from "../state/index.ts";
import { basename, type ExactFacts, isInside } from "../system/index.ts";
import type { SessionWrites } from "../workspace/index.ts";
import type { PathChange, PathState } from "./change.ts";
import type { HistoryContext } from "./context.ts";
import { pathNames } from "./file-texts.ts";
import { projectKey, readJournals, toChange } from "./journal.ts";
import { findOpen, type OpenChange, readOpen } from "./open-changes.ts";
import { factsAt, isChangedSince } from "./path-state.ts";
import { readChange } from "./select.ts";
import { readSession } from "./sessions.ts";
import type { Store } from "./store.ts";
import type { NamedTarget } from "./targets.ts";
import { isGitEntry, walkTree } from "./walk.ts";

const MAX_TEXT = 64 * 1024;

/** Of one open call; those beyond are found when it has ended. */
const MAX_BELOW = 4_096;

/**
 * What a session wrote: of calls that ended by their changes, of others by the paths that they named and by what lies
 * below them since.
 */
export function readSessionWrites(
  context: HistoryContext,
  session: string | undefined,
): SessionWrites | undefined {
  const { store, settings, places, system } = context;
  if (session === undefined || !settings.enabled) return undefined;
  // Another process that ends a call notes its change first and closes it then: read the other way round, it is in one of them.
  const opened = findOpen(store, session).flatMap(file => readOpen(store, file) ?? []);
  const open = openWrites(store, opened);
  const { project } = readSession(store, session, places.project);
  const { entries } = readJournals(store, [projectKey(store, project)], { session });
  const written = new Set<string>();
  const before = new Map<string, PathState>();
  const moves: PathChange[] = [];
  for (const entry of entries) {
    const { files, exit } = toChange(store, entry);
    for (const change of files) {
      if (exit !== undefined && !before.has(change.path)) before.set(change.path, change.before);
      if (change.what === "created" || change.what === "changed" || change.what === "moved") {
        // The order is that of the last writes.
        written.delete(change.path);
        written.add(change.path);
      }
      if (change.what === "moved" && change.from !== undefined) moves.push(change);
    }
  }
  return {
    hasWritten: path => written.has(path) || open.has(path),
    mayStillWrite: path =>
      opened
        .filter(({ running }) => running?.processes.some(process => !hasEnded(system.processes, process)))
        .some(({ targets }) => (store.readList(targets) ?? []).some(target => isNamedBy(target, path))),
    files: () => [...written, ...open.files()],
    named: name => [...written, ...open.files()].filter(path => basename(path) === name),
    textBefore(name) {
      // What was moved is what it was under its first name. Later moves come last.
      let path = name;
      for (const { path: to, from = to } of [...moves].reverse()) if (to === path) path = from;
      // A call whose end was not told may never have run: somebody else may have made the file.
      const state = before.get(path);
      if (state?.kind === "absent") return "";
      if (state === undefined) return undefined;
      const id = state.kind === "file" && state.content.in === "store" ? state.content.id : undefined;
      const bytes = id === undefined ? undefined : store.readObject(id, MAX_TEXT);
      return bytes === undefined ? undefined : system.text.decode(bytes).text;
    },
    movedInto: directory =>
      moves.flatMap(({ path, from = path }) =>
        isInside(directory, path) && !isInside(directory, from) ? [from] : [],
      ),
    changedBy: id => [...new Set(readChange(context, id)?.files.flatMap(pathNames))],
  };
}

function isNamedBy({ path: top, isTree }: NamedTarget, path: string): boolean {
  return top === path || (isTree && isInside(top, path));
}

/** What calls name that have not ended: a file in a new folder is named by the folder. */
function openWrites(
  store: Store,
  opened: readonly OpenChange[],
): { has(path: string): boolean; files(): readonly string[] } {
  const { files } = store.system;
  const calls = opened.map(({ targets, change }) => ({
    targets: store.readList(targets) ?? [],
    timeMs: change.timeMs,
  }));
  const isSince = (facts: ExactFacts | undefined, timeMs: number) =>
    facts?.kind === "file" && isChangedSince(facts.stamp, timeMs);
  const below = (top: string, timeMs: number) => {
    const found: string[] = [];
    let seen = 0;
    walkTree(files, top, {
      visit(path, facts) {
        if (isSince(facts, timeMs)) found.push(path);
        return !isGitEntry(path);
      },
      fail() {},
      isLate: () => ++seen > MAX_BELOW || found.length > MAX_BELOW,
    });
    return found;
  };
  let all: readonly string[] | undefined;
  return {
    has: path =>
      calls.some(({ targets, timeMs }) =>
        targets.some(
          target =>
            target.path === path || (isNamedBy(target, path) && isSince(factsAt(files, path), timeMs)),
        ),
      ),
    files() {
      all ??= calls.flatMap(({ targets, timeMs }) =>
        targets.flatMap(({ path, isTree }) => (isTree ? [path, ...below(path, timeMs)] : [path])),
      );
      return all;
    },
  };
}
