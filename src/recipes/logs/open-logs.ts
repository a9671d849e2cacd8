import { errorText } from "../../protocol/error-text.ts";
import { isAbsolute, join, resolve } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";
import { RunRefusal } from "../run/run-request.ts";
import { createAuditLog } from "./audit-log.ts";
import { createEventLog } from "./event-log.ts";
import { type Observer, observeAll } from "./events.ts";

export interface RunLogs {
  readonly observe: Observer;
  readonly paths: readonly string[];
}

export interface LogOptions {
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

function openAudit(system: System, auditDir: string, { recipeName, runId }: LogOptions) {
  try {
    return createAuditLog(system, auditDir, recipeName, runId);
  } catch (error) {
    const why = errorText(error);
    throw new RunRefusal("bad_args", `The audit directory cannot be used: ${why}`);
  }
}
