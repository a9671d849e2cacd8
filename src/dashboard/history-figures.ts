import { BUILT_IN } from "../config/settings.ts";
import { figuresOf, type HistoryFigures } from "../history/figures.ts";
import { openHistory } from "../history/index.ts";
import type { System } from "../system/system.ts";

const REREAD_MS = 2_000;

/** What agents changed on this machine, in numbers. The history is read again when some time has passed. */
export function historyFigures(system: System, stateHome: string): () => HistoryFigures {
  // Settings say what is kept from now on; for what is there already they do not matter.
  const history = openHistory(system, { stateHome, project: "/" }, BUILT_IN.history);
  let figures: HistoryFigures | undefined;
  let readMs = 0;
  return () => {
    const nowMs = system.clock.monotonicMs();
    if (figures === undefined || nowMs - readMs >= REREAD_MS) {
      figures = figuresOf(history.listChanges({}).changes);
      readMs = nowMs;
    }
    return figures;
  };
}
