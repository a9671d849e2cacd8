import {
  booleanAt,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
  readJson,
  stringAt,
} from "../protocol/index.ts";
import type { MessagePart } from "./entry.ts";

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
