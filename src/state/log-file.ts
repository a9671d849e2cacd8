import { errorText } from "../protocol/index.ts";
import { basename, dirname, type FileFacts, join, type System, SystemError } from "../system/index.ts";
import { clip, escapeControls } from "../text/index.ts";
import { complain } from "./complain.ts";
import { FileLock, serialise } from "./file-lock.ts";
import { listIfThere, StateError, withParents } from "./files.ts";
import { isRotation, splitName } from "./log-names.ts";
import { compactTimestamp, localTimestamp } from "./timestamp.ts";

export interface Rotation {
  /** a file larger than this is put away before the next line */
  readonly limitBytes: number;
  /** how many put-away files are kept */
  readonly keep: number;
}

/**
 * Renames `name.ext` to `name.<YYYYMMDD_HHMMSS>.ext` when it has outgrown its limit, and removes the oldest of
 * those beyond the number kept. Of several processes one rotates; the others go on writing.
 */
export function rotate(system: System, path: string, rotation: Rotation): void {
  const lock = new FileLock(`${path}.lock`, { system, timeoutMs: 0 });
  if (!lock.tryAcquire()) return;
  try {
    if (isTooLarge(system.files.inspect(path), rotation)) putAway(system, path, rotation);
  } finally {
    lock.release();
  }
}

/** As `rotate`, for a caller that holds the lock and knows that the file is too large. */
export function putAway(system: System, path: string, { keep }: Rotation): void {
  system.files.rename(path, freeName(system, path));
  for (const old of listRotations(system, path).slice(keep)) system.files.remove(old);
}

/** The put-away files of a log, newest first. */
export function listRotations(system: Pick<System, "files">, path: string): readonly string[] {
  const directory = dirname(path);
  const { stem, ending } = splitName(path);
  return listIfThere(system.files, directory)
    .filter(name => isRotation(name, stem, ending))
    .sort()
    .reverse()
    .map(name => join(directory, name));
}

export function isTooLarge(facts: FileFacts | undefined, rotation: Rotation): boolean {
  return facts?.kind === "file" && facts.size > rotation.limitBytes;
}

/** Names rise, so that their order is that of the files: also within one second, and when the clock went back. */
function freeName(system: System, path: string): string {
  const { stem, ending } = splitName(path);
  const stamp = compactTimestamp(system.clock.nowMs());
  const nameWith = (label: string) => join(dirname(path), `${stem}.${label}${ending}`);
  const newest = basename(listRotations(system, path)[0] ?? "").slice(stem.length + 1);
  const base = newest.slice(0, stamp.length);
  if (base < stamp) return nameWith(stamp);
  let number = Number(/^_(\d{3})/.exec(newest.slice(stamp.length))?.[1] ?? 0);
  let name: string;
  do {
    name = nameWith(`${base}_${String(++number).padStart(3, "0")}`);
  } while (system.files.inspect(name) !== undefined);
  return name;
}

interface AppendOptions {
  readonly rotation?: Rotation;
  /** for lines too long to be surely written in one piece. Default 2000. */
  readonly lockTimeoutMs?: number;
  /** of parents that have to be made. Default 0700. */
  readonly directoryMode?: number;
}

/** Longer lines are written under a lock. */
const UNLOCKED_BYTES = 4_096;
const DEFAULT_LOCK_TIMEOUT_MS = 2_000;

/** Appends one JSON value as one line, in one write; the file is made with mode 0600. */
export function appendJsonLine(
  system: System,
  path: string,
  value: unknown,
  options: AppendOptions = {},
): void {
  appendLine(system, path, serialise(value, path, 0), options);
}

/**
 * `line` has no line break in it; one is added. A symlink is refused (`ELOOP`): logs lie in projects too, and a
 * project must not choose which file of the user is written to.
 */
export function appendLine(system: System, path: string, line: string, options: AppendOptions = {}): void {
  const { rotation } = options;
  const bytes = system.text.encode(`${line}\n`);
  const facts = system.files.inspect(path);
  if (facts?.kind === "symlink") throw new SystemError("ELOOP", "append to", path);
  if (rotation !== undefined && isTooLarge(facts, rotation)) rotate(system, path, rotation);
  const { files } = system;
  const append = () =>
    withParents(files, path, options.directoryMode, () => files.append(path, bytes, 0o600));
  if (bytes.length <= UNLOCKED_BYTES) {
    append();
  } else {
    const timeoutMs = options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
    new FileLock(`${path}.lock`, { system, timeoutMs }).run(append);
  }
}

export type LogLevel = "DEBUG" | "INFO" | "WARNING" | "ERROR";

const ROTATION: Rotation = { limitBytes: 10 * 1024 * 1024, keep: 5 };
const MESSAGE_LENGTH = 2_000;
/** Logs that were complained about, by the machine they are on: one run opens a log more than once. */
const COMPLAINTS = new WeakMap<System["stdio"], Set<string>>();

/**
 * A log of lines `[time] LEVEL: message` that rotates itself. Writing never throws: a log that cannot be written
 * says so once on stderr, because no decision may depend on it.
 */
export class LogFile {
  readonly path: string;
  private readonly system: System;

  constructor(path: string, options: { readonly system: System }) {
    this.path = path;
    this.system = options.system;
  }

  write(level: LogLevel, message: string): void {
    const { clock, stdio } = this.system;
    try {
      const line = `[${localTimestamp(clock.nowMs())}] ${level}: ${escapeControls(clip(message, MESSAGE_LENGTH))}`;
      appendLine(this.system, this.path, line, { rotation: ROTATION });
    } catch (error) {
      const told = COMPLAINTS.get(stdio) ?? new Set();
      if (told.has(this.path)) return;
      COMPLAINTS.set(stdio, told.add(this.path));
      const reason = errorText(error);
      complain(this.system, `the log cannot be written: ${reason}`);
    }
  }
}

export interface LogLine {
  readonly file: string;
  /** counted from 1 in its file */
  readonly line: number;
  /** where it begins in its file */
  readonly offset: number;
  /** without the line break */
  readonly bytes: Uint8Array;
  /** false when the file ends inside it */
  readonly isWhole: boolean;
}

type LogSystem = Pick<System, "files">;

const CHUNK_BYTES = 1024 * 1024;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

/** The files of a log that rotates, the oldest first. The one being written may be missing. */
export function logFiles(system: LogSystem, path: string): readonly string[] {
  return [...listRotations(system, path)]
    .reverse()
    .concat(path)
    .filter(file => system.files.follow(file)?.kind === "file");
}

/** The lines of one file from an offset on, which is the beginning of a line; never held whole. */
export function* readLogLines(system: LogSystem, file: string, from = 0): Generator<LogLine> {
  let rest = new Uint8Array();
  let offset = from;
  let line = 0;
  for (;;) {
    const chunk = system.files.readRange(file, offset + rest.length, CHUNK_BYTES);
    const bytes = rest.length === 0 ? chunk : joined(rest, chunk);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      yield { file, line: ++line, offset: offset + start, bytes: bytes.subarray(start, end), isWhole: true };
      start = end + 1;
    }
    rest = bytes.slice(start);
    offset += start;
    if (rest.length > MAX_LINE_BYTES)
      throw new StateError("malformed", file, `line ${line + 1} of ${file} is longer than 16 MiB`);
    if (chunk.length > 0) continue;
    if (rest.length > 0) yield { file, line: line + 1, offset, bytes: rest, isWhole: false };
    return;
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
