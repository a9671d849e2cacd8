import {
  defined,
  isJsonObject,
  type JsonObject,
  memberAt,
  numberAt,
  ownValue,
  parseJsonObject,
  stringAt,
} from "../../protocol/index.ts";
import { hasEnded, listIfThere, readText } from "../../state/index.ts";
import { hasErrorCode, join, type System } from "../../system/index.ts";
import type { GitFacts } from "../run/base-environment.ts";
import { checkpointPath } from "../run/find-checkpoint.ts";
import { clipBytes } from "../steps/snippet.ts";
import { valueText } from "../values/value.ts";

const MAX_FIELD_BYTES = 1024;
/** Context variables that tell a reader which piece of work a run belongs to. */
const WORK_KEYS =
  "task_description issue_number issue_id issue_url pr_number pr_id pr_url work_item_id work_item".split(" ");

interface PointerFacts {
  readonly event: "early" | "final";
  readonly runId: string;
  readonly recipeName: string;
  readonly cwd: string;
  readonly git: GitFacts | undefined;
  readonly context: JsonObject;
  readonly logPaths: readonly string[];
  readonly nowMs: number;
  readonly status?: string;
  readonly exitCode?: number;
}

/** The line on stderr by which other programs find the logs of a run. */
export function pointerLine(facts: PointerFacts): string {
  const work = WORK_KEYS.flatMap(key => {
    const text = valueText(ownValue(facts.context, key));
    return text === "" ? [] : [[key, clip(text)] as const];
  });
  const pointer = {
    schema_version: 1,
    event: facts.event,
    run_id: facts.runId,
    recipe_name: clip(facts.recipeName),
    cwd: clip(facts.cwd),
    ...(facts.git === undefined ? {} : { worktree: clip(facts.git.worktree) }),
    ...(facts.git?.branch === undefined ? {} : { branch: clip(facts.git.branch) }),
    ...Object.fromEntries(work),
    ...defined({ status: facts.status, exit_code: facts.exitCode }),
    log_paths: facts.logPaths,
    timestamp: new Date(facts.nowMs).toISOString(),
  };
  return `amplihack.recipe.log_pointer ${JSON.stringify(pointer)}`;
}

const clip = (text: string): string => clipBytes(text, MAX_FIELD_BYTES);

/**
 * `running`: its process lives. `killed`: its process is gone and the log has no end. `interrupted`: ended by a
 * signal that it could answer. `unknown`: it runs, or ran, on another machine, or its log says too little. In a
 * database also: `queued`, which no worker has, `cancelled`, and `given-up`, begun too often without coming to an end.
 */
export type RunState =
  | "running"
  | "done"
  | "partial"
  | "failed"
  | "interrupted"
  | "killed"
  | "unknown"
  | "queued"
  | "cancelled"
  | "given-up";

export interface RecordedStep {
  /** ids from the outermost step inwards, joined by `/` */
  readonly path: string;
  /** `running` as long as it has no end */
  readonly status: string;
  readonly durationMs: number | null;
  readonly exitCode: number | null;
}

/** One run of a recipe, as its log tells it. */
export interface RecordedRun {
  readonly runId: string;
  readonly recipe: string;
  /** of the recipe */
  readonly file: string | null;
  readonly workingDir: string | null;
  readonly state: RunState;
  /** of its last start: a run that was resumed has several */
  readonly startedMs: number;
  /** until its end, or now while it runs; null where that is not known */
  readonly durationMs: number | null;
  readonly stepCount: number;
  readonly steps: readonly RecordedStep[];
  readonly signal: string | null;
  /** a checkpoint is left from which it can go on */
  readonly canResume: boolean;
}

const MAX_LOG_BYTES = 32 * 1024 * 1024;
const STATES: Readonly<Record<string, RunState>> = { SUCCESS: "done", PARTIAL: "partial" };

/** The runs whose logs are kept, newest first. */
export function listRuns(system: System, stateDir: string, limit: number): readonly RecordedRun[] {
  return runFiles(system, stateDir)
    .slice(0, limit)
    .map(({ runId, path, modifiedMs }) => readRun(system, stateDir, { runId, path, modifiedMs }));
}

/** Ids of the runs whose logs are kept, newest first. */
export function listRunIds(system: System, stateDir: string): readonly string[] {
  return runFiles(system, stateDir).map(({ runId }) => runId);
}

