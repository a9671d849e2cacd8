import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { resolveSubcommand } from "../hosts/index.ts";
import { isJsonObject, type Json, ownValue } from "../protocol/index.ts";
import { compileGlob, matchesGlob } from "../system/index.ts";
import { type ExactJson, readExact } from "./exact-json.ts";
import type { BridgeScript, Seed, SeedFile } from "./sandbox.ts";

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

/** Every case below a folder. An input without its expectation, or the reverse, is an error. */
export function findGoldenCases(folder: string, { event, filter }: GoldenFilter = {}): readonly GoldenCase[] {
  const isWanted = filter === undefined ? () => true : matcherOf(filter);
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => ({ hook: entry.name, subcommand: resolveSubcommand(entry.name) }))
    .flatMap(({ hook, subcommand }) => {
      if (subcommand === undefined) throw new Error(`${join(folder, hook)} is named after no hook`);
      if (event !== undefined && subcommand.event !== event && subcommand.name !== event) return [];
      return caseNames(join(folder, hook))
        .filter(isWanted)
        .map(name => readCase(join(folder, hook), name, subcommand.event, subcommand.name));
    });
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
  const fixtureFolder = join(folder, `${name}.fixture`);
  return {
    event,
    subcommand,
    name,
    input: readFileSync(path("input")),
    expected: expected.value,
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

function matcherOf(pattern: string): (name: string) => boolean {
  const glob = compileGlob(pattern, "text");
  return name => matchesGlob(glob, name);
}
