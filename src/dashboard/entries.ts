import { type Config, type GuardSettings, type HistorySettings, loadConfig } from "../config/index.ts";
import { findRule } from "../guard/index.ts";
import { auditFile } from "../hooks/index.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  stringAt,
  stringsAt,
} from "../protocol/index.ts";
import { listRotations, MEMORY_DATABASE, requireDirectories } from "../state/index.ts";
import { hasErrorCode, join, type System } from "../system/index.ts";
import { clip } from "../text/index.ts";
import type { PriceList } from "../transcripts/index.ts";

/** Whose machine an entry comes from, where it is not this one. */
export interface Origin {
  readonly team: string;
  /** who connected, as the server knows it */
  readonly person: string;
  readonly machine: string;
}

/** One call of a hook, as the page shows it. Texts are clipped; `number` counts from the oldest that was read. */
export interface RunEntry {
  readonly number: number;
  readonly origin?: Origin;
  readonly ts: string;
  readonly atMs: number;
  readonly host: string;
  readonly event: string;
  readonly hook: string;
  readonly decision: string;
  readonly rules: readonly string[];
  /** in the person's place, and by what; empty where they were not answered for */
  readonly answered: string;
  readonly reason: string;
  readonly ms: number;
  /** why policy could not run; empty when it could */
  readonly failure: string;
  readonly session: string;
  readonly project: string;
  /** canonical name, and the host's id of the call; empty where the event is about no tool */
  readonly tool: string;
  readonly call: string;
  /** characters of context that the model was given */
  readonly contextLength: number;
  /** where the host records the session; empty where that was not told */
  readonly transcript: string;
}

/** One thing that the guard asked about, refused or remarked on. */
export interface JudgementEntry {
  readonly number: number;
  readonly origin?: Origin;
  readonly ts: string;
  readonly atMs: number;
  readonly host: string;
  readonly decision: string;
  readonly tool: string;
  readonly rules: readonly string[];
  readonly reason: string;
  /** the command without its secrets, or the paths */
  readonly subject: string;
  readonly session: string;
  readonly project: string;
  /** the host's id of the call; empty where it has none */
  readonly call: string;
  /** how a person can allow it; empty where the log does not say */
  readonly hint: string;
  /** it passed because what it could lose was kept first */
  readonly isKept: boolean;
}

const WORD_LENGTH = 80;
const TEXT_LENGTH = 400;
const MAX_RULES = 8;

/** An entry that has no number yet. */
export type NewEntry<E> = Omit<E, "number">;

export function parseRun(line: string): NewEntry<RunEntry> | undefined {
  return readRun(parseObject(line));
}

export function parseJudgement(line: string): NewEntry<JudgementEntry> | undefined {
  return readJudgement(parseObject(line));
}

/** Undefined when the line is not one that a hook writes. */
export function readRun(record: JsonObject | undefined): NewEntry<RunEntry> | undefined {
  if (record === undefined) return undefined;
  const time = timestamp(record);
  const hook = word(record, "hook");
  const duration = numberAt(record, "duration_us") ?? -1;
  if (time === undefined || hook === "" || !(duration >= 0)) return undefined;
  const rules = texts(record, "rules", WORD_LENGTH);
  const result = word(record, "result");
  // Every entry has the same members in the same order: a hundred thousand of them are read fast then.
  return {
    ts: time.ts,
    atMs: time.atMs,
    host: word(record, "host") || "unknown",
    event: word(record, "event"),
    hook,
    decision: word(record, "decision") || "none",
    rules,
    answered: word(record, "answered"),
    reason: rules.map(ruleTitle).join("; "),
    ms: duration / 1000,
    failure: result === "ok" ? "" : text(record, "error") || result || "unknown",
    session: word(record, "session"),
    project: text(record, "project"),
    tool: word(record, "tool"),
    call: word(record, "call"),
    contextLength: numberAt(record, "context") ?? 0,
    transcript: text(record, "transcript"),
  };
}