/** The run with this id. */
export function findRun(system: System, stateDir: string, runId: string): RecordedRun | undefined {
  const file = runFiles(system, stateDir).find(each => each.runId === runId);
  return file && readRun(system, stateDir, file);
}

interface RunFile {
  readonly runId: string;
  readonly path: string;
  readonly modifiedMs: number;
}

function runFiles({ files }: System, stateDir: string): readonly RunFile[] {
  const folder = join(stateDir, "runs");
  return listIfThere(files, folder)
    .flatMap(name => {
      const runId = /^([A-Za-z0-9-]+)\.jsonl$/.exec(name)?.[1];
      const facts = runId === undefined ? undefined : files.inspect(join(folder, name));
      return runId === undefined || facts?.kind !== "file"
        ? []
        : [{ runId, path: join(folder, name), modifiedMs: facts.modifiedMs }];
    })
    .sort((one, other) => other.modifiedMs - one.modifiedMs);
}

function readRun(system: System, stateDir: string, { runId, path, modifiedMs }: RunFile): RecordedRun {
  const { start, end, steps, signal } = runFromRecords(readRecords(system, path));
  const startedMs = Date.parse(stringAt(start, "ts") ?? "");
  const state = end === undefined ? liveState(system, start) : endState(end);
  const known = Number.isFinite(startedMs) ? startedMs : modifiedMs;
  return {
    runId,
    recipe: stringAt(start, "recipe_name") ?? "",
    file: stringAt(start, "file") ?? null,
    workingDir: stringAt(start, "working_dir") ?? null,
    state,
    startedMs: known,
    durationMs: numberAt(end, "duration_ms") ?? (state === "running" ? system.clock.nowMs() - known : null),
    stepCount: numberAt(start, "step_count") ?? 0,
    steps,
    signal,
    canResume: state !== "running" && system.files.follow(checkpointPath(stateDir, runId)) !== undefined,
  };
}

/** What the records of a run tell, wherever they are kept. */
export function runFromRecords(records: readonly JsonObject[]): {
  readonly start: JsonObject;
  readonly end: JsonObject | undefined;
  readonly steps: readonly RecordedStep[];
  readonly signal: string | null;
} {
  const steps = new Map<string, RecordedStep>();
  let start: JsonObject = {};
  let end: JsonObject | undefined;
  for (const record of records) {
    const event = stringAt(record, "event");
    if (event === "recipe_start") [start, end] = [record, undefined];
    else if (event === "recipe_end") end = record;
    else if (event === "step_start" || event === "step_end") noteStep(steps, record);
  }
  return { start, end, steps: [...steps.values()], signal: stringAt(end, "signal") ?? null };
}

function noteStep(steps: Map<string, RecordedStep>, record: JsonObject): void {
  const path = stringAt(record, "path") ?? "";
  // A resumed run tells again of steps that it leaves out; how they went stands in the log already.
  const isRepeated = stringAt(record, "status") === "skipped" && steps.get(path)?.status === "completed";
  if (isRepeated) return;
  steps.set(path, {
    path,
    status: stringAt(record, "status") ?? "running",
    durationMs: numberAt(record, "duration_ms") ?? null,
    exitCode: numberAt(record, "exit_code") ?? null,
  });
}

function endState(end: JsonObject): RunState {
  if (stringAt(end, "signal") !== undefined) return "interrupted";
  return STATES[stringAt(end, "status") ?? ""] ?? "failed";
}

/** The log has no end: the process that wrote it lives, or it was killed. */
function liveState({ processes }: System, start: JsonObject): RunState {
  const runner = memberAt(start, "runner");
  const pid = numberAt(runner, "pid");
  const host = stringAt(runner, "host");
  if (pid === undefined || host === undefined || host !== processes.self.host) return "unknown";
  return hasEnded(processes, { pid, host, start: stringAt(runner, "start") }) ? "killed" : "running";
}

function readRecords(system: System, path: string): readonly JsonObject[] {
  let text: string | undefined;
  try {
    text = readText(system, path, MAX_LOG_BYTES);
  } catch (error) {
    // Too long to be read, or not ours: the run is listed all the same.
    if (hasErrorCode(error, "EFBIG", "EACCES", "EPERM")) return [];
    throw error;
  }
  return (text ?? "").split("\n").flatMap(line => {
    const record = line === "" ? undefined : parseJsonObject(line, 10);
    return isJsonObject(record) ? [record] : [];
  });
}
