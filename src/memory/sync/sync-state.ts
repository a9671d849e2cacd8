import { spawn } from "node:child_process";
import { formatAge } from "../../history/index.ts";
import { errorText, isJsonObject, type Json, numberAt, stringAt } from "../../protocol/index.ts";
import { AtomicJsonFile, LogFile } from "../../state/index.ts";
import { childEnvironment, dirname, join, type System } from "../../system/index.ts";
import { count } from "../../text/index.ts";

/** How the last syncs went, for those who decide on the next and for those who look. Times are 0 for never. */
export interface SyncState {
  /** when one was started last, and when one ended */
  readonly attemptMs: number;
  readonly finishedMs: number;
  readonly successMs: number;
  /** since the last success */
  readonly failures: number;
  readonly problem: string;
  readonly waiting: number;
  /** of those that wait: what the team's database does not take */
  readonly refused: number;
}

const NEVER: SyncState = {
  attemptMs: 0,
  finishedMs: 0,
  successMs: 0,
  failures: 0,
  problem: "",
  waiting: 0,
  refused: 0,
};
const STALE_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** One that ends without a word was killed. */
const LONGEST_SYNC_MS = 2 * 60_000;

function syncStateFile(system: System, databasePath: string): AtomicJsonFile<SyncState> {
  return new AtomicJsonFile(join(dirname(databasePath), "memory-sync.json"), { system, parse });
}

function parse(value: Json): SyncState {
  if (!isJsonObject(value)) throw new Error("it must be an object");
  const number = (name: keyof SyncState): number => numberAt(value, name) ?? 0;
  return {
    attemptMs: number("attemptMs"),
    finishedMs: number("finishedMs"),
    successMs: number("successMs"),
    failures: number("failures"),
    problem: stringAt(value, "problem") ?? "",
    waiting: number("waiting"),
    refused: number("refused"),
  };
}

/** A file that cannot be read says no more than a missing one; the next sync writes it anew. */
export function readSyncState(system: System, databasePath: string): SyncState {
  try {
    return syncStateFile(system, databasePath).readOrDefault(NEVER);
  } catch {
    return NEVER;
  }
}

export function updateSyncState(
  system: System,
  databasePath: string,
  change: (state: SyncState) => Partial<SyncState>,
): void {
  syncStateFile(system, databasePath).update(state => ({ ...state, ...change(state) }), NEVER, {
    onMalformed: "set-aside",
  });
}

/** Whether a sync is to be started now: there is a reason, none is under way, and it did not just fail. */
export function isSyncDue(state: SyncState, hasChanged: boolean, nowMs: number): boolean {
  const { attemptMs, finishedMs, successMs, failures, waiting, refused } = state;
  if (attemptMs > finishedMs && isWithin(nowMs, attemptMs, LONGEST_SYNC_MS)) return false;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  if (failures > 0 && isWithin(nowMs, finishedMs, pauseMs)) return false;
  return hasChanged || waiting > refused || !isWithin(nowMs, successMs, STALE_MS);
}

/** A clock that was set back makes nothing wait. */
function isWithin(nowMs: number, sinceMs: number, lengthMs: number): boolean {
  return nowMs >= sinceMs && nowMs - sinceMs < lengthMs;
}

/** `3 changes wait for the team's database; last sync 2 h ago: it does not answer`; undefined when nothing is wrong. */
export function describeSync({ waiting, successMs, problem }: SyncState, nowMs: number): string | undefined {
  if (waiting === 0 && problem === "") return undefined;
  const waits =
    waiting === 0
      ? "changes of the team are not fetched"
      : `${count(waiting, "change")} wait${waiting === 1 ? "s" : ""} for the team's database`;
  const last = successMs === 0 ? "not synced yet" : `last sync ${formatAge(nowMs, successMs)}`;
  return `${waits}; ${last}${problem === "" ? "" : `: ${problem}`}`;
}

/**
 * Starts a sync in the background and waits for nothing. `program` is what runs `amplihack`. Nothing depends on it: a
 * failure goes to the log, and the next occasion tries again.
 */
export function startSyncProcess(
  system: System,
  databasePath: string,
  program: readonly [string, ...string[]],
): void {
  const folder = dirname(databasePath);
  try {
    // Noted here already, so that hooks that end together start one.
    updateSyncState(system, databasePath, () => ({ attemptMs: system.clock.nowMs() }));
    const [file, ...words] = program;
    const child = spawn(file, [...words, "memory", "sync", "--background"], {
      cwd: folder,
      env: childEnvironment(system, { AMPLIHACK_NONINTERACTIVE: "1" }),
      detached: true,
      stdio: "ignore",
    });
    child.on("error", () => {});
    child.unref();
  } catch (error) {
    const log = new LogFile(join(folder, "logs", "memory-sync.log"), { system });
    log.write("WARNING", `no sync could be started: ${errorText(error)}`);
  }
}