/** Undefined when the line is not one of the audit log. */
export function readJudgement(record: JsonObject | undefined): NewEntry<JudgementEntry> | undefined {
  if (record === undefined) return undefined;
  const time = timestamp(record);
  const decision = word(record, "verdict");
  if (time === undefined || decision === "") return undefined;
  const found = texts(record, "rules", WORD_LENGTH);
  const targets = texts(record, "targets", TEXT_LENGTH);
  const { kept, notes } = readNotes([...texts(record, "notes", TEXT_LENGTH), text(record, "failure")]);
  const rules = [...new Set([...found, ...kept])];
  const about = [...new Set(targets)].filter(target => target !== "").join(", ");
  const [person = "", ...hint] = (stringAt(record, "person") ?? "").split("\n");
  const told =
    withoutRules(person) || [rules.map(ruleTitle).join("; "), about].filter(part => part !== "").join(": ");
  return {
    ts: time.ts,
    atMs: time.atMs,
    host: word(record, "host") || "unknown",
    decision,
    tool: word(record, "tool"),
    rules,
    reason: clip([told, ...notes].filter(part => part !== "").join("; "), TEXT_LENGTH),
    subject: text(record, "command") || texts(record, "paths", TEXT_LENGTH).join(", "),
    session: word(record, "session"),
    project: text(record, "project"),
    call: word(record, "call"),
    hint: clip(hint.join(" "), TEXT_LENGTH),
    isKept: decision === "allow" && kept.length > 0,
  };
}

/** What the guard tells people, without the ids of rules, which stand beside it. */
function withoutRules(person: string): string {
  return person.replace(/(?:^|Also )\[[\w.-]+\]:? /g, "");
}

/** Rules whose questions fell away because a copy was made or nothing is lost, and the other notes. */
function readNotes(texts: readonly string[]): {
  readonly kept: readonly string[];
  readonly notes: readonly string[];
} {
  const read = texts.map(note => ({ note, settled: /^(kept|loses nothing): (\S+) /.exec(note) }));
  return {
    kept: read.flatMap(({ settled }) => (settled?.[1] === "kept" ? [settled[2] ?? ""] : [])),
    notes: read.flatMap(({ note, settled }) => (settled === null ? [note] : [])),
  };
}

/** A rule of the user's own has no title here; its id speaks for it. */
function ruleTitle(rule: string): string {
  return findRule(rule)?.title ?? rule;
}

