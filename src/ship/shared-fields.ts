import { shortHash } from "../memory/index.ts";
import { type JsonObject, numberAt, parseJsonObject, stringAt, stringsAt } from "../protocol/index.ts";

/** Of a line, what may leave this machine, mostly under the names of the log. Targets send this and nothing else. */
export type SharedFields = Readonly<Record<string, string | number | readonly string[]>>;

const TEXTS = "ts host session tool call level prev verdict hook event result decision".split(" ");
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
export function timeOf(fields: SharedFields, nowMs: number): number {
  const ms = Date.parse(stringAt(fields, "ts") ?? "");
  return ms >= 0 && ms <= MAX_MS ? ms : nowMs;
}
