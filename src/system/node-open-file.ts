import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { attempt, errorCode, toNodePath } from "./node-errors.ts";
import { sleepMs } from "./node-wait.ts";

/** A named pipe is waited for this long in all, never for ever. */
const PIPE_PATIENCE_MS = 2_000;
const PIPE_RETRY_MS = 5;

export function withFile<T>(
  operation: string,
  path: string,
  flags: number,
  mode: number,
  use: (fd: number) => T,
): T {
  return attempt(operation, path, () => {
    const descriptor = openSync(toNodePath(path), flags, mode);
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Reads until the buffer is full or the file ends; the count says which. */
export function fill(fd: number, bytes: Uint8Array, offset: number | null): number {
  let length = 0;
  let waitedMs = 0;
  while (length < bytes.length) {
    try {
      const position = offset === null ? null : offset + length;
      const count = readSync(fd, bytes, length, bytes.length - length, position);
      if (count === 0) break;
      length += count;
    } catch (error) {
      if (errorCode(error) !== "EAGAIN" || waitedMs >= PIPE_PATIENCE_MS) throw error;
      sleepMs(PIPE_RETRY_MS);
      waitedMs += PIPE_RETRY_MS;
    }
  }
  return length;
}

export function writeAll(fd: number, bytes: Uint8Array, offset?: number): void {
  for (let written = 0; written < bytes.length; ) {
    const position = offset === undefined ? null : offset + written;
    written += writeSync(fd, bytes, written, bytes.length - written, position);
  }
}
