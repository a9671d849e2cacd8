import { numberAt, parseJsonObject, stringAt } from "../protocol/index.ts";
import { type System, SystemError, sha256Hex } from "../system/index.ts";
import { count, numberedLines } from "../text/index.ts";
import { FileLock, serialise } from "./file-lock.ts";
import { isStateError, withParents } from "./files.ts";
import {
  isTooLarge,
  type LogLine,
  listRotations,
  logFiles,
  putAway,
  type Rotation,
  readLogLines,
} from "./log-file.ts";

/**
 * A log of JSON lines in which every line has a number `seq` and carries in `prev` the SHA-256 of what stood at the end
 * of the log when it was written: the line before, and whatever was added behind that without a number. So what was
 * cut off by a crash, or written by an older version, is covered too. The first line of all has an empty `prev`.
 */
interface ChainLink {
  readonly seq: number;
  readonly prev: string;
}

interface ChainedAppendOptions {
  readonly rotation: Rotation;
  /** Default 2000. A line that waited longer is written without a number, so that it is not lost. */
  readonly lockTimeoutMs?: number;
}

export const FIRST_PREV = "";
/** Lines of our logs are flat; deeper ones are not ours. */
const MAX_LINE_DEPTH = 10;
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

/** The last line of a chain, kept elsewhere as proof that it existed. */
export interface ChainHead {
  readonly seq: number;
  /** SHA-256 of the line without its line break */
  readonly hash: string;
}

