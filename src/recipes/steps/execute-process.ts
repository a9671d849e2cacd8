import type { ProcessResult } from "../../system/index.ts";
import type { StepReference } from "../logs/events.ts";
import type { Frame, RecipeRun } from "../run/run.ts";
import { decodeCut, lastCharacters, type OutputSnippet, takeSnippet, WholeCharacters } from "./snippet.ts";

interface ProcessCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** undefined or 0 for no limit */
  readonly timeoutSeconds: number | undefined;
  /** Its program is bash, which begins only when it is known to those who would end it if the runner were killed. */
  readonly isShell?: true;
}

export interface Execution {
  readonly end: ProcessResult["end"];
  /** of stdout, at most `MAX_OUTPUT_BYTES` */
  readonly stdout: string;
  readonly isStdoutCut: boolean;
  readonly stderr: string;
  readonly recentStdout: OutputSnippet;
  readonly recentStderr: OutputSnippet;
}

/** More is cut, with a warning. */
export const MAX_OUTPUT_BYTES = 10_000_000;
const MAX_TAIL_BYTES = 64 * 1024;
const KILL_AFTER_MS = 3_000;
/** For programs that still write after the shell that started them has ended, such as `> >(tee log)`. */
const PIPE_GRACE_MS = 1_000;

/** Runs one program of a step to its end. Nothing of its process group is left afterwards. */
export async function executeProcess(
  run: RecipeRun,
  step: StepReference,
  command: ProcessCommand,
): Promise<Execution> {
  const { system, observe, interruption, watcher } = run;
  const streams = { stdout: new WholeCharacters(), stderr: new WholeCharacters() };
  const emitOutput = (stream: "stdout" | "stderr", chunk: Uint8Array): void => {
    if (chunk.length > 0) observe({ kind: "output", step, stream, chunk });
  };
  const timeoutMs = command.timeoutSeconds ? command.timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
  const record = (pid: number): void => {
    watcher.watch(pid);
    observe({ kind: "process", step, pid });
  };
  const running = system.processes.start({
    argv: command.argv,
    cwd: command.cwd,
    env: command.env,
    input: system.text.encode(command.input ?? ""),
    timeoutMs,
    limits: {
      stdoutBytes: MAX_OUTPUT_BYTES,
      tailBytes: MAX_TAIL_BYTES,
      stderrBytes: MAX_TAIL_BYTES,
      drainBytes: Number.POSITIVE_INFINITY,
    },
    killAfterMs: KILL_AFTER_MS,
    pipeGraceMs: PIPE_GRACE_MS,
    endsGroup: true,
    onOutput: (stream, chunk) => emitOutput(stream, streams[stream].push(chunk)),
    ...(command.isShell === true ? { beforeBegin: record } : {}),
  });
  const { pid } = running;
  if (pid !== undefined && command.isShell !== true) record(pid);
  const stopping = interruption.onInterrupt(() => running.stop());
  const result = await running.done;
  stopping.dispose();
  for (const stream of ["stdout", "stderr"] as const) emitOutput(stream, streams[stream].rest());
  if (pid !== undefined) watcher.forget(pid);
  return {
    end: result.end,
    stdout: result.stdoutTruncated ? decodeCut(result.stdout) : system.text.decode(result.stdout).text,
    isStdoutCut: result.stdoutTruncated,
    stderr: system.text.decode(result.stderr).text,
    recentStdout: takeSnippet(result.stdoutTruncated ? result.stdoutTail : result.stdout, run.snippetLimits),
    recentStderr: takeSnippet(result.stderr, run.snippetLimits),
  };
}

/** How a program ended, in a few words. */
export function endText(end: ProcessResult["end"]): string {
  if (end.kind === "exit") return `exit ${end.code}`;
  if (end.kind === "signal") return `signal ${end.signal}`;
  return end.kind === "not-started" ? `could not be started: ${end.code}` : end.kind;
}

/** Why a program did not end well, in the words of the result; undefined after exit 0. */
export function failureText(
  run: RecipeRun,
  execution: Execution,
  what: string,
  timeoutSeconds: number | undefined,
): string | undefined {
  const { end } = execution;
  if (run.interruption.signal !== undefined && end.kind !== "exit") {
    return `interrupted by ${run.interruption.signal}`;
  }
  const stderr = lastCharacters(execution.stderr, 4000).trim();
  const detail = stderr === "" ? "" : `: ${stderr}`;
  const reason = stderr === "" ? "it said nothing on stderr" : stderr;
  switch (end.kind) {
    case "exit":
    case "signal":
      return end.kind === "exit" && end.code === 0
        ? undefined
        : `${what} failed (${endText(end)}): ${reason}`;
    case "timeout":
      return `${what} timed out after ${Number(timeoutSeconds?.toFixed(3))}s${detail}`;
    case "not-started":
      return `${what} ${endText(end)}`;
    default:
      return `${what} was stopped${detail}`;
  }
}

/** The limit of one process: its own, or what is left of the frame's time, whichever is shorter. */
export function effectiveTimeout(
  run: RecipeRun,
  frame: Frame,
  ownSeconds: number | undefined,
): number | undefined {
  const own = ownSeconds === 0 ? undefined : ownSeconds;
  if (frame.deadlineMs === undefined) return own;
  const left = Math.max(0.001, (frame.deadlineMs - run.system.clock.monotonicMs()) / 1000);
  return own === undefined ? left : Math.min(own, left);
}
