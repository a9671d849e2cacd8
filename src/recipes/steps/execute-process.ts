import type { ProcessResult } from "../../system/system.ts";
import type { StepReference } from "../logs/events.ts";
import type { Frame, Run } from "../run/run.ts";
import { decodeCut, lastCharacters, type Snippet, takeSnippet, WholeCharacters } from "./snippet.ts";

export interface ProcessOrder {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** undefined or 0 for no limit */
  readonly timeoutSeconds: number | undefined;
}

export interface Execution {
  readonly end: ProcessResult["end"];
  /** of stdout, at most `OUTPUT_BYTES` */
  readonly stdout: string;
  readonly isStdoutCut: boolean;
  readonly stderr: string;
  readonly recentStdout: Snippet;
  readonly recentStderr: Snippet;
}

/** More is cut, with a warning. */
export const OUTPUT_BYTES = 10_000_000;
const TAIL_BYTES = 64 * 1024;
const KILL_AFTER_MS = 3_000;
/** For programs that still write after the shell that started them has ended, such as `> >(tee log)`. */
const PIPE_GRACE_MS = 1_000;

/** Runs one program of a step to its end. Nothing of its process group is left afterwards. */
export async function executeProcess(run: Run, step: StepReference, order: ProcessOrder): Promise<Execution> {
  const { system, observe, interruption, watcher } = run;
  const streams = { stdout: new WholeCharacters(), stderr: new WholeCharacters() };
  const tell = (stream: "stdout" | "stderr", chunk: Uint8Array): void => {
    if (chunk.length > 0) observe({ kind: "output", step, stream, chunk });
  };
  const timeoutMs = order.timeoutSeconds ? order.timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
  const running = system.processes.start({
    argv: order.argv,
    cwd: order.cwd,
    env: order.env,
    input: system.text.encode(order.input ?? ""),
    timeoutMs,
    limits: {
      stdoutBytes: OUTPUT_BYTES,
      tailBytes: TAIL_BYTES,
      stderrBytes: TAIL_BYTES,
      drainBytes: Number.POSITIVE_INFINITY,
    },
    killAfterMs: KILL_AFTER_MS,
    pipeGraceMs: PIPE_GRACE_MS,
    endsGroup: true,
    onOutput: (stream, chunk) => tell(stream, streams[stream].push(chunk)),
  });
  const { pid } = running;
  if (pid !== undefined) {
    watcher.watch(pid);
    observe({ kind: "process", step, pid });
  }
  const stopping = interruption.onInterrupt(() => running.stop());
  const result = await running.done;
  stopping.dispose();
  for (const stream of ["stdout", "stderr"] as const) tell(stream, streams[stream].rest());
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

/** Why a program did not end well, in the words of the result; undefined after exit 0. */
export function describeEnd(
  run: Run,
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
      return end.code === 0 ? undefined : `${what} failed (exit ${end.code}): ${reason}`;
    case "signal":
      return `${what} failed (signal ${end.signal}): ${reason}`;
    case "timeout":
      return `${what} timed out after ${Number(timeoutSeconds?.toFixed(3))}s${detail}`;
    case "not-started":
      return `${what} could not be started: ${end.code}`;
    default:
      return `${what} was stopped${detail}`;
  }
}

/** The limit of one process: its own, or what is left of the frame's time, whichever is shorter. */
export function effectiveTimeout(run: Run, frame: Frame, ownSeconds: number | undefined): number | undefined {
  const own = ownSeconds === 0 ? undefined : ownSeconds;
  if (frame.deadlineMs === undefined) return own;
  const left = Math.max(0.001, (frame.deadlineMs - run.system.clock.monotonicMs()) / 1000);
  return own === undefined ? left : Math.min(own, left);
}
