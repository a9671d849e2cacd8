import { hasErrorCode, type System } from "../system/index.ts";
import { ignoreAbsent, withParents } from "./absent-files.ts";
import { readText } from "./read-text.ts";

export interface AtomicFlagOptions {
  readonly system: System;
  /** of a parent that has to be made. Default 0700. */
  readonly directoryMode?: number;
}

const CONTENT_LIMIT = 64 * 1024;

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
    return readText(this.options.system, this.path, CONTENT_LIMIT);
  }

  clear(): void {
    const { files } = this.options.system;
    // An empty directory counts as set, so it must be possible to clear it.
    const isDirectory = files.inspect(this.path)?.kind === "directory";
    ignoreAbsent(() => (isDirectory ? files.removeDirectory(this.path) : files.remove(this.path)));
  }
}
