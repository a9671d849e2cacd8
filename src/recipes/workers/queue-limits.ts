import type { DBOSClient } from "@dbos-inc/dbos-sdk";

/** What holds for all workers of a queue together. What is undefined stays as it is. */
export interface QueueLimits {
  /** runs at once; 0 for no limit */
  readonly concurrency?: number | undefined;
  /** runs begun in so many seconds; 0 runs for no limit */
  readonly rate?: { readonly runs: number; readonly seconds: number } | undefined;
}

/** How often a worker with a free place looks for a run. */
const POLL_MS = 200;

/** Makes the queue if it is new. */
export async function setQueueLimits(
  client: DBOSClient,
  name: string,
  { concurrency, rate }: QueueLimits,
): Promise<void> {
  const queue =
    (await client.retrieveQueue(name)) ??
    (await client.registerQueue(name, { minPollingIntervalMs: POLL_MS, onConflict: "never_update" }));
  if (concurrency !== undefined)
    await queue.setGlobalConcurrency(concurrency === 0 ? undefined : concurrency);
  if (rate !== undefined)
    await queue.setRateLimit(
      rate.runs === 0 ? undefined : { limitPerPeriod: rate.runs, periodSec: rate.seconds },
    );
}
