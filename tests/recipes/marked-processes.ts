import { spawnSync } from "node:child_process";
import { expect } from "vitest";

/** Waits until no process carries `MARK` in its environment: one that was killed still has to find the time to end. */
export async function noneLeft(mark: string): Promise<void> {
  await expect.poll(() => countMarked(mark), { timeout: 200_000, interval: 20 }).toBe(0);
}

function countMarked(mark: string): number {
  const look = `grep -lz "MARK=${mark}" /proc/[0-9]*/environ 2>/dev/null | wc -l`;
  return Number(spawnSync("/bin/bash", ["-c", look], { encoding: "utf8" }).stdout.trim());
}
