import { isJsonObject, type JsonObject, listAt, ownValue, readField, stringAt } from "../protocol/index.ts";
import type { Entry, MessagePart } from "./entry.ts";
import { messageParts, type Naming, plainText } from "./entry.ts";

/** Gemini's chat record: `{type: "user" | "gemini", content, toolCalls?}`, with results inside the calls. */
export function readGeminiEntry(value: JsonObject, name: Naming): Entry | undefined {
  const type = stringAt(value, "type");
  if ((type !== "user" && type !== "gemini") || ownValue(value, "message") !== undefined) return undefined;
  const tools = listAt(value, "toolCalls")
    .filter(isJsonObject)
    .flatMap(call => callParts(call, name));
  return {
    role: type === "user" ? "user" : "assistant",
    timestamp: stringAt(value, "timestamp"),
    parts: [...messageParts(ownValue(value, "content"), name), ...tools],
    isSynthetic: false,
  };
}

function outcomeOf(call: JsonObject): boolean | undefined {
  const status = stringAt(call, "status");
  return status === undefined ? undefined : status === "error";
}

function callParts(call: JsonObject, name: Naming): readonly MessagePart[] {
  const id = stringAt(call, "id");
  const result = readField(call, ["resultDisplay", "result"])?.value;
  const use: MessagePart = {
    kind: "tool-use",
    id,
    name: name(stringAt(call, "name") ?? "unknown"),
    input: call["args"] ?? {},
  };
  return result === undefined
    ? [use]
    : [use, { kind: "tool-result", id, text: plainText(result), hasFailed: outcomeOf(call) }];
}
