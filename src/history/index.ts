import type { HistorySettings } from "../config/settings.ts";
import { findHome } from "../state/homes.ts";
import type { System } from "../system/system.ts";
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
