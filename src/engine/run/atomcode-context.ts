import type { EventDescriptor, Json, JsonObject } from "../../protocol/index.ts";
import { ownValue } from "../../protocol/index.ts";
import { spellAtomcodeEvent } from "../source/atomcode-form.ts";

/** What a hook of the dialect is told; members that do not apply are null, never left out. */
export function atomcodeContext(event: EventDescriptor, payload: JsonObject, projectDir: string): JsonObject {
  const result = ownValue(payload, "tool_response") ?? null;
  const isAfter = event.name === "PostToolUse" || event.name === "PostToolUseFailure";
  return {
    event: spellAtomcodeEvent(event.name),
    tool_name: ownValue(payload, "tool_name") ?? null,
    tool_args: ownValue(payload, "tool_input") ?? null,
    tool_result: isAfter ? asText(result) : null,
    tool_success: isAfter ? event.name === "PostToolUse" && ownValue(payload, "is_error") !== true : null,
    session_id: ownValue(payload, "session_id") ?? "",
    working_dir: ownValue(payload, "cwd") ?? projectDir,
  };
}

function asText(result: Json): Json {
  return result === null || typeof result === "string" ? result : JSON.stringify(result);
}

/**
 * What both forms of the dialect read on stdin: the payload as AtomCode sends it now, and beside it the members of the
 * older context, so that a script finds what it was written for whichever form its file was taken for.
 */
export function atomcodeStdin(context: JsonObject, payload: JsonObject, event: EventDescriptor): JsonObject {
  const { tool_use_id: id = null, tool_response: result } = payload;
  return {
    ...payload,
    hook_event_name: event.name,
    cwd: context["working_dir"] ?? "",
    ...(event.requiresTool ? { call_id: id } : {}),
    ...(result === undefined ? {} : { tool_response: asText(result) }),
    ...context,
  };
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
