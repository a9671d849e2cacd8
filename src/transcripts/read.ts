import {
  booleanAt,
  isJsonObject,
  JSON_DEPTH_LIMIT,
  type Json,
  type JsonObject,
  listAt,
  memberAt,
  ownValue,
  parseJsonObject,
  readField,
  stringAt,
} from "../protocol/index.ts";
import { basename, type System } from "../system/index.ts";
import { decodedInput, type Entry, type MessagePart, messageParts, type Naming, plainText } from "./entry.ts";
import { LINE_OPTIONS, type LineOptions, readLines } from "./lines.ts";

/**
 * Claude Code's session file: `{type: "user" | "assistant", message: {role, content}}`. Tool results are blocks
 * inside user entries; older writers made them entries of their own, which are read as well.
 */
function readClaudeEntry(value: JsonObject, name: Naming): Entry | undefined {
  const type = stringAt(value, "type");
  const message = ownValue(value, "message");
  const timestamp = stringAt(value, "timestamp");
  if (type === "tool_result" || type === "tool_use") {
    const role = type === "tool_use" ? "assistant" : "user";
    return { role, timestamp, parts: messageParts([claudeBlock(value, message)], name), isSynthetic: false };
  }
  if ((type !== "user" && type !== "assistant") || message === undefined) return undefined;
  const content = isJsonObject(message) ? ownValue(message, "content") : message;
  return { role: type, timestamp, parts: messageParts(content, name), isSynthetic: isSynthetic(value) };
}

function claudeBlock(value: JsonObject, message: Json | undefined): JsonObject {
  const inner = isJsonObject(message) ? message : {};
  const content = ownValue(value, "content") ?? ownValue(value, "result") ?? ownValue(value, "output");
  return { ...inner, ...value, content: content ?? ownValue(inner, "content") ?? null };
}

const MARKS_OF_PROGRAMS = ["isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"];

function isSynthetic(value: JsonObject): boolean {
  return MARKS_OF_PROGRAMS.some(mark => booleanAt(value, mark) === true);
}

/**
 * Codex's rollout file: `{timestamp, type: "response_item", payload}`. Its other lines repeat the same messages
 * for the screen and are not read.
 */
