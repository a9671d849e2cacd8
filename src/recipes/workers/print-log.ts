import { Buffer } from "node:buffer";
import type { Database } from "../../postgres/index.ts";
import { booleanAt, type JsonObject, numberAt, stringAt } from "../../protocol/index.ts";
import type { RunEvent, StepReference } from "../logs/events.ts";
import type { RunState } from "../logs/run-records.ts";
import { outputLines, plain, progressLines } from "../progress.ts";
import { EXIT_CODES, type StepStatus } from "../run/result.ts";
import { type LogRecord, readLog } from "./run-log.ts";
import { findRunState } from "./run-queries.ts";

const POLL_MS = 500;
const BATCH = 1_000;

const ENDS_WITHOUT_RESULT: Readonly<Record<string, string>> = {
  cancelled: "The run was cancelled",
  "given-up": "The run was given up: its workers ended again and again",
};

interface LogView {
  readonly isFollowing: boolean;
  /** one object for each event, as it is recorded */
  readonly isJson: boolean;
  readonly print: (text: string) => void;
}

/** Prints the log of a run, to its end when it is followed. Answers an exit code: the run's own when it was followed. */
export async function printLog(
  database: Database,
  runId: string,
  { isFollowing, isJson, print }: LogView,
): Promise<number> {
  let after = "0";
  let worker: string | undefined;
  for (;;) {
    // First the state: what is logged before the end is there when the end is seen.
    const run = isFollowing ? await findRunState(database, runId) : undefined;
    const records = await readLog(database, [runId], { after, limit: BATCH, hasOutput: true });
    for (const each of records) {
      const isTaken = each.worker !== worker;
      worker = each.worker;
      after = each.seq;
      if (isJson) print(`${JSON.stringify({ ...each.record, worker })}\n`);
      else print(formatRecord(each, isTaken));
    }
    if (records.length === BATCH) continue;
    if (!isFollowing) return EXIT_CODES.success;
    if (run === undefined || isOver(run.state)) {
      const end = ENDS_WITHOUT_RESULT[run?.state ?? ""];
      if (end !== undefined && !isJson) print(`${end}.\n`);
      return run?.exitCode ?? EXIT_CODES.failed;
    }
    await new Promise(resume => setTimeout(resume, POLL_MS));
  }
}

function isOver(state: RunState): boolean {
  return state !== "queued" && state !== "running";
}

function formatRecord({ record, worker }: LogRecord, isTaken: boolean): string {
  const event = toEvent(record);
  const lines =
    event === undefined ? [] : event.kind === "output" ? outputLines(event) : progressLines(event);
  const all = isTaken ? [`Worker ${plain(worker)}:`, ...lines] : lines;
  return all.map(line => `${line}\n`).join("");
}

/** The event that a record was made from, as far as it is shown. */
function toEvent(record: JsonObject): RunEvent | undefined {
  const step = toReference(record);
  const text = stringAt(record, "text") ?? "";
  switch (stringAt(record, "event")) {
    case "step_start":
      return { kind: "step_start", step };
    case "output": {
      const stream = stringAt(record, "stream") === "stderr" ? "stderr" : "stdout";
      return { kind: "output", step, stream, chunk: Buffer.from(text) };
    }
    case "step_end":
      return {
        kind: "step_end",
        step,
        result: {
          step_id: step.id,
          step_type: step.type,
          status: parseStatus(stringAt(record, "status")),
          output: "",
          error: stringAt(record, "error") ?? "",
          duration: (numberAt(record, "duration_ms") ?? 0) / 1000,
        },
      };
    case "notice":
      return { kind: "notice", text, isWarning: booleanAt(record, "warning") === true };
    default:
      return undefined;
  }
}

const STATUSES: readonly StepStatus[] = ["completed", "skipped", "failed", "degraded"];

function parseStatus(text: string | undefined): StepStatus {
  return STATUSES.find(each => each === text) ?? "failed";
}

function toReference(record: JsonObject): StepReference {
  const id = stringAt(record, "step_id") ?? "";
  const path = stringAt(record, "path") ?? id;
  const type = stringAt(record, "step_type");
  return {
    id,
    type: type === "agent" || type === "recipe" ? type : "bash",
    name: undefined,
    depth: path.split("/").length - 1,
    path,
  };
}
