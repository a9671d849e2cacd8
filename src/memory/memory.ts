import { createHash } from "node:crypto";
import { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { countCharacters } from "../text/index.ts";
import type { SearchQuery } from "./search-words.ts";

/**
 * `invalid`: what was asked for cannot be stored. `occupied`: something is there that must not be mixed up. `corrupt`, `newer`, `foreign`: the database is damaged, of a
 * later version, or not ours; it is left as it is. `busy`: others kept it to themselves for too long. `full`: it
 * has reached its size limit or the disk has no room. `offline`: the server of a team does not answer. `refused`: it
 * does not let this user. `unavailable`: it cannot be opened, read or written.
 */
export type MemoryProblem =
  | "invalid"
  | "occupied"
  | "corrupt"
  | "newer"
  | "foreign"
  | "busy"
  | "full"
  | "offline"
  | "refused"
  | "unavailable";

/** Why the memory store could not do what it was asked, and what a person can do. Never quotes what is stored. */
export class MemoryError extends Problem {
  override readonly name = "MemoryError";
  readonly problem: MemoryProblem;

  constructor(problem: MemoryProblem, message: string, fix?: string) {
    super(message, { kind: problem, fix });
    this.problem = problem;
  }
}

export function occupiedAgent(): MemoryError {
  return new MemoryError("occupied", "the agent has memories already", "add --merge to keep them");
}

/** 64 bits of SHA-256 in hexadecimal: enough to tell texts apart, and to notice a changed one. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16);
}

/** Equal for texts that differ in case, punctuation and white space only. */
export function contentFingerprint(text: string): string {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return shortHash(words === null ? text : words.join(" "));
}

/** Whose a memory is when no agent is named. */
export const ANY_AGENT = "general";

/** How a value is to be read. */
export const VALUE_TYPES = ["markdown", "json", "yaml", "text"] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** What a memory is about. */
export const CATEGORIES = ["conversation", "decision", "pattern", "context", "learning", "artifact"] as const;
export type Category = (typeof CATEGORIES)[number];

/**
 * One thing that is remembered. Agent, session and key together name it; there is never a second one of the same
 * name. Text is kept exactly, whatever characters it holds.
 */
export interface Memory {
  readonly id: string;
  /** the project it counts for; empty for every project */
  readonly project: string;
  readonly agent: string;
  /** empty when it belongs to no session */
  readonly session: string;
  readonly key: string;
  readonly value: string;
  readonly type: ValueType;
  readonly category: Category;
  /** milliseconds since 1970, as all times here */
  readonly createdMs: number;
  readonly updatedMs: number;
  /** given to every session at its start, and never dropped unasked */
  readonly isPinned?: boolean;
}

/** A memory that is yet to be stored. One that replaces another keeps its pin unless it says otherwise. */
export type MemoryDraft = Omit<Memory, "id" | "createdMs" | "updatedMs">;

/** There is never a second memory of the same name. */
export type MemoryName = Pick<Memory, "agent" | "session" | "key">;
export type MemoryId = Pick<Memory, "agent" | "id">;

/** For maps and sets: equal for the same name. No key of an id is one of a name. */
export function nameKey({ agent, session, key }: MemoryName): string {
  return JSON.stringify([agent, session, key]);
}

export function idKey({ agent, id }: MemoryId): string {
  return JSON.stringify([agent, id]);
}

/** Equal in every member. */
export function isSameMemory(one: Memory, other: Memory | undefined): boolean {
  if (other === undefined) return false;
  const { isPinned = false, ...rest } = one;
  const members = Object.keys(rest) as (keyof typeof rest)[];
  return isPinned === (other.isPinned ?? false) && members.every(member => one[member] === other[member]);
}

/** Most characters of each text. */
export const TEXT_LIMITS = { project: 4_096, agent: 200, session: 200, key: 500, value: 1_000_000 } as const;
/** Farther from 1970 there are no dates. */
export const MAX_TIME_MS = 8_640_000_000_000_000;
const MUST_NOT_BE_EMPTY: readonly (keyof typeof TEXT_LIMITS)[] = ["agent", "key"];

/** Throws `invalid`, naming the member, when a text is empty that must not be, or too long. */
export function checkTexts(texts: Partial<Pick<Memory, keyof typeof TEXT_LIMITS>>): void {
  for (const [member, limit] of Object.entries(TEXT_LIMITS) as [keyof typeof TEXT_LIMITS, number][]) {
    const text = texts[member];
    if (text === undefined) continue;
    if (text === "" && MUST_NOT_BE_EMPTY.includes(member)) {
      throw new MemoryError("invalid", `the ${member} of a memory must not be empty`);
    }
    // A text has at most as many characters as UTF-16 units, so most need no counting.
    const length = text.length <= limit ? text.length : countCharacters(text);
    if (length > limit) {
      throw new MemoryError(
        "invalid",
        `the ${member} of a memory may have ${limit} characters, this one has ${length}`,
      );
    }
  }
}

const ID_LENGTH = 32;

/** A memory that is stored for the first time. */
export function newMemory(draft: MemoryDraft, random: System["random"], nowMs: number): Memory {
  return { ...draft, id: random.hex(ID_LENGTH), createdMs: nowMs, updatedMs: nowMs };
}

/** With a fresh id when the row `owner` has its id and is not the row that it replaces. */
export function withFreeId<RowNumber>(
  memory: Memory,
  owner: RowNumber | undefined,
  replaced: RowNumber | undefined,
  random: System["random"],
): Memory {
  const isFree = owner === undefined || owner === replaced;
  return isFree ? memory : { ...memory, id: random.hex(ID_LENGTH) };
}

/** A pin stays unless the new one says otherwise. */
export function withPin(memory: Memory, earlier: Memory): Memory {
  const { isPinned = earlier.isPinned ?? false, ...rest } = memory;
  return isPinned ? { ...rest, isPinned } : rest;
}

/**
 * SQLite's interface ends texts at NUL, and UTF-8 has no lone surrogates, so both are written as an escape sign
 * and four hexadecimal digits. Everything else, which is nearly everything, is stored as it is.
 */
const ESCAPE = "\u0010";
const NEEDS_ESCAPE = /[\u0000\u0010]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const ESCAPED = /\u0010([0-9a-f]{4})/g;

export function encodeText(text: string): string {
  return text.replace(NEEDS_ESCAPE, unit => ESCAPE + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

export function decodeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The identity and content of a memory, as stored. */
export function storedNames(memory: Memory): readonly string[] {
  const { id, project, agent, session, key, type, category } = memory;
  return [...[id, project, agent, session, key].map(encodeText), type, category];
}

/**
 * What sessions leave behind by themselves has this in front of its key. Only that is ever dropped unasked: what
 * a person stored stays until a person deletes it.
 */
const LEARNED_PREFIX = "learned/";
const KEPT_PER_PROJECT = 1_000;
const KEPT_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Older uses say nothing about what a project needs now. */
export const KEPT_USES_MS = 365 * DAY_MS;

export function learnedRetention(nowMs: number): Retention {
  return {
    keyPrefix: LEARNED_PREFIX,
    keepNewest: KEPT_PER_PROJECT,
    updatedSinceMs: nowMs - KEPT_DAYS * DAY_MS,
  };
}

/** A note learnt from a session, as stored: repetitions share one key. */
export function learntDraft(
  { category, text }: { readonly category: Category; readonly text: string },
  where: {
    readonly project: string;
    readonly agent?: string | undefined;
    readonly session?: string | undefined;
  },
): MemoryDraft {
  const { project, agent = ANY_AGENT, session = "" } = where;
  const key = LEARNED_PREFIX + shortHash(JSON.stringify([project, contentFingerprint(text)]));
  return { project, agent, session, key, value: text, type: "text", category };
}

/** Older memories are not put into a prompt. */
export function oldestForPrompt(maxAgeDays: number, nowMs: number): number {
  return nowMs - maxAgeDays * DAY_MS;
}

/** All members given must hold; the empty filter holds for everything. */
export interface MemoryFilter {
  /** one of these */
  readonly projects?: readonly string[] | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly id?: string | undefined;
  readonly key?: string | undefined;
  readonly category?: Category | undefined;
  readonly updatedSinceMs?: number | undefined;
  /** not yet shown to this session, at its start or at a prompt */
  readonly unseenBy?: string | undefined;
  /** not yet shown to this session at a prompt */
  readonly unrecalledBy?: string | undefined;
}

/** A memory that has at least one of the words, with its BM25 weight; greater is better, zero is possible. */
export interface WeightedMemory {
  readonly memory: Memory;
  readonly weight: number;
  /** how many sessions it was recalled in, and when last; nothing when in none */
  readonly uses?: number;
  readonly usedMs?: number;
}

/** How many memories there are, and how many of them have each of the terms that were asked about. */
export interface WordCounts {
  readonly memories: number;
  readonly matches: ReadonlyMap<string, number>;
}

/** Memories were put before a session: because they fit a prompt, or at its start. Only the former is use. */
export interface MemoryUse {
  /** the project that the session works in */
  readonly project: string;
  /** empty when it is not known */
  readonly session: string;
  readonly occasion: "prompt" | "start";
}

/** Asking changes nothing, not even what does not exist yet. All failures are `MemoryError`. */
export interface MemoryReader {
  /** Ordered by agent, session and key, or with the latest change first. */
  list(filter: MemoryFilter, order: "name" | "newest", limit?: number): Promise<readonly Memory[]>;
  /** The best by weight, at most `limit`. */
  search(query: SearchQuery, filter: MemoryFilter, limit: number): Promise<readonly WeightedMemory[]>;
  /** How many memories, of all agents, have each term. Large counts may be estimates. */
  countWords(terms: readonly string[]): Promise<WordCounts>;
  /**
   * What a session of this project begins with: pinned memories, then those that the project stored or used since
   * then, the latest first. Memories of other projects are not among them.
   */
  latest(project: string, sinceMs: number, limit: number): Promise<readonly Memory[]>;
  close(): void;
}

/** What is dropped when something learnt is added: of these keys in this project, the oldest that are not pinned. */
export interface Retention {
  readonly keyPrefix: string;
  readonly keepNewest: number;
  readonly updatedSinceMs: number;
}

export interface ImportCounts {
  readonly added: number;
  readonly replaced: number;
  /** the store had the same or something later */
  readonly kept: number;
}

/** Every change is one transaction: it is there completely or not at all. */
export interface MemoryStore extends MemoryReader {
  /** Adds it, or replaces the one of the same name, which keeps its id and its date of creation. */
  put(draft: MemoryDraft): Promise<{ readonly memory: Memory; readonly isNew: boolean }>;
  /**
   * Adds it unless this project and agent already have one that says the same; that one then counts as updated.
   * Afterwards `retention` is applied.
   */
  remember(
    draft: MemoryDraft,
    retention: Retention,
  ): Promise<{ readonly memory: Memory; readonly isNew: boolean }>;
  /** Removes by agent and id, beyond recovery from the files; tells how many there were. */
  remove(memories: readonly MemoryId[]): Promise<number>;
  /** Pins them, or takes the pin away; tells how many there were. */
  pin(memories: readonly MemoryId[], isPinned: boolean): Promise<number>;
  recordUse(memories: readonly MemoryId[], use: MemoryUse): Promise<void>;
  /**
   * Takes memories of these agents in as they are, ids and dates included. An agent that has some already is
   * `occupied`, unless it is a merge: then of two with the same name the later change stays, and an id that
   * another memory has is replaced by a fresh one.
   */
  take(
    agents: string | readonly string[],
    memories: readonly Memory[],
    isMerge: boolean,
  ): Promise<ImportCounts>;
}

/** What a place without a database answers. */
export const EMPTY_READER: MemoryReader = {
  list: () => Promise.resolve([]),
  search: () => Promise.resolve([]),
  countWords: () => Promise.resolve({ memories: 0, matches: new Map() }),
  latest: () => Promise.resolve([]),
  close() {},
};
