import { Buffer } from "node:buffer";
import { encodeRawName } from "./file-names.ts";
import { SystemError } from "./system.ts";

/** The errno name of a Node error; a path or argument Node refused to pass on is `EINVAL`. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "EINVAL";
}

export function toSystemError(error: unknown, operation: string, path?: string): SystemError {
  return error instanceof SystemError ? error : new SystemError(errorCode(error), operation, path);
}

export function attempt<T>(operation: string, path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toSystemError(error, operation, path);
  }
}

/** A path as Node takes it: text, or bytes for a name that is not UTF-8. */
export function toNodePath(path: string): string | Buffer {
  const bytes = encodeRawName(path);
  return bytes === undefined ? path : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Built-in modules, loaded at the moment they are needed. Most hook runs start no process and ask no terminal,
 * and then do not pay for the code behind it. Works in ES modules and in the CommonJS bundles alike.
 */
export function loadChildProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

export function loadTerminal(): typeof import("node:tty") {
  return process.getBuiltinModule("node:tty");
}

export function loadOperatingSystem(): typeof import("node:os") {
  return process.getBuiltinModule("node:os");
}

export function loadCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

const idle = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread without using the processor. */
export function sleepMs(ms: number): void {
  if (ms > 0) Atomics.wait(idle, 0, 0, ms);
}
