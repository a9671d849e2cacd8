import { type LogLine, linesOf, logFiles } from "../state/index.ts";
import { hasErrorCode, type System, sha256Hex } from "../system/index.ts";
import type { LogName, LogPosition } from "./checkpoint.ts";

export interface ShippedLine {
  readonly log: LogName;
  /** the same whenever this line is read again, and of no other line */
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

export interface LogBatch {
  readonly lines: readonly ShippedLine[];
  readonly position: LogPosition | undefined;
  /** lines that rotation removed before they were read: where the last position was is gone */
  readonly isGap: boolean;
  /** no line begins at the last position any more: its file is read again from the beginning */
  readonly isRewritten: boolean;
}

const NEWLINE = 10;

type LogSystem = Pick<System, "files" | "text">;

/** The next lines of a log behind a position, at most so many. An unfinished last line waits for its end. */
export function readBatch(
  system: LogSystem,
  log: LogName,
  path: string,
  after: LogPosition | undefined,
  limit: number,
): LogBatch {
  const files = logFiles(system, path).flatMap(file => {
    const first = firstLine(system, file);
    return first === undefined ? [] : [{ file, first }];
  });
  const found = after === undefined ? -1 : files.findLastIndex(({ first }) => first === after.first);
  const isGap = after !== undefined && found < 0 && files.length > 0;
  const isRewritten = after !== undefined && isRewrittenFile(system, files[found]?.file, after);
  const lines: ShippedLine[] = [];
  let position = after;
  for (const [index, { file, first }] of files.entries()) {
    if (index < found) continue;
    const from = index === found && !isRewritten ? (after?.offset ?? 0) : 0;
    for (const line of wholeLines(system, file, from)) {
      if (lines.length === limit) return { lines, position, isGap, isRewritten };
      position = { first, offset: line.offset + line.bytes.length + 1 };
      const text = system.text.decode(line.bytes).text;
      const hash = sha256Hex(line.bytes);
      const id = sha256Hex(system.text.encode(`${log}\n${first}\n${line.offset}\n${hash}`)).slice(0, 32);
      if (text.trim() !== "") lines.push({ log, id, text, hash });
    }
  }
  return { lines, position, isGap, isRewritten };
}

/** Its beginning is the same, and no line begins where the next one should, or will at its end. */
function isRewrittenFile(
  system: LogSystem,
  file: string | undefined,
  { first, offset }: LogPosition,
): boolean {
  if (offset === 0 || file === undefined) return false;
  try {
    if (system.files.readRange(file, offset - 1, 1)[0] === NEWLINE) return false;
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
  // One that was rotated since it was listed has left its name to another.
  return firstLine(system, file) === first;
}

function firstLine(system: LogSystem, file: string): string | undefined {
  for (const { bytes } of wholeLines(system, file, 0)) return sha256Hex(bytes);
  return undefined;
}

/** A file that was rotated since it was listed is read under its new name the next time. */
function* wholeLines(system: LogSystem, file: string, from: number): Generator<LogLine> {
  try {
    for (const line of linesOf(system, file, from)) if (line.isWhole) yield line;
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}
