import type { Memory, MemoryName } from "../memory.ts";

/** An entry of the local log of changes, with what is stored under its name now. */
export interface PendingChange extends MemoryName {
  /** of the entry; a later change of the same memory has another */
  readonly number: number;
  /** `CHANGE` says what the bits mean */
  readonly changes: number;
  /** the team's revision that the copy had when the change was made */
  readonly base: number;
  /** undefined when it was removed */
  readonly memory: Memory | undefined;
  readonly removedMs: number;
}

/** What the team has under a name. */
export type TeamState =
  | { readonly kind: "memory"; readonly memory: Memory; readonly revision: number }
  | { readonly kind: "removed"; readonly removedMs: number; readonly revision: number }
  | { readonly kind: "absent" };

export type NamedState = MemoryName & { readonly state: TeamState };
