import { isJsonObject, type Json, type JsonObject, memberAt, ownValue, stringAt } from "../protocol/index.ts";
import { basename } from "../system/index.ts";
import type { Entry, MessagePart } from "./entry.ts";
import { decodedInput, messageParts, type Naming, plainText } from "./entry.ts";

/**
 * Codex's rollout file: `{timestamp, type: "response_item", payload}`. Its other lines repeat the same messages
 * for the screen and are not read.
 */
export function readCodexEntry(value: JsonObject, name: Naming): Entry | undefined {
  if (stringAt(value, "type") !== "response_item") return undefined;
  const payload = ownValue(value, "payload");
  if (!isJsonObject(payload)) return undefined;
  const timestamp = stringAt(value, "timestamp");
  const type = stringAt(payload, "type") ?? "";
  if (type === "message") {
    const role = stringAt(payload, "role") ?? "unknown";
    if (role !== "user" && role !== "assistant") return undefined;
    const parts = messageParts(ownValue(payload, "content"), name);
    return { role, timestamp, parts, isSynthetic: isPreamble(parts) };
  }
  const part = type.endsWith("_output") ? resultOf(payload) : callOf(type, payload, name);
  if (part === undefined) return undefined;
  const role = part.kind === "tool-use" ? "assistant" : "user";
  return { role, timestamp, parts: [part], isSynthetic: false };
}

/** Tools under the names the model uses, which differ from those in hook payloads. */
const RECORDED_NAMES: Readonly<Record<string, string>> = {
  shell: "Bash",
  shell_command: "Bash",
  exec_command: "Bash",
  local_shell: "Bash",
  update_plan: "TodoWrite",
};

function callOf(type: string, payload: JsonObject, name: Naming): MessagePart | undefined {
  if (!/_call$/.test(type)) return undefined;
  const tool = stringAt(payload, "name") ?? type.replace(/_call$/, "");
  const given = ownValue(payload, "arguments") ?? ownValue(payload, "input") ?? ownValue(payload, "action");
  return {
    kind: "tool-use",
    id: stringAt(payload, "call_id", "id"),
    name: RECORDED_NAMES[tool] ?? name(tool),
    input: withCommandText(decodedInput(given)),
  };
}

function resultOf(payload: JsonObject): MessagePart {
  const output = decodedInput(ownValue(payload, "output"));
  const exitCode = memberAt(output, "metadata", "exit_code");
  return {
    kind: "tool-result",
    id: stringAt(payload, "call_id"),
    text: plainText(output),
    hasFailed: typeof exitCode === "number" ? exitCode !== 0 : undefined,
  };
}

/** Commands are argument lists or stand under `cmd`; the rest of the program looks for a text in `command`. */
function withCommandText(input: Json): Json {
  if (!isJsonObject(input)) return input;
  const command = ownValue(input, "command") ?? ownValue(input, "cmd");
  if (!Array.isArray(command)) return command === undefined ? input : { ...input, command };
  const words = command.filter(word => typeof word === "string");
  const isShell = /^(?:ba|z|da)?sh$/.test(basename(words[0] ?? "")) && /^-\w*c$/.test(words[1] ?? "");
  return { ...input, command: isShell ? (words[2] ?? "") : words.join(" ") };
}

/** What Codex itself puts before the first prompt. */
function isPreamble(parts: readonly MessagePart[]): boolean {
  const [first] = parts;
  return first?.kind === "text" && /^\s*(?:<[a-z]+(?:_[a-z]+)*>|# AGENTS\.md instructions)/.test(first.text);
}
