import { Buffer } from "node:buffer";
import { errorText, type JsonObject } from "../../protocol/index.ts";
import { appendJsonLine } from "../../state/index.ts";
import { hasErrorCode, isAbsolute, join, resolve, type System } from "../../system/index.ts";
import { RunRefusal } from "../run/run-request.ts";
import { type Observer, observeAll, type RunEvent, type StepReference } from "./events.ts";

const MAX_OUTPUT_CHARACTERS = 8192;
const MAX_FILES = 200;

interface EventLogOptions {
  readonly path: string;
  readonly runId: string;
  /** with what programs said and why they failed; without it only that they did */
  readonly hasText: boolean;
}

/** Appends every event as one JSON line. */
function createEventLog(system: System, options: EventLogOptions): Observer {
  return event => {
    const fields = eventFields(event, options.hasText, system);
    if (fields === undefined) return;
    const ts = new Date(system.clock.nowMs()).toISOString();
    appendJsonLine(system, options.path, { event: event.kind, run_id: options.runId, ts, ...fields });
  };
}

/** What is written of an event; undefined for those that are not. */
export function eventFields(event: RunEvent, hasText: boolean, system: System): JsonObject | undefined {
  switch (event.kind) {
    case "recipe_start":
      return {
        recipe_name: event.recipe,
        step_count: event.stepCount,
        ...(hasText ? {} : ownFacts(event, system)),
      };
    case "recipe_end":
      return {
        recipe_name: event.recipe,
        status: event.status,
        duration_ms: Math.round(event.durationMs),
        ...(event.signal === undefined ? {} : { signal: event.signal }),
      };
    case "step_start":
      return { ...describeStep(event.step), step_type: event.step.type };
    case "heartbeat":
      return { ...describeStep(event.step), elapsed_ms: Math.round(event.elapsedMs) };
    case "step_end": {
      const { status, duration, output, error, exit_code } = event.result;
      return {
        ...describeStep(event.step),
        status,
        duration_ms: Math.round(duration * 1000),
        output_len: output.length,
        exit_code: exit_code ?? null,
        ...(hasText ? { error: error === "" ? null : error } : {}),
      };
    }
    case "output": {
      if (!hasText) return undefined;
      const text = Buffer.from(event.chunk).toString("utf8");
      return {
        ...describeStep(event.step),
        stream: event.stream,
        text: text.slice(-MAX_OUTPUT_CHARACTERS),
        truncated: text.length > MAX_OUTPUT_CHARACTERS,
      };
    }
    case "process": {
      if (hasText) return undefined;
      const start = system.processes.look(event.pid)?.start ?? null;
      return { path: event.step.path, pid: event.pid, start };
    }
    case "notice":
    case "pointer":
      return undefined;
  }
}

/** By these a killed run is told from one that goes on, and found again by its directory. */
function ownFacts(
  { runtimeRoot, workingDir, file }: RunEvent & { kind: "recipe_start" },
  { processes }: System,
): JsonObject {
  const { pid, host, start } = processes.self;
  return {
    runtime_root: runtimeRoot,
    working_dir: workingDir,
    file,
    runner: { pid, host, start: start ?? null },
  };
}

function describeStep({ id, path }: StepReference): JsonObject {
  return { step_id: id, path };
}

/** Keeps the newest files of a folder; what cannot be removed stays. */
export function pruneOldFiles({ files }: System, folder: string): void {
  let names: readonly string[];
  try {
    names = files.list(folder).filter(name => /\.jsonl?$/.test(name) && !name.startsWith("."));
  } catch {
    return;
  }
  if (names.length <= MAX_FILES) return;
  const aged = names
    .map(name => ({
      path: join(folder, name),
      modifiedMs: files.inspect(join(folder, name))?.modifiedMs ?? 0,
    }))
    .sort((a, b) => b.modifiedMs - a.modifiedMs);
  for (const { path } of aged.slice(MAX_FILES)) {
    try {
      files.remove(path);
    } catch {
      // Another run may be removing it too.
    }
  }
}

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
