import { isInside } from "../system/index.ts";
import type { HistoryContext } from "./context.ts";
import { Keeper, limitsOf } from "./keeper.ts";
import { removeLeftovers } from "./leftovers.ts";
import { noteUsage } from "./prune.ts";
import { sweepAround } from "./sweep.ts";

/** Nobody waits for a call here, so that a first sweep can take longer. */
const PATIENCE = 10;

/** Keeps the work at risk around a directory ahead of the calls that may change it. */
export async function sweepProject(context: HistoryContext, directory: string): Promise<void> {
  const { store, rules, settings, places, system } = context;
  if (rules.isOutOfReach(directory) || isInside(directory, places.home)) return;
  removeLeftovers(store);
  const deadlineMs = system.clock.monotonicMs() + settings.budgetMs * PATIENCE;
  const keeper = new Keeper(store, rules, limitsOf(settings, deadlineMs));
  await sweepAround(keeper, directory, places.project, {
    isOfGit: false,
    withIgnored: false,
    withDirectories: false,
  });
  noteUsage(store);
}
