import { isJsonObject, type Json, ownValue, readJson } from "../../protocol/index.ts";
import { readText } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { isPrivateDirectory, removePrivateDirectory } from "./private-directory.ts";

export const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type EndSignal = keyof typeof SIGNAL_EXIT_CODES;

/** A request to end the run, passed on once to all listeners. */
export class Interruption {
  private received: EndSignal | undefined;
  private readonly listeners = new Set<() => void>();

  get signal(): EndSignal | undefined {
    return this.received;
  }

  interrupt(signal: EndSignal): void {
    if (this.received !== undefined) return;
    this.received = signal;
    for (const listener of [...this.listeners]) listener();
  }

  /** Called at once when the request was already made. */
  onInterrupt(listener: () => void): { dispose(): void } {
    if (this.received !== undefined) listener();
    else this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** Waits, shorter when the request comes. */
  pause(ms: number): Promise<void> {
    return new Promise(resume => {
      const timer = setTimeout(end, ms);
      const waiting = this.onInterrupt(end);
      function end(): void {
        clearTimeout(timer);
        setImmediate(() => waiting.dispose());
        resume();
      }
    });
  }
}

/**
 * Turns signals to this process into an interruption. The second signal no longer waits: the process ends, and
 * with it every group it started.
 */
export function listenForSignals(interruption: Interruption): { dispose(): void } {
  const names = Object.keys(SIGNAL_EXIT_CODES) as EndSignal[];
  const onSignal = (signal: EndSignal): void => {
    // When a terminal closes, the system and its shell both hang up.
    if (signal === "SIGHUP" && interruption.signal === "SIGHUP") return;
    if (interruption.signal !== undefined) process.exit(SIGNAL_EXIT_CODES[signal]);
    interruption.interrupt(signal);
  };
  for (const name of names) process.on(name, onSignal);
  return {
    dispose() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

const LOG_LIMIT = 256 * 1024 * 1024;
const PATIENCE_MS = 3_000;
const POLL_MS = 50;

/**
 * A run that was killed could not end its programs or remove its files. Before it is resumed both is done, so
 * that no step runs twice at the same time. Answers what was found.
 */
export async function endOrphans(system: System, runLogPath: string): Promise<readonly string[]> {
  const events = readEvents(system, runLogPath);
  const notes: string[] = [];
  for (const directory of leftDirectories(events)) {
    if (system.files.inspect(directory)?.kind === "directory") removePrivateDirectory(system, directory);
  }
  for (const { path, pid, start } of leftProcesses(events)) {
    if (start === undefined || system.processes.look(pid)?.start !== start) continue;
    const isGone = await endGroup(system, pid, start);
    const end = isGone ? "and was ended" : "and could not be ended";
    notes.push(`Step '${path}' of the interrupted run was still running (process ${pid}) ${end}`);
  }
  return notes;
}

interface LeftProcess {
  readonly path: string;
  readonly pid: number;
  readonly start: string | undefined;
}

function leftProcesses(events: readonly Json[]): readonly LeftProcess[] {
  const left = new Map<number, LeftProcess>();
  for (const event of events) {
    if (!isJsonObject(event)) continue;
    const path = ownValue(event, "path");
    if (typeof path !== "string") continue;
    const pid = ownValue(event, "pid");
    const start = ownValue(event, "start");
    if (ownValue(event, "event") === "process" && typeof pid === "number") {
      left.set(pid, { path, pid, start: typeof start === "string" ? start : undefined });
    } else if (ownValue(event, "event") === "step_end") {
      for (const one of [...left.values()]) if (one.path === path) left.delete(one.pid);
    }
  }
  return [...left.values()];
}

function leftDirectories(events: readonly Json[]): readonly string[] {
  return events
    .map(event => (isJsonObject(event) ? ownValue(event, "runtime_root") : undefined))
    .filter(path => typeof path === "string")
    .filter(isPrivateDirectory);
}

function readEvents(system: System, path: string): readonly Json[] {
  let text: string | undefined;
  try {
    text = readText(system, path, LOG_LIMIT);
  } catch {
    return [];
  }
  return (text ?? "").split("\n").flatMap(line => {
    const read = readJson(line, { recover: false, maxDepth: 20 });
    return read.ok ? [read.value] : [];
  });
}

async function endGroup(system: System, pid: number, start: string): Promise<boolean> {
  const isAlive = () => system.processes.look(pid)?.start === start;
  for (const name of ["TERM", "KILL"] as const) {
    await signal(system, name, pid);
    for (let waited = 0; waited < PATIENCE_MS && isAlive(); waited += POLL_MS) {
      await new Promise(resume => setTimeout(resume, POLL_MS));
    }
  }
  return !isAlive();
}

async function signal(system: System, name: "TERM" | "KILL", leader: number): Promise<void> {
  await system.processes.start({
    argv: ["/bin/sh", "-c", `kill -s ${name} -- -${leader}`],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    input: new Uint8Array(0),
    timeoutMs: 2_000,
    limits: { stdoutBytes: 0, tailBytes: 0, stderrBytes: 0, drainBytes: 100_000 },
  }).done;
}
