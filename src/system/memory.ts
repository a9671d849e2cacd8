import { Faults, type FileOperation, MemoryDisk, ProcessDied, toNanoseconds } from "./memory-disk.ts";
import { MemoryFiles } from "./memory-files.ts";
import { CapturedOutput } from "./output.ts";
import { dirname } from "./paths.ts";
import type {
  InputRead,
  Processes,
  ProcessRequest,
  ProcessResult,
  RunningProcess,
  Stdio,
  System,
} from "./system.ts";
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

interface MemoryProcesses extends Processes {
  /** every child asked for, in order */
  readonly requests: readonly ProcessRequest[];
  /** This process ends: its callbacks run and its pid is free. */
  end(): void;
  /** This process ends without a word, as by SIGKILL. */
  die(): void;
}

function createMemoryProcesses(options: {
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

export { Faults, type FileOperation, MemoryDisk, ProcessDied };

/** A file, given as text or bytes, or anything else, given in full. */
export type SeedEntry =
  | string
  | Uint8Array
  | {
      readonly kind?: "file" | "directory" | "symlink" | "other";
      readonly content?: string | Uint8Array;
      /** of a symlink */
      readonly target?: string;
      readonly mode?: number;
      readonly uid?: number;
      readonly gid?: number;
      readonly modifiedMs?: number;
    };

export interface MemorySystemOptions {
  /** by absolute path; missing parents are made */
  readonly files?: Readonly<Record<string, SeedEntry>>;
  /** the whole environment; `HOME=/home/user` when left out */
  readonly env?: Readonly<Record<string, string>>;
  /** made when absent; `/home/user/project` when left out */
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array | InputRead;
  /** what every write to stdout reports */
  readonly stdoutState?: ReturnType<Stdio["writeOutput"]>;
  readonly terminals?: readonly ("stdin" | "stdout" | "stderr")[];
  /** what a started child does; left out, no program can be found */
  readonly run?: (request: ProcessRequest) => ScriptedRun | Promise<ScriptedRun>;
  /** called after every sleep, so that a test can let another process act meanwhile */
  readonly onSleep?: (ms: number) => void;
  readonly nowMs?: number;
  readonly uid?: number;
  readonly umask?: number;
  readonly seed?: number;
  /** the machine of another memory system: one disk, one clock and one process table for both */
  readonly machine?: MemoryMachine;
}

/** A system that touches nothing outside itself, and the handles by which a test steers and examines it. */
export interface MemorySystem extends System {
  readonly machine: MemoryMachine;
  readonly processes: MemoryProcesses;
  readonly faults: Faults;
  /** every file operation asked for, in order */
  readonly calls: readonly { readonly operation: FileOperation; readonly path: string }[];
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** the environment, changeable */
  readonly variables: Map<string, string>;
  advance(ms: number): void;
  /** The text of a file; undefined when there is none. Not counted as an operation. */
  peek(path: string): string | undefined;
  /** Puts something on the disk. Not counted as an operation. */
  put(path: string, entry: SeedEntry): void;
}

const HOME = "/home/user";
/** 2026-01-02T03:04:05Z */
const DEFAULT_NOW_MS = 1_767_323_045_000;
const FIRST_PID = 1000;

export function createMemorySystem(options: MemorySystemOptions = {}): MemorySystem {
  const machine = options.machine ?? createMachine(options.nowMs ?? DEFAULT_NOW_MS);
  const { disk } = machine;
  const variables = new Map(Object.entries(options.env ?? { HOME }));
  const cwd = options.cwd ?? `${HOME}/project`;
  const uid = options.uid ?? 1000;
  const faults = new Faults();
  const calls: { operation: FileOperation; path: string }[] = [];
  const nowMs = () => machine.nowMs;
  const advance = (ms: number) => {
    machine.nowMs += ms;
  };
  const seedFiles = new MemoryFiles({ disk, faults: new Faults(), nowMs, uid, umask: 0, cwd, onCall() {} });
  const put = (path: string, entry: SeedEntry) => putEntry(disk, seedFiles, path, entry);
  seedFiles.makeDirectory(cwd, 0o755);
  seedFiles.makeDirectory("/tmp", 0o1777);
  for (const [path, entry] of Object.entries(options.files ?? {})) put(path, entry);
  const streams = captureStdio(options);
  const processes = createMemoryProcesses({ machine, run: options.run, advance });

  return {
    machine,
    faults,
    calls,
    variables,
    advance,
    put,
    peek(path) {
      if (seedFiles.follow(path)?.kind !== "file") return undefined;
      return utf8.decode(seedFiles.read(path, Number.MAX_SAFE_INTEGER)).text;
    },
    stdout: streams.stdout,
    stderr: streams.stderr,
    files: new MemoryFiles({
      disk,
      faults,
      nowMs,
      uid,
      umask: options.umask ?? 0o022,
      cwd,
      onCall: (operation, path) => calls.push({ operation, path }),
    }),
    env: { get: name => variables.get(name), names: () => [...variables.keys()] },
    clock: {
      nowMs,
      monotonicMs: nowMs,
      sleepMs(ms) {
        advance(ms);
        options.onSleep?.(ms);
      },
    },
    random: createRandom((options.seed ?? 1) + processes.self.pid),
    stdio: streams.stdio,
    text: utf8,
    processes,
  };
}

/** A machine that is as this one is now, and goes its own way from here. */
export function copyMachine(machine: MemoryMachine): MemoryMachine {
  return { ...machine, disk: machine.disk.copy(), alive: new Map(machine.alive) };
}

function createMachine(nowMs: number): MemoryMachine {
  return { disk: new MemoryDisk(), host: "memory", alive: new Map(), lastPid: FIRST_PID, nowMs };
}

function putEntry(disk: MemoryDisk, files: MemoryFiles, path: string, entry: SeedEntry): void {
  const facts = typeof entry === "string" || entry instanceof Uint8Array ? { content: entry } : entry;
  files.makeDirectory(dirname(path), 0o755);
  const isReplaced = files.inspect(path) !== undefined && facts.kind !== "directory";
  if (isReplaced) files.remove(path);
  if (facts.target !== undefined) {
    files.symlink(facts.target, path);
  } else if (facts.kind === "directory") {
    files.makeDirectory(path, facts.mode ?? 0o755);
  } else {
    const content = facts.content ?? "";
    const bytes = typeof content === "string" ? utf8.encode(content) : content;
    files.createExclusive(path, bytes, facts.mode ?? 0o644);
  }
  const { directory, name, node } = disk.walk(path, false);
  if (node === undefined) return;
  if (facts.mode !== undefined) node.mode = facts.mode;
  if (facts.uid !== undefined) node.uid = facts.uid;
  if (facts.gid !== undefined) node.gid = facts.gid;
  if (facts.modifiedMs !== undefined) node.modifiedNs = toNanoseconds(facts.modifiedMs);
  if (facts.kind === "other" && name !== undefined) {
    const { id, mode, uid, modifiedNs, changed } = node;
    directory.entries.set(name, { id, mode, uid, modifiedNs, changed, links: 1, kind: "other" });
  }
}

function captureStdio(options: MemorySystemOptions) {
  let input = toInput(options.stdin ?? "");
  let stdout = "";
  let stderr = "";
  const stdio: Stdio = {
    readInput(limitBytes) {
      const read = input;
      if (read.kind !== "bytes") return read;
      if (read.bytes.length > limitBytes) return { kind: "too-large", limitBytes };
      input = { kind: "bytes", bytes: new Uint8Array(0) };
      return read;
    },
    writeOutput(text) {
      const state = options.stdoutState ?? "written";
      if (state === "written") stdout += text;
      return state;
    },
    writeError(text) {
      stderr += text;
    },
    isTerminal: stream => options.terminals?.includes(stream) ?? false,
  };
  return { stdio, stdout: () => stdout, stderr: () => stderr };
}

function toInput(stdin: string | Uint8Array | InputRead): InputRead {
  if (typeof stdin === "string") return { kind: "bytes", bytes: utf8.encode(stdin) };
  return stdin instanceof Uint8Array ? { kind: "bytes", bytes: stdin } : stdin;
}

/** Repeatable, and different for every process of a machine. */
function createRandom(seed: number) {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return {
    hex(length: number): string {
      let digits = "";
      while (digits.length < length) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        state >>>= 0;
        digits += state.toString(16).padStart(8, "0");
      }
      return digits.slice(0, length);
    },
  };
}

export { MemoryFiles } from "./memory-files.ts";
