import { hasEnded } from "../state/index.ts";
import { basename, isInside } from "../system/index.ts";
import type { SessionWrites } from "../workspace/index.ts";
import type { PathChange, PathState } from "./change.ts";
import type { HistoryContext } from "./context.ts";
import { namesOf } from "./file-texts.ts";
import { projectKey, readJournals, toChange } from "./journal.ts";
import { findOpen, readOpen } from "./open-changes.ts";
import { readChange } from "./select.ts";
import { readSession } from "./sessions.ts";

const MAX_TEXT = 64 * 1024;

/** What a session wrote: of calls that ended by their changes, of others by the paths that they named. */
export function readSessionWrites(
  context: HistoryContext,
  session: string | undefined,
): SessionWrites | undefined {
  const { store, settings, places, system } = context;
  if (session === undefined || !settings.enabled) return undefined;
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
  const open = findOpen(store, session).flatMap(file => readOpen(store, file) ?? []);
  const named = open.flatMap(({ targets }) => store.readList(targets) ?? []);
  return {
    hasWritten: path => written.has(path) || named.some(target => target.path === path),
    mayStillWrite: path =>
      open
        .filter(({ running }) => running?.processes.some(process => !hasEnded(system.processes, process)))
        .some(({ targets }) => (store.readList(targets) ?? []).some(target => target.path === path)),
    files: () => [...written, ...named.map(target => target.path)],
    named: name => [...written, ...named.map(target => target.path)].filter(path => basename(path) === name),
    textBefore(path) {
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
    changedBy: id => [...new Set(readChange(context, id)?.files.flatMap(namesOf))],
  };
}
