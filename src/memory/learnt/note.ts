import { clip, oneLine, redact } from "../../text/index.ts";
import type { Category } from "../memory.ts";
import type { SessionStep } from "../reflection/finding.ts";

/** Something a session taught, as it is stored. */
export interface LearntNote {
  readonly category: Category;
  readonly text: string;
}

/** Looks for notes of one kind; sees the steps of a session in order and tells at the end, the latest last. */
export interface NoteFinder {
  see(step: SessionStep): void;
  notes(): readonly LearntNote[];
}

export type Call = Extract<SessionStep, { kind: "call" }>;

const MAX_QUOTE_LENGTH = 160;

/** A command or message of the session on one short line, without secrets. */
export function quote(text: string, length = MAX_QUOTE_LENGTH): string {
  return clip(redact(oneLine(text)), length);
}
