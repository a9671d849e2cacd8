import { Buffer } from "node:buffer";
import { readSync, writeSync } from "node:fs";
import { errorCode } from "./node-errors.ts";
import { loadTerminal } from "./node-load.ts";
import { sleepMs } from "./node-wait.ts";
import type { Stdio } from "./system.ts";

const DESCRIPTORS = { stdin: 0, stdout: 1, stderr: 2 } as const;
const FIRST_CHUNK_BYTES = 64 * 1024;
/** A non-blocking descriptor is asked again after this long. */
const RETRY_MS = 2;
/** An answer waits for its reader as long as it takes; words on stderr are not worth hanging for. */
const ERROR_PATIENCE_MS = 1_000;

/** Reads and writes the descriptors themselves: the stream objects of Node are slow to make and may be async. */
export function createNodeStdio(): Stdio {
  return {
    readInput,
    writeOutput(text) {
      const code = writeAll(DESCRIPTORS.stdout, text, Number.POSITIVE_INFINITY);
      if (code === undefined) return "written";
      return code === "EPIPE" || code === "ECONNRESET" ? "gone" : { code };
    },
    writeError(text) {
      writeAll(DESCRIPTORS.stderr, text, ERROR_PATIENCE_MS);
    },
    isTerminal: stream => loadTerminal().isatty(DESCRIPTORS[stream]),
  };
}

const readInput: Stdio["readInput"] = limitBytes => {
  let buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_CHUNK_BYTES, limitBytes + 1));
  let length = 0;
  for (;;) {
    if (length === buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(buffer.length * 4, limitBytes + 1));
      buffer.copy(grown);
      buffer = grown;
    }
    let count: number;
    try {
      count = readSync(DESCRIPTORS.stdin, buffer, length, buffer.length - length, null);
    } catch (error) {
      const code = errorCode(error);
      if (code === "EAGAIN") {
        sleepMs(RETRY_MS);
        continue;
      }
      return code === "EBADF" ? { kind: "closed" } : { kind: "failed", code };
    }
    if (count === 0) return { kind: "bytes", bytes: new Uint8Array(buffer.buffer, 0, length) };
    length += count;
    if (length > limitBytes) return { kind: "too-large", limitBytes };
  }
};

/** Undefined when everything was written, else the errno name. */
function writeAll(descriptor: number, text: string, patienceMs: number): string | undefined {
  const bytes = Buffer.from(text, "utf8");
  let waitedMs = 0;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const code = errorCode(error);
      if (code !== "EAGAIN" || waitedMs >= patienceMs) return code;
      sleepMs(RETRY_MS);
      waitedMs += RETRY_MS;
    }
  }
  return undefined;
}
