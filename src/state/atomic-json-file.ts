import { errorText, JSON_DEPTH_LIMIT, type Json, readJson } from "../protocol/index.ts";
import { hasErrorCode, type System, writeAtomically } from "../system/index.ts";
import { containPath } from "./directories.ts";
import { FileLock, serialise } from "./file-lock.ts";
import { isStateError, readExactText, StateError, setAsideCorrupt } from "./files.ts";

export interface AtomicJsonFileOptions<T> {
  readonly system: System;
  /** checks the shape of what was read; throws, saying what is wrong, when it does not fit */
  readonly parse?: (value: Json) => T;
  /** Default 5000. */
  readonly lockTimeoutMs?: number;
  /** Default `<path>.lock`. */
  readonly lockPath?: string;
  /** of a new file; an existing one keeps its own. Default 0600. */
  readonly mode?: number;
  /** of parents that have to be made. Default 0700. */
  readonly directoryMode?: number;
  /** refuse to write where links lead outside of this directory, for files in a project that is not trusted */
  readonly within?: string;
  /** a longer file is malformed. Default 16 MiB. */
  readonly limitBytes?: number;
  readonly onBrokenLock?: (message: string) => void;
}

/** Only a file of plain `Json` needs no parse function. */
export type NeedsParse<T> = Json extends T ? unknown : { readonly parse: (value: Json) => T };

export interface UpdateOptions {
  /**
   * What becomes of a malformed file: `error` (default) leaves it and throws, `set-aside` keeps it as
   * `<name>.corrupt-<epoch>` and starts from the default.
   */
  readonly onMalformed?: "error" | "set-aside";
  /** told where a malformed file was kept */
  readonly onSetAside?: (keptAs: string) => void;
}

const STRICT = { recover: false, maxDepth: JSON_DEPTH_LIMIT };
const DEFAULT_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * A JSON file that many processes read and change. A reader sees a whole old or new value; an update is never
 * lost; a failure leaves the file as it was and is thrown.
 */
export class AtomicJsonFile<T = Json> {
  readonly path: string;
  private readonly options: AtomicJsonFileOptions<T>;
  private readonly parse: (value: Json) => T;

  constructor(path: string, options: AtomicJsonFileOptions<T> & NeedsParse<T>) {
    this.path = path;
    this.options = options;
    // Without a parse function T holds every Json: see NeedsParse.
    this.parse = options.parse ?? (value => value as T);
  }

  /** Undefined when there is no file; a malformed one is an error (`malformed`). Takes no lock. */
  read(): T | undefined {
    const { system, limitBytes = DEFAULT_LIMIT_BYTES } = this.options;
    let read: ReturnType<typeof readExactText>;
    try {
      read = readExactText(system, this.path, limitBytes);
    } catch (error) {
      if (hasErrorCode(error, "EFBIG")) throw this.malformed(`it is longer than ${limitBytes} bytes`);
      throw error;
    }
    if (read === undefined) return undefined;
    if (read.replaced) throw this.malformed("it is not UTF-8");
    const json = readJson(read.text, STRICT);
    if (!json.ok) throw this.malformed(json.problem === "empty" ? "it is empty" : "it is not valid JSON");
    try {
      return this.parse(json.value);
    } catch (error) {
      throw this.malformed(errorText(error));
    }
  }

  readOrDefault(fallback: T): T {
    const value = this.read();
    return value === undefined ? fallback : value;
  }

  write(value: T): void {
    const text = serialise(value, this.path, 2);
    this.lock().run(() => this.replace(text));
  }

  /**
   * Reads, changes and writes under the lock, and returns the new value. `change` gets its own copy of the
   * default when there is no file; when it throws, nothing is written.
   */
  update(change: (current: T) => T, initial: T, options: UpdateOptions = {}): T {
    return this.lock().run(() => {
      const next = change(this.current(options) ?? this.copyDefault(initial));
      this.replace(serialise(next, this.path, 2));
      return next;
    });
  }

  private current({ onMalformed = "error", onSetAside }: UpdateOptions): T | undefined {
    try {
      return this.read();
    } catch (error) {
      if (onMalformed === "error" || !isStateError(error, "malformed")) throw error;
      const keptAs = setAsideCorrupt(this.options.system, this.path);
      if (keptAs !== undefined) onSetAside?.(keptAs);
      return undefined;
    }
  }

  private copyDefault(value: T): T {
    const copy = readJson(serialise(value, this.path, 0), STRICT);
    if (!copy.ok) throw this.malformed("the default value is not JSON");
    return this.parse(copy.value);
  }

  private replace(text: string): void {
    const { system, mode, directoryMode, within } = this.options;
    if (within !== undefined) containPath(system.files, within, this.path);
    writeAtomically(system, this.path, system.text.encode(text), {
      ...(mode === undefined ? {} : { mode }),
      ...(directoryMode === undefined ? {} : { directoryMode }),
    });
  }

  private lock(): FileLock {
    const { system, lockTimeoutMs, directoryMode, onBrokenLock } = this.options;
    return new FileLock(this.options.lockPath ?? `${this.path}.lock`, {
      system,
      ...(lockTimeoutMs === undefined ? {} : { timeoutMs: lockTimeoutMs }),
      ...(directoryMode === undefined ? {} : { directoryMode }),
      ...(onBrokenLock === undefined ? {} : { onBroken: onBrokenLock }),
    });
  }

  private malformed(detail: string): StateError {
    return new StateError(
      "malformed",
      this.path,
      `cannot use ${this.path}: ${detail}; repair or remove the file`,
    );
  }
}
