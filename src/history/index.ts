/**
 * What agents changed and how it was before: capture, journal, restore. It promises that what it calls kept can come
 * back; it decides nothing about what may run.
 */
import type { HistorySettings } from "../config/index.ts";
import { findHome } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { applyPlan } from "./apply.ts";
import { finishEnded } from "./background.ts";
import { readContent } from "./content.ts";
import { openContext } from "./context.ts";
import type { History, HistoryPlaces } from "./interface.ts";
import { listAtWork } from "./live-sessions.ts";
import { planRedo, planUndo } from "./plan.ts";
import { clear, prune, storeSize, verify, whyNotWritable } from "./prune.ts";
import { listChanges, readChange, whyNoChange } from "./select.ts";

export type {
  AdoptedPath,
  Captured,
  Change,
  ContentSource,
  FileState,
  GitChange,
  GitWork,
  NotKept,
  PathChange,
  PathState,
} from "./change.ts";
export * from "./interface.ts";

export function openHistory(system: System, places: HistoryPlaces, settings: HistorySettings): History {
  const home = findHome(system) ?? "/";
  const context = openContext(system, { ...places, home, temps: [], regenerable: [] }, settings);
  const { store } = context;
  return {
    listChanges: query => listChanges(context, query),
    readChange: id => readChange(context, id),
    whyNoChange: id => whyNoChange(context, id),
    finishEnded: () => finishEnded(context),
    listLive: project => listAtWork(context, project),
    planUndo: selection => planUndo(context, selection),
    planRedo: (id, paths) => planRedo(context, id, paths),
    applyUndo: (plan, options) => applyPlan(context, plan, options),
    readContent: (path, state, limitBytes) => readContent(context, path, state, limitBytes),
    prune: options => prune(context, options),
    verify: () => verify(context),
    clear: () => clear(context),
    storeSize: () => storeSize(store),
    whyNotWritable: () => whyNotWritable(store),
  };
}
export { adopt, findExcluded } from "./adopt.ts";
export { finishCall, finishEnded } from "./background.ts";
export { beginCall } from "./begin.ts";
export { ABSENT } from "./change.ts";
export { dropChange, findMoves } from "./complete.ts";
export { type HistoryContext, openContext } from "./context.ts";
export {
  type ContentReader,
  describeKinds,
  type FileTexts,
  type Onlooker,
  octal,
  readFileTexts,
} from "./file-texts.ts";
export { examineLosses } from "./harmless.ts";
export { projectKeys, readJournals } from "./journal.ts";
export {
  endLive,
  isNotedLive,
  type LiveSession,
  listUncommitted,
  liveIn,
  noteLive,
  type UncommittedFile,
} from "./live-sessions.ts";
export { callKey, findOpen, type OpenFile, readOpen, removeOpen, setVerdict } from "./open-changes.ts";
export { compareStates, factsAt, toState } from "./path-state.ts";
export { pruneWhenDue } from "./prune.ts";
export { filteredPaths, runGit } from "./run-git.ts";
export { listChanges } from "./select.ts";
export { readSessionWrites } from "./session-writes.ts";
export { beginSession, beginTurn, hasOpenChanges, readSession } from "./sessions.ts";
export { Store } from "./store.ts";
export { sweepProject } from "./sweep.ts";
export {
  changeMark,
  countChanges,
  countFiles,
  countPaths,
  countWith,
  describeChange,
  formatAge,
  gitLines,
  type HistoryFigures,
  isFolder,
  isFolderStep,
  shownPath,
  shownPlace,
  sortSteps,
} from "./words.ts";
