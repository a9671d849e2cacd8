import {
  booleanAt,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
  readJson,
  stringAt,
} from "../protocol/index.ts";

/** One message of a conversation, whatever host recorded it. */
export interface Entry {
  readonly role: string;
  readonly timestamp: string | undefined;
  readonly parts: readonly MessagePart[];
  /** written by a program in the user's place: hook feedback, summaries, prompts for sub-agents */
  readonly isSynthetic: boolean;
}

export type MessagePart = TextPart | ToolUsePart | ToolResultPart;

interface TextPart {
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

/** Turns a host's tool name into the canonical one. */
export type Naming = (toolName: string) => string;

/** The parts of a message's content: a text, one block, or a list of them. What is unknown is left out. */
export function messageParts(content: Json | undefined, name: Naming): readonly MessagePart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  if (Array.isArray(content)) return content.flatMap(block => messageParts(block, name));
  return isJsonObject(content) ? blockParts(content, name) : [];
}

function blockParts(block: JsonObject, name: Naming): readonly MessagePart[] {
  const type = stringAt(block, "type");
  if (type === "tool_use") {
    const tool = stringAt(block, "name", "tool_name") ?? "unknown";
    return [{ kind: "tool-use", id: stringAt(block, "id"), name: name(tool), input: block["input"] ?? {} }];
  }
  if (type === "toolCall") {
    const tool = stringAt(block, "name") ?? "unknown";
    const input = decodedInput(ownValue(block, "arguments"));
    return [{ kind: "tool-use", id: stringAt(block, "id"), name: name(tool), input }];
  }
  if (type === "tool_result") {
    return [
      {
        kind: "tool-result",
        id: stringAt(block, "tool_use_id"),
        text: plainText(ownValue(block, "content")),
        hasFailed: booleanAt(block, "is_error"),
      },
    ];
  }
  if (type === "thinking" || type === "redacted_thinking") return [];
  const text = stringAt(block, "text");
  return text === undefined || text === "" ? [] : [{ kind: "text", text }];
}

/** All text inside a tool result: strings, text blocks and the members hosts put results under. */
export function plainText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    return value
      .map(plainText)
      .filter(text => text !== "")
      .join("\n");
  }
  if (!isJsonObject(value)) return "";
  return plainText(RESULT_MEMBERS.map(key => ownValue(value, key)).filter(member => member !== undefined));
}

const RESULT_MEMBERS = [
  "text",
  "content",
  "output",
  "stdout",
  "stderr",
  "detailedContent",
  "message",
  "error",
];

/** Arguments recorded as JSON text are decoded; other text stays as it is. */
export function decodedInput(value: Json | undefined): Json {
  if (typeof value !== "string") return value ?? {};
  const read = readJson(value, { recover: false, maxDepth: 100 });
  return read.ok ? read.value : value;
}
