import { Buffer, isUtf8 } from "node:buffer";
import { closeSync, openSync, readSync } from "node:fs";
import { toSystemError } from "./node-errors.ts";
import { createNodeFiles } from "./node-files.ts";
import { createNodeProcesses } from "./node-processes.ts";
import { createNodeStdio } from "./node-stdio.ts";
import { sleepMs } from "./node-wait.ts";
import type { Clock, Environment, Random, System, TextCodec } from "./system.ts";

/** The system of this very process. Cheap to make: what a run does not use is not loaded. */
/** `installedIn`: the state home that the program was staged in, as its wrapper says. */
export function createNodeSystem(installedIn?: string): System {
  return {
    installedIn,
    files: createNodeFiles(),
    env: environment,
    clock,
    random,
    stdio: createNodeStdio(),
    text,
    processes: createNodeProcesses(),
  };
}

const environment: Environment = {
  get(name) {
    const value: unknown = process.env[name];
    return typeof value === "string" ? value : undefined;
  },
  names: () => Object.keys(process.env),
};

const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
  sleepMs,
};

/** The kernel's generator: the crypto module would cost more to load than a whole hook to run. */
const random: Random = {
  hex(length) {
    const bytes = Buffer.alloc(Math.ceil(length / 2));
    let descriptor: number | undefined;
    try {
      descriptor = openSync("/dev/urandom", "r");
      for (let filled = 0; filled < bytes.length; )
        filled += readSync(descriptor, bytes, filled, bytes.length - filled, null);
    } catch (error) {
      throw toSystemError(error, "read random bytes from", "/dev/urandom");
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
    return bytes.toString("hex").slice(0, length);
  },
};

const text: TextCodec = {
  decode(bytes) {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { text: view.toString(), replaced: !isUtf8(view) };
  },
  encode(content) {
    const encoded = Buffer.from(content, "utf8");
    return new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  },
};

export { cacheOf, compileFile, readCache } from "./compiled-file.ts";
export { createGroupWatcher, type GroupWatcher, startGroupWatcher } from "./group-watcher.ts";
export { afterPending, onEnd, onExit } from "./node-end.ts";
export { errorCode } from "./node-errors.ts";
export { runRealm } from "./node-realm.ts";
export const loadNodeRealm = () => import("./node-realm.ts");