/** The last line with a number; undefined when there is none. */
export function findHead(system: Pick<System, "files" | "text">, path: string): ChainHead | undefined {
  for (const file of [path, ...listRotations(system, path)]) {
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
  const candidates = (system.files.inspect(path)?.size ?? 0) > 0 ? [path] : listRotations(system, path);
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

export type ChainBreakKind = "changed" | "removed" | "inserted" | "reordered" | "truncated";

export interface ChainBreak {
  readonly kind: ChainBreakKind;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A head that was noted elsewhere, perhaps without its number. */
type NotedHead = Pick<ChainHead, "hash"> & { readonly seq: number | undefined };

export interface ChainReport {
  readonly files: readonly string[];
  readonly lines: number;
  /** lines with a number of their own */
  readonly chained: number;
  readonly head: ChainHead | undefined;
  readonly broken: ChainBreak | undefined;
  /** what is unusual and still whole */
  readonly notes: readonly string[];
  /** what no reader of this log alone can know */
  readonly unknown: readonly string[];
}

interface VerifyOptions {
  /** how many files rotation keeps: where there are fewer, it removed none */
  readonly keep: number;
  /** a head that was noted elsewhere and must be in the log */
  readonly head?: NotedHead | undefined;
}

type LogSystem = Pick<System, "files" | "text">;

/** A line with a number, and what stands from it on until the next one. */
interface Span extends Pick<LogLine, "file" | "line">, ChainLink {
  /** of the line alone */
  readonly hash: string;
  readonly parts: Uint8Array[];
  /** the first line behind it that has no number */
  unnumbered?: Pick<LogLine, "file" | "line">;
}

/** Checks every line of a chained log, put-away files included, up to the first break. */
export function verifyChain(system: LogSystem, path: string, options: VerifyOptions): ChainReport {
  const found = logFiles(system, path);
  const unusable = unusableFile(system, path, found);
  if (unusable !== undefined) return new ChainWalk(system, found, options).report(unusable);
  const files = inChainOrder(system, found);
  const walk = new ChainWalk(system, files, options);
  for (const file of files) {
    for (const line of readLogLines(system, file)) {
      const broken = walk.take(line);
      if (broken !== undefined) return walk.report(broken);
    }
  }
  return walk.report(walk.checkForeign() ?? walk.checkHead());
}

/** Something else in the place of the log, or a line that is too long to be one of ours. */
function unusableFile(system: LogSystem, path: string, files: readonly string[]): ChainBreak | undefined {
  const kind = system.files.follow(path)?.kind;
  if (kind !== undefined && kind !== "file")
    return { kind: "changed", file: path, line: 0, message: "it is not a file" };
  for (const file of files) {
    let line = 0;
    try {
      for (const one of readLogLines(system, file)) line = one.line;
    } catch (error) {
      if (!isStateError(error, "malformed")) throw error;
      const message = "it is too long for a line of this log";
      return { kind: "changed", file, line: line + 1, message };
    }
  }
  return undefined;
}

/** `123:hash`, or the hash alone; undefined for anything else. */
export function parseHead(text: string): NotedHead | undefined {
  const [, seq, hash] = /^(?:([1-9]\d{0,15}):)?([0-9a-f]{64})$/.exec(text.trim().toLowerCase()) ?? [];
  if (hash === undefined) return undefined;
  return { hash, seq: seq === undefined ? undefined : Number(seq) };
}

/** By their first numbers: names hold local times, which go back once a year. */
function inChainOrder(system: LogSystem, files: readonly string[]): readonly string[] {
  if (files.length < 2) return files;
  const firsts = new Map(files.map(file => [file, firstSeq(system, file)]));
  const [current = "", ...older] = [...files].reverse();
  return [...older.reverse().sort((a, b) => (firsts.get(a) ?? 0) - (firsts.get(b) ?? 0)), current];
}

function firstSeq(system: LogSystem, file: string): number {
  for (const { bytes } of readLogLines(system, file)) {
    const link = readLink(system.text.decode(bytes).text);
    if (link !== undefined) return link.seq;
  }
  return 0;
}

class ChainWalk {
  private readonly system: LogSystem;
  private readonly files: readonly string[];
  private readonly options: VerifyOptions;
  private lines = 0;
  private chained = 0;
  /** lines before the first with a number */
  private older = 0;
  private firstSeq = 0;
  private lastOlder: Uint8Array | undefined;
  /** the first line before those with a number that is no JSON object */
  private foreign: LogLine | undefined;
  private span: Span | undefined;
  private isHeadSeen = false;
  private readonly notes: string[] = [];

  constructor(system: LogSystem, files: readonly string[], options: VerifyOptions) {
    this.system = system;
    this.files = files;
    this.options = options;
  }

  take(line: LogLine): ChainBreak | undefined {
    this.lines++;
    if (!line.isWhole) this.notes.push(`line ${line.line} of ${line.file} was cut off while it was written`);
    const link = readLink(this.system.text.decode(line.bytes).text);
    if (link === undefined) {
      if (this.span === undefined) {
        [this.older, this.lastOlder] = [this.older + 1, line.bytes];
        if (this.foreign === undefined && line.isWhole && !this.isObject(line)) this.foreign = line;
      } else {
        this.span.unnumbered ??= line;
        this.span.parts.push(line.bytes);
      }
      return undefined;
    }
    const before = this.span;
    const broken =
      before === undefined ? this.checkBeginning(line, link) : this.checkLink(before, line, link);
    if (broken !== undefined) return broken;
    this.noteUnnumbered(before);
    this.chained++;
    const hash = sha256Hex(line.bytes);
    this.span = { file: line.file, line: line.line, ...link, hash, parts: [line.bytes] };
    const { head } = this.options;
    if (head?.hash === hash && (head.seq ?? link.seq) === link.seq) this.isHeadSeen = true;
    return undefined;
  }

  private checkBeginning({ file, line }: LogLine, { seq, prev }: ChainLink): ChainBreak | undefined {
    this.firstSeq = seq;
    const told = (message: string): ChainBreak => ({ kind: "removed", file, line, message });
    if (seq > 1 || (this.lastOlder === undefined && prev !== FIRST_PREV)) {
      // Rotation removes the oldest file only when there are more than it keeps.
      if (this.files.length - 1 < this.options.keep)
        return told(
          seq > 1 ? `missing before it: ${count(seq - 1, "line")}` : "the lines before it are missing",
        );
      this.notes.push(`the log begins with number ${seq}: older lines are no longer kept`);
      return undefined;
    }
    if (this.lastOlder === undefined || prev === sha256Hex(this.lastOlder)) return undefined;
    return { ...told("the line before it, of an older version, was changed or removed"), kind: "changed" };
  }

  private checkLink(before: Span, { file, line }: LogLine, { seq, prev }: ChainLink): ChainBreak | undefined {
    const isNext = seq === before.seq + 1;
    if (isNext && prev === spanHash(before)) return undefined;
    const at = (kind: ChainBreakKind, message: string): ChainBreak => ({ kind, file, line, message });
    const where = `line ${before.line} of ${before.file}`;
    const { unnumbered } = before;
    if (isNext && unnumbered !== undefined && prev === before.hash) {
      const message = `it was not there when line ${line} of ${file} was written`;
      return { kind: "inserted", file: unnumbered.file, line: unnumbered.line, message };
    }
    if (isNext) {
      const message = `it was changed after it was written, or the line after it was: number ${seq} does not match it`;
      return { kind: "changed", file: before.file, line: before.line, message };
    }
    if (seq > before.seq + 1) {
      return this.countFrom(before.seq + 1) > 0
        ? at(
            "reordered",
            `number ${seq} follows number ${before.seq}, and number ${before.seq + 1} is elsewhere`,
          )
        : at("removed", `missing between it and ${where}: ${numberedLines(before.seq + 1, seq - 1)}`);
    }
    return this.countFrom(seq) > 1
      ? at("inserted", `number ${seq} is there twice: this line or ${where} was put in`)
      : at("reordered", `number ${seq} follows number ${before.seq}`);
  }

  /** Read again from the beginning, because it is needed for a broken log only. */
  private countFrom(seq: number): number {
    let found = 0;
    for (const file of this.files) {
      for (const { bytes } of readLogLines(this.system, file)) {
        if (readLink(this.system.text.decode(bytes).text)?.seq === seq) found++;
      }
    }
    return found;
  }

  private noteUnnumbered(span: Span | undefined): void {
    if (span === undefined || span.parts.length === 1) return;
    this.notes.push(
      `without a number, after line ${span.line} of ${span.file}: ${count(span.parts.length - 1, "line")}, cut off, written while the log was locked, or by an older version; the next line with a number covers them`,
    );
  }

  private isObject({ bytes }: LogLine): boolean {
    return parseJsonObject(this.system.text.decode(bytes).text, MAX_LINE_DEPTH) !== undefined;
  }

  /** Without a single number nothing covers what is there: then it must at least be a log. */
  checkForeign(): ChainBreak | undefined {
    if (this.chained > 0 || this.foreign === undefined) return undefined;
    const { file, line } = this.foreign;
    return { kind: "changed", file, line, message: "it is not a line of an audit log" };
  }

  checkHead(): ChainBreak | undefined {
    const { head } = this.options;
    if (head === undefined || this.isHeadSeen) return undefined;
    const { seq } = head;
    const { file = this.files.at(-1) ?? "", line = 0, seq: last = 0 } = this.span ?? {};
    if (seq !== undefined && seq < this.firstSeq) {
      this.notes.push(`the head with number ${seq} is older than what is kept and cannot be looked up`);
      return undefined;
    }
    const at = (kind: ChainBreakKind, message: string): ChainBreak => ({ kind, file, line, message });
    if (seq === undefined)
      return at(
        "truncated",
        "no line has the hash of the head: the log was cut off at its end, or rewritten",
      );
    return seq > last
      ? at(
          "truncated",
          `the log ends with number ${last}, and the head has number ${seq}; missing: ${count(seq - last, "line")}`,
        )
      : at("changed", `number ${seq} is not the line that the head names: the log was rewritten`);
  }

  report(broken: ChainBreak | undefined): ChainReport {
    const { span, notes, older } = this;
    if (older > 0)
      notes.unshift(`of an older version, without hashes: ${count(older, "line")} at the beginning`);
    if (broken === undefined && span !== undefined && span.parts.length > 1)
      notes.push(
        `without a number at the end: ${count(span.parts.length - 1, "line")}; nothing covers them yet`,
      );
    const isHeadKnown = this.options.head !== undefined && this.isHeadSeen;
    const rest = isHeadKnown ? "after the line of the head " : "";
    const unknown = [
      `whether lines ${rest}were cut off at the end, or rewritten with new hashes: compare with a head that was kept elsewhere (verify --head), or with what was shipped (verify --url)`,
    ];
    return {
      files: this.files,
      lines: this.lines,
      chained: this.chained,
      head: span === undefined ? undefined : { seq: span.seq, hash: span.hash },
      broken,
      notes,
      unknown,
    };
  }
}

function spanHash({ hash, parts }: Span): string {
  if (parts.length === 1) return hash;
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length + 1, -1));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length + 1;
    if (at <= all.length) all[at - 1] = 10;
  }
  return sha256Hex(all);
}
