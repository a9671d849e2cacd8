import { Buffer } from "node:buffer";
import {
  chmodSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  unlinkSync,
} from "node:fs";
import { toNodePath } from "./node-errors.ts";
import { loadCrypto } from "./node-load.ts";
import { fill, withFile, writeAll } from "./node-open-file.ts";
import { SystemError } from "./system.ts";

const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const CHUNK = 64 * 1024;
const ALLOCATION_UNIT = 512;

export function copyFile(from: string, to: string, mode: number): void {
  withFile("copy", from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, source => {
    const stats = fstatSync(source);
    if (!stats.isFile()) throw new SystemError("EINVAL", "copy", from);
    const hasHoles = stats.blocks * ALLOCATION_UNIT + CHUNK <= stats.size;
    if (stats.size <= CHUNK || hasHoles) copyData(source, to, mode);
    else copyBlocks(from, to, mode);
  });
}

/** The kernel copies, or lets both files share what they have in common. */
function copyBlocks(from: string, to: string, mode: number): void {
  copyFileSync(toNodePath(from), toNodePath(to), COPYFILE_EXCL | COPYFILE_FICLONE);
  removingOnFailure(to, () => chmodSync(toNodePath(to), mode));
}

/** What is all zero becomes a hole. */
function copyData(source: number, to: string, mode: number): void {
  withFile("copy", to, O_WRONLY | O_CREAT | O_EXCL, mode, target =>
    removingOnFailure(to, () => {
      const chunk = Buffer.allocUnsafe(CHUNK);
      let zeros: Buffer | undefined;
      let length = 0;
      for (let count = CHUNK; count === CHUNK; length += count) {
        count = fill(source, chunk, null);
        zeros ??= count === CHUNK ? Buffer.alloc(CHUNK) : undefined;
        if (zeros === undefined || !chunk.subarray(0, count).equals(zeros))
          writeAll(target, chunk.subarray(0, count), length);
      }
      ftruncateSync(target, length);
      // Last, since writing takes the set-user-id bit away.
      fchmodSync(target, mode);
    }),
  );
}

export function overwriteFile(from: string, to: string): void {
  withFile("overwrite", from, O_RDONLY | O_NOFOLLOW, 0, source =>
    withFile("overwrite", to, O_WRONLY | O_NOFOLLOW, 0, target => {
      const chunk = Buffer.allocUnsafe(CHUNK);
      let length = 0;
      for (let count = CHUNK; count === CHUNK; length += count) {
        count = fill(source, chunk, null);
        writeAll(target, chunk.subarray(0, count), length);
      }
      ftruncateSync(target, length);
    }),
  );
}

function removingOnFailure(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    unlinkSync(toNodePath(path));
    throw error;
  }
}

export function digestFile(path: string): string {
  return withFile("digest", path, O_RDONLY | O_NONBLOCK, 0, file => {
    const hash = loadCrypto().createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let count = CHUNK; count === CHUNK; ) {
      count = fill(file, chunk, null);
      hash.update(chunk.subarray(0, count));
    }
    return hash.digest("hex");
  });
}
