import { hostname } from "node:os";
import { type DatabaseAddress, PostgresError } from "../../postgres/index.ts";
import type { Json } from "../../protocol/index.ts";
import { Problem } from "../../state/index.ts";
import { resolve, type System } from "../../system/index.ts";
import { isDirectory } from "../find/find-recipe.ts";
import { formatSeconds } from "../progress.ts";
import { Interruption, listenForSignals } from "../run/interruption.ts";
import { EXIT_CODES } from "../run/result.ts";
import type { RunRequest } from "../run/run-request.ts";
import { SHOWN_ID_LENGTH } from "../run-in-terminal.ts";
import { type Connection, openConnection, prepareTables, withClient, withDbos } from "./connection.ts";
import {
  type Dbos,
  limitThisWorker,
  loadDbos,
  MAX_ATTEMPTS,
  SCHEDULED,
  WORKFLOW,
  workerConfig,
} from "./dbos.ts";
import { connectionName, makeExecutorId, WorkerLock } from "./liveness.ts";
import { pruneRuns, type QueueLimits, setQueueLimits } from "./queue-limits.ts";
import { countOpen } from "./run-queries.ts";
import type { RunSummary } from "./run-submitted.ts";
import { scheduledWorkflow } from "./schedules.ts";
import { type WorkerEvents, WorkerSession } from "./worker-session.ts";

interface WorkerOptions {
  readonly address: DatabaseAddress;
  readonly queue: string;
  /** how others know it. Default: the host's name and the process's number. */
  readonly name?: string | undefined;
  /** runs at once on this worker */
  readonly concurrency: number;
  /** for all workers of the queue; kept in the database */
  readonly limits: QueueLimits;
  readonly workingDir: string;
  readonly logsOutput: boolean;
  /** how long a worker must be gone before its runs are taken over */
  readonly takeOverAfterMs: number;
  /** ends when the queue is empty and all its runs are over */
  readonly isUntilEmpty: boolean;
  /** days after which runs that are over are deleted; undefined for never */
  readonly keepDays: number | undefined;
  readonly launcher: RunRequest["launcher"];
}

/** What it tells people while it works. */
interface WorkerReport extends WorkerEvents {
  /** It waits for runs now. */
  ready(name: string): void;
  tookOver(count: number): void;
  /** It has ended its programs and tries to connect again. */
  cutOff(): void;
  /** Nobody answered when it started. */
  waits(why: string): void;
}

type SessionEnd = "stopped" | "empty" | "lost";

const BEAT_MS = 1_000;
/** About every hour. */
const PRUNE_BEATS = 3_600;
const RECONNECT_MS = 2_000;
/** Beside one for each run: queue, results, cancellations. */
const SPARE_CONNECTIONS = 4;

let session: WorkerSession | undefined;
let isRegistered = false;

/** Takes runs from a queue until it is told to stop, or the queue is empty. */
export async function workOnQueue(
  system: System,
  options: WorkerOptions,
  stopping: Interruption,
  report: WorkerReport,
): Promise<void> {
  const dbos = await loadDbos();
  registerOnce(dbos);
  for (let isFirst = true; stopping.signal === undefined; isFirst = false) {
    try {
      const end = await serve(dbos, system, options, stopping, report);
      if (end !== "lost") return;
    } catch (error) {
      // What is wrong with rights or settings is for the person who starts it; a database that is down may come.
      if (!(error instanceof PostgresError && error.problem === "offline")) throw error;
      if (isFirst) report.waits(error.message);
      await stopping.pause(RECONNECT_MS);
      continue;
    }
    await stopping.pause(RECONNECT_MS);
  }
}

/** DBOS knows one workflow for the whole process; whichever session is current runs it. */
function registerOnce({ DBOS }: Dbos): void {
  if (isRegistered) return;
  isRegistered = true;
  const body = async (input: Json): Promise<RunSummary> => {
    const runId = DBOS.workflowID;
    if (session === undefined || runId === undefined) throw new Error("this process is not a worker");
    return session.run(runId, input);
  };
  DBOS.registerWorkflow(body, { name: WORKFLOW, maxRecoveryAttempts: MAX_ATTEMPTS });
  const scheduled = async (_: Date, run: Json): Promise<string> => {
    const { queue, ...workflow } = scheduledWorkflow(run, DBOS.workflowID ?? "");
    const { workflowID } = await DBOS.enqueueWorkflowWithOptions({ queueName: queue, ...workflow }, run);
    return workflowID;
  };
  DBOS.registerWorkflow(scheduled, { name: SCHEDULED, maxRecoveryAttempts: MAX_ATTEMPTS });
}

