import { isJsonObject, JSON_DEPTH_LIMIT, type Json, type JsonObject } from "../../protocol/index.ts";
import { readJsonText } from "./value.ts";

/**
 * The JSON in a text: the whole text, else the first fenced block that parses, else the first balanced object or
 * array that parses. Undefined when there is none.
 */
export function extractJson(text: string): Json | undefined {
  const trimmed = text.trim();
  const whole = readJsonText(trimmed);
  if (whole !== undefined) return whole;
  for (const fence of trimmed.matchAll(/```[ \t]*(?:json)?[ \t]*\r?\n?([\s\S]*?)```/gi)) {
    const value = readJsonText((fence[1] ?? "").trim());
    if (value !== undefined) return value;
  }
  return scanForBlock(trimmed);
}

/** Characters looked at before giving up: text full of brackets must not take for ever. */
const WORK_LIMIT = 50_000_000;
/** What trying to read a block costs besides its length. */
const ATTEMPT_WORK = 100;

function scanForBlock(text: string): Json | undefined {
  for (const value of blocksIn(text, /[{[]/g)) return value;
  return undefined;
}

/** Every object of a text in the order in which they stand there; what stands inside one belongs to it. */
export function objectsIn(text: string): readonly JsonObject[] {
  return [...blocksIn(text, /\{/g)].filter(isJsonObject);
}

/** The balanced blocks that parse; `opener` tells where one may begin. */
function* blocksIn(text: string, opener: RegExp): Generator<Json> {
  let work = 0;
  for (let found = opener.exec(text); found !== null && work < WORK_LIMIT; found = opener.exec(text)) {
    const { end, looked } = findBlockEnd(text, found.index);
    work += looked + ATTEMPT_WORK;
    const value = end === undefined ? undefined : readJsonText(text.slice(found.index, end));
    if (value === undefined || end === undefined) continue;
    opener.lastIndex = end;
    yield value;
  }
}

/** Behind the bracket that closes the one at `start`; no end when it never closes or nests too deep. */
function findBlockEnd(text: string, start: number): { end: number | undefined; looked: number } {
  const open: string[] = [];
  let index = start;
  for (; index < text.length && open.length <= JSON_DEPTH_LIMIT; index++) {
    const character = text[index];
    if (character === '"') {
      index++;
      while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
    } else if (character === "{") open.push("}");
    else if (character === "[") open.push("]");
    else if (character === "}" || character === "]") {
      if (open.pop() !== character) break;
      if (open.length === 0) return { end: index + 1, looked: index + 1 - start };
    }
  }
  return { end: undefined, looked: index - start };
}
