import {
  isJsonObject,
  type Json,
  type JsonObject,
  listAt,
  ownValue,
  stringAt,
} from "../../protocol/index.ts";
import { Problem } from "../../state/index.ts";
import { objectsIn, readJsonText, valueText } from "../values/value.ts";

/**
 * The object an agent answered with: the whole text, else the first in a block fenced as json, else in another fenced
 * block, else in prose. Empty when there is none.
 */
export function findObject(answer: string): JsonObject {
  const whole = readJsonText(answer.trim());
  if (isJsonObject(whole)) return whole;
  const [tagged, untagged] = [fencedIn(answer, true), fencedIn(answer, false)];
  const [found = {}] = [...tagged, ...untagged, answer].flatMap(objectsIn);
  return found;
}

function fencedIn(answer: string, isTagged: boolean): readonly string[] {
  return [...answer.matchAll(/```[ \t]*(\w*)[^\n]*\n([\s\S]*?)```/g)].flatMap(([, tag = "", body = ""]) =>
    (tag.toLowerCase() === "json") === isTagged ? [body] : [],
  );
}

/** The last object that has the field: an agent may quote an example, or think again, before it decides. */
export function findLastObjectWith(answer: string, field: string): JsonObject {
  return objectsIn(answer).findLast(object => ownValue(object, field) !== undefined) ?? {};
}

/** A member of a JSON object as text; undefined where the text is no object or lacks it. */
export function fieldText(json: string, field: string): string | undefined {
  const object = readJsonText(json.trim());
  const value = isJsonObject(object) ? ownValue(object, field) : undefined;
  return value === undefined ? undefined : valueText(value);
}

const TASK_TYPES = ["Q&A", "Operations", "Investigation", "Development"] as const;
type TaskType = (typeof TASK_TYPES)[number];

const TYPE_WORDS: readonly (readonly [TaskType, RegExp])[] = [
  ["Q&A", /q&a|qa|question|answer/],
  ["Operations", /ops|operation|admin|command/],
  ["Investigation", /invest|research|explor|analy|understand/],
];

/** The kind of task that a label of an agent means; the first kind with one of its words, else development. */
export function parseTaskType(label: string): TaskType {
  const text = label.toLowerCase();
  return TYPE_WORDS.find(([, words]) => words.test(text))?.[0] ?? "Development";
}

const WORK_ON_CODE = /\b(?:add|extend|implement|create|build|refactor|port|write|fix)\b/i;
const CODE_PATH =
  /\b(?:src|crates|bins|lib|tests?)\/|[\w-]\.(?:rs|ts|tsx|js|jsx|py|go|java|kt|cs|cpp|c|h|rb|swift|sh)\b/i;
const PULL_REQUEST = /\b(?:open|create|make|submit|raise)\s+(?:a\s+)?(?:pr|pull request)\b/i;
const NEW_TESTS = /\b(?:add|write|create)\s+(?:\w+\s+){0,3}tests?\b/i;
const NUMBERED = /\((\d+)\)/g;

/** An operation whose description asks for work on code is development; every other type stays. */
export function reclassify(current: string, description: string): string {
  if (current !== "Operations") return current;
  const numbers = new Set([...description.matchAll(NUMBERED)].map(([, number]) => number));
  const isDevelopment =
    PULL_REQUEST.test(description) ||
    NEW_TESTS.test(description) ||
    numbers.size >= 2 ||
    (WORK_ON_CODE.test(description) && CODE_PATH.test(description));
  return isDevelopment ? "Development" : current;
}

/** Words are compared whole: NOT_APPROVED must never count as APPROVED. */
type Synonyms = Readonly<Record<string, readonly string[]>>;

const WORK_VERDICTS: Synonyms = {
  WORK_VERIFIED: ["VERIFIED", "WORK_VERIFIED", "SUCCESS", "APPROVED", "PASS", "PASSED"],
  HOLLOW_SUCCESS: ["HOLLOW", "HOLLOW_SUCCESS", "FAILED", "FAIL", "NO_WORK", "NO_ARTIFACTS", "EMPTY"],
};
const LOOP_VERDICTS: Synonyms = {
  CONTINUE: ["CONTINUE", "CONTINUING", "PROCEED", "KEEP_GOING", "ANOTHER_ROUND", "ITERATE"],
  DONE: ["DONE", "COMPLETE", "COMPLETED", "FINISHED", "CONVERGED", "ADVANCE"],
};

/** What is unclear neither passes nor fails the work. */
export function parseWorkVerdict(label: string): string {
  return meantBy(label, WORK_VERDICTS) ?? "INSUFFICIENT_EVIDENCE";
}

