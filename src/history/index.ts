/**
 * What agents changed and how it was before: capture, journal, restore. It promises that what it calls kept can come
 * back; it decides nothing about what may run.
 */
import type { HistorySettings } from "../config/index.ts";
import { findHome } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { applyPlan } from "./apply.ts";
import { readContent } from "./content.ts";
import { openContext } from "./context.ts";
import type { History, HistoryPlaces } from "./interface.ts";
import { planRedo, planUndo } from "./plan.ts";
import { clear, prune } from "./prune.ts";
import { listChanges, readChange } from "./select.ts";
import { storeSize, verify, whyNotWritable } from "./verify.ts";

export type {
  Captured,
  Change,
  ContentSource,
  FileState,
  GitChange,
  NotKept,
  PathChange,
  PathState,
  RefChange,
  Stash,
} from "./change.ts";
export * from "./interface.ts";

export function openHistory(system: System, places: HistoryPlaces, settings: HistorySettings): History {
  const home = findHome(system) ?? "/";
  const context = openContext(system, { ...places, home, temps: [], regenerable: [] }, settings);
  const { store } = context;
  return {
    listChanges: query => listChanges(context, query),
    readChange: id => readChange(context, id),
    planUndo: selection => planUndo(context, selection),
    planRedo: id => planRedo(context, id),
    applyUndo: (plan, options) => applyPlan(context, plan, options),
    readContent: (path, state, limitBytes) => readContent(context, path, state, limitBytes),
    prune: options => prune(context, options),
    verify: () => verify(context),
    clear: () => clear(context),
    storeSize: () => storeSize(store),
    whyNotWritable: () => whyNotWritable(store),
  };
}
export { hasOpenChanges } from "./any-open.ts";
export { beginCall } from "./begin.ts";
export { completeChange, dropChange } from "./complete.ts";
export { type HistoryContext, openContext } from "./context.ts";
export { figuresOf, type HistoryFigures, isFolder } from "./figures.ts";
export { type ContentReader, describeKinds, octal, readFileTexts } from "./file-texts.ts";
export { gitLines } from "./git-words.ts";
export { examineLosses, type GitWork } from "./harmless.ts";
export { projectKeys, readJournals } from "./journal.ts";
export { callKey, findOpen, type OpenFile, readOpen } from "./open-changes.ts";
export { pruneWhenDue } from "./prune.ts";
export { runGit } from "./run-git.ts";
export { listChanges } from "./select.ts";
export { readSessionWrites } from "./session-writes.ts";
export { beginSession, beginTurn, readSession } from "./sessions.ts";
export { countPaths, isFolderStep, sortSteps } from "./sort-steps.ts";
export { Store } from "./store.ts";
export { sweepProject } from "./sweep-project.ts";
export { ageOf, countFiles, countWith, markOf, shownPath, shownPlace, whatOf } from "./words.ts";
