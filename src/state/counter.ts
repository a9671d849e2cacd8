import { numberAt, parseJsonObject } from "../protocol/index.ts";
import { hasErrorCode, type System, writeAtomically } from "../system/index.ts";
import { removeIfThere } from "./absent-files.ts";
import { FileLock } from "./file-lock.ts";
import { readText } from "./read-text.ts";
import { StateError } from "./state-error.ts";

export interface CounterOptions {
  readonly system: System;
  /** Default 5000. */
  readonly lockTimeoutMs?: number;
  /** `error` (default) for counters that limit something, `restart` for those that are only shown. */
  readonly onMalformed?: "error" | "restart";
  readonly onBrokenLock?: (message: string) => void;
}

const CONTENT_LIMIT = 1_024;

/** A number in a file, as plain digits, that many processes count up: N increments give N distinct values. */
export class Counter {
  readonly path: string;
  private readonly options: CounterOptions;

  constructor(path: string, options: CounterOptions) {
    this.path = path;
    this.options = options;
  }

  /** 0 when the file is missing or empty. */
  read(): number {
    try {
      return this.readStrictly();
    } catch (error) {
      if (this.options.onMalformed === "restart" && error instanceof StateError) return 0;
      throw error;
    }
  }

  /** The new value. */
  increment(): number {
    const { system, lockTimeoutMs, onBrokenLock } = this.options;
    const lock = new FileLock(`${this.path}.lock`, {
      system,
      ...(lockTimeoutMs === undefined ? {} : { timeoutMs: lockTimeoutMs }),
      ...(onBrokenLock === undefined ? {} : { onBroken: onBrokenLock }),
    });
    return lock.run(() => {
      const next = this.read() + 1;
      if (!Number.isSafeInteger(next)) throw this.malformed("a number that can still grow");
      writeAtomically(system, this.path, system.text.encode(String(next)));
      return next;
    });
  }

  /** Back to zero. */
  reset(): void {
    removeIfThere(this.options.system.files, this.path);
  }

  private readStrictly(): number {
    let text: string | undefined;
    try {
      text = readText(this.options.system, this.path, CONTENT_LIMIT);
    } catch (error) {
      if (hasErrorCode(error, "EFBIG")) throw this.malformed(`at most ${CONTENT_LIMIT} bytes`);
      throw error;
    }
    const trimmed = text?.trim() ?? "";
    if (trimmed === "") return 0;
    // `{"value": n}` is what another implementation writes.
    const value = /^[0-9]+$/.test(trimmed) ? Number(trimmed) : numberAt(parseJsonObject(trimmed, 2), "value");
    if (value === undefined || !Number.isSafeInteger(value) || value < 0)
      throw this.malformed("decimal digits");
    return value;
  }

  private malformed(expected: string): StateError {
    return new StateError(
      "malformed",
      this.path,
      `cannot count in ${this.path}: expected ${expected}; remove the file to start at zero`,
    );
  }
}
