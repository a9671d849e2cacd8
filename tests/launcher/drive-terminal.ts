import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const driver = fileURLToPath(new URL("terminal-driver.py", import.meta.url));

export const hasTerminal: boolean = spawnSync("python3", ["-c", "import pty, termios"]).status === 0;
if (!hasTerminal) process.stderr.write("what happens in a terminal is not tested: python3 is missing\n");

export type Step =
  | { readonly expect: string }
  | { readonly send: string }
  /** types what the group of this pattern was last shown as, and a line break */
  | { readonly sendShown: string }
  | { readonly resize: [number, number] };

/** Runs a program in a pseudo-terminal, types into it and waits for what it shows; gives all that was shown. */
export async function driveTerminal(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  steps: readonly Step[],
): Promise<string> {
  const child = spawn("python3", [driver, ...argv], { ...options, stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stdin.end(JSON.stringify(steps));
  await new Promise(resolve => child.once("close", resolve));
  const result = JSON.parse(output) as { failure: unknown; output: string };
  expect(result.failure, result.output).toBeNull();
  return result.output;
}
