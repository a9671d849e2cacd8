import type { EventDescriptor, Json, JsonObject } from "../../protocol/index.ts";
import { ownValue } from "../../protocol/index.ts";
import { ATOMCODE_EVENTS, findAtomcodeEvent } from "../source/atomcode.ts";

/** What a hook of the dialect is told; members that do not apply are null, never left out. */
export function atomcodeContext(event: EventDescriptor, payload: JsonObject, projectDir: string): JsonObject {
  const name = findAtomcodeEvent(event.name);
  const result = ownValue(payload, "tool_response") ?? null;
  const isAfter = event.name === "PostToolUse";
  return {
    event: name === undefined ? event.name : ATOMCODE_EVENTS[name],
    tool_name: ownValue(payload, "tool_name") ?? null,
    tool_args: ownValue(payload, "tool_input") ?? null,
    tool_result: isAfter ? asText(result) : null,
    tool_success: isAfter ? ownValue(payload, "is_error") !== true : null,
    session_id: ownValue(payload, "session_id") ?? "",
    working_dir: ownValue(payload, "cwd") ?? projectDir,
  };
}

function asText(result: Json): Json {
  return result === null || typeof result === "string" ? result : JSON.stringify(result);
}

/** At the prompt the payload is Claude's, with exactly these members. */
export function atomcodePrompt(payload: JsonObject, projectDir: string): JsonObject {
  return {
    session_id: ownValue(payload, "session_id") ?? "",
    hook_event_name: "UserPromptSubmit",
    prompt: ownValue(payload, "prompt") ?? "",
    cwd: ownValue(payload, "cwd") ?? projectDir,
  };
}
