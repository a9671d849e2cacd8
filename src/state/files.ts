import { basename, dirname, type Files, hasErrorCode, join, type System } from "../system/index.ts";

/** What the action gives; undefined where the file or folder that it works on is not there. */
export function ifPresent<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Removes a file; that it is not there is no failure. */
export function removeIfThere(files: Pick<Files, "remove">, path: string): void {
  ifPresent(() => files.remove(path));
}

/** The names in a folder; none where it is not there. */
export function listIfThere(files: Pick<Files, "list">, folder: string): readonly string[] {
  return ifPresent(() => files.list(folder)) ?? [];
}

/** The names in a folder of somebody else's; none where it is not there or may not be read. */
export function listReadable(files: Pick<Files, "list">, folder: string): readonly string[] {
  try {
    return listIfThere(files, folder);
  } catch (error) {
    if (hasErrorCode(error, "EACCES")) return [];
    throw error;
  }
}

/** The names in a folder; none where it cannot be listed, whatever the reason. */
export function tryList(files: Pick<Files, "list">, folder: string): readonly string[] {
  try {
    return files.list(folder);
  } catch {
    return [];
  }
}

/** Runs an action that makes `path`, and once more with its parents made where they were missing. */
export function withParents(
  files: Pick<Files, "makeDirectory">,
  path: string,
  directoryMode: number | undefined,
  action: () => void,
): void {
  try {
    action();
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    files.makeDirectory(dirname(path), directoryMode ?? 0o700);
    action();
  }
}

/**
 * The text of a file, or undefined when there is none. Bytes that are not UTF-8 are replaced. Everything else
 * that goes wrong, a file over the limit (`EFBIG`) included, is thrown as `SystemError`.
 */
export function readText(
  system: Pick<System, "files" | "text">,
  path: string,
  limitBytes: number,
): string | undefined {
  return readExactText(system, path, limitBytes)?.text;
}

/** As `readText`, telling whether bytes had to be replaced. */
export function readExactText(
  system: Pick<System, "files" | "text">,
  path: string,
  limitBytes: number,
): { readonly text: string; readonly replaced: boolean } | undefined {
  const bytes = ifPresent(() => system.files.read(path, limitBytes));
  return bytes && system.text.decode(bytes);
}

const KEPT = 3;

/**
 * Renames a malformed state file to `<name>.corrupt-<epoch seconds>` and keeps the newest three of them.
 * Returns the new path, or undefined when the file was gone. The caller holds the file's lock.
 */
export function setAsideCorrupt(system: Pick<System, "files" | "clock">, path: string): string | undefined {
  const { files } = system;
  const directory = dirname(path);
  const prefix = `${basename(path)}.corrupt-`;
  const earlier = files
    .list(directory)
    .filter(name => name.startsWith(prefix) && /^\d{1,12}$/.test(name.slice(prefix.length)))
    .map(name => Number(name.slice(prefix.length)))
    .sort((a, b) => b - a);
  // Two within one second must not replace each other, and the newest has the greatest number.
  const epoch = Math.max(Math.floor(system.clock.nowMs() / 1000), (earlier[0] ?? 0) + 1);
  const keptAs = join(directory, prefix + epoch);
  try {
    files.rename(path, keptAs);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
  for (const old of earlier.slice(KEPT - 1)) files.remove(join(directory, prefix + old));
  return keptAs;
}

const MAX_PER_SECOND = 100;

/**
 * Keeps what a file holds as `<path>.backup.<unix seconds>`, with `-2` and so on where that name is taken. Never
 * overwrites another backup. Gives the name of the new one.
 */
export function backUp(system: Pick<System, "files" | "clock">, path: string, bytes: Uint8Array): string {
  const name = `${path}.backup.${Math.floor(system.clock.nowMs() / 1000)}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    try {
      system.files.createExclusive(candidate, bytes, 0o600);
      return candidate;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST") || number === MAX_PER_SECOND) throw error;
    }
  }
}

export type StateErrorCode =
  | "malformed"
  | "lock-timeout"
  | "not-serialisable"
  | "outside-root"
  | "environment"
  | "unsafe-name";

/** What is wrong with a piece of state, where, and what to do about it. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly code: StateErrorCode;
  /** the file or variable concerned */
  readonly subject: string;

  constructor(code: StateErrorCode, subject: string, message: string) {
    super(message);
    this.code = code;
    this.subject = subject;
  }
}

export function isStateError(error: unknown, ...codes: readonly StateErrorCode[]): error is StateError {
  return error instanceof StateError && (codes.length === 0 || codes.includes(error.code));
}

export interface ProblemDetails {
  /** stable, lower-case word for machines: `usage`, `not-found`, `invalid`, `failed` … */
  readonly kind: string;
  readonly causes?: readonly string[];
  /** a command or step that puts it right */
  readonly fix?: string | undefined;
  /** Default 1. */
  readonly exitCode?: number;
}

/** A failure told to the user: what is wrong, why, and what to do. Never holds values of variables or prompts. */
export class Problem extends Error {
  override readonly name: string = "Problem";
  readonly kind: string;
  readonly causes: readonly string[];
  readonly fix: string | undefined;
  readonly exitCode: number;

  constructor(message: string, details: ProblemDetails) {
    super(message);
    this.kind = details.kind;
    this.causes = details.causes ?? [];
    this.fix = details.fix;
    this.exitCode = details.exitCode ?? 1;
  }
}
