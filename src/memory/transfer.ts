import { isJsonObject, type Json, type JsonObject, ownValue, readJson } from "../protocol/index.ts";
import { CATEGORIES, checkTexts, idKey, type Memory, MemoryError, nameKey, VALUE_TYPES } from "./memory.ts";

/** A memory as commands print it. */
export function toDocument({ id, agent, session, project, key, value, type, category, ...memory }: Memory) {
  return {
    id,
    agent,
    session: emptyToNull(session),
    project: emptyToNull(project),
    key,
    value,
    type,
    category,
    created_at: toTime(memory.createdMs),
    updated_at: toTime(memory.updatedMs),
    ...(memory.isPinned === true ? { pinned: true } : {}),
  };
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

function emptyToNull(text: string): string | null {
  return text === "" ? null : text;
}

export interface AgentBranch {
  readonly agent: string;
  readonly count: number;
  readonly sessions?: readonly SessionBranch[];
}

interface SessionBranch {
  readonly session: string | null;
  readonly count: number;
  readonly memories?: readonly MemoryLeaf[];
}

interface MemoryLeaf {
  readonly key: string;
  readonly type: string;
  readonly category: string;
  readonly updated_at: string;
}

/** Agents, their sessions, their memories; `depth` says how many of the three levels. In the order given. */
export function buildMemoryTree(memories: readonly Memory[], depth: number): readonly AgentBranch[] {
  return [...groupBy(memories, memory => memory.agent)].map(([agent, ofAgent]) => ({
    agent,
    count: ofAgent.length,
    ...(depth < 2 ? {} : { sessions: sessionBranches(ofAgent, depth) }),
  }));
}

function sessionBranches(memories: readonly Memory[], depth: number): readonly SessionBranch[] {
  return [...groupBy(memories, memory => memory.session)].map(([session, ofSession]) => ({
    session: session === "" ? null : session,
    count: ofSession.length,
    ...(depth < 3 ? {} : { memories: ofSession.map(toLeaf) }),
  }));
}

function toLeaf({ key, type, category, updatedMs }: Memory): MemoryLeaf {
  return { key, type, category, updated_at: toTime(updatedMs) };
}

function groupBy(
  memories: readonly Memory[],
  nameOf: (memory: Memory) => string,
): ReadonlyMap<string, readonly Memory[]> {
  const groups = new Map<string, Memory[]>();
  for (const memory of memories) {
    const name = nameOf(memory);
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(memory);
  }
  return groups;
}

/** An exported file may be this large, and so may one that is imported. */
export const MAX_TRANSFER_BYTES = 256 * 1024 * 1024;
/** What to do about a file that is not one. */
export const WHAT_TO_IMPORT = "name a file that amplihack memory export wrote";
const VERSION = 1;
const NESTING = 8;

/** Memories of one agent as a file, or of all agents, each with its own. `parseExport` gives exactly these back. */
export function renderExport(agent: string | undefined, memories: readonly Memory[], nowMs: number): string {
  const documents = memories.map(memory => {
    const { agent: owner, ...rest } = toDocument(memory);
    return agent === undefined ? { agent: owner, ...rest } : rest;
  });
  const document = {
    version: VERSION,
    agent: agent ?? null,
    exported_at: toTime(nowMs),
    memories: documents,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

interface ExportFile {
  /** whose memories they were; missing for those of several agents */
  readonly agent: string | undefined;
  readonly memories: readonly Memory[];
}

/**
 * The memories of an exported file, for `agent` or else for the agents they were of. Throws `invalid`, naming the
 * member, when anything is not right.
 */
export function parseExport(text: string, agent?: string): ExportFile {
  const read = readJson(text, { recover: false, maxDepth: NESTING });
  if (!read.ok) throw invalid("the file", `one JSON document (${read.problem})`);
  if (!isJsonObject(read.value)) throw invalid("the file", "a JSON object");
  if (ownValue(read.value, "version") !== VERSION) throw invalid("version", `${VERSION}`);
  const list = ownValue(read.value, "memories");
  if (!Array.isArray(list)) throw invalid("memories", "a list");
  const owner =
    ownValue(read.value, "agent") === null ? undefined : readMember(read.value, "", "agent", TEXT);
  const memories = list.map((item, index) => parseMemory(item, agent ?? owner, `memories[${index}]`));
  checkNames(memories);
  return { agent: owner, memories };
}

function parseMemory(value: Json, agent: string | undefined, place: string): Memory {
  if (!isJsonObject(value)) throw invalid(place, "an object");
  const read = <T>(name: string, kind: MemberKind<T>): T => readMember(value, `${place}.`, name, kind);
  const memory: Memory = {
    id: read("id", TEXT),
    project: read("project", OPTIONAL_TEXT),
    agent: agent ?? read("agent", TEXT),
    session: read("session", OPTIONAL_TEXT),
    key: read("key", TEXT),
    value: read("value", TEXT),
    type: read("type", choiceMember(VALUE_TYPES)),
    category: read("category", choiceMember(CATEGORIES, "context")),
    createdMs: read("created_at", TIME),
    updatedMs: read("updated_at", TIME),
    ...(read("pinned", OPTIONAL_FLAG) ? { isPinned: true } : {}),
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
  for (const [index, memory] of memories.entries()) {
    for (const name of [idKey(memory), nameKey(memory)]) {
      if (seen.has(name)) throw invalid(`memories[${index}]`, "an id, and a session and key, that come once");
      seen.add(name);
    }
  }
}

/** What a member must be, and how it is read; undefined when it is something else. */
type MemberKind<T> = readonly [expected: string, read: (value: Json | undefined) => T | undefined];

const TEXT: MemberKind<string> = ["a text", value => (typeof value === "string" ? value : undefined)];
const OPTIONAL_TEXT: MemberKind<string> = [
  "a text",
  value => ((value ?? null) === null ? "" : TEXT[1](value)),
];
const OPTIONAL_FLAG: MemberKind<boolean> = [
  "true or false",
  (value = false) => (typeof value === "boolean" ? value : undefined),
];
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
const TIME: MemberKind<number> = [
  "a time such as 2026-01-02T03:04:05Z",
  value => {
    const ms = typeof value === "string" && ISO_TIME.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(ms) ? undefined : ms;
  },
];

function choiceMember<T extends string>(choices: readonly T[], byDefault?: T): MemberKind<T> {
  const expected = `one of ${choices.join(", ")}`;
  return [expected, value => (value === undefined ? byDefault : choices.find(choice => choice === value))];
}

function readMember<T>(object: JsonObject, place: string, name: string, [expected, read]: MemberKind<T>): T {
  const found = read(ownValue(object, name));
  if (found === undefined) throw invalid(place + name, expected);
  return found;
}

function invalid(what: string, expected: string): MemoryError {
  return new MemoryError(
    "invalid",
    `the file cannot be imported: ${what} must be ${expected}`,
    WHAT_TO_IMPORT,
  );
}
