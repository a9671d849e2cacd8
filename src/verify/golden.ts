import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolveSubcommand } from "../hosts/index.ts";
import {
  errorText,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
  readJson,
} from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { compileGlob, join, matchesGlob } from "../system/index.ts";
import { redact } from "../text/index.ts";
import { canonicalText, type ExactJson, readExact } from "./json-equal.ts";
import type { BridgeScript, Seed, SeedFile } from "./sandbox.ts";

const TABLE = ".jsonl";

/** One recorded call: the exact stdin, the whole answer wanted, and what the sandbox needs. */
export interface GoldenCase {
  readonly event: string;
  readonly subcommand: string;
  readonly name: string;
  readonly input: Uint8Array;
  readonly expected: ExactJson;
  readonly exitCode: number;
  readonly stderrContains: readonly string[];
  readonly isPartial: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly seed: Seed;
}

export interface GoldenFilter {
  readonly event?: string | undefined;
  /** `*` and `?` over the case's name */
  readonly filter?: string | undefined;
}

/**
 * Every case below a folder: three files each in a folder named after the hook, or one line each in a table named after it.
 * An input without its expectation, or the reverse, is an error.
 */
export function findGoldenCases(folder: string, { event, filter }: GoldenFilter = {}): readonly GoldenCase[] {
  const isWanted = filter === undefined ? () => true : compileMatcher(filter);
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory() || entry.name.endsWith(TABLE))
    .flatMap(entry => {
      const hook = entry.isDirectory() ? entry.name : entry.name.slice(0, -TABLE.length);
      const subcommand = resolveSubcommand(hook);
      if (subcommand === undefined) throw new Error(`${join(folder, entry.name)} is named after no hook`);
      if (event !== undefined && subcommand.event !== event && subcommand.name !== event) return [];
      if (!entry.isDirectory())
        return readTableCases(folder, hook, subcommand.event, subcommand.name).filter(({ name }) =>
          isWanted(name),
        );
      return caseNames(join(folder, hook))
        .filter(isWanted)
        .map(name => readCase(join(folder, hook), name, subcommand.event, subcommand.name));
    });
}

function readTableCases(
  folder: string,
  hook: string,
  event: string,
  subcommand: string,
): readonly GoldenCase[] {
  const table = join(folder, `${hook}${TABLE}`);
  const fixtures = join(folder, `${hook}.fixtures.json`);
  const rows = attempt(table, () =>
    readGoldenTable(
      readFileSync(table, "utf8"),
      existsSync(fixtures) ? (JSON.parse(readFileSync(fixtures, "utf8")) as JsonObject) : {},
    ),
  );
  return rows.map(({ name, input, expected, meta }) => {
    const exact = readExact(JSON.stringify(expected));
    if (!exact.ok) throw new Error(`${table}: ${name}: ${exact.problem}`);
    return describeCase({ event, subcommand, name }, new TextEncoder().encode(input), exact.value, meta);
  });
}

