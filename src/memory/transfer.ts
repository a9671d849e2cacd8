import { isJsonObject, type Json, type JsonObject, ownValue, readJson } from "../protocol/index.ts";
import { CATEGORIES, checkTexts, type Memory, VALUE_TYPES } from "./memory.ts";
import { toDocument, toTime } from "./memory-document.ts";
import { MemoryError } from "./memory-error.ts";

/** An exported file may be this large, and so may one that is imported. */
export const LARGEST_TRANSFER_BYTES = 256 * 1024 * 1024;
const VERSION = 1;
const NESTING = 8;

/** All memories of one agent as a file. `parseExport` gives exactly these back. */
export function renderExport(agent: string, memories: readonly Memory[], nowMs: number): string {
  const documents = memories.map(memory => {
    const { agent: _, ...rest } = toDocument(memory);
    return rest;
  });
  const document = { version: VERSION, agent, exported_at: toTime(nowMs), memories: documents };
  return `${JSON.stringify(document, null, 2)}\n`;
}

export interface ExportFile {
  /** whose memories they were */
  readonly agent: string;
  readonly memories: readonly Memory[];
}

/** The memories of an exported file, for `agent`. Throws `invalid`, naming the member, when anything is not right. */
export function parseExport(text: string, agent: string): ExportFile {
  const read = readJson(text, { recover: false, maxDepth: NESTING });
  if (!read.ok) throw invalid("the file", `one JSON document (${read.problem})`);
  if (!isJsonObject(read.value)) throw invalid("the file", "a JSON object");
  if (ownValue(read.value, "version") !== VERSION) throw invalid("version", `${VERSION}`);
  const list = ownValue(read.value, "memories");
  if (!Array.isArray(list)) throw invalid("memories", "a list");
  const memories = list.map((item, index) => parseMemory(item, agent, `memories[${index}]`));
  checkNames(memories);
  return { agent: textAt(read.value, "agent", ""), memories };
}

function parseMemory(value: Json, agent: string, place: string): Memory {
  if (!isJsonObject(value)) throw invalid(place, "an object");
  const memory: Memory = {
    id: textAt(value, "id", place),
    project: optionalTextAt(value, "project", place),
    agent,
    session: optionalTextAt(value, "session", place),
    key: textAt(value, "key", place),
    value: textAt(value, "value", place),
    type: choiceAt(value, "type", VALUE_TYPES, place),
    category:
      ownValue(value, "category") === undefined ? "context" : choiceAt(value, "category", CATEGORIES, place),
    createdMs: timeAt(value, "created_at", place),
    updatedMs: timeAt(value, "updated_at", place),
  };
  if (memory.id === "") throw invalid(`${place}.id`, "a text that is not empty");
  try {
    checkTexts(memory);
  } catch (error) {
    if (error instanceof MemoryError) throw new MemoryError("invalid", `${place}: ${error.message}`);
    throw error;
  }
  return memory;
}

/** Two of one name or id could not both be taken in. */
function checkNames(memories: readonly Memory[]): void {
  const seen = new Set<string>();
  for (const [index, { id, session, key }] of memories.entries()) {
    for (const name of [JSON.stringify([id]), JSON.stringify([session, key])]) {
      if (seen.has(name)) throw invalid(`memories[${index}]`, "an id, and a session and key, that come once");
      seen.add(name);
    }
  }
}

function textAt(value: JsonObject, member: string, place: string): string {
  const found = ownValue(value, member);
  if (typeof found !== "string") throw invalid(pathOf(place, member), "a text");
  return found;
}

function optionalTextAt(value: JsonObject, member: string, place: string): string {
  const found = ownValue(value, member);
  return found === undefined || found === null ? "" : textAt(value, member, place);
}

function choiceAt<T extends string>(
  value: JsonObject,
  member: string,
  choices: readonly T[],
  place: string,
): T {
  const found = choices.find(choice => choice === ownValue(value, member));
  if (found === undefined) throw invalid(pathOf(place, member), `one of ${choices.join(", ")}`);
  return found;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

function timeAt(value: JsonObject, member: string, place: string): number {
  const text = textAt(value, member, place);
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw invalid(pathOf(place, member), "a time such as 2026-01-02T03:04:05Z");
  return ms;
}

function pathOf(place: string, member: string): string {
  return place === "" ? member : `${place}.${member}`;
}

function invalid(what: string, expected: string): MemoryError {
  return new MemoryError("invalid", `the file cannot be imported: ${what} must be ${expected}`);
}
