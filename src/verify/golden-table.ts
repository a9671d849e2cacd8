import { isJsonObject, type Json, type JsonObject } from "../protocol/index.ts";

/**
 * Reads a table of cases, one a line, and puts in what it names:
 * - `{"$use": "name", …}` is the fixture of that name; members beside it replace those of the fixture.
 * - `{{REPEAT 12000 x}}` in a text is that many times what follows the number.
 */
export function readTable(lines: string, fixtures: JsonObject): readonly JsonObject[] {
  const used = new Set<string>();
  const rows = lines
    .split("\n")
    .filter(line => line.trim() !== "")
    .map(line => expand(JSON.parse(line) as Json, fixtures, used))
    .filter(isJsonObject);
  const idle = Object.keys(fixtures).filter(name => !used.has(name));
  if (idle.length > 0) throw new Error(`no case uses the fixture ${idle.join(", ")}`);
  return rows;
}

function expand(value: Json, fixtures: JsonObject, used: Set<string>): Json {
  if (typeof value === "string")
    return value.replace(/\{\{REPEAT (\d+) (.+?)\}\}/gsu, (_, times, text) => text.repeat(Number(times)));
  if (Array.isArray(value)) return value.map(item => expand(item, fixtures, used));
  if (!isJsonObject(value)) return value;
  const { $use: name, ...members } = value;
  const own = Object.fromEntries(
    Object.entries(members).map(([key, member]) => [key, expand(member ?? null, fixtures, used)]),
  );
  if (name === undefined) return own;
  const fixture = typeof name === "string" ? fixtures[name] : undefined;
  if (typeof name !== "string" || fixture === undefined) throw new Error(`there is no fixture ${name}`);
  used.add(name);
  const base = expand(fixture, fixtures, used);
  if (Object.keys(own).length === 0) return base;
  if (!isJsonObject(base))
    throw new Error(`the fixture ${name} is not an object, so nothing can be added to it`);
  return { ...base, ...own };
}

/** One line of a table. */
export interface GoldenRow {
  readonly name: string;
  /** the payload as JSON, or the very text where that is the point */
  readonly input: string;
  readonly expected: JsonObject;
  readonly meta: JsonObject;
}

/** All cases of a table. Its `files` may hold `jsonl`, a list that becomes one line each. */
export function readGoldenTable(lines: string, fixtures: JsonObject): readonly GoldenRow[] {
  const names = new Set<string>();
  return readTable(lines, fixtures).map(({ name, input, expected, ...meta }) => {
    if (typeof name !== "string" || names.has(name))
      throw new Error(`the case ${name} needs a name of its own`);
    if (input === undefined || expected === undefined || !isJsonObject(expected))
      throw new Error(`the case ${name} lacks its input or expectation`);
    names.add(name);
    return {
      name,
      input: typeof input === "string" ? input : JSON.stringify(input),
      expected,
      meta: {
        ...meta,
        ...(isJsonObject(meta["files"] ?? null) ? { files: seedFiles(meta["files"] as JsonObject) } : {}),
      },
    };
  });
}

function seedFiles(files: JsonObject): JsonObject {
  const seeds = Object.entries(files).map(([path, file = null]) => {
    const lines = isJsonObject(file) ? file["jsonl"] : undefined;
    return [path, Array.isArray(lines) ? lines.map(line => `${JSON.stringify(line)}\n`).join("") : file];
  });
  return Object.fromEntries(seeds) as JsonObject;
}
