import type { Effect } from "./effect.ts";
import { describeEvent, type EventDescriptor } from "./events.ts";
import { isJsonObject, type Json, type JsonObject, ownValue, stringAt } from "./members.ts";

/** Stable names of what `normalise` noticed and could live with. */
export type InputWarningCode =
  | "missing-tool-input"
  | "tool-input-not-json"
  | "tool-input-wrong-type"
  | "field-wrong-type";

export interface InputWarning {
  readonly code: InputWarningCode;
  /** the payload's own field name; never its content */
  readonly field?: string;
}

/** A payload in one vocabulary, whatever host sent it. `null` means the payload does not say. */
export interface Normalised {
  readonly host: string;
  /** canonical event name; for an event without a canonical counterpart its native name */
  readonly event: string;
  /** the host's spelling, as found in the payload or on the command line */
  readonly nativeEvent: string;
  readonly toolName: string | null;
  readonly canonicalToolName: string | null;
  readonly toolInput: Json;
  readonly cwd: string | null;
  readonly sessionId: string | null;
  readonly transcriptPath: string | null;
  readonly facts: {
    readonly command: string | null;
    readonly paths: readonly string[];
    /** the directory that the call works in, where it names one */
    readonly directory?: string;
  };
  readonly warnings: readonly InputWarning[];
  /** the payload as it came, unknown fields included */
  readonly raw: JsonObject;
  /** what the host keeps under names of its own, under the names of this contract; `raw` wins where both have it */
  readonly aliases?: JsonObject;
}

export interface ToolUse {
  /** the host's spelling */
  readonly name: string;
  /** `Bash`, `Read`, `Write`, `Edit`, `mcp__server__tool` … */
  readonly canonicalName: string;
  /** an object, except for a patch given as plain text or JSON text that holds something else */
  readonly input: Json;
  readonly useId: string | undefined;
}

interface InputBase {
  readonly host: string;
  readonly event: string;
  readonly nativeEvent: string;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
  readonly transcriptPath: string | undefined;
  readonly facts: Normalised["facts"];
  readonly raw: JsonObject;
}

/** What a hook sees. `kind` groups the events that carry the same fields; `event` names the one at hand. */
export type HookInput =
  | (InputBase & {
      readonly kind: "tool";
      readonly tool: ToolUse;
      readonly result: Json | undefined;
      /** of a failed call: a text, or what an engine's tool threw */
      readonly error: Json | undefined;
    })
  | (InputBase & { readonly kind: "prompt"; readonly prompt: string | undefined })
  | (InputBase & { readonly kind: "stop"; readonly stopHookActive: boolean })
  | (InputBase & {
      readonly kind: "session-start";
      readonly source: string | undefined;
      readonly prompt: string | undefined;
    })
  | (InputBase & {
      readonly kind: "session-end";
      readonly reason: string | undefined;
      readonly output: string | undefined;
      readonly task: string | undefined;
      readonly agentType: string | undefined;
      readonly success: boolean | undefined;
    })
  | (InputBase & {
      readonly kind: "compact";
      readonly trigger: string | undefined;
      readonly conversation: Json | undefined;
      readonly messages: Json | undefined;
    })
  | (InputBase & { readonly kind: "other" });

export type InputOf<K extends HookInput["kind"]> = Extract<HookInput, { readonly kind: K }>;

