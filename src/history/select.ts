import { Problem } from "../state/index.ts";
import { isInside } from "../system/index.ts";
import { finishEnded } from "./background.ts";
import type { Change } from "./change.ts";
import { describeChange } from "./complete.ts";
import type { HistoryContext } from "./context.ts";
import { idsBeginning, projectOfId } from "./ids.ts";
import type { ChangeList, ChangeQuery, UndoSelection } from "./interface.ts";
import { findUndone, projectKeys, readFloor, readJournals, toChange } from "./journal.ts";
import { findAllOpen, type OpenChange, type OpenFile, readOpen } from "./open-changes.ts";

/** Changes that match, newest first, with those whose end was never seen. */
export function listChanges(context: HistoryContext, query: ChangeQuery): ChangeList {
  const { store } = context;
  const keys = projectKeys(store, query.project);
  const { entries, problems } = readJournals(store, keys);
  const undone = findUndone(entries);
  const known = new Set(entries.map(({ id }) => id));
  const done = entries.map(entry => toChange(store, entry, undone));
  const open = openChanges(context, query.project)
    .filter(({ file }) => !known.has(file.id))
    .map(({ open: found }) => asOpen(context, found));
  const { session, path, sinceMs, limit = Number.POSITIVE_INFINITY } = query;
  const changes: Change[] = [];
  for (const change of [...done, ...open].sort((one, other) => (one.id < other.id ? 1 : -1))) {
    if (changes.length >= limit) break;
    if (session !== undefined && change.session !== session) continue;
    if (sinceMs !== undefined && change.timeMs < sinceMs) continue;
    if (path !== undefined && !change.files.some(file => isInside(path, file.path))) continue;
    changes.push(change);
  }
  return { changes, problems };
}

function openChanges(
  { store }: HistoryContext,
  project: string | undefined,
): readonly { readonly file: OpenFile; readonly open: OpenChange }[] {
  return findAllOpen(store).flatMap(file => {
    const open = readOpen(store, file);
    const isWanted = open !== undefined && (project === undefined || isInside(project, open.change.project));
    return isWanted ? [{ file, open }] : [];
  });
}

/** An open change with what it had before; what came after is not known yet. */
function asOpen({ store }: HistoryContext, open: OpenChange): Change {
  const seen = store.readList(open.seen) ?? [];
  return {
    ...open.change,
    durationMs: undefined,
    exit: undefined,
    status: open.running === undefined ? "open" : "running",
    isComplete: open.isComplete,
    notKept: open.notKept,
    files: seen.map(({ path, state }) => ({ path, what: "changed", before: state, after: state })),
    git: [],
    undoneBy: undefined,
    undonePaths: [],
  };
}

/** A change by its id or by the beginning of it, when only one begins like this. */
export function readChange(context: HistoryContext, id: string): Change | undefined {
  const { store } = context;
  const ids = projectOfId(store, id) === undefined ? idsBeginning(store, id) : [id];
  const found = ids.flatMap(full => {
    const key = projectOfId(store, full);
    if (key === undefined) return [];
    const { entries } = readJournals(store, [key]);
    const entry = entries.find(one => one.id === full);
    if (entry !== undefined) return [toChange(store, entry, findUndone(entries))];
    const open = openChanges(context, undefined).find(({ file }) => file.id === full);
    return open === undefined ? [] : [asOpen(context, open.open)];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Why there is no change with that id, which may have been shown before its call ran. */
export function whyNoChange({ store }: HistoryContext, id: string): string {
  if (projectOfId(store, id) === undefined)
    return idsBeginning(store, id).length > 1
      ? `more than one change begins with ${id}; give more of its id`
      : `there is no change ${id}`;
  return id <= readFloor(store)
    ? `change ${id} is too old: it is not kept any more`
    : `${id} changed nothing, so there is nothing to undo`;
}

/** The changes of a selection that have something to undo, newest first. */
export async function selectChanges(
  context: HistoryContext,
  selection: UndoSelection,
): Promise<readonly Change[]> {
  await finishEnded(context);
  const chosen = pick(context, selection);
  const described: Change[] = [];
  for (const change of chosen) {
    if (change.status === "done") described.push(change);
    else {
      const open = openChanges(context, undefined).find(({ file }) => file.id === change.id);
      const found = open === undefined ? undefined : await describeChange(context, open.open);
      if (found !== undefined) described.push({ ...found, status: change.status });
    }
    if (selection.kind === "newest" && described.length > 0) break;
  }
  return described;
}

/** Of `newest` all are given: an open one may turn out to have changed nothing. */
function pick(context: HistoryContext, selection: UndoSelection): readonly Change[] {
  if (selection.kind === "ids") return selection.ids.map(id => requireChange(context, id)).sort(newestFirst);
  const { changes } = listChanges(context, { project: context.places.project });
  const { paths } = selection;
  const standing = changes.filter(
    change =>
      change.kind === "call" &&
      change.undoneBy === undefined &&
      (paths === undefined ||
        change.files.some(({ path }) => isWithin(paths, path) && !change.undonePaths.includes(path))),
  );
  switch (selection.kind) {
    case "newest":
      return standing;
    case "turns": {
      const turnOf = ({ session, turn }: Change) => `${session ?? ""}\0${turn}`;
      const turns = new Set([...new Set(standing.map(turnOf))].slice(0, selection.count));
      return standing.filter(change => turns.has(turnOf(change)));
    }
    case "session": {
      const session = selection.session ?? standing[0]?.session;
      return standing.filter(change => change.session === session);
    }
    case "since":
      return standing.filter(({ timeMs }) => timeMs >= selection.sinceMs);
  }
}

function newestFirst(one: Change, other: Change): number {
  return one.id < other.id ? 1 : -1;
}

function requireChange(context: HistoryContext, id: string): Change {
  const change = readChange(context, id);
  if (change === undefined)
    throw new Problem(whyNoChange(context, id), {
      kind: projectOfId(context.store, id) === undefined ? "not-found" : "nothing",
      fix: "amplihack history",
    });
  if (change.kind === "undo")
    throw new Problem(`${change.id} is an undo; amplihack redo reverses it`, {
      kind: "usage",
      fix: `amplihack redo ${change.id}`,
      exitCode: 2,
    });
  if (change.undoneBy !== undefined)
    throw new Problem(`${change.id} is undone already, by ${change.undoneBy}`, {
      kind: "nothing",
      fix: `amplihack redo ${change.undoneBy}`,
    });
  return change;
}

export function isWithin(paths: readonly string[] | undefined, path: string): boolean {
  return paths === undefined || paths.some(one => isInside(one, path));
}
