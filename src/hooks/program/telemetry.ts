import { errorText, type HookInput, type Outcome, type Run } from "../../protocol/index.ts";
import {
  appendJsonLine,
  DOCTOR_SESSION,
  findSessionId,
  findStateHome,
  LogFile,
  makeRuntimeDirectory,
  noteRuntime,
  type Rotation,
  runtimePath,
} from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { clip, escapeControls } from "../../text/index.ts";
import { version } from "../../version.ts";

/** What a run was about, for those who read the log beside others. */
interface CallFacts {
  /** canonical name and the host's id of the call; undefined where the event is about no tool */
  readonly tool: string | undefined;
  readonly toolUseId: string | undefined;
  /** characters of context that the model was given */
  readonly contextLength: number;
  /** where the host records the session, told once a prompt */
  readonly transcript: string | undefined;
}

export function callFacts(input: HookInput | undefined, { context }: Outcome): CallFacts {
  const tool = input?.kind === "tool" ? input.tool : undefined;
  return {
    tool: tool?.canonicalName,
    toolUseId: tool?.useId,
    contextLength: context.reduce((sum, { text }) => sum + text.length, 0),
    transcript: input?.event === "UserPromptSubmit" ? input.transcriptPath : undefined,
  };
}

/** One run as it is told on stderr and kept in the log of all runs. Never holds payload text. */
export interface HookRunRecord extends CallFacts {
  /** snake case, as in file names */
  readonly hook: string;
  readonly durationMs: number;
  readonly result: "ok" | "error" | "panic";
  readonly error: string | undefined;
  readonly host: string;
  readonly event: string;
  readonly decision: string;
  readonly rules: readonly string[];
  /** in the person's place, and by what */
  readonly answered: string | undefined;
  readonly sessionId: string | undefined;
  /** the project root */
  readonly project: string;
  /** of users' hooks, how long each took */
  readonly own: readonly Pick<Run, "hook" | "durationMs">[];
}

const ROTATION: Rotation = { limitBytes: 16 * 1024 * 1024, keep: 8 };
const ERROR_LENGTH = 300;
const EVENT_LENGTH = 100;
const NAME_LENGTH = 100;
const PATH_LENGTH = 1_000;

/** The last line on stderr: what a machine reads about this run. */
export function telemetryLine(record: HookRunRecord): string {
  return JSON.stringify(measured(record));
}

/**
 * Appends the run to `~A/logs/runs.jsonl`. Returns what to tell the user when that fails; it never throws. What doctor
 * tries is left out: it would look as if a host had called the hook, and be counted in reports.
 */
export function recordRun(record: HookRunRecord, system: System): readonly string[] {
  if (record.sessionId === DOCTOR_SESSION) return [];
  try {
    const { project } = record;
    const home = findStateHome(system);
    if (home === undefined) return ["no home directory, so this run is not recorded"];
    const line = {
      ...measured(record),
      ts: new Date(system.clock.nowMs()).toISOString(),
      host: record.host,
      event: clip(record.event, EVENT_LENGTH),
      decision: record.decision,
      rules: record.rules,
      ...(record.answered === undefined ? {} : { answered: record.answered }),
      session: findSessionId(system, record.sessionId) ?? null,
      project,
      ...(record.tool === undefined ? {} : { tool: clip(record.tool, NAME_LENGTH) }),
      ...(record.toolUseId === undefined ? {} : { call: clip(record.toolUseId, NAME_LENGTH) }),
      ...(record.contextLength === 0 ? {} : { context: record.contextLength }),
      ...(record.transcript === undefined ? {} : { transcript: clip(record.transcript, PATH_LENGTH) }),
      ...(record.own.length === 0 ? {} : { own: record.own.map(toOwnLine) }),
    };
    appendJsonLine(system, join(home, "logs", "runs.jsonl"), line, { rotation: ROTATION });
    return [];
  } catch (error) {
    const reason = errorText(error);
    return [`this run is not recorded: ${escapeControls(clip(reason, ERROR_LENGTH))}`];
  }
}

const SHOWN_KEYS = 40;

/** One line about the run in the hook's own log: member names, never what they hold. Never throws. */
export function logRun(
  record: HookRunRecord,
  keys: readonly string[],
  answer: { readonly stdout: string },
  system: System,
): void {
  const { project } = record;
  const log = new LogFile(runtimePath(system, project, "logs", `${record.hook}.log`), { system });
  prepareRuntime(system, project, log);
  const said = record.decision === "none" ? `${answer.stdout.trim().length} characters` : record.decision;
  const told = `${record.event} from ${record.host}, version ${version}; keys ${keys.slice(0, SHOWN_KEYS).join(", ") || "none"}; answered ${said}`;
  log.write("INFO", told);
  if (record.error !== undefined) log.write("ERROR", record.error);
}

/** Makes the run-time directory; what is in the way is told in the log, or by the log that cannot be written. */
export function prepareRuntime(system: System, project: string, log: LogFile): void {
  try {
    makeRuntimeDirectory(system, project, "logs");
    noteRuntime(system, project);
  } catch (error) {
    log.write("WARNING", `${runtimePath(system, project)} could not be prepared: ${errorText(error)}`);
  }
}

function toOwnLine({ hook, durationMs }: HookRunRecord["own"][number]) {
  return { hook, duration_us: toMicroseconds(durationMs) };
}

function toMicroseconds(ms: number): number {
  return Math.max(0, Math.round(ms * 1000));
}

function measured(record: HookRunRecord) {
  return {
    hook: record.hook,
    duration_us: toMicroseconds(record.durationMs),
    result: record.result,
    ...(record.error === undefined ? {} : { error: clip(record.error, ERROR_LENGTH) }),
  };
}
