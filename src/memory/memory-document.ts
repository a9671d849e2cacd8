import type { Memory } from "./memory.ts";

/** A memory as commands print it. */
export interface MemoryDocument {
  readonly id: string;
  readonly agent: string;
  readonly session: string | null;
  readonly project: string | null;
  readonly key: string;
  readonly value: string;
  readonly type: string;
  readonly category: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export function toDocument(memory: Memory): MemoryDocument {
  return {
    id: memory.id,
    agent: memory.agent,
    session: emptyToNull(memory.session),
    project: emptyToNull(memory.project),
    key: memory.key,
    value: memory.value,
    type: memory.type,
    category: memory.category,
    created_at: toTime(memory.createdMs),
    updated_at: toTime(memory.updatedMs),
  };
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

function emptyToNull(text: string): string | null {
  return text === "" ? null : text;
}