function attempt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${path}: ${errorText(error)}`, { cause: error });
  }
}

function caseNames(folder: string): readonly string[] {
  const parts = new Map<string, Set<string>>();
  for (const file of readdirSync(folder)) {
    const found = /^(.+)\.(input|expected)\.json$/.exec(file);
    const [, name, part] = found ?? [];
    if (name !== undefined && part !== undefined) parts.set(name, (parts.get(name) ?? new Set()).add(part));
  }
  for (const [name, present] of parts) {
    if (present.size === 2) continue;
    const missing = present.has("input") ? "expected" : "input";
    throw new Error(
      `${join(folder, name)}.${missing}.json is missing: an input and its expectation come together`,
    );
  }
  return [...parts.keys()].sort();
}

function readCase(folder: string, name: string, event: string, subcommand: string): GoldenCase {
  const path = (part: string): string => join(folder, `${name}.${part}.json`);
  const expected = readExact(readFileSync(path("expected"), "utf8"));
  if (!expected.ok) throw new Error(`${path("expected")}: ${expected.problem}`);
  const meta = existsSync(path("meta")) ? (JSON.parse(readFileSync(path("meta"), "utf8")) as Json) : {};
  const input = readFileSync(path("input"));
  return describeCase(
    { event, subcommand, name },
    input,
    expected.value,
    meta,
    join(folder, `${name}.fixture`),
  );
}

function describeCase(
  called: Pick<GoldenCase, "event" | "subcommand" | "name">,
  input: Uint8Array,
  expected: ExactJson,
  meta: Json,
  fixtureFolder?: string,
): GoldenCase {
  return {
    ...called,
    input,
    expected,
    exitCode: numberAt(meta, "exit_code") ?? 0,
    stderrContains: textsAt(meta, "stderr_contains"),
    isPartial: isJsonObject(meta) && ownValue(meta, "partial") === true,
    env: recordAt(meta, "env") as Readonly<Record<string, string>>,
    args: textsAt(meta, "args"),
    seed: {
      fixtureFolder,
      files: recordAt(meta, "files") as Readonly<Record<string, SeedFile>>,
      bridge: isJsonObject(meta) && "bridge" in meta ? (recordAt(meta, "bridge") as BridgeScript) : undefined,
    },
  };
}

function numberAt(value: Json, key: string): number | undefined {
  const found = isJsonObject(value) ? ownValue(value, key) : undefined;
  return typeof found === "number" ? found : undefined;
}

function textsAt(value: Json, key: string): readonly string[] {
  const found = isJsonObject(value) ? ownValue(value, key) : undefined;
  return Array.isArray(found) ? found.filter(item => typeof item === "string") : [];
}

function recordAt(value: Json, key: string): Readonly<Record<string, unknown>> {
  const found = isJsonObject(value) ? ownValue(value, key) : undefined;
  return found !== undefined && isJsonObject(found) ? found : {};
}

function compileMatcher(pattern: string): (name: string) => boolean {
  const glob = compileGlob(pattern, "text");
  return name => matchesGlob(glob, name);
}

interface Capture {
  readonly folder: string;
  /** snake case */
  readonly hookName: string;
  readonly name: string;
  readonly input: Uint8Array;
  readonly inputText: string;
  readonly stdout: string;
  readonly exitCode: number;
  readonly durationUs: number;
  readonly isForced: boolean;
}

const NAME = /^[\w][\w.-]{0,99}$/;

export function isCaseName(name: string): boolean {
  return NAME.test(name);
}

/** Writes the golden files of one call: the exact input, the whole answer and what else it said. */
export function writeCapture(capture: Capture): readonly string[] {
  for (const [what, text] of [
    ["input", capture.inputText],
    ["answer", capture.stdout],
  ] as const) {
    if (redact(text) !== text)
      throw refusal(`the ${what} contains what looks like a secret`, "take it out, then record again");
  }
  const answer = capture.stdout.trim() === "" ? "{}" : capture.stdout.trim();
  const read = readExact(answer);
  if (!read.ok)
    throw refusal(`the answer is not JSON: ${read.problem}`, "record a program that answers in JSON");
  const table = join(capture.folder, `${capture.hookName}${TABLE}`);
  if (existsSync(table)) return [writeRow(table, capture, answer)];
  const folder = join(capture.folder, capture.hookName);
  const path = (part: string): string => join(folder, `${capture.name}.${part}.json`);
  const paths = [path("input"), path("expected"), path("meta")];
  const taken = paths.find(existsSync);
  if (taken !== undefined && !capture.isForced)
    throw refusal(`${taken} is already there`, "add --force to replace it");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path("input"), capture.input);
  // As it came: parsing and printing it again would round numbers beyond 2^53.
  writeFileSync(path("expected"), `${answer}\n`);
  writeFileSync(
    path("meta"),
    `${JSON.stringify({ exit_code: capture.exitCode, duration_us: capture.durationUs }, null, 2)}\n`,
  );
  return paths;
}

/** Where cases are lines of a table, a new one is a line too. */
function writeRow(table: string, { name, inputText, exitCode, isForced }: Capture, answer: string): string {
  const lines = readFileSync(table, "utf8")
    .trimEnd()
    .split("\n")
    .filter(line => line !== "");
  const readName = (line: string) =>
    attempt(table, () => (JSON.parse(line) as { readonly name?: unknown }).name);
  const at = lines.findIndex(line => readName(line) === name);
  if (at !== -1 && !isForced) throw refusal(`${table} has a case ${name}`, "add --force to replace it");
  const payload = readJson(inputText, { recover: false, maxDepth: 200 });
  const input = payload.ok && isJsonObject(payload.value) ? payload.value : inputText;
  const expected = JSON.parse(answer) as Json;
  for (const [what, text, value] of [
    ["input", inputText, input],
    ["answer", answer, expected],
  ] as const)
    if (typeof value !== "string" && !isKeptWhole(text, value))
      throw refusal(
        `the ${what} holds a number that a table cannot keep`,
        "give a folder without tables with --golden-dir",
      );
  const row = JSON.stringify({ name, input, expected, ...(exitCode === 0 ? {} : { exit_code: exitCode }) });
  const kept = at === -1 ? [...lines, row] : lines.with(at, row);
  writeFileSync(table, `${kept.join("\n")}\n`);
  return table;
}

/** JavaScript rounds numbers beyond 2^53. */
function isKeptWhole(text: string, value: Json): boolean {
  const [before, after] = [readExact(text), readExact(JSON.stringify(value))];
  return before.ok && after.ok && canonicalText(before.value) === canonicalText(after.value);
}

function refusal(message: string, fix: string): Problem {
  return new Problem(`nothing was recorded: ${message}`, { kind: "failed", fix });
}

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
