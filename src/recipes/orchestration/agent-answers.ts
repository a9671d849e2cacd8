import { isJsonObject, type JsonObject, ownValue } from "../../protocol/index.ts";
import { objectsIn } from "../values/extract-json.ts";
import { readJsonText, valueText } from "../values/value.ts";

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

export const TASK_TYPES = ["Q&A", "Operations", "Investigation", "Development"] as const;
export type TaskType = (typeof TASK_TYPES)[number];

const TYPE_WORDS: readonly (readonly [TaskType, RegExp])[] = [
  ["Q&A", /q&a|qa|question|answer/],
  ["Operations", /ops|operation|admin|command/],
  ["Investigation", /invest|research|explor|analy|understand/],
];

/** The kind of task that a label of an agent means; the first kind with one of its words, else development. */
export function taskTypeOf(label: string): TaskType {
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
export function workVerdictOf(label: string): string {
  return meantBy(label, WORK_VERDICTS) ?? "INSUFFICIENT_EVIDENCE";
}

/** What is unclear ends the loop. */
export function loopVerdictOf(label: string): string {
  return meantBy(label, LOOP_VERDICTS) ?? "STUCK";
}

function meantBy(label: string, synonyms: Synonyms): string | undefined {
  const word = label.trim().toUpperCase();
  return Object.entries(synonyms).find(([, words]) => words.includes(word))?.[0];
}