/** Only members of the line itself are looked at, so that its depth does not matter: a log has hundreds of thousands. */
function parseObject(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const WRITTEN_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function timestamp(record: JsonObject): { readonly ts: string; readonly atMs: number } | undefined {
  const written = word(record, "ts");
  const atMs = Date.parse(written);
  if (!Number.isFinite(atMs)) return undefined;
  return { ts: WRITTEN_TIME.test(written) ? written : new Date(atMs).toISOString(), atMs };
}

function word(record: JsonObject, name: string): string {
  return clip(stringAt(record, name) ?? "", WORD_LENGTH);
}

function text(record: JsonObject, name: string): string {
  return clip(stringAt(record, name) ?? "", TEXT_LENGTH);
}

function texts(record: JsonObject, name: string, length: number): readonly string[] {
  return stringsAt(record, name)
    .slice(0, MAX_RULES)
    .map(item => clip(item, length));
}

/** Where the things lie that the page shows. */
export interface DataFiles {
  readonly stateHome: string;
  readonly runs: string;
  readonly audit: string;
  readonly recipeRuns: string;
  readonly database: string;
  readonly home: string;
  readonly history: HistorySettings;
  readonly guard: GuardSettings;
  readonly prices: PriceList;
  readonly budget: Config["budget"];
}

/** Where this user's logs and memories lie. What is wrong in configuration files is told to `warn`. */
export function findDataFiles(system: System, warn: (message: string) => void): DataFiles {
  const directories = requireDirectories(system);
  const { home, stateHome } = directories;
  const { config, notices } = loadConfig(system, directories);
  for (const notice of notices) warn(`Warning: ${notice.message}\n`);
  return {
    stateHome,
    runs: join(stateHome, "logs", "runs.jsonl"),
    audit: auditFile(config.guard, stateHome, home),
    recipeRuns: join(stateHome, "recipes", "runs"),
    database: join(stateHome, MEMORY_DATABASE),
    home,
    history: config.history,
    guard: config.guard,
    prices: config.prices,
    budget: config.budget,
  };
}

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

interface Position {
  offset: number;
  /** inside a line that is longer than a chunk */
  isSkipping: boolean;
}

interface LogChunk {
  readonly lines: readonly string[];
  /** lines too long to be read */
  readonly skipped: number;
}

/**
 * Reads a log that others write to, piece by piece: put-away files first, then the one being written. Asked again
 * it goes on where it stopped, also when the log was rotated meanwhile. An unfinished last line waits for its end.
 */
export class LogReader {
  private readonly system: Pick<System, "files" | "text">;
  private readonly path: string;
  /** by the identity of the file, because rotation changes its name */
  private positions = new Map<string, Position>();

  constructor(system: Pick<System, "files" | "text">, path: string) {
    this.system = system;
    this.path = path;
  }

  *read(): Generator<LogChunk> {
    const { files } = this.system;
    const seen = new Map<string, Position>();
    for (const path of [...listRotations(this.system, this.path)].reverse().concat(this.path)) {
      const facts = files.follow(path);
      if (facts?.kind !== "file") continue;
      const position = this.positions.get(facts.identity) ?? { offset: 0, isSkipping: false };
      // A file that shrank was emptied and starts again.
      if (facts.size < position.offset) Object.assign(position, { offset: 0, isSkipping: false });
      seen.set(facts.identity, position);
      if (facts.size > position.offset) yield* this.readFile(path, position);
    }
    this.positions = seen;
  }

  /**
   * What is there now, the newest lines first and each piece in its own order; `read` goes on behind it. Whoever needs
   * the newest lines alone leaves off when they are old enough.
   */
  *readBack(): Generator<LogChunk> {
    const { files } = this.system;
    const found = [this.path, ...listRotations(this.system, this.path)].flatMap(path => {
      const facts = files.follow(path);
      return facts?.kind === "file" ? [{ path, identity: facts.identity, size: facts.size }] : [];
    });
    this.positions = new Map(
      found.map(({ identity, size }) => [identity, { offset: size, isSkipping: false }]),
    );
    for (const { path, identity, size } of found) yield* this.readFileBack(path, identity, size);
  }

  private *readFileBack(path: string, identity: string, size: number): Generator<LogChunk> {
    let end = size;
    let isCut = false;
    while (end > 0) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const bytes = this.readPiece(path, identity, start, end - start);
      if (bytes === undefined) return;
      if (end === size && path === this.path) this.waitForEnd(identity, bytes, end);
      // What ends this piece is a whole line, except at the end of the file and inside of a line that is too long.
      const until = end === size || isCut ? bytes.lastIndexOf(NEWLINE) + 1 : bytes.length;
      const first = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      const isTooLong = start > 0 && (first === 0 || start + first >= end);
      if (isTooLong) {
        if (until > 0) yield { lines: [], skipped: 1 };
        isCut = true;
        end = start;
        continue;
      }
      const { text } = this.system.text.decode(bytes.subarray(first, Math.max(first, until)));
      yield { lines: text.split("\n").filter(line => line.trim() !== ""), skipped: 0 };
      isCut = false;
      end = start + first;
    }
  }

  /** A last line that is being written is read when it is whole. */
  private waitForEnd(identity: string, bytes: Uint8Array, end: number): void {
    const position = this.positions.get(identity);
    const last = bytes.lastIndexOf(NEWLINE) + 1;
    if (position === undefined || last === bytes.length) return;
    if (last > 0 || bytes.length === end) position.offset = end - bytes.length + last;
    else position.isSkipping = true;
  }

  /** Of this very file, wherever rotation has put it since. */
  private readPiece(path: string, identity: string, start: number, length: number): Uint8Array | undefined {
    const { files } = this.system;
    const now = [path, ...listRotations(this.system, this.path)].find(
      one => files.follow(one)?.identity === identity,
    );
    return now === undefined ? undefined : files.readRange(now, start, length);
  }

  private *readFile(path: string, position: Position): Generator<LogChunk> {
    for (;;) {
      let bytes: Uint8Array;
      try {
        bytes = this.system.files.readRange(path, position.offset, CHUNK_BYTES);
      } catch (error) {
        // Rotated away since it was listed; its new name is read the next time.
        if (hasErrorCode(error, "ENOENT")) return;
        throw error;
      }
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      if (end === 0) {
        if (bytes.length < CHUNK_BYTES) return;
        position.offset += bytes.length;
        if (!position.isSkipping) yield { lines: [], skipped: 1 };
        position.isSkipping = true;
        continue;
      }
      const start = position.isSkipping ? bytes.indexOf(NEWLINE) + 1 : 0;
      position.isSkipping = false;
      position.offset += end;
      const { text } = this.system.text.decode(bytes.subarray(start, end));
      yield { lines: text.split("\n").filter(line => line.trim() !== ""), skipped: 0 };
    }
  }
}