function readCodexEntry(value: JsonObject, name: Naming): Entry | undefined {
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
  const part = type.endsWith("_output") ? codexResult(payload) : codexCall(type, payload, name);
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

function codexCall(type: string, payload: JsonObject, name: Naming): MessagePart | undefined {
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

function codexResult(payload: JsonObject): MessagePart {
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

/**
 * Pi's session file: `{type: "message", message: {role: "user" | "assistant" | "toolResult", content}}`. What OpenCode
 * keeps in its database is given in the same form; Factory's lines have it with Claude's blocks.
 */
function readPiEntry(value: JsonObject, name: Naming): Entry | undefined {
  const message = ownValue(value, "message");
  if ((stringAt(value, "type") ?? "message") !== "message" || !isJsonObject(message)) return undefined;
  const role = stringAt(message, "role");
  const content = ownValue(message, "content");
  const common = { timestamp: stringAt(value, "timestamp"), isSynthetic: false };
  if (role === "user" || role === "assistant") return { role, ...common, parts: messageParts(content, name) };
  if (role !== "toolResult") return undefined;
  const id = stringAt(message, "toolCallId");
  const hasFailed = booleanAt(message, "isError");
  return {
    role: "user",
    ...common,
    parts: [{ kind: "tool-result", id, text: plainText(content), hasFailed }],
  };
}

/** Gemini's chat record: `{type: "user" | "gemini", content, toolCalls?}`, with results inside the calls. */
function readGeminiEntry(value: JsonObject, name: Naming): Entry | undefined {
  const type = stringAt(value, "type");
  if ((type !== "user" && type !== "gemini") || ownValue(value, "message") !== undefined) return undefined;
  const tools = listAt(value, "toolCalls")
    .filter(isJsonObject)
    .flatMap(call => geminiCall(call, name));
  const said = messageParts(ownValue(value, "content"), name);
  return {
    role: type === "user" ? "user" : "assistant",
    timestamp: stringAt(value, "timestamp"),
    parts: [...(type === "user" ? said.flatMap(withoutHookContext) : said), ...tools],
    isSynthetic: said.some(part => part.kind === "text" && part.text.startsWith("<session_context>")),
  };
}

/** Gemini writes what hooks add to a prompt into the prompt. */
function withoutHookContext(part: MessagePart): readonly MessagePart[] {
  if (part.kind !== "text") return [part];
  const text = part.text.replace(/<hook_context>[\s\S]*?<\/hook_context>\s*/g, "");
  return text.trim() === "" ? [] : [{ ...part, text }];
}

function geminiHasFailed(call: JsonObject): boolean | undefined {
  const status = stringAt(call, "status");
  return status === undefined ? undefined : status === "error";
}

function geminiCall(call: JsonObject, name: Naming): readonly MessagePart[] {
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
    : [use, { kind: "tool-result", id, text: plainText(result), hasFailed: geminiHasFailed(call) }];
}

/**
 * Copilot's event file: `{type: "user.message", data: {content}}` and so on. A tool counts when it starts, not
 * when the model asks for it, so that a call is never seen twice. Older files name the event in `event`, or are
 * plain `{role, content}` messages.
 */
function readCopilotEntry(value: JsonObject, name: Naming): Entry | undefined {
  const timestamp = stringAt(value, "timestamp");
  const role = stringAt(value, "role");
  if (role !== undefined && ownValue(value, "message") === undefined) {
    const content = ownValue(value, "content") ?? ownValue(value, "text");
    if (role === "tool") return copilotResult(value, timestamp);
    return { role: role.toLowerCase(), timestamp, parts: messageParts(content, name), isSynthetic: false };
  }
  const event = stringAt(value, "event", "type");
  const read = event !== undefined && Object.hasOwn(READERS, event) ? READERS[event] : undefined;
  if (read === undefined) return undefined;
  const data = ownValue(value, "data");
  return { timestamp, isSynthetic: false, ...read(isJsonObject(data) ? data : value, name) };
}

function copilotResult(value: JsonObject, timestamp: string | undefined): Entry {
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

/** The recorded forms; their members do not overlap, so the first that knows the line has it. */
const FORMS = [readClaudeEntry, readCodexEntry, readPiEntry, readGeminiEntry, readCopilotEntry];

/** What a reader saw besides the entries themselves. */
export interface ReadCount {
  lines: number;
  /** too long, not JSON, or not an object */
  unreadable: number;
}

/** The messages of a session file in any recorded form, one at a time; lines that are no message are passed over. */
export function* readTranscript(
  system: Pick<System, "files" | "text">,
  path: string,
  name: Naming,
  count: ReadCount = { lines: 0, unreadable: 0 },
  options: LineOptions = LINE_OPTIONS,
): Generator<Entry> {
  for (const { text } of readLines(system, path, options)) {
    count.lines++;
    if (text !== undefined && text.trim() === "") continue;
    const value = text === undefined ? undefined : parseJsonObject(text, JSON_DEPTH_LIMIT);
    if (value === undefined) {
      count.unreadable++;
      continue;
    }
    const entry = readEntry(value, name);
    if (entry !== undefined) yield entry;
  }
}

export function readEntry(value: JsonObject, name: Naming): Entry | undefined {
  for (const read of FORMS) {
    const entry = read(value, name);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Messages given in a payload: a plain string is a message with an unknown role; a bad one does not affect the others. */
export function readMessages(list: Json | undefined, name: Naming): readonly Entry[] {
  if (!Array.isArray(list)) return [];
  return list.map(message => {
    if (!isJsonObject(message)) {
      const text = typeof message === "string" ? message : "";
      return { role: "unknown", timestamp: undefined, parts: [{ kind: "text", text }], isSynthetic: false };
    }
    const preferred =
      typeof message["text"] === "string" ? { ...message, content: message["text"] } : message;
    return (
      readEntry(preferred, name) ?? {
        role: "unknown",
        timestamp: undefined,
        parts: readContent(preferred, name),
        isSynthetic: false,
      }
    );
  });
}

function readContent(message: JsonObject, name: Naming): Entry["parts"] {
  return readCopilotEntry({ role: "unknown", content: message["content"] ?? null }, name)?.parts ?? [];
}
