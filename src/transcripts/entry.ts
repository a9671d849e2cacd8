import type { Json } from "../protocol/index.ts";

/** One message of a conversation, whatever host recorded it. */
export interface Entry {
  readonly role: string;
  readonly timestamp: string | undefined;
  readonly parts: readonly MessagePart[];
  /** written by a program in the user's place: hook feedback, summaries, prompts for sub-agents */
  readonly isSynthetic: boolean;
}

export type MessagePart = TextPart | ToolUsePart | ToolResultPart;

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
}

export interface ToolUsePart {
  readonly kind: "tool-use";
  readonly id: string | undefined;
  /** canonical name, such as `Bash` */
  readonly name: string;
  readonly input: Json;
}

export interface ToolResultPart {
  readonly kind: "tool-result";
  readonly id: string | undefined;
  readonly text: string;
  /** what the host recorded about the outcome; undefined where it records nothing */
  readonly hasFailed: boolean | undefined;
}

/** What was said: the text parts only, joined by newlines. */
export function entryText(entry: Entry): string {
  const texts = entry.parts.flatMap(part => (part.kind === "text" ? [part.text] : []));
  return texts.join("\n");
}

/** A person's message, as opposed to tool results and texts that programs put in the user's place. */
export function isUserMessage(entry: Entry): boolean {
  return entry.role === "user" && !entry.isSynthetic && entryText(entry).trim() !== "";
}
