import {
  isJsonObject,
  type Json,
  type JsonObject,
  listAt,
  memberAt,
  objectAt,
  readJson,
  stringAt,
} from "../protocol/index.ts";

/** What one entry of a session's record says, whichever host wrote it. */
export type SessionFact =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "call"; readonly id: string | undefined; readonly name: string; readonly input: Json }
  | { readonly kind: "result"; readonly id: string; readonly content: Json }
  | { readonly kind: "session"; readonly id?: string | undefined; readonly cwd?: string | undefined };

/** The facts of one line. A record is told by its own members, so that a file needs no name or place to be read. */
export function factsOf(entry: JsonObject): readonly SessionFact[] {
  const type = stringAt(entry, "type") ?? "";
  if (isJsonObject(memberAt(entry, "payload"))) return codexFacts(type, objectAt(entry, "payload"));
  if (isJsonObject(memberAt(entry, "data")) && type.includes("."))
    return copilotFacts(type, objectAt(entry, "data"));
  return [...sessionFacts(entry, type), ...messageFacts(entry, type)];
}

function sessionFacts(entry: JsonObject, type: string): readonly SessionFact[] {
  const id =
    stringAt(entry, "sessionId", "session_id") ?? (type === "session" ? stringAt(entry, "id") : undefined);
  const cwd = stringAt(entry, "cwd");
  return id === undefined && cwd === undefined ? [] : [{ kind: "session", id, cwd }];
}

/** Claude Code and hosts that write as it does; Pi, whose results are messages; Gemini, whose calls hang on one. */
function messageFacts(entry: JsonObject, type: string): readonly SessionFact[] {
  const message = memberAt(entry, "message");
  const holder = isJsonObject(message) ? message : entry;
  const role = stringAt(holder, "role") ?? type;
  const isPrompt = role === "user" && memberAt(entry, "isMeta") !== true;
  const prompt = stringAt(holder, "content");
  const facts: SessionFact[] = isPrompt && prompt !== undefined ? [{ kind: "prompt", text: prompt }] : [];
  if (role === "toolResult") {
    const content = memberAt(holder, "content") ?? null;
    return [{ kind: "result", id: stringAt(holder, "toolCallId") ?? "", content }];
  }
  for (const block of listAt(holder, "content")) facts.push(...blockFacts(block, role, isPrompt));
  for (const call of listAt(entry, "toolCalls")) {
    const id = stringAt(call, "id");
    facts.push({ kind: "call", id, name: stringAt(call, "name") ?? "", input: memberAt(call, "args") ?? {} });
    const result = memberAt(call, "result");
    if (id !== undefined && result !== undefined) facts.push({ kind: "result", id, content: result });
  }
  return facts;
}

function blockFacts(block: Json, role: string, isPrompt: boolean): readonly SessionFact[] {
  const type = stringAt(block, "type");
  if (role === "assistant" && (type === "tool_use" || type === "toolCall")) {
    const input = memberAt(block, "input") ?? memberAt(block, "arguments") ?? {};
    return [{ kind: "call", id: stringAt(block, "id"), name: stringAt(block, "name") ?? "", input }];
  }
  if (role === "user" && type === "tool_result") {
    const content = memberAt(block, "content") ?? null;
    return [{ kind: "result", id: stringAt(block, "tool_use_id") ?? "", content }];
  }
  const text = stringAt(block, "text");
  return isPrompt && text !== undefined ? [{ kind: "prompt", text }] : [];
}

function codexFacts(type: string, payload: JsonObject): readonly SessionFact[] {
  if (type === "session_meta" || type === "turn_context")
    return [{ kind: "session", id: stringAt(payload, "id"), cwd: stringAt(payload, "cwd") }];
  if (type !== "response_item") return [];
  const id = stringAt(payload, "call_id");
  const name = stringAt(payload, "name") ?? "";
  switch (stringAt(payload, "type")) {
    case "message":
      return blocksOfPrompt(payload);
    case "function_call":
      return [{ kind: "call", id, ...asHooksSee(name, readArguments(stringAt(payload, "arguments") ?? "")) }];
    case "custom_tool_call":
      return [{ kind: "call", id, name, input: { command: stringAt(payload, "input") ?? "" } }];
    case "local_shell_call":
      return [{ kind: "call", id, name: "Bash", input: memberAt(payload, "action") ?? {} }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ kind: "result", id: id ?? "", content: memberAt(payload, "output") ?? null }];
    default:
      return [];
  }
}

/** The model's shells have names and members of their own there; hooks are told of one. */
function asHooksSee(name: string, input: Json): { readonly name: string; readonly input: Json } {
  const command = stringAt(input, "cmd");
  if (command !== undefined) return { name: "Bash", input: { command } };
  return { name: name === "shell" || name === "shell_command" ? "Bash" : name, input };
}

function blocksOfPrompt(message: JsonObject): readonly SessionFact[] {
  if (stringAt(message, "role") !== "user") return [];
  return listAt(message, "content").flatMap(block => {
    const text = stringAt(block, "text");
    return text === undefined ? [] : [{ kind: "prompt", text } as const];
  });
}

function readArguments(text: string): Json {
  const read = readJson(text);
  return read.ok ? read.value : {};
}

function copilotFacts(type: string, data: JsonObject): readonly SessionFact[] {
  const id = stringAt(data, "toolCallId");
  switch (type) {
    case "session.start":
      return [
        { kind: "session", id: stringAt(data, "sessionId"), cwd: stringAt(memberAt(data, "context"), "cwd") },
      ];
    case "user.message":
      return [{ kind: "prompt", text: stringAt(data, "content") ?? "" }];
    case "tool.execution_start":
      return [
        {
          kind: "call",
          id,
          name: stringAt(data, "toolName") ?? "",
          input: memberAt(data, "arguments") ?? {},
        },
      ];
    case "tool.execution_complete":
      return [{ kind: "result", id: id ?? "", content: memberAt(data, "result") ?? null }];
    default:
      return [];
  }
}
