import { ifPresent, listIfThere, readText, removeIfThere, withParents } from "../state/index.ts";
import { checksum, hasErrorCode, join, type System, SystemError, sha256Hex } from "../system/index.ts";
import { isChangedSince } from "./path-state.ts";

/**
 * One JSON value with a checksum of its text in front, so that a line or file that was written in part, or overlaid
 * by another, is told from a whole one.
 */
export function seal(value: unknown): string {
  const text = JSON.stringify(value);
  return `${OPENING}${formatChecksum(text)}${MIDDLE}${text}}`;
}

const OPENING = '{"sum":"';
const MIDDLE = '","data":';
const SUM_LENGTH = 8;
const TEXT_AT = OPENING.length + SUM_LENGTH + MIDDLE.length;

/** The value, which has the shape that was sealed; undefined when the text is not what `seal` wrote. */
export function unseal<T>(sealed: string): T | undefined {
  const text = sealed.slice(TEXT_AT, -1);
  return sealed.startsWith(`${OPENING}${formatChecksum(text)}${MIDDLE}`) ? parseOwn<T>(text) : undefined;
}

/** JSON that only the history itself writes; undefined when it is none. */
function parseOwn<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

function formatChecksum(text: string): string {
  return checksum(text).toString(16).padStart(SUM_LENGTH, "0");
}

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** Files of the history itself: lists of paths, open changes. */
export const MAX_OWN_BYTES = 256 * 1024 * 1024;
/** Longer lists of paths are objects of their own, so that a line of the journal is one write. */
const MAX_INLINE = 2_000;

const TAIL_BYTES = 128 * 1024;
const MAX_REMEMBERED = 8;
const MAX_REMEMBERED_LENGTH = 64 * 1024;

/** A list of paths in a line of the journal, or by the object that holds it. */
export type Listed<T> = readonly T[] | { readonly object: string; readonly count: number };

/**
 * The files of the history on the disk. Content lies in `objects/`, once for each SHA-256. Nothing is synced: what a
 * power failure takes is found by `verify`, and a call need not wait for the disk.
 */
export class Store {
  readonly system: System;
  readonly root: string;
  /** bytes that this process added */
  added = 0;
  /** keys of projects that were asked for: a digest is slow in an engine without a compiler */
  readonly keys = new Map<string, string>();
  /** what the files that were read last hold: a call's own is looked at several times */
  private readonly sealed = new Map<string, { readonly text: string; readonly value: unknown }>();
  private temporaryPrefix: string | undefined;
  private temporaries = 0;

  constructor(system: System, stateHome: string) {
    this.system = system;
    this.root = join(stateHome, "history");
  }

  path(...parts: readonly string[]): string {
    return `${this.root}/${parts.join("/")}`;
  }

  objectPath(id: string): string {
    return this.path("objects", id.slice(0, 2), id.slice(2));
  }

  hasObject(id: string): boolean {
    return this.system.files.inspect(this.objectPath(id)) !== undefined;
  }

  /** Copies a file into the store. The copy is digested, not the file, which may change meanwhile. */
  keepFile(path: string, size: number): string {
    return this.adopt(size, temporary => this.system.files.copy(path, temporary, FILE_MODE));
  }

  keepBytes(bytes: Uint8Array): string {
    return this.adopt(bytes.length, temporary => this.system.files.append(temporary, bytes, FILE_MODE));
  }

  /** SHA-256 of a long text. An engine without a compiler would take long over it; files are digested by the system. */
  digest(text: string): string {
    const { files } = this.system;
    const temporary = this.temporaryPath();
    const bytes = this.system.text.encode(text);
    try {
      withParents(files, temporary, DIRECTORY_MODE, () => files.append(temporary, bytes, FILE_MODE));
      const id = files.digest(temporary);
      files.remove(temporary);
      return id;
    } catch (error) {
      if (error instanceof SystemError) return sha256Hex(bytes);
      throw error;
    }
  }

  /** A name in the store for something that is still being made. */
  temporaryPath(): string {
    this.temporaryPrefix ??= this.system.random.hex(24);
    this.temporaries += 1;
    return this.path("tmp", `${this.temporaryPrefix}.${this.temporaries}`);
  }

  /** Takes what `make` writes into the objects. An object that is there already gets a fresh time, and stays. */
  private adopt(size: number, make: (temporary: string) => void): string {
    const { files } = this.system;
    const temporary = this.temporaryPath();
    withParents(files, temporary, DIRECTORY_MODE, () => make(temporary));
    try {
      const id = files.digest(temporary);
      const object = this.objectPath(id);
      withParents(files, object, DIRECTORY_MODE, () => files.rename(temporary, object));
      this.added += size;
      return id;
    } catch (error) {
      removeIfThere(files, temporary);
      throw error;
    }
  }

  readObject(id: string, limitBytes: number): Uint8Array | undefined {
    return ifPresent(() => this.system.files.read(this.objectPath(id), limitBytes));
  }

