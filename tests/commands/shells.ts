import { spawnSync } from "node:child_process";

export type TestedShell = "bash" | "zsh" | "fish";

/** Whether the shell is there, after an attempt to install it where that is possible; says so where it is not. */
export function ensureShell(shell: TestedShell): boolean {
  const isThere = (): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0;
  if (isThere()) return true;
  if (process.getuid?.() === 0) spawnSync("apt-get", ["install", "-y", shell], { timeout: 50_000 });
  if (isThere()) return true;
  process.stderr.write(
    `completions for ${shell} are not tested: the shell is missing and cannot be installed\n`,
  );
  return false;
}
