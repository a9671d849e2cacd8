import type { System } from "../system/index.ts";

export interface LineOptions {
  readonly maxLineBytes: number;
  readonly chunkBytes: number;
  /** lines from the first of these numbers up to, not including, the second are passed over; the first line is 0 */
  readonly skip?: readonly [number, number];
}

export const LINE_OPTIONS: LineOptions = { maxLineBytes: 10 * 1024 * 1024, chunkBytes: 512 * 1024 };

/** A line of a file; `text` is undefined when the line is longer than the limit. */
export interface Line {
  readonly text: string | undefined;
}

const NEWLINE = 0x0a;

/**
 * The lines of a file of any size, holding one chunk and one line at a time. The last line needs no newline; a
 * file that grows while it is read is read as far as it goes.
 */
export function* readLines(
  system: Pick<System, "files" | "text">,
  path: string,
  options: LineOptions = LINE_OPTIONS,
): Generator<Line> {
  const [skipFrom, skipTo] = options.skip ?? [0, 0];
  let number = 0;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  const isWanted = () => number < skipFrom || number >= skipTo;
  const take = (piece: Uint8Array) => {
    pendingBytes += piece.length;
    if (pendingBytes > options.maxLineBytes || !isWanted()) pending = [];
    else if (piece.length > 0) pending.push(piece);
  };
  const finish = (): readonly Line[] => {
    const isTooLong = pendingBytes > options.maxLineBytes;
    const text = isTooLong || !isWanted() ? undefined : system.text.decode(join(pending, pendingBytes)).text;
    const lines = isWanted() ? [{ text }] : [];
    number++;
    pending = [];
    pendingBytes = 0;
    return lines;
  };

  for (let offset = 0; ; ) {
    const chunk = system.files.readRange(path, offset, options.chunkBytes);
    if (chunk.length === 0) break;
    offset += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      start = end + 1;
      yield* finish();
    }
    take(chunk.slice(start));
  }
  if (pendingBytes > 0) yield* finish();
}

/** How many lines a file has, without looking at any of them. */
export function countLines(
  { files }: Pick<System, "files">,
  path: string,
  chunkBytes: number = LINE_OPTIONS.chunkBytes,
): number {
  let count = 0;
  let isOpen = false;
  for (let offset = 0; ; ) {
    const chunk = files.readRange(path, offset, chunkBytes);
    if (chunk.length === 0) return isOpen ? count + 1 : count;
    offset += chunk.length;
    isOpen = chunk[chunk.length - 1] !== NEWLINE;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  }
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
