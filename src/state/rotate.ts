import {
  basename,
  dirname,
  extension,
  type FileFacts,
  hasErrorCode,
  join,
  type System,
} from "../system/index.ts";
import { FileLock } from "./file-lock.ts";
import { compactTimestamp } from "./timestamp.ts";

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
  for (const old of rotationsOf(system, path).slice(keep)) system.files.remove(old);
}

/** The put-away files of a log, newest first. */
export function rotationsOf(system: Pick<System, "files">, path: string): readonly string[] {
  const directory = dirname(path);
  const { stem, ending } = split(path);
  let names: readonly string[];
  try {
    names = system.files.list(directory);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
  return names
    .filter(name => isRotation(name, stem, ending))
    .sort()
    .reverse()
    .map(name => join(directory, name));
}

function isRotation(name: string, stem: string, ending: string): boolean {
  const label = name.slice(stem.length + 1, name.length - ending.length);
  return name.startsWith(`${stem}.`) && name.endsWith(ending) && /^\d{8}_\d{6}(_\d{3})?$/.test(label);
}

/** Whether a path is a log, one of its put-away files, or the lock beside it; nothing is looked up. */
export function belongsToLog(log: string, path: string): boolean {
  if (path === log || path.startsWith(`${log}.lock`)) return true;
  const { stem, ending } = split(log);
  return dirname(path) === dirname(log) && isRotation(basename(path), stem, ending);
}

export function isTooLarge(facts: FileFacts | undefined, rotation: Rotation): boolean {
  return facts?.kind === "file" && facts.size > rotation.limitBytes;
}

/** Names rise, so that their order is that of the files: also within one second, and when the clock went back. */
function freeName(system: System, path: string): string {
  const { stem, ending } = split(path);
  const stamp = compactTimestamp(system.clock.nowMs());
  const nameWith = (label: string) => join(dirname(path), `${stem}.${label}${ending}`);
  const newest = basename(rotationsOf(system, path)[0] ?? "").slice(stem.length + 1);
  const base = newest.slice(0, stamp.length);
  if (base < stamp) return nameWith(stamp);
  let number = Number(/^_(\d{3})/.exec(newest.slice(stamp.length))?.[1] ?? 0);
  let name: string;
  do {
    name = nameWith(`${base}_${String(++number).padStart(3, "0")}`);
  } while (system.files.inspect(name) !== undefined);
  return name;
}

function split(path: string): { stem: string; ending: string } {
  const ending = extension(path);
  return { stem: basename(path).slice(0, basename(path).length - ending.length), ending };
}
