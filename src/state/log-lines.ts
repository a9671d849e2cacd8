import type { System } from "../system/index.ts";
import { rotationsOf } from "./rotate.ts";
import { StateError } from "./state-error.ts";

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
  return [...rotationsOf(system, path)]
    .reverse()
    .concat(path)
    .filter(file => system.files.follow(file)?.kind === "file");
}

/** The lines of one file from an offset on, which is the beginning of a line; never held whole. */
export function* linesOf(system: LogSystem, file: string, from = 0, lineBefore = 0): Generator<LogLine> {
  let rest = new Uint8Array();
  let [offset, line] = [from, lineBefore];
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