export interface EntryBatch {
  /** oldest first */
  readonly runs: readonly NewEntry<RunEntry>[];
  readonly judgements: readonly NewEntry<JudgementEntry>[];
  /** how many could not be understood */
  readonly unreadable: number;
}

/** Where entries come from. Asked again it goes on where it stopped. */
export interface EntrySource {
  read(): Iterable<EntryBatch> | AsyncIterable<EntryBatch>;
  /** What is there now, the newest batch first, before `read` is asked: a first page waits for little of it. */
  readBack?(): Iterable<EntryBatch>;
}

/** The logs of this machine. */
export class LogSource implements EntrySource {
  private readonly runs: LogReader;
  private readonly audit: LogReader;
  private readonly sinceMs: number;

  /** `sinceMs` leaves out what is older, as far as that saves reading. */
  constructor(system: System, { runs, audit }: Pick<DataFiles, "runs" | "audit">, sinceMs = 0) {
    this.sinceMs = sinceMs;
    this.runs = new LogReader(system, runs);
    this.audit = new LogReader(system, audit);
  }

  *read(): Generator<EntryBatch> {
    for (const chunk of this.runs.read()) yield runBatch(chunk);
    for (const chunk of this.audit.read()) yield judgementBatch(chunk);
  }

  private isTooOld({ runs, judgements }: EntryBatch): boolean {
    const [first] = [...runs.slice(0, 1), ...judgements.slice(0, 1)];
    return first !== undefined && first.atMs < this.sinceMs;
  }

  /** Both logs by turns, so that what belongs together is there together. */
  *readBack(): Generator<EntryBatch> {
    const logs = [batches(this.runs, runBatch), batches(this.audit, judgementBatch)];
    while (logs.length > 0)
      for (const log of [...logs]) {
        const next = log.next();
        if (next.done === true || this.isTooOld(next.value)) logs.splice(logs.indexOf(log), 1);
        if (next.done !== true) yield next.value;
      }
  }
}

function* batches(
  reader: LogReader,
  toBatch: (chunk: LogChunk) => EntryBatch,
): Generator<EntryBatch, undefined> {
  for (const chunk of reader.readBack()) yield toBatch(chunk);
}

function runBatch({ lines, skipped }: LogChunk): EntryBatch {
  const runs = lines.flatMap(line => parseRun(line) ?? []);
  return { runs, judgements: [], unreadable: skipped + lines.length - runs.length };
}

function judgementBatch({ lines, skipped }: LogChunk): EntryBatch {
  const judgements = lines.flatMap(line => parseJudgement(line) ?? []);
  return { runs: [], judgements, unreadable: skipped + lines.length - judgements.length };
}