  list<T>(items: readonly T[]): Listed<T> {
    if (items.length === 0) return items;
    const text = JSON.stringify(items);
    if (text.length <= MAX_INLINE) return items;
    return { object: this.keepBytes(this.system.text.encode(text)), count: items.length };
  }

  /** Undefined when the object is gone or damaged. */
  readList<T>(listed: Listed<T>): readonly T[] | undefined {
    if (!isObjectList(listed)) return listed;
    const bytes = this.readObject(listed.object, MAX_OWN_BYTES);
    return bytes === undefined ? undefined : parseOwn<readonly T[]>(this.system.text.decode(bytes).text);
  }

  /** One sealed value in a file of its own; replaced as a whole. */
  writeSealed(path: string, value: unknown): void {
    this.replace(path, `${seal(value)}\n`);
  }

  replace(path: string, content: string): void {
    const { files, text } = this.system;
    const temporary = this.temporaryPath();
    const bytes = text.encode(content);
    withParents(files, temporary, DIRECTORY_MODE, () => files.append(temporary, bytes, FILE_MODE));
    try {
      withParents(files, path, DIRECTORY_MODE, () => files.rename(temporary, path));
    } catch (error) {
      removeIfThere(files, temporary);
      throw error;
    }
  }

  /** Writes nothing when there is a file, also when another process makes it at the same time. */
  writeSealedOnce(path: string, value: unknown): void {
    const { files, text } = this.system;
    const bytes = text.encode(`${seal(value)}\n`);
    try {
      withParents(files, path, DIRECTORY_MODE, () => files.createExclusive(path, bytes, FILE_MODE));
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    }
  }

  /** Undefined when there is none, or none that is whole. */
  readSealed<T>(path: string): T | undefined {
    const text = readText(this.system, path, MAX_OWN_BYTES);
    if (text === undefined) return undefined;
    const known = this.sealed.get(path);
    if (known?.text === text) return known.value as T | undefined;
    const value = unseal<T>(text.trimEnd());
    if (this.sealed.size >= MAX_REMEMBERED) this.sealed.clear();
    if (text.length <= MAX_REMEMBERED_LENGTH) this.sealed.set(path, { text, value });
    return value;
  }

  /** A line break in front: what a killed process left unfinished must not spoil the line behind it. */
  appendSealed(path: string, value: unknown): void {
    const { files, text } = this.system;
    const bytes = text.encode(`\n${seal(value)}\n`);
    withParents(files, path, DIRECTORY_MODE, () => files.append(path, bytes, FILE_MODE));
  }

  /** Whole lines in order; `onBroken` hears of each that is not. */
  readLines<T>(path: string, onBroken: (line: number) => void): readonly T[] {
    const text = readText(this.system, path, MAX_OWN_BYTES) ?? "";
    const values: T[] = [];
    for (const [index, line] of text.split("\n").entries()) {
      if (line === "") continue;
      const value = unseal<T>(line);
      if (value === undefined) onBroken(index + 1);
      else values.push(value);
    }
    return values;
  }

  /** The last whole lines up to one that is early enough, oldest first. Most readers of a long file want few. */
  readLastLines<T>(path: string, isEarly: (value: T) => boolean): readonly T[] {
    const { files, text } = this.system;
    const size = files.inspect(path)?.size ?? 0;
    if (size > TAIL_BYTES) {
      const tail = text.decode(files.readRange(path, size - TAIL_BYTES, TAIL_BYTES)).text;
      const values = tail
        .slice(tail.indexOf("\n") + 1)
        .split("\n")
        .flatMap(line => unseal<T>(line) ?? []);
      const [first] = values;
      if (first !== undefined && isEarly(first)) return values;
    }
    return this.readLines<T>(path, () => {});
  }

  /** Names in a directory of the store; none when it is not there. */
  names(...parts: readonly string[]): readonly string[] {
    return listIfThere(this.system.files, this.path(...parts));
  }
}

export function isObjectList<T>(
  listed: Listed<T>,
): listed is { readonly object: string; readonly count: number } {
  return !Array.isArray(listed);
}

/** Remembers a value for as long as nothing touches these paths; not at all where one was touched a moment ago. */
export function rememberWhile<T>(
  store: Store,
  path: string,
  value: T,
  paths: readonly string[],
  sinceMs: number,
): void {
  const watched = paths.join("\0");
  const stamps = store.system.files.stampsOf(watched);
  if (stamps.split("\n").some(stamp => isChangedSince(stamp, sinceMs))) return;
  store.replace(path, `${seal({ value, length: watched.length })}\n${watched}${stamps}`);
}

export function recallWhile<T>(store: Store, path: string): T | undefined {
  const text = readText(store.system, path, MAX_OWN_BYTES) ?? "";
  const end = text.indexOf("\n");
  const head = end < 0 ? undefined : unseal<{ value: T; length: number }>(text.slice(0, end));
  if (head === undefined) return undefined;
  const stampsAt = end + 1 + head.length;
  const stamps = store.system.files.stampsOf(text.slice(end + 1, stampsAt));
  return stamps === text.slice(stampsAt) ? head.value : undefined;
}
