import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { afterPending, onEnd } from "./node-end.ts";
import { errorCode } from "./node-errors.ts";
import { loadChildProcess } from "./node-load.ts";
import { CapturedOutput } from "./output.ts";
import type { ProcessRequest, ProcessResult, RunningProcess } from "./system.ts";

const DEFAULT_KILL_AFTER_MS = 1_000;
const DEFAULT_PIPE_GRACE_MS = 250;
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Waits for a line before it becomes the program; without one, because we were killed, it ends. As a privileged shell
 * it leaves what the environment says to bash to the program.
 */
const GATE = ["/bin/bash", "--norc", "-pc", 'read -r -u 3 && set +p && exec "$@" 3<&-', "gate"] as const;

type End = ProcessResult["end"];

/** Starts a child as the leader of its own process group; `ProcessRequest` says what is promised. */
export function startProcess(request: ProcessRequest): RunningProcess {
  const startedNs = process.hrtime.bigint();
  const output = new CapturedOutput(request.limits);
  const report = (end: End, facts: { killed: boolean; pipeHeld: boolean }): ProcessResult => ({
    end,
    ...output.result(),
    ...facts,
    durationMs: Number(process.hrtime.bigint() - startedNs) / 1e6,
  });
  const isHeldBack = request.beforeBegin !== undefined;
  const [program, ...args] = isHeldBack ? ([...GATE, ...request.argv] as const) : request.argv;
  // A pipe of Node's is a socket, which makes a shell take itself for a remote one and read `~/.bashrc`.
  const stdin = request.input.length === 0 ? "ignore" : "pipe";
  try {
    const child = loadChildProcess().spawn(program, args, {
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: [stdin, "pipe", "pipe", ...(isHeldBack ? (["pipe"] as const) : [])],
    });
    return supervise(child, request, output, report);
  } catch (error) {
    const end = { kind: "not-started", code: errorCode(error) } as const;
    return {
      pid: undefined,
      done: Promise.resolve(report(end, { killed: false, pipeHeld: false })),
      stop() {},
    };
  }
}

/** Waits for a child, or ends it. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: timers, signals and streams of a child share what is known of its end
function supervise(
  child: ChildProcess,
  request: ProcessRequest,
  output: CapturedOutput,
  report: (end: End, facts: { killed: boolean; pipeHeld: boolean }) => ProcessResult,
): RunningProcess {
  const { pid } = child;
  const { killAfterMs = DEFAULT_KILL_AFTER_MS, pipeGraceMs = DEFAULT_PIPE_GRACE_MS } = request;
  const { promise: done, resolve } = settleable<ProcessResult>();
  /** why we end it; once set, what the child says is no longer kept */
  let reason: End | undefined;
  let exit: End | undefined;
  let killed = false;
  let isSettled = false;

  const deadline = startTimer(request.timeoutMs, () => terminate({ kind: "timeout" }));
  let killTimer: NodeJS.Timeout | undefined;
  let graceTimer: NodeJS.Timeout | undefined;

  function settle(end: End, pipeHeld: boolean): void {
    if (isSettled) return;
    isSettled = true;
    for (const timer of [deadline, killTimer, graceTimer]) clearTimeout(timer);
    for (const stream of child.stdio) stream?.destroy();
    if (request.endsGroup === true && pid !== undefined) {
      signalGroup(pid, "SIGKILL");
      liveGroups.remove(pid);
    }
    if (exit === undefined) child.unref();
    resolve(report(end, { killed, pipeHeld }));
  }

  function settleAfterGrace(): void {
    clearTimeout(graceTimer);
    graceTimer = startTimer(pipeGraceMs, () =>
      settle(reason ?? exit ?? { kind: "stopped" }, exit !== undefined),
    );
  }

  function terminate(why: End): void {
    if (isSettled || exit !== undefined || reason !== undefined || pid === undefined) return;
    reason = why;
    output.close();
    clearTimeout(deadline);
    signalGroup(pid, "SIGTERM");
    killTimer = startTimer(killAfterMs, () => {
      if (exit !== undefined) return;
      killed = true;
      signalGroup(pid, "SIGKILL");
      settleAfterGrace();
    });
  }

  child.once("error", error => {
    if (pid === undefined) settle({ kind: "not-started", code: errorCode(error) }, false);
  });
  child.once("exit", (code, signal) => {
    exit = signal === null ? { kind: "exit", code: code ?? 0 } : { kind: "signal", signal };
    clearTimeout(deadline);
    clearTimeout(killTimer);
    if (pid !== undefined) {
      // What a terminated leader leaves behind goes with it; after a normal end helpers may live on.
      if (reason !== undefined) signalGroup(pid, "SIGKILL");
      if (request.endsGroup !== true) liveGroups.remove(pid);
    }
    settleAfterGrace();
  });
  child.once("close", () => settle(reason ?? exit ?? { kind: "stopped" }, false));

  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.on("data", (chunk: Uint8Array) => {
      output.push(stream, chunk);
      request.onOutput?.(stream, chunk);
      if (output.isOverflowing) terminate({ kind: "overflow" });
    });
    child[stream]?.on("error", () => {
      // A pipe that breaks has ended; the exit tells the rest.
    });
  }
  child.stdin?.on("error", () => {
    // A child need not read its input.
  });
  child.stdin?.end(request.input);
  if (pid !== undefined) {
    liveGroups.add(pid);
    request.beforeBegin?.(pid);
  }
  openGate(child.stdio[3] as Socket | null | undefined);

  return { pid, done, stop: () => terminate({ kind: "stopped" }) };
}

function openGate(gate: Socket | null | undefined): void {
  gate?.on("error", () => {
    // The child was ended before it began.
  });
  gate?.end("begin\n", () => gate.destroy());
}

/**
 * The action waits for what is pending when the time is up: an exit or output that arrived while this process was busy
 * is then seen first, and a slow parent does not make a punctual child late.
 */
function startTimer(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(afterPending, Math.min(ms, MAX_TIMER_MS), action);
}

function settleable<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}

function signalGroup(leader: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (leader <= 1) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // The group is gone already, or is no longer ours to signal; the timers settle the run either way.
  }
}

/** Groups that must not outlive this process. */
const liveGroups = {
  leaders: new Set<number>(),
  atEnd: undefined as { dispose(): void } | undefined,

  add(leader: number): void {
    this.leaders.add(leader);
    this.atEnd ??= onEnd(() => {
      for (const left of this.leaders) signalGroup(left, "SIGKILL");
    });
  },

  remove(leader: number): void {
    this.leaders.delete(leader);
    if (this.leaders.size > 0) return;
    this.atEnd?.dispose();
    this.atEnd = undefined;
  },
};
