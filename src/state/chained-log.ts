import { numberAt, parseJsonObject, stringAt } from "../protocol/index.ts";
import { type System, SystemError, sha256Hex } from "../system/index.ts";
import { withParents } from "./absent-files.ts";
import { FileLock } from "./file-lock.ts";
import { isTooLarge, putAway, type Rotation, rotationsOf } from "./rotate.ts";
import { serialise } from "./serialise.ts";

/**
 * A log of JSON lines in which every line has a number `seq` and carries in `prev` the SHA-256 of what stood at the end
 * of the log when it was written: the line before, and whatever was added behind that without a number. So what was
 * cut off by a crash, or written by an older version, is covered too. The first line of all has an empty `prev`.
 */
export interface ChainLink {
  readonly seq: number;
  readonly prev: string;
}

export interface ChainedAppendOptions {
  readonly rotation: Rotation;
  /** Default 2000. A line that waited longer is written without a number, so that it is not lost. */
  readonly lockTimeoutMs?: number;
}

export const FIRST_PREV = "";
/** Lines of our logs are flat; deeper ones are not ours. */
export const MAX_LINE_DEPTH = 10;
const TAIL_BYTES = 8 * 1024;
/** No line is this long, so that further back nothing is looked for. */
const MAX_TAIL_BYTES = 512 * 1024;
const DEFAULT_LOCK_TIMEOUT_MS = 2_000;
const NEWLINE = 10;

/** Appends `members` as the next line of the chain. A symlink is refused (`ELOOP`). */
export function appendChainedLine(
  system: System,
  path: string,
  members: Readonly<Record<string, unknown>>,
  { rotation, lockTimeoutMs: timeoutMs = DEFAULT_LOCK_TIMEOUT_MS }: ChainedAppendOptions,
): void {
  // Before the lock is taken, because a value that cannot be written needs none.
  const text = serialise(members, path, 0);
  const lock = new FileLock(`${path}.lock`, { system, timeoutMs });
  const isLocked = lock.tryAcquire();
  try {
    const facts = system.files.inspect(path);
    if (facts?.kind === "symlink") throw new SystemError("ELOOP", "append to", path);
    if (!isLocked) {
      append(system, path, `${text}\n`);
      return;
    }
    const end = readEnd(system, path);
    const isFull = isTooLarge(facts, rotation);
    if (isFull) putAway(system, path, rotation);
    const link = JSON.stringify({ seq: end.seq + 1, prev: end.hash }).slice(1);
    const comma = text === "{}" ? "" : ",";
    append(system, path, `${end.isTorn && !isFull ? "\n" : ""}${text.slice(0, -1)}${comma}${link}\n`);
  } finally {
    lock.release();
  }
}

function append(system: System, path: string, text: string): void {
  const { files } = system;
  withParents(files, path, undefined, () => files.append(path, system.text.encode(text), 0o600));
}

/** The place of a line in the chain; undefined for a line that has none. */
export function readLink(line: string): ChainLink | undefined {
  if (!line.includes('"prev"')) return undefined;
  const members = parseJsonObject(line, MAX_LINE_DEPTH);
  const [seq = 0, prev] = [numberAt(members, "seq"), stringAt(members, "prev")];
  if (!Number.isSafeInteger(seq) || seq < 1 || prev === undefined) return undefined;
  return prev === FIRST_PREV || /^[0-9a-f]{64}$/.test(prev) ? { seq, prev } : undefined;
}

/** The last line of a chain, by which somebody else can tell later that it was there. */
export interface ChainHead {
  readonly seq: number;
  /** SHA-256 of the line without its line break */
  readonly hash: string;
}

/** The last line with a number; undefined when there is none. */
export function findHead(system: Pick<System, "files" | "text">, path: string): ChainHead | undefined {
  for (const file of [path, ...rotationsOf(system, path)]) {
    const end = readEndOfFile(system, file);
    if (end !== undefined && end.seq > 0) return { seq: end.seq, hash: sha256Hex(end.line) };
  }
  return undefined;
}

interface FileEnd {
  /** of the last line with a number; 0 when there is none */
  readonly seq: number;
  /** that line, or the last of all when none has a number */
  readonly line: Uint8Array;
  /** everything from that line on */
  readonly span: Uint8Array;
  /** the last line has no end */
  readonly isTorn: boolean;
}

function readEnd(
  system: Pick<System, "files" | "text">,
  path: string,
): { readonly seq: number; readonly hash: string; readonly isTorn: boolean } {
  const candidates = (system.files.inspect(path)?.size ?? 0) > 0 ? [path] : rotationsOf(system, path);
  for (const file of candidates) {
    const end = readEndOfFile(system, file);
    if (end !== undefined)
      return { seq: end.seq, hash: sha256Hex(end.span), isTorn: end.isTorn && file === path };
  }
  return { seq: 0, hash: FIRST_PREV, isTorn: false };
}

/** Only the last lines are read, whatever the size of the file. */
function readEndOfFile(system: Pick<System, "files" | "text">, path: string): FileEnd | undefined {
  const size = system.files.inspect(path)?.size ?? 0;
  if (size === 0) return undefined;
  for (let length = TAIL_BYTES; ; length *= 4) {
    const from = Math.max(0, size - length);
    const bytes = system.files.readRange(path, from, size - from);
    const isTorn = bytes.at(-1) !== NEWLINE;
    const content = isTorn ? bytes : bytes.subarray(0, -1);
    let lastStart = 0;
    for (let end = content.length; end >= 0; ) {
      const start = end === 0 ? 0 : content.lastIndexOf(NEWLINE, end - 1) + 1;
      if (start === 0 && from > 0) break;
      if (end === content.length) lastStart = start;
      const line = content.subarray(start, end);
      const link = readLink(system.text.decode(line).text);
      if (link !== undefined) return { seq: link.seq, line, span: content.subarray(start), isTorn };
      end = start - 1;
    }
    if (from > 0 && length < MAX_TAIL_BYTES) continue;
    // The log is of an older version: the chain begins with the hash of its last line.
    const last = content.subarray(lastStart);
    return { seq: 0, line: last, span: last, isTorn };
  }
}