/** What is unclear ends the loop. */
export function parseLoopVerdict(label: string): string {
  return meantBy(label, LOOP_VERDICTS) ?? "STUCK";
}

function meantBy(label: string, synonyms: Synonyms): string | undefined {
  const word = label.trim().toUpperCase();
  return Object.entries(synonyms).find(([, words]) => words.includes(word))?.[0];
}

/** One part of a task that is worked on beside the others, on a branch of its own. */
export interface Workstream {
  readonly issue: string;
  readonly branch: string;
  readonly task: string;
  readonly description: string;
  readonly recipe: string;
  readonly maxRuntimeSeconds: number | undefined;
  /** `interrupt-preserve` ends the run when its time is up, `continue-preserve` lets it go on */
  readonly timeoutPolicy: "interrupt-preserve" | "continue-preserve";
}

const DEFAULT_RECIPE = "default-workflow";
const MAX_SLUG_LENGTH = 30;

/** How many workstreams a decomposition has; an answer without any is one piece of work. */
export function countWorkstreams(decomposition: string): number {
  return Math.max(1, listAt(findObject(decomposition), "workstreams").length);
}

/** The entries of a workstreams file for a decomposition: `{workstreams: [{name, description, recipe}]}`. */
export function workstreamEntries(decomposition: string): readonly Json[] {
  return listAt(findObject(decomposition), "workstreams").map((part, index) => {
    const number = index + 1;
    const name = stringAt(part, "name") ?? `workstream-${number}`;
    return {
      issue: "TBD",
      branch: `feat/orch-${number}-${slugify(name) || `ws-${number}`}`,
      description: name,
      task: stringAt(part, "description") ?? name,
      recipe: stringAt(part, "recipe") ?? DEFAULT_RECIPE,
    };
  });
}

/** Letters, digits and `-`, for the name of a branch; empty where the text has none. */
export function slugify(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, "");
}

/** Reads a workstreams file; every mistake in it is told at once. */
export function readWorkstreams(value: Json | undefined, path: string): readonly Workstream[] {
  const fail = (causes: readonly string[]): Problem =>
    new Problem(`${path} is not a list of workstreams`, {
      kind: "invalid",
      causes,
      fix: "write a JSON list of objects with issue, branch and task",
    });
  if (!Array.isArray(value)) throw fail(["the file must be a JSON list"]);
  const problems: string[] = [];
  const read = value.map((entry, index) =>
    readWorkstream(entry, problem => problems.push(`entry ${index + 1}: ${problem}`)),
  );
  const branches = read.map(({ branch }) => branch);
  const twice = branches.find((branch, index) => branch !== "" && branches.indexOf(branch) !== index);
  if (twice !== undefined) problems.push(`two entries have the branch '${twice}'`);
  if (problems.length > 0) throw fail(problems);
  return read;
}

function readWorkstream(entry: Json, report: (problem: string) => void): Workstream {
  const text = (name: string, initial?: string): string => {
    const given = isJsonObject(entry) ? (ownValue(entry, name) ?? initial) : undefined;
    if (typeof given === "string" && given.trim() !== "") return given;
    if (typeof given === "number" && name === "issue") return String(given);
    report(`${name} must be a text that is not empty`);
    return "";
  };
  const limit = isJsonObject(entry) ? (ownValue(entry, "max_runtime") ?? undefined) : undefined;
  const isLimit = typeof limit === "number" && Number.isFinite(limit) && limit > 0;
  if (limit !== undefined && !isLimit) report("max_runtime must be a number of seconds above 0");
  const policy = stringAt(entry, "timeout_policy") ?? "interrupt-preserve";
  if (policy !== "interrupt-preserve" && policy !== "continue-preserve")
    report("timeout_policy must be interrupt-preserve or continue-preserve");
  const branch = text("branch");
  if (branch !== "" && !isBranchName(branch)) report(`'${branch}' is not a name for a branch`);
  const recipe = text("recipe", DEFAULT_RECIPE);
  if (recipe.startsWith("-")) report(`'${recipe}' is not the name of a recipe`);
  return {
    issue: text("issue", "TBD"),
    branch,
    task: text("task"),
    description: text("description", branch),
    recipe,
    maxRuntimeSeconds: isLimit ? limit : undefined,
    timeoutPolicy: policy === "continue-preserve" ? policy : "interrupt-preserve",
  };
}

function isBranchName(name: string): boolean {
  return /^(?![-/.])[\w./+#@-]+$/.test(name) && !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)|[/.]$/.test(name);
}
