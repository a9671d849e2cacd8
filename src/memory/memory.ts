import { countCharacters } from "../text/index.ts";
import { MemoryError } from "./memory-error.ts";

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
