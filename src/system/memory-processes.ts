import type { MemoryDisk } from "./memory-disk.ts";
import { CapturedOutput } from "./output.ts";
import type { Processes, ProcessRequest, ProcessResult, RunningProcess } from "./system.ts";
import { utf8 } from "./utf8.ts";

/** What the processes of one computer share. */
export interface MemoryMachine {
  readonly disk: MemoryDisk;
  readonly host: string;
  /** start times of the processes that live, by pid */
  readonly alive: Map<number, string>;
  lastPid: number;
  nowMs: number;
}

/** What a scripted child does. The limits of the request are applied to what it prints. */
export interface ScriptedRun {
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string | Uint8Array;
  /** exit code; 0 when left out */
  readonly code?: number;
  /** any other end, in place of an exit */
  readonly end?: ProcessResult["end"];
  /** passes on the fake clock; from the request's timeout on, the run ends by it */
  readonly durationMs?: number;
  /** runs until it is stopped */
  readonly isEndless?: boolean;
  readonly killed?: boolean;
  readonly pipeHeld?: boolean;
}

export interface MemoryProcesses extends Processes {
  /** every child asked for, in order */
  readonly requests: readonly ProcessRequest[];
  /** This process ends: its callbacks run and its pid is free. */
  end(): void;
  /** This process ends without a word, as by SIGKILL. */
  die(): void;
}

export function createMemoryProcesses(options: {
  readonly machine: MemoryMachine;
  readonly run: ((request: ProcessRequest) => ScriptedRun | Promise<ScriptedRun>) | undefined;
  readonly advance: (ms: number) => void;
}): MemoryProcesses {
  const { machine, run, advance } = options;
  const pid = ++machine.lastPid;
  const start = String(machine.nowMs * 100 + pid);
  machine.alive.set(pid, start);
  const callbacks = new Set<() => void>();
  const requests: ProcessRequest[] = [];

  return {
    self: { pid, start, host: machine.host },
    requests,
    look(other) {
      const found = machine.alive.get(other);
      return found === undefined ? undefined : { start: found };
    },
    start(request) {
      requests.push(request);
      return startScripted(request, run, advance, pid + requests.length * 1000);
    },
    onEnd(callback) {
      const registered = () => callback();
      callbacks.add(registered);
      return { dispose: () => void callbacks.delete(registered) };
    },
    end() {
      for (const callback of [...callbacks]) callback();
      callbacks.clear();
      machine.alive.delete(pid);
    },
    die() {
      callbacks.clear();
      machine.alive.delete(pid);
    },
  };
}

function startScripted(
  request: ProcessRequest,
  run: ((request: ProcessRequest) => ScriptedRun | Promise<ScriptedRun>) | undefined,
  advance: (ms: number) => void,
  pid: number,
): RunningProcess {
  let stop = () => {};
  const stopped = new Promise<"stopped">(resolve => {
    stop = () => resolve("stopped");
  });
  const missing: ScriptedRun = { end: { kind: "not-started", code: "ENOENT" } };
  const finished = async (): Promise<ProcessResult> => {
    const script = run === undefined ? missing : await Promise.race([run(request), stopped]);
    if (script === "stopped") return toResult({}, request, { kind: "stopped" });
    if (script.isEndless === true) {
      await stopped;
      return toResult(script, request, { kind: "stopped" });
    }
    const isLate = (script.durationMs ?? 0) >= request.timeoutMs;
    advance(Math.min(script.durationMs ?? 0, request.timeoutMs));
    return toResult(script, request, isLate ? { kind: "timeout" } : script.end);
  };
  if (run !== undefined) request.beforeBegin?.(pid);
  return { pid: run === undefined ? undefined : pid, done: finished(), stop };
}

function toResult(
  script: ScriptedRun,
  request: ProcessRequest,
  end: ProcessResult["end"] | undefined,
): ProcessResult {
  const output = new CapturedOutput(request.limits);
  for (const stream of ["stdout", "stderr"] as const) {
    const said = script[stream] ?? "";
    const chunk = typeof said === "string" ? utf8.encode(said) : said;
    if (chunk.length === 0) continue;
    output.push(stream, chunk);
    request.onOutput?.(stream, chunk);
  }
  const exit = { kind: "exit", code: script.code ?? 0 } as const;
  return {
    end: output.isOverflowing ? { kind: "overflow" } : (end ?? exit),
    ...output.result(),
    killed: script.killed ?? false,
    pipeHeld: script.pipeHeld ?? false,
    durationMs: Math.min(script.durationMs ?? 0, request.timeoutMs),
  };
}
