import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MEMORY_DISK = "/dev/shm";
const LEAST_BYTES = 2 ** 30;
const PREFIX = "amplihack-tests-";
/** No run takes as long: a folder that nobody has touched since was left by one that was killed. */
const ABANDONED_MS = 6 * 60 * 60 * 1000;

/**
 * Lets temporary folders lie in memory for this run where that is possible, because what tests write is synced to the
 * disk thousands of times. Whoever sets TMPDIR chooses the place instead.
 */
export default function useDiskInMemory(): (() => void) | undefined {
  if (process.env["TMPDIR"] !== undefined) return undefined;
  const folder = makeFolder();
  if (folder === undefined) return undefined;
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Undefined where there is no such disk, little room on it, or where it holds no programs, as in many containers. */
function makeFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    if (bavail * bsize < LEAST_BYTES) return undefined;
    removeAbandoned();
    const folder = mkdtempSync(join(MEMORY_DISK, PREFIX));
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    if (spawnSync(program).status === 0) return folder;
    rmSync(folder, { recursive: true });
    return undefined;
  } catch {
    return undefined;
  }
}

function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY_DISK).filter(each => each.startsWith(PREFIX))) {
    const folder = join(MEMORY_DISK, name);
    if (statSync(folder).mtimeMs < Date.now() - ABANDONED_MS)
      rmSync(folder, { recursive: true, force: true });
  }
}
