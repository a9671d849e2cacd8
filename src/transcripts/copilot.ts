import {
  booleanAt,
  isJsonObject,
  type JsonObject,
  ownValue,
  readField,
  stringAt,
} from "../protocol/index.ts";
import type { Entry } from "./entry.ts";
import { decodedInput, messageParts, type Naming, plainText } from "./entry.ts";

/**
 * Copilot's event file: `{type: "user.message", data: {content}}` and so on. A tool counts when it starts, not
 * when the model asks for it, so that a call is never seen twice. Older files name the event in `event`, or are
 * plain `{role, content}` messages.
 */
export function readCopilotEntry(value: JsonObject, name: Naming): Entry | undefined {
  const timestamp = stringAt(value, "timestamp");
  const role = stringAt(value, "role");
  if (role !== undefined && ownValue(value, "message") === undefined) {
    const content = ownValue(value, "content") ?? ownValue(value, "text");
    if (role === "tool") return toolMessage(value, timestamp);
    return { role: role.toLowerCase(), timestamp, parts: messageParts(content, name), isSynthetic: false };
  }
  const event = stringAt(value, "event", "type");
  const read = event !== undefined && Object.hasOwn(READERS, event) ? READERS[event] : undefined;
  if (read === undefined) return undefined;
  const data = ownValue(value, "data");
  return { timestamp, isSynthetic: false, ...read(isJsonObject(data) ? data : value, name) };
}

function toolMessage(value: JsonObject, timestamp: string | undefined): Entry {
  const text = plainText(ownValue(value, "content"));
  const id = stringAt(value, "tool_call_id");
  const parts = [{ kind: "tool-result" as const, id, text, hasFailed: undefined }];
  return { role: "user", timestamp, parts, isSynthetic: false };
}

type Reader = (data: JsonObject, name: Naming) => Pick<Entry, "role" | "parts"> & Partial<Entry>;

const readUser: Reader = (data, name) => ({
  role: "user",
  parts: messageParts(readField(data, ["content", "prompt", "message", "text"])?.value, name),
  isSynthetic: (stringAt(data, "source") ?? "user") !== "user",
});

const readAssistant: Reader = (data, name) => ({
  role: "assistant",
  parts: messageParts(readField(data, ["content", "response", "message", "text"])?.value, name),
});

const READERS: Readonly<Record<string, Reader>> = {
  "user.message": readUser,
  user_message: readUser,
  userPromptSubmitted: readUser,
  "assistant.message": readAssistant,
  assistant_message: readAssistant,
  "tool.execution_start": (data, name) => ({
    role: "assistant",
    parts: [
      {
        kind: "tool-use",
        id: stringAt(data, "toolCallId"),
        name: name(stringAt(data, "toolName", "name") ?? "unknown"),
        input: decodedInput(ownValue(data, "arguments")),
      },
    ],
  }),
  "tool.execution_complete": data => ({
    role: "user",
    parts: [
      {
        kind: "tool-result",
        id: stringAt(data, "toolCallId"),
        text: plainText(readField(data, ["result", "error"])?.value),
        hasFailed: ownValue(data, "success") === undefined ? undefined : booleanAt(data, "success") !== true,
      },
    ],
  }),
};
