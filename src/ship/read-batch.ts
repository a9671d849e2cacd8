import { shortHash } from "../memory/index.ts";
import {
  type Json,
  type JsonObject,
  numberAt,
  parseJsonObject,
  StrictMembers,
  stringAt,
  stringsAt,
} from "../protocol/index.ts";
import { AtomicJsonFile, type LogLine, logFiles, readLogLines } from "../state/index.ts";
import { hasErrorCode, join, type System, sha256Hex } from "../system/index.ts";

export const LOG_NAMES = ["audit", "runs"] as const;
export type LogName = (typeof LOG_NAMES)[number];

/** A place in a log that rotates. A file is known by the hash of its first line, because rotation changes its name. */
interface LogPosition {
  readonly first: string;
  readonly offset: number;
}

/** Sums since the checkpoint was made, sent whole each time: so one that arrives twice changes nothing. */
export type Totals = Readonly<Record<string, number>>;

/** How far one target has acknowledged everything. Written after the acknowledgement, never before. */
export interface ShipCheckpoint {
  readonly target: string;
  readonly startedMs: number;
  readonly logs: Readonly<Partial<Record<LogName, LogPosition>>>;
  readonly totals: Totals;
}

/** `~A/ship/<hash of the target>.json`: every target has a checkpoint of its own. */
export function checkpointFile(
  system: System,
  stateHome: string,
  target: string,
): AtomicJsonFile<ShipCheckpoint> {
  const name = sha256Hex(system.text.encode(target)).slice(0, 16);
  return new AtomicJsonFile(join(stateHome, "ship", `${name}.json`), { system, parse: parseCheckpoint });
}

function parseCheckpoint(value: Json): ShipCheckpoint {
  const members = new StrictMembers(value);
  const logs = (value as JsonObject)["logs"] ?? {};
  const totals = Object.entries(((value as JsonObject)["totals"] ?? {}) as JsonObject);
  return {
    target: members.string("target"),
    startedMs: members.count("startedMs"),
    logs: Object.fromEntries(
      LOG_NAMES.flatMap(name => {
        const position = (logs as JsonObject)[name];
        if (position === undefined) return [];
        const place = new StrictMembers(position, `logs.${name}`);
        return [[name, { first: place.string("first"), offset: place.count("offset") }] as const];
      }),
    ),
    totals: Object.fromEntries(
      totals.filter((entry): entry is [string, number] => typeof entry[1] === "number"),
    ),
  };
}

export interface ShippedLine {
  readonly log: LogName;
  /** the same whenever this line is read again, and of no other line */
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

interface LogBatch {
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
    for (const line of readLogLines(system, file, from)) if (line.isWhole) yield line;
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}

/** Of a line, what may leave this machine, mostly under the names of the log. Targets send this and nothing else. */
export type SharedFields = Readonly<Record<string, string | number | readonly string[]>>;

const TEXTS = "ts host session tool call level prev verdict hook event result decision answered".split(" ");
const NUMBERS = ["seq", "duration_us", "context"];
const LISTS = ["rules"];
/** What people typed and named: only when it was asked for. */
const CONTENT_TEXTS = "command cwd project error failure".split(" ");
const CONTENT_LISTS = ["paths", "targets"];

const MAX_DEPTH = 10;

export function parseLine(text: string): JsonObject | undefined {
  return parseJsonObject(text, MAX_DEPTH);
}

export function sharedFields(line: JsonObject, hasContent: boolean): SharedFields {
  const project = stringAt(line, "project");
  const texts = hasContent ? [...TEXTS, ...CONTENT_TEXTS] : TEXTS;
  const lists = hasContent ? [...LISTS, ...CONTENT_LISTS] : LISTS;
  const fields: Record<string, string | number | readonly string[] | undefined> = {
    ...Object.fromEntries(texts.map(name => [name, stringAt(line, name)])),
    ...Object.fromEntries(NUMBERS.map(name => [name, numberAt(line, name)])),
    ...Object.fromEntries(lists.map(name => [name, stringsAt(line, name)])),
    // Tells projects apart without naming them.
    project_id: project === undefined ? undefined : shortHash(project),
    // Which rules fell silent because a copy was made; what was copied is content.
    notes: stringsAt(line, "notes").flatMap(note => /^kept: \S+ /.exec(note)?.[0] ?? []),
  };
  const given = Object.entries(fields).filter(
    (field): field is [string, string | number | readonly string[]] =>
      field[1] !== undefined && !(Array.isArray(field[1]) && field[1].length === 0),
  );
  return Object.fromEntries(given);
}

const MAX_MS = Date.UTC(9999, 11, 31);

/** When the line was written, as far as it tells; else now. */
export function recordTime(fields: SharedFields, nowMs: number): number {
  const ms = Date.parse(stringAt(fields, "ts") ?? "");
  return ms >= 0 && ms <= MAX_MS ? ms : nowMs;
}
