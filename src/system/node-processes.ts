import type { ChildProcess } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import type { Socket } from "node:net";
import { errorText } from "../protocol/index.ts";
import { errorCode, loadChildProcess, loadOperatingSystem } from "./node-files.ts";
import { CapturedOutput } from "./output.ts";
import type {
  ListedProcess,
  Processes,
  ProcessIdentity,
  ProcessRequest,
  ProcessResult,
  RunningProcess,
} from "./system.ts";

/**
 * Keeps a list of process groups. When the pipe closes without the word `done`, the process that held it was killed,
 * and what is on the list is ended: with SIGTERM first.
 */
const SCRIPT = `groups=' '
while read -r word group; do
  case $word in
    watch) groups="$groups$group " ;;
    forget) case $groups in *" $group "*) groups="\${groups%% "$group" *} \${groups#* "$group" }" ;; esac ;;
    done) exit 0 ;;
  esac
done
any_left() {
  for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done
  return 1
}
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
for second in 1 2 3; do
  any_left || exit 0
  sleep 1
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done`;

/** Ends process groups when this process is killed and cannot do it itself. */
export interface GroupWatcher {
  watch(group: number): void;
  /** The group has ended; its number may soon belong to another process. */
  forget(group: number): void;
  dismiss(): void;
}

/** A small shell outside of our group, because nothing runs in a process that was killed. */
export function startGroupWatcher(onFailure: (reason: string) => void): GroupWatcher {
  const shell = loadChildProcess().spawn("/bin/sh", ["-c", SCRIPT], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
  });
  shell.on("error", error => onFailure(error.message));
  shell.stdin.on("error", () => {
    // A shell that is gone was reported above.
  });
  shell.unref();
  return {
    watch: group => void shell.stdin.write(`watch ${group}\n`),
    forget: group => void shell.stdin.write(`forget ${group}\n`),
    dismiss: () => void shell.stdin.end("done\n"),
  };
}

/** The same, started only when there is something to watch. */
export function createGroupWatcher(onFailure: (reason: string) => void): GroupWatcher {
  let started: GroupWatcher | undefined;
  return {
    watch: group => {
      started ??= startGroupWatcher(onFailure);
      started.watch(group);
    },
    forget: group => started?.forget(group),
    dismiss: () => started?.dismiss(),
  };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type EndSignal = (typeof SIGNALS)[number];

/** What is to be run, and whether a signal is listened to for it. */
const callbacks = new Map<() => void, boolean>();
let hearsExit = false;
let hearsSignals = false;

/**
 * Runs `callback` once when this process ends: normally, by an uncaught error, or by SIGINT, SIGTERM or SIGHUP.
 * Listeners exist only while there is something to run. A signal is raised again afterwards, so that the exit
 * status still tells it; where others listen to the signal too, they decide whether the process ends.
 */
export function onEnd(callback: () => void): { dispose(): void } {
  return register(callback, true);
}

/**
 * As `onEnd`, but no signal is listened to: one that comes while this thread is busy ends the process at once, and
 * `callback` is not run.
 */
export function onExit(callback: () => void): { dispose(): void } {
  return register(callback, false);
}

/**
 * Acts when everything that has happened by now was delivered: signals, ends and output of children. Of the turn that is
 * under way those are read already, so it waits for the whole of the next one.
 */
export function afterPending(action: () => void): void {
  setImmediate(setImmediate, action);
}

function register(callback: () => void, isForSignals: boolean): { dispose(): void } {
  // A fresh function, so that one callback registered twice is two registrations.
  const registered = () => callback();
  callbacks.set(registered, isForSignals);
  listen();
  return {
    dispose() {
      // A signal that came while this thread was busy is still waiting to be delivered, and would be lost with its
      // last listener.
      if (callbacks.delete(registered)) afterPending(listen);
    },
  };
}

/** Listens to what there is something to run for, and to nothing else. */
function listen(): void {
  const [needsExit, needsSignals] = [callbacks.size > 0, [...callbacks.values()].includes(true)];
  if (needsExit !== hearsExit) process[needsExit ? "on" : "off"]("exit", runAll);
  if (needsSignals !== hearsSignals)
    for (const signal of SIGNALS) process[needsSignals ? "on" : "off"](signal, onSignal);
  hearsExit = needsExit;
  hearsSignals = needsSignals;
}

function onSignal(signal: EndSignal): void {
  if (process.listenerCount(signal) > 1) return;
  runAll();
  process.kill(process.pid, signal);
}

function runAll(): void {
  const pending = [...callbacks.keys()];
  callbacks.clear();
  listen();
  for (const callback of pending) {
    try {
      callback();
    } catch (error) {
      complain(error);
    }
  }
}

function complain(error: unknown): void {
  try {
    writeSync(2, `amplihack: clean-up at the end failed: ${errorText(error)}\n`);
  } catch {
    // stderr is closed.
  }
}

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
function startProcess(request: ProcessRequest): RunningProcess {
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

export function createNodeProcesses(): Processes {
  let self: ProcessIdentity | undefined;
  return {
    get self() {
      self ??= { pid: process.pid, start: startTime(process.pid), host: loadOperatingSystem().hostname() };
      return self;
    },
    look(pid) {
      if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
      try {
        process.kill(pid, 0);
      } catch (error) {
        if (errorCode(error) !== "EPERM") return undefined;
      }
      return isDefunct(pid) ? undefined : { start: startTime(pid) };
    },
    ...(process.platform === "linux" ? {} : { list: listProcesses }),
    start: startProcess,
    onEnd,
  };
}

/** As `ps` prints them: pid, parent, start in five words, command line. Blanks within its words are lost. */
function listProcesses(): ReadonlyMap<number, ListedProcess> {
  const { stdout } = printProcesses(["-A", "-ww", "-o", "pid=,ppid=,lstart=,command="]);
  const rows = stdout.split("\n").map(line => line.trim().split(/\s+/));
  return new Map(
    rows.map(([pid, parent, ...rest]) => [
      Number(pid),
      { parent: Number(parent), start: rest.slice(0, 5).join(" "), argv: rest.slice(5), names: [] },
    ]),
  );
}

function printProcesses(words: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
} {
  return loadChildProcess().spawnSync("/bin/ps", words, {
    encoding: "utf8",
    env: { LC_ALL: "C", TZ: "UTC" },
    timeout: 2_000,
  });
}

/** The fields of `/proc/<pid>/stat` after the program name, which may itself hold blanks and brackets. */
function procFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** A process that ended and was not yet collected by its parent still answers signals. */
function isDefunct(pid: number): boolean {
  const state = process.platform === "linux" ? procFields(pid)?.[0] : undefined;
  return state === "Z" || state === "X";
}

/** Ticks since boot on Linux (field 22), the printed start time elsewhere. */
function startTime(pid: number): string | undefined {
  if (process.platform === "linux") return procFields(pid)?.[19];
  const { status, stdout } = printProcesses(["-o", "lstart=", "-p", String(pid)]);
  const printed = status === 0 ? stdout.trim().replace(/\s+/g, " ") : "";
  return printed === "" ? undefined : printed;
}
