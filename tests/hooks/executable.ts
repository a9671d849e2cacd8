import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The hook program on Node, as it is built. */
export const NODE_PROGRAM: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL("../../dist/bin/amplihack-hooks.cjs", import.meta.url)),
];
export interface Ran {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly home: string;
  readonly cwd: string;
  readonly input: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** One real call of a hook program, with nothing of the caller's environment but PATH. */
export function runProgram(
  program: readonly string[],
  words: readonly string[],
  options: RunOptions,
): Promise<Ran> {
  const [file = "", ...args] = program;
  const child = spawn(file, [...args, ...words], {
    cwd: options.cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: options.home, ...options.env },
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.on("error", () => {
    // A program that has heard enough stops reading.
  });
  child.stdin.end(options.input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}

/** Runs the tasks, a few at a time. */
export async function inParallel<T>(
  count: number,
  tasks: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  const results: T[] = [];
  const queue = tasks.map((task, index) => ({ task, index }));
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      results[next.index] = await next.task();
  };
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It has ended, perhaps just now.
    return "";
  }
}

/** Waits until the process has worked for so many hundredths of a second from now on, or has ended. */
export async function untilBusy(pid: number, ticks = 20): Promise<void> {
  const worked = () => {
    const stat = statOf(pid);
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat === "" || state === "Z" ? Number.POSITIVE_INFINITY : Number(fields[10]);
  };
  const enough = worked() + ticks;
  for (let look = 0; look < 10_000; look++) {
    if (worked() >= enough) return;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error("the process never worked");
}