export type CheckedInput =
  | { readonly ok: true; readonly input: HookInput; readonly problems: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** Names under which hosts send one thing; the first that is present and not null wins. */
export const FIELD_NAMES = {
  event: ["hook_event_name", "hookEventName"],
  toolName: ["tool_name", "toolName"],
  toolInput: ["tool_input", "toolInput", "toolArgs"],
  toolResult: ["tool_response", "tool_result", "toolResult", "result"],
  toolUseId: ["tool_use_id", "toolUseId", "toolCallId"],
  sessionId: ["session_id", "sessionId"],
  transcriptPath: ["transcript_path", "transcriptPath"],
  stopHookActive: ["stop_hook_active", "stopHookActive"],
  prompt: ["prompt", "user_prompt", "userPrompt", "userMessage"],
  cwd: ["cwd"],
} as const satisfies Record<string, readonly string[]>;

export function readField(
  payload: JsonObject,
  names: readonly string[],
): { readonly name: string; readonly value: Json } | undefined {
  for (const name of names) {
    const value = ownValue(payload, name);
    if (value !== undefined && value !== null) return { name, value };
  }
  return undefined;
}

/**
 * The event of a payload that is all there is: the one it names, else what its tool fields say. Undefined for one
 * that says nothing. For looking at payloads offline: the hook program goes by its subcommand.
 */
export function inferEvent(payload: JsonObject): string | undefined {
  const named = readField(payload, FIELD_NAMES.event)?.value;
  if (typeof named === "string" && named.trim() !== "") return named;
  if (readField(payload, FIELD_NAMES.toolResult) !== undefined) return "PostToolUse";
  const hasTool = readField(payload, [...FIELD_NAMES.toolName, ...FIELD_NAMES.toolInput]) !== undefined;
  return hasTool || isJsonObject(ownValue(payload, "toolUse")) ? "PreToolUse" : undefined;
}

/** Tools whose input is rightly plain text. */
const PATCH_TOOLS: ReadonlySet<string> = new Set(["apply_patch", "applypatch"]);

export function isPatchTool(name: string): boolean {
  return PATCH_TOOLS.has(name.toLowerCase());
}

/** Copilot with Claude's event names calls `apply_patch` by the name of the canonical tool. */
function isPatchText({ canonicalToolName, toolInput }: Normalised): boolean {
  return (
    canonicalToolName === "Edit" &&
    typeof toolInput === "string" &&
    toolInput.trimStart().startsWith("*** Begin Patch")
  );
}

/**
 * The strict second step after a host's lenient `normalise`: a known tool event without its tool is malformed,
 * never "unknown". Optional fields of a wrong type are reported as problems and count as absent.
 */
export function checkInput(normalised: Normalised): CheckedInput {
  const descriptor = describeEvent(normalised.event);
  if (descriptor.requiresTool) {
    const problem = toolProblem(normalised);
    if (problem !== undefined) return { ok: false, problem };
  }
  const { raw, aliases } = normalised;
  const reader = new OptionalFields(aliases === undefined ? raw : { ...aliases, ...raw });
  for (const warning of normalised.warnings) {
    if (warning.code === "field-wrong-type")
      reader.problems.push(`${warning.field ?? "a field"} has the wrong type`);
  }
  return { ok: true, input: buildInput(descriptor, normalised, reader), problems: reader.problems };
}

function toolProblem(normalised: Normalised): string | undefined {
  const { toolName, warnings } = normalised;
  if (toolName === null || toolName === "") return `${normalised.event} payload has no tool name`;
  for (const { code, field } of warnings) {
    const named = field ?? "tool_input";
    if (code === "missing-tool-input") return `${normalised.event} payload has no tool input`;
    if (code === "tool-input-wrong-type") return `${named} must be an object or JSON text`;
    if (code === "tool-input-not-json" && !isPatchTool(toolName) && !isPatchText(normalised))
      return `${named} is a string that is not JSON`;
  }
  return undefined;
}

/** Reads optional members by type; what is there but of another type is recorded, never guessed. */
class OptionalFields {
  readonly problems: string[] = [];
  private readonly payload: JsonObject;

  constructor(payload: JsonObject) {
    this.payload = payload;
  }

  value(...names: readonly string[]): Json | undefined {
    return readField(this.payload, names)?.value;
  }

  string(...names: readonly string[]): string | undefined {
    return this.#read(names, "a string", value => (typeof value === "string" ? value : undefined));
  }

  boolean(...names: readonly string[]): boolean | undefined {
    return this.#read(names, "true or false", value => (typeof value === "boolean" ? value : undefined));
  }

  prompt(...names: readonly string[]): string | undefined {
    return this.#read(names, 'a string, or an object with a string "text"', value =>
      typeof value === "string" ? value : stringAt(value, "text"),
    );
  }

  #read<T>(
    names: readonly string[],
    expected: string,
    accept: (value: Json) => T | undefined,
  ): T | undefined {
    const field = readField(this.payload, names);
    if (field === undefined) return undefined;
    const accepted = accept(field.value);
    if (accepted === undefined) this.problems.push(`${field.name} must be ${expected}`);
    return accepted;
  }
}

function toToolUse({ toolName, canonicalToolName, toolInput }: Normalised, read: OptionalFields): ToolUse {
  const name = toolName ?? "";
  const useId = read.string(...FIELD_NAMES.toolUseId);
  return { name, canonicalName: canonicalToolName ?? name, input: toolInput, useId };
}

function buildInput(descriptor: EventDescriptor, normalised: Normalised, read: OptionalFields): HookInput {
  const base: InputBase = {
    host: normalised.host,
    event: descriptor.name,
    nativeEvent: normalised.nativeEvent,
    sessionId: normalised.sessionId ?? undefined,
    cwd: normalised.cwd ?? undefined,
    transcriptPath: normalised.transcriptPath ?? undefined,
    facts: normalised.facts,
    raw: normalised.raw,
  };
  if (descriptor.requiresTool) {
    return {
      ...base,
      kind: "tool",
      tool: toToolUse(normalised, read),
      result: read.value(...FIELD_NAMES.toolResult),
      error: descriptor.name === "PostToolUseFailure" ? (read.value("error") ?? undefined) : undefined,
    };
  }
  switch (descriptor.name) {
    case "UserPromptSubmit":
    case "UserPromptExpansion":
      return { ...base, kind: "prompt", prompt: read.prompt(...FIELD_NAMES.prompt) };
    case "Stop":
    case "SubagentStop":
      return { ...base, kind: "stop", stopHookActive: read.boolean(...FIELD_NAMES.stopHookActive) ?? false };
    case "SessionStart":
      return {
        ...base,
        kind: "session-start",
        source: read.string("source"),
        prompt: read.prompt(...FIELD_NAMES.prompt, "initialPrompt", "initial_prompt"),
      };
    case "SessionEnd":
      return {
        ...base,
        kind: "session-end",
        reason: read.string("reason"),
        output: read.string("output"),
        task: read.string("task"),
        agentType: read.string("agent_type", "agentType"),
        success: read.boolean("success"),
      };
    case "PreCompact":
      return {
        ...base,
        kind: "compact",
        trigger: read.string("trigger"),
        conversation: read.value("conversation"),
        messages: read.value("messages"),
      };
    default:
      return { ...base, kind: "other" };
  }
}

/**
 * One hook, a stock hook or a user's. `event` is a canonical event name; `matcher`, when given, is
 * compared with the event's subject. `run` returns what the hook has to say, or nothing; throwing means "could
 * not run", which the failure policy decides. `system` is the only way to the outside.
 */
export interface Hook<S> {
  readonly id: string;
  readonly event: string;
  readonly matcher?: string;
  /** asked again when a hook after it changed the tool's input: what runs is what was judged */
  readonly isJudge?: boolean;
  run(input: HookInput, system: S): Effect | undefined | Promise<Effect | undefined>;
}
