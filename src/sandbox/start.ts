import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  createReadStream,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { Writable } from "node:stream";
import { Problem, removeIfThere } from "../state/index.ts";
import { ancestors, join, type System, sha256Hex } from "../system/index.ts";
import { bwrapWords, HIDDEN_IN_PROC, STATUS } from "./bwrap.ts";
import type { Hidden, Policy } from "./policy.ts";
import { seccompProgram } from "./seccomp.ts";
import { policyPath, writePolicy } from "./store.ts";

export interface SandboxStart {
  readonly program: string;
  readonly by?: "bwrap" | undefined;
  readonly stateHome: string;
  readonly policy: Policy;
  /** the command, where the policy holds none */
  readonly words: readonly string[];
  readonly directory: string;
  readonly streams?: Streams | undefined;
}

/** Where a command's input comes from and its output goes, in a program that has other uses for its own. */
export interface Streams {
  readonly input?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((stream: "stdout" | "stderr", bytes: Uint8Array) => void) | undefined;
}

/** The code of a program that could not start a command. */
const NOT_STARTED = 126;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Runs a command with this program's streams, or with those that are given, and answers with its exit code. */
export async function runInSandbox(system: System, start: SandboxStart): Promise<number> {
  const { streams } = start;
  if (streams?.signal?.aborted === true) throw notStarted("it was cancelled before");
  const stdio = streams === undefined ? ("inherit" as const) : ("pipe" as const);
  if (start.by === "bwrap") return runInBwrap(system, start, stdio);
  const id = writePolicy(system, start.stateHome, start.policy);
  const words = start.policy.command === undefined ? ["--", ...start.words] : [];
  const child = spawn(start.program, ["--home", start.stateHome, id, ...words], {
    cwd: start.directory,
    env: Object.fromEntries(system.env.names().map(name => [name, system.env.get(name)])),
    stdio,
  });
  try {
    return await awaitExit(child, streams);
  } finally {
    removeIfThere(system.files, policyPath(start.stateHome, id));
  }
}

/** How `bwrap` is started under a policy. */
export interface BwrapStart {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** for the descriptor `FILTER` */
  readonly filter: Uint8Array;
  /** removes the files that cover hidden ones; the command must have ended */
  remove(): void;
}

/** Only what the policy keeps reaches the command; the filter of calls comes through a descriptor. */
export function prepareBwrap(
  system: System,
  { policy, words, directory, stateHome }: Omit<SandboxStart, "program">,
): BwrapStart | undefined {
  const filter = seccompProgram(process.arch);
  if (filter === undefined) return undefined;
  const folder = mkdtempSync(join(stateHome, "sandbox", "masks-"));
  const maskOf = ({ path, text = "" }: Hidden) => {
    if (system.files.follow(path)?.kind === "directory") return undefined;
    const mask = join(folder, sha256Hex(system.text.encode(text)).slice(0, 16));
    writeFileSync(mask, text, { mode: 0o600 });
    return mask;
  };
  // What went since the policy was made needs no cover, and nothing could be laid there.
  const hide = [...policy.hide, ...HIDDEN_IN_PROC.map(path => ({ path }))].filter(
    ({ path }) => system.files.follow(path) !== undefined && !isClosedByOthers(system, path),
  );
  const kept = policy.environment.keep.flatMap(name => {
    const value = system.env.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    words: bwrapWords({ ...policy, hide }, directory, policy.command ?? words, maskOf),
    env: { ...Object.fromEntries(kept), ...policy.environment.set },
    filter,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Below a folder that others closed to all but themselves. Root sees more outside, but has no capabilities inside. */
function isClosedByOthers({ files }: Pick<System, "files">, path: string): boolean {
  const own = process.getuid?.();
  return ancestors(path)
    .slice(1)
    .map(folder => files.follow(folder))
    .some(found => found !== undefined && found.uid !== own && (found.mode & 0o011) === 0);
}

async function runInBwrap(system: System, start: SandboxStart, stdio: "inherit" | "pipe"): Promise<number> {
  const prepared = prepareBwrap(system, start);
  if (prepared === undefined) return NOT_STARTED;
  const nothing = openSync("/dev/null", "r");
  // A file that was opened outside can be opened anew there, for writing.
  const isFile = stdio === "inherit" && fstatSync(0).isFile();
  const child = spawn(start.program, prepared.words, {
    cwd: start.directory,
    env: prepared.env,
    stdio: [isFile ? "pipe" : stdio, stdio, stdio, "pipe", "pipe", ...coverInherited(nothing)],
  });
  closeSync(nothing);
  if (isFile && child.stdin !== null) {
    child.stdin.on("error", () => {});
    createReadStream("", { fd: 0, autoClose: false }).pipe(child.stdin);
  }
  const [, , , input, status] = child.stdio;
  if (input instanceof Writable) input.on("error", () => {}).end(prepared.filter);
  let said = "";
  status?.on("data", (bytes: Uint8Array) => {
    said += String(bytes);
  });
  const code = await awaitExit(child, start.streams).finally(prepared.remove);
  // It tells the code of a command that was begun, unless it was ended itself; its process is there before its view is.
  if (said.includes("exit-code") || (child.signalCode !== null && said.includes("child-pid"))) return code;
  throw notStarted("bwrap could not make its view", "amplihack sandbox check");
}

function notStarted(why: string, fix?: string): Problem {
  return new Problem("the command was not started", {
    kind: "unavailable",
    causes: [why],
    fix,
    exitCode: NOT_STARTED,
  });
}

/** What this process was started with beyond its streams: `bwrap` hands it on, and Node can only put something else there. */
function coverInherited(nothing: number): readonly (number | "ignore")[] {
  const open = new Set(readdirSync("/proc/self/fd").map(Number));
  const length = Math.max(STATUS, ...open) - STATUS;
  return Array.from({ length }, (_, index) => (open.has(STATUS + 1 + index) ? nothing : "ignore"));
}

async function awaitExit(child: ChildProcess, streams: Streams | undefined): Promise<number> {
  // Those from the keyboard reach the command by themselves; this program must only outlive them.
  const handOn = (signal: NodeJS.Signals) => {
    if (signal !== "SIGINT" && signal !== "SIGQUIT") child.kill(signal);
  };
  if (streams === undefined) for (const signal of SIGNALS) process.on(signal, handOn);
  else connectStreams(child, streams);
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      // With pipes, all that was printed comes first.
      child.on(streams === undefined ? "exit" : "close", (code, signal: NodeJS.Signals) =>
        resolve(code ?? 128 + constants.signals[signal]),
      );
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, handOn);
  }
}

const GRACE_MS = 5_000;

function connectStreams(child: ChildProcess, { input, signal, onOutput }: Streams): void {
  child.stdout?.on("data", (bytes: Uint8Array) => onOutput?.("stdout", bytes));
  child.stderr?.on("data", (bytes: Uint8Array) => onOutput?.("stderr", bytes));
  // A command may end before it has read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const end = () => {
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
  };
  signal?.addEventListener("abort", end, { once: true });
  child.on("exit", () => signal?.removeEventListener("abort", end));
}
