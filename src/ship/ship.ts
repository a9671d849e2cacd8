import { type ChainHead, FileLock, findHead, Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { addTotals } from "./otlp.ts";
import {
  checkpointFile,
  LOG_NAMES,
  type LogName,
  readBatch,
  type ShipCheckpoint,
  type ShippedLine,
  type Totals,
} from "./read-batch.ts";

/** The next lines of the logs, and what is known beside them. */
export interface ShipBatch {
  readonly lines: readonly ShippedLine[];
  /** since `startedMs`, these lines included */
  readonly totals: Totals;
  readonly startedMs: number;
  readonly nowMs: number;
  /** of the audit log */
  readonly head: ChainHead | undefined;
}

/** A target for log records. Delivery is at least once, so writing a record twice must change nothing. */
export interface ShipTarget {
  /** the same for the same receiver, another for every other: what it has got is kept under this name */
  readonly name: string;
  /** Fails where nothing could be sent, also when there is nothing to send. */
  prepare(): Promise<void>;
  /** Resolves when the receiver has it for good. */
  send(batch: ShipBatch): Promise<void>;
  close(): Promise<void>;
}

export interface ShipOptions {
  readonly stateHome: string;
  readonly logs: Readonly<Record<LogName, string>>;
  readonly target: ShipTarget;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
}

const BATCH_LINES = 500;
/** A lock of another machine, on a shared home, counts this long without being renewed. */
const FOREIGN_LOCK_MS = 60 * 60_000;

/** Sends everything that the target has not acknowledged yet. Gives the number of lines. */
export async function shipAll(system: System, options: ShipOptions): Promise<number> {
  const { name } = options.target;
  const file = checkpointFile(system, options.stateHome, name);
  const lock = new FileLock(`${file.path}.shipping`, { system, timeoutMs: 0, foreignMs: FOREIGN_LOCK_MS });
  if (!lock.tryAcquire())
    throw new Problem("another amplihack ship sends to this target", { kind: "ship", fix: "end it first" });
  try {
    await options.target.prepare();
    const fresh: ShipCheckpoint = { target: name, startedMs: system.clock.nowMs(), logs: {}, totals: {} };
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
  { logs, target, tell }: ShipOptions,
  checkpoint: ShipCheckpoint,
): Promise<{ readonly checkpoint: ShipCheckpoint; readonly count: number }> {
  const batches = LOG_NAMES.map(name => ({
    name,
    ...readBatch(system, name, logs[name], checkpoint.logs[name], BATCH_LINES),
  }));
  for (const { name, isGap, isRewritten } of batches) {
    if (isGap) tell(`lines of ${logs[name]} may have been rotated away before they were sent`);
    if (isRewritten)
      tell(`${logs[name]} is not as it was when it was sent: it is sent again where it differs`);
  }
  const lines = batches.flatMap(batch => batch.lines);
  if (lines.length === 0) return { checkpoint, count: 0 };
  const totals = addTotals(checkpoint.totals, lines);
  const head = findHead(system, logs.audit);
  const { startedMs } = checkpoint;
  await target.send({ lines, totals, startedMs, nowMs: system.clock.nowMs(), head });
  const positions = Object.fromEntries(
    batches.flatMap(({ name, position }) => (position === undefined ? [] : [[name, position] as const])),
  );
  return { checkpoint: { ...checkpoint, logs: positions, totals }, count: lines.length };
}
