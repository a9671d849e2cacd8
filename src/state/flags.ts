import { numberAt, parseJsonObject } from "../protocol/index.ts";
import { hasErrorCode, type System, writeAtomically } from "../system/index.ts";
import { FileLock } from "./file-lock.ts";
import { ifPresent, readText, removeIfThere, StateError, withParents } from "./files.ts";

export interface AtomicFlagOptions {
  readonly system: System;
  /** of a parent that has to be made. Default 0700. */
  readonly directoryMode?: number;
}

const MAX_FLAG_BYTES = 64 * 1024;

/** A fact that is true while a file exists. Of many that set it at once, exactly one is told that it did. */
export class AtomicFlag {
  readonly path: string;
  private readonly options: AtomicFlagOptions;

  constructor(path: string, options: AtomicFlagOptions) {
    this.path = path;
    this.options = options;
  }

  /** True when the flag was set now, false when it was set before. */
  set(content = ""): boolean {
    const { files, text } = this.options.system;
    const bytes = text.encode(content);
    const create = () => files.createExclusive(this.path, bytes, 0o600);
    try {
      withParents(files, this.path, this.options.directoryMode, create);
      return true;
    } catch (error) {
      if (hasErrorCode(error, "EEXIST")) return false;
      throw error;
    }
  }

  /** Whatever kind of entry is there counts; a place that cannot be looked at is an error. */
  isSet(): boolean {
    return this.options.system.files.inspect(this.path) !== undefined;
  }

  /** What was given to `set`; undefined when the flag is not set. */
  content(): string | undefined {
    return readText(this.options.system, this.path, MAX_FLAG_BYTES);
  }

  clear(): void {
    const { files } = this.options.system;
    // An empty directory counts as set, so it must be possible to clear it.
    const isDirectory = files.inspect(this.path)?.kind === "directory";
    ifPresent(() => (isDirectory ? files.removeDirectory(this.path) : files.remove(this.path)));
  }
}

export interface CounterOptions {
  readonly system: System;
  /** Default 5000. */
  readonly lockTimeoutMs?: number;
  /** `error` (default) for counters that limit something, `restart` for those that are only shown. */
  readonly onMalformed?: "error" | "restart";
  readonly onBrokenLock?: (message: string) => void;
}

const MAX_COUNTER_BYTES = 1_024;

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
      text = readText(this.options.system, this.path, MAX_COUNTER_BYTES);
    } catch (error) {
      if (hasErrorCode(error, "EFBIG")) throw this.malformed(`at most ${MAX_COUNTER_BYTES} bytes`);
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