/** Works as long as the connection holds. */
async function serve(
  dbos: Dbos,
  system: System,
  options: WorkerOptions,
  stopping: Interruption,
  report: WorkerReport,
): Promise<SessionEnd> {
  const { address, queue, concurrency } = options;
  const name = options.name ?? `${hostname()}:${process.pid}`;
  const connection = await openConnection(address, {
    connections: concurrency + SPARE_CONNECTIONS,
    name: connectionName(name),
  });
  let lock: WorkerLock | undefined;
  try {
    await prepareTables(connection);
    lock = await WorkerLock.take(address, makeExecutorId(name, system.random.hex(8)));
    await withClient(connection, client => setQueueLimits(client, queue, options.limits));
    await limitThisWorker(queue, concurrency);
    const { workingDir, logsOutput, launcher } = options;
    const { database } = connection;
    const place = { system, database, worker: name, workingDir, logsOutput, launcher };
    session = new WorkerSession(dbos, place, lock, report);
    dbos.DBOS.setConfig(workerConfig(connection.pool, lock.executorId, queue));
    await withDbos(connection, () => dbos.DBOS.launch());
    report.ready(name);
    const end = await watch(session, lock, connection, options, stopping, report);
    await session.end({ isLost: end === "lost" });
    if (end === "lost") {
      report.cutOff();
      // Otherwise DBOS waits for answers that do not come before it shuts down, for a minute.
      await connection.close();
    }
    await dbos.DBOS.shutdown();
    // Nothing is lost where this fails: the lock goes with the connection, and others take the runs over.
    if (end === "stopped") await lock.giveBack().catch(() => {});
    return end;
  } finally {
    session = undefined;
    await dbos.DBOS.shutdown();
    await lock?.release();
    await connection.close();
  }
}

/** Until the connection is lost, somebody says stop, or nothing is left to do. */
async function watch(
  current: WorkerSession,
  lock: WorkerLock,
  connection: Connection,
  { queue, takeOverAfterMs, isUntilEmpty, keepDays }: WorkerOptions,
  stopping: Interruption,
  report: WorkerReport,
): Promise<SessionEnd> {
  let isLost = false;
  let beats = 0;
  let pruning: Promise<unknown> = Promise.resolve();
  void lock.lost.then(() => {
    isLost = true;
  });
  for (;;) {
    await Promise.race([stopping.pause(BEAT_MS), lock.lost]);
    if (isLost) return "lost";
    if (stopping.signal !== undefined) return "stopped";
    try {
      await current.beat();
      const count = await current.sweep(takeOverAfterMs);
      if (count > 0) report.tookOver(count);
      // Not waited for: without beats this worker would go on with runs that others have taken over.
      if (keepDays !== undefined && beats++ % PRUNE_BEATS === 0)
        pruning = pruneRuns(connection, keepDays).catch(() => {
          isLost = true;
        });
      const mayEnd = isUntilEmpty && current.isIdle;
      if (mayEnd && (await countOpen(connection.database, queue)) === 0) {
        await pruning;
        return isLost ? "lost" : "empty";
      }
    } catch {
      return "lost";
    }
  }
}

/** Works on a queue until a signal, and says on one line each what happens. */
export async function workInTerminal(
  system: System,
  options: Omit<WorkerOptions, "workingDir"> & { readonly workingDir: string | undefined },
  note: (text: string) => void,
): Promise<number> {
  const workingDir = resolve(system.files.workingDirectory() ?? "/", options.workingDir ?? ".");
  if (!isDirectory(system.files, workingDir))
    throw new Problem(`the working directory does not exist: ${workingDir}`, {
      kind: "usage",
      fix: "make it, or name another one with --working-dir",
      exitCode: EXIT_CODES.badArguments,
    });
  const stopping = new Interruption();
  const signals = listenForSignals(stopping);
  try {
    await workOnQueue(
      system,
      { ...options, workingDir },
      stopping,
      reportTo(note, options.queue, workingDir),
    );
  } finally {
    signals.dispose();
  }
  return 0;
}

function reportTo(note: (text: string) => void, queue: string, workingDir: string): WorkerReport {
  const short = (runId: string): string => runId.slice(0, SHOWN_ID_LENGTH);
  return {
    ready: name => note(`${name} waits for runs of the queue ${queue}, working in ${workingDir}\n`),
    started: runId => note(`▶ ${short(runId)}\n`),
    ended: (runId, { status, durationMs }) =>
      note(
        `  ${status === "FAILURE" || status === "ERROR" ? "✗" : "✓"} ${short(runId)} (${formatSeconds(durationMs / 1000)})\n`,
      ),
    left: (runId, why) =>
      note(`  ⊘ ${short(runId)} ${why === "cancelled" ? "was cancelled" : "goes on elsewhere"}\n`),
    tookOver: count => note(`Returned ${count} of a worker that is gone to the queue\n`),
    waits: why => note(`Waits: ${why}. It goes on trying; Ctrl-C ends it.\n`),
    cutOff: () =>
      note(
        "The database does not answer. The running steps were ended; other workers go on with their runs.\n",
      ),
  };
}
