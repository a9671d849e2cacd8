import type { System } from "../system/index.ts";
import type { Memory, MemoryDraft } from "./memory.ts";

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
