import { spawn } from "node:child_process";
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
}

/** The code of a program that could not start a command. */
const NOT_STARTED = 126;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Runs a command with this program's streams, and answers with its exit code. */
export async function runInSandbox(system: System, start: SandboxStart): Promise<number> {
  const id = writePolicy(system, start.stateHome, start.policy);
  const words = start.policy.command === undefined ? ["--", ...start.words] : [];
  const child = spawn(start.program, ["--home", start.stateHome, id, ...words], {
    cwd: start.directory,
    stdio: "inherit",
  });
  // Those from the keyboard reach the command by themselves; this program must only outlive them.
  const handOn = (signal: NodeJS.Signals) => {
    if (signal !== "SIGINT" && signal !== "SIGQUIT") child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handOn);
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", code => resolve(code ?? NOT_STARTED));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, handOn);
    removeIfThere(system.files, policyPath(start.stateHome, id));
  }
}
