import { isJsonObject, type Json, type JsonObject } from "../../src/protocol/index.ts";
import { FileLock } from "../../src/state/index.ts";
import type { MemorySystem } from "../../src/system/memory.ts";
import { type GoldenCase, type GoldenRun, goldenCases } from "../golden/golden-case.ts";
import { differences } from "../golden/matches.ts";

/**
 * Golden cases that between them touch every kind of state. `decides`: the answer must stand whatever becomes of
 * the files; the others may lose what they read from them, and then still answer in the host's form.
 */
const CHOSEN: readonly (readonly [hook: string, name: string, decides: boolean])[] = [
  ["pre_tool_use", "cwd-delete-dot", true],
  ["pre_tool_use", "git-reset", true],
  ["pre_tool_use", "sec-exfil-curl-data", true],
  ["pre_tool_use", "pass-regenerable", true],
  ["post_tool_use", "error-Write", true],
  ["post_tool_use", "track-counts-ls", false],
  ["post_tool_use", "track-warns-at-third", false],
  ["post_tool_use", "dedupe-first", false],
  ["stop", "lock-own-session", false],
  ["stop", "steering-all-done", false],
  ["stop", "reflection-findings", false],
  ["session_start", "gitignore-kept", false],
  ["session_stop", "transcript-text", false],
  ["user_prompt_submit", "both-parts", false],
  ["pre_compact", "transcript-claude", false],
];

export interface Scene {
  readonly title: string;
  readonly golden: GoldenCase;
  readonly decides: boolean;
}

export function scenes(): readonly Scene[] {
  return SCENES;
}

/** One case by its name; each hook's folder is read once. */
export function caseOf(hook: string, name: string): GoldenCase {
  const cases = CASES.get(hook) ?? goldenCases(hook);
  CASES.set(hook, cases);
  const found = cases.find(golden => golden.name === name);
  if (found === undefined) throw new Error(`there is no golden case ${hook}/${name}`);
  return found;
}

const CASES = new Map<string, readonly GoldenCase[]>();
const SCENES = openScenes();

function openScenes(): readonly Scene[] {
  const reminders = goldenCases("workflow_classification_reminder").slice(0, 2);
  return [
    ...CHOSEN.map(([hook, name, decides]) => ({
      title: `${hook} ${name}`,
      golden: caseOf(hook, name),
      decides,
    })),
    ...reminders.map(golden => ({ title: `${golden.hook} ${golden.name}`, golden, decides: false })),
  ];
}

/**
 * What is wrong with an answer: the protocol always counts, the words where the scene decides. The guard may become
 * stricter when it cannot see, never weaker.
 */
export function faultsOf({ golden, decides }: Scene, ended: GoldenRun): readonly string[] {
  const found: string[] = [];
  if (ended.exitCode !== (golden.meta.exit_code ?? 0)) found.push(`exit code ${ended.exitCode}`);
  const answer = parse(ended.stdout === "" ? "{}" : ended.stdout);
  if (!isJsonObject(answer)) found.push(`stdout is no JSON object: ${ended.stdout}`);
  if (telemetryOf(ended) === undefined) found.push("stderr does not end with the telemetry line");
  const normal = (text: string) => text.replaceAll(ended.sandbox, "{{SANDBOX}}");
  if (decides && golden.hook === "pre_tool_use") {
    const [wanted, came] = [strengthOf(golden.expected), strengthOf(answer)];
    if (came < wanted) found.push(`a weaker verdict: ${ended.stdout}`);
  } else if (decides)
    found.push(...differences(golden.expected, withoutDegradation(parse(normal(ended.stdout || "{}")))));
  return found;
}

/** That something failed is told in the answer, and is no other answer. */
function withoutDegradation(answer: Json | undefined): Json | undefined {
  if (!isJsonObject(answer)) return answer;
  const { systemMessage, ...rest } = answer;
  return String(systemMessage).startsWith("amplihack is only partly working") ? rest : answer;
}

function strengthOf(answer: Json | undefined): number {
  const text = JSON.stringify(answer ?? {});
  return text.includes('"deny"') ? 2 : text.includes('"ask"') ? 1 : 0;
}

export function telemetryOf(ended: GoldenRun): JsonObject | undefined {
  const last = parse(ended.stderr.trimEnd().split("\n").at(-1) ?? "");
  return isJsonObject(last) && typeof last["hook"] === "string" ? last : undefined;
}

/** State that a later run would stumble over: JSON files that are none, and locks that it could not take. */
export function brokenState(system: MemorySystem): readonly string[] {
  return filesOf(system).filter(path => {
    if (path.endsWith(".json")) return parse(system.peek(path) ?? "") === undefined;
    return path.endsWith(".lock") && !new FileLock(path, { system, timeoutMs: 0 }).tryAcquire();
  });
}

/** What is on the disk and in an earlier picture was more: files that are gone, lines that are fewer. */
export function lostSince(earlier: ReadonlyMap<string, number>, system: MemorySystem): readonly string[] {
  const now = pictureOf(system);
  return [...earlier].filter(([path, lines]) => (now.get(path) ?? -1) < lines).map(([path]) => path);
}

/** What was on its way to another name. */
export function temporaryFiles(system: MemorySystem): readonly string[] {
  return filesOf(system).filter(path => /\.(?:tmp|stale)$/.test(path));
}

/** Every file with its number of lines; random parts of names are levelled. */
export function pictureOf(system: MemorySystem): ReadonlyMap<string, number> {
  const lines = (path: string) => (system.peek(path) ?? "").split("\n").length;
  return new Map(filesOf(system).map(path => [path.replace(/[0-9a-f]{16,}/g, "#"), lines(path)] as const));
}

/** What people can see: stderr, and the logs that it leads to. */
export function visibleText(ended: GoldenRun, system: MemorySystem): string {
  const logs = filesOf(system).filter(path => path.endsWith(".log"));
  return [ended.stderr, ...logs.map(path => system.peek(path) ?? "")].join("\n");
}

function filesOf(system: MemorySystem): readonly string[] {
  const below = (directory: string): readonly string[] =>
    system.files.list(directory).flatMap(name => {
      const path = `${directory}/${name}`;
      const kind = system.files.inspect(path)?.kind;
      return kind === "directory" ? below(path) : kind === "file" ? [path] : [];
    });
  return below("/sandbox");
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
