import { spawnSync } from "node:child_process";

export type TestedShell = "bash" | "zsh" | "fish";

/** Whether the shell is there; says so where it is not. */
export function hasShell(shell: TestedShell): boolean {
  if (spawnSync(shell, ["-c", "exit 0"]).status === 0) return true;
  process.stderr.write(`completions for ${shell} are not tested: the shell is missing\n`);
  return false;
}
