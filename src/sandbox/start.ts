import { type ChildProcess, spawn } from "node:child_process";
import { removeIfThere } from "../state/index.ts";
import type { System } from "../system/index.ts";
import type { Policy } from "./policy.ts";
import { policyPath, writePolicy } from "./store.ts";

export interface SandboxStart {
  readonly program: string;
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
  const id = writePolicy(system, start.stateHome, start.policy);
  const words = start.policy.command === undefined ? ["--", ...start.words] : [];
  const child = spawn(start.program, ["--home", start.stateHome, id, ...words], {
    cwd: start.directory,
    env: Object.fromEntries(system.env.names().map(name => [name, system.env.get(name)])),
    stdio: streams === undefined ? "inherit" : "pipe",
  });
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
      child.on(streams === undefined ? "exit" : "close", code => resolve(code ?? NOT_STARTED));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, handOn);
    removeIfThere(system.files, policyPath(start.stateHome, id));
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
  if (signal?.aborted === true) end();
  else signal?.addEventListener("abort", end, { once: true });
  child.on("exit", () => signal?.removeEventListener("abort", end));
}
