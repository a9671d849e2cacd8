import { findHead } from "../state/chained-log.ts";
import { FileLock } from "../state/index.ts";
import { Problem } from "../state/problem.ts";
import type { System } from "../system/system.ts";
import { checkpointFile, LOG_NAMES, type LogName, type ShipCheckpoint } from "./checkpoint.ts";
import { type Attribute, addTotals, logsRequest, metricsRequest } from "./otlp.ts";
import { readBatch } from "./read-batch.ts";
import { type SendOptions, send } from "./send.ts";

export interface ShipOptions extends SendOptions {
  readonly stateHome: string;
  readonly logs: Readonly<Record<LogName, string>>;
  /** the base of the receiver, to which `/v1/logs` is added */
  readonly target: URL;
  readonly resource: readonly Attribute[];
  readonly hasContent: boolean;
}

const BATCH_LINES = 500;
/** A lock of another machine, on a shared home, counts this long without being renewed. */
const FOREIGN_LOCK_MS = 60 * 60_000;

/** Sends everything that the target has not acknowledged yet. Gives the number of lines. */
export async function shipAll(system: System, options: ShipOptions): Promise<number> {
  const file = checkpointFile(system, options.stateHome, options.target.href);
  const lock = new FileLock(`${file.path}.shipping`, { system, timeoutMs: 0, foreignMs: FOREIGN_LOCK_MS });
  if (!lock.tryAcquire())
    throw new Problem("another amplihack ship sends to this target", { kind: "ship", fix: "end it first" });
  try {
    const fresh: ShipCheckpoint = {
      target: options.target.href,
      startedMs: system.clock.nowMs(),
      logs: {},
      totals: {},
    };
    let checkpoint = file.readOrDefault(fresh);
    for (let count = 0; ; ) {
      const next = await shipBatch(system, options, checkpoint);
      count += next.count;
      if (next.count === 0) return count;
      checkpoint = next.checkpoint;
      file.write(checkpoint);
      if (options.signal.aborted) return count;
    }
  } finally {
    lock.release();
  }
}

async function shipBatch(
  system: System,
  options: ShipOptions,
  checkpoint: ShipCheckpoint,
): Promise<{ readonly checkpoint: ShipCheckpoint; readonly count: number }> {
  const batches = LOG_NAMES.map(name => ({
    name,
    ...readBatch(system, name, options.logs[name], checkpoint.logs[name], BATCH_LINES),
  }));
  for (const { name, isGap } of batches)
    if (isGap)
      options.tell(`lines of ${options.logs[name]} may have been rotated away before they were sent`);
  const lines = batches.flatMap(batch => batch.lines);
  if (lines.length === 0) return { checkpoint, count: 0 };
  const nowMs = system.clock.nowMs();
  const totals = addTotals(checkpoint.totals, lines);
  const head = findHead(system, options.logs.audit);
  const { resource, hasContent } = options;
  await send(
    addressOf(options.target, "v1/logs"),
    logsRequest(lines, { resource, hasContent, nowMs }),
    options,
  );
  const metrics = metricsRequest(totals, { resource, startedMs: checkpoint.startedMs, nowMs, head });
  await send(addressOf(options.target, "v1/metrics"), metrics, options);
  const logs = Object.fromEntries(
    batches.flatMap(({ name, position }) => (position === undefined ? [] : [[name, position] as const])),
  );
  return { checkpoint: { ...checkpoint, logs, totals }, count: lines.length };
}

function addressOf(target: URL, path: string): URL {
  const url = new URL(target);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url;
}
