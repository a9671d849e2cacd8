import { asText, canonicalInput, hostOrDefault, nativeInput } from "../../hosts/index.ts";
import { defined, type Effect, type HookInput, type JsonObject } from "../../protocol/index.ts";
import { isClaudeMember } from "./tools.ts";

/** A call of any host as Claude Code would send it: its names of events and tools, its members. */
export function claudePayload(input: HookInput, cwd: string): JsonObject {
  const common: JsonObject = {
    session_id: input.sessionId ?? "",
    transcript_path: input.transcriptPath ?? "",
    cwd,
    permission_mode: "default",
    hook_event_name: input.event,
  };
  switch (input.kind) {
    case "tool": {
      const { tool, facts, result, error } = input;
      const { paths: _, ...members } = canonicalInput(tool.canonicalName, tool.input, facts);
      return {
        ...common,
        tool_name: tool.canonicalName,
        tool_input: members,
        ...defined({
          tool_use_id: tool.useId,
          tool_response: result,
          error: error === undefined ? undefined : asText(error),
        }),
      };
    }
    case "prompt":
      return { ...common, prompt: input.prompt ?? "" };
    case "stop":
      return { ...common, stop_hook_active: input.stopHookActive };
    case "session-start":
      return { ...common, ...defined({ source: input.source }) };
    case "session-end":
      return { ...common, ...defined({ reason: input.reason }) };
    case "compact":
      return { ...common, ...defined({ trigger: input.trigger }) };
    case "other":
      return { ...input.raw, ...common };
  }
}

/** What hosts but Claude Code call a tool. */
export function nativeNames(canonicalName: string, host: string): readonly string[] {
  const { tools } = hostOrDefault(host);
  return Object.keys(tools).filter(name => tools[name] === canonicalName);
}

/** The variable in which a host tells its hooks where the project is. */
export function directoryVariable(host: string): string | undefined {
  return hostOrDefault(host).input?.environment?.cwd;
}

/** The same for a hook that was written for another host which took Claude's payload over. */
export function payloadFor(payload: JsonObject, host: string): JsonObject {
  const { tool_name: tool, tool_use_id: id, tool_response: result } = payload;
  if (typeof tool !== "string") return payload;
  return {
    ...payload,
    tool_name: nativeNames(tool, host)[0] ?? tool,
    ...(id === undefined ? {} : { call_id: id }),
    ...(result === undefined ? {} : { tool_response: asText(result) }),
  };
}

/**
 * An effect in Claude's words with its new input in the host's own; undefined when the host's form cannot hold it. Its
 * input is a whole one, but a program that was written for Claude Code knows no members that only this host has, and
 * some hosts demand a description.
 */
export function fromClaude(effect: Effect, input: HookInput): Effect | undefined {
  const { input: changed, ...rest } = effect;
  if (changed === undefined) return effect;
  if (input.kind !== "tool") return rest;
  const { canonicalName, input: original } = input.tool;
  const before = canonicalInput(canonicalName, original, input.facts);
  const kept = Object.entries(before).filter(
    ([name]) => name === "description" || !isClaudeMember(canonicalName, name),
  );
  const whole = { ...Object.fromEntries(kept), ...changed };
  const native = nativeInput(canonicalName, original, input.facts, whole);
  return native === undefined ? undefined : { ...rest, input: native };
}
