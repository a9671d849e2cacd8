import { errorText } from "../../protocol/index.ts";
import { appendJsonLine } from "../../state/index.ts";
import { hasErrorCode, isAbsolute, join, resolve, type System } from "../../system/index.ts";
import { RunRefusal } from "../run/run-request.ts";
import { createEventLog } from "./event-log.ts";
import { type Observer, observeAll } from "./events.ts";

const MAX_NAME_LENGTH = 64;
const MAX_NAMES = 1000;

export interface RunLogs {
  readonly observe: Observer;
  readonly paths: readonly string[];
}

interface LogOptions {
  readonly runId: string;
  readonly recipeName: string;
  readonly currentDir: string;
  /** undefined when there is no home */
  readonly stateDir: string | undefined;
  readonly auditDir: string | undefined;
  readonly observer: Observer | undefined;
  readonly warn: (message: string) => void;
}

export function runLogPath(stateDir: string, runId: string): string {
  return join(stateDir, "runs", `${runId}.jsonl`);
}

/** Everything that listens to a run: the caller, the run's own log, the log asked for, the audit file. */
export function openLogs(system: System, options: LogOptions): RunLogs {
  const { runId, stateDir, auditDir, observer, warn } = options;
  const observers = new Map<string, Observer>();
  const paths: string[] = [];
  if (observer !== undefined) observers.set("The progress", observer);
  if (stateDir !== undefined) {
    const path = runLogPath(stateDir, runId);
    observers.set(`The log ${path}`, createEventLog(system, { path, runId, hasText: false }));
    paths.push(path);
  }
  const wanted = system.env.get("AMPLIHACK_RECIPE_LOG_JSONL") ?? "";
  if (wanted !== "") {
    const path = isAbsolute(wanted) ? wanted : resolve(options.currentDir, wanted);
    observers.set(`The log ${path}`, createEventLog(system, { path, runId, hasText: true }));
    paths.push(path);
  }
  if (auditDir !== undefined) {
    const audit = openAudit(system, auditDir, options);
    observers.set(`The audit file ${audit.path}`, audit.observe);
    paths.push(audit.path);
  }
  return { observe: observeAll(observers, warn), paths };
}

/** Makes a new audit file in the directory. */
function openAudit(
  system: System,
  auditDir: string,
  { recipeName, runId }: LogOptions,
): { readonly path: string; readonly observe: Observer } {
  let path: string;
  try {
    path = createAuditFile(system, auditDir, recipeName);
  } catch (error) {
    throw new RunRefusal("bad_args", `The audit directory cannot be used: ${errorText(error)}`);
  }
  return {
    path,
    observe(event) {
      if (event.kind !== "step_end") return;
      const { status, duration, error, output, exit_code } = event.result;
      appendJsonLine(system, path, {
        step_id: event.step.id,
        status,
        duration_ms: Math.round(duration * 1000),
        error: error === "" ? null : error,
        output_len: output.length,
        run_id: runId,
        exit_code: exit_code ?? null,
        ...(event.step.depth === 0 ? {} : { path: event.step.path }),
      });
    },
  };
}

function createAuditFile({ files, clock }: System, directory: string, recipeName: string): string {
  const safe = recipeName.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME_LENGTH);
  const base = `${safe}-${Math.floor(clock.nowMs() / 1000)}`;
  files.makeDirectory(directory, 0o700);
  for (let attempt = 0; ; attempt++) {
    const path = join(directory, attempt === 0 ? `${base}.jsonl` : `${base}-${attempt}.jsonl`);
    try {
      files.createExclusive(path, new Uint8Array(0), 0o600);
      return path;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST") || attempt === MAX_NAMES) throw error;
    }
  }
}
