import type { EventName, EventRow, FailurePolicy, Json, JsonObject } from "../../protocol/index.ts";
import type { GivenCall } from "./call-types.ts";
import type { EffectFor } from "./effects.ts";
import type { McpTool, ToolInputs, ToolName, ToolSelector } from "./tools.ts";

/** The events that carry a tool. */
export type ToolEvent = { [E in EventName]: EventRow<E>["requiresTool"] extends true ? E : never }[EventName];

/** Of a call whose tool is none of the canonical ones: `input` is what the host sent. */
interface OtherToolCall {
  readonly tool: undefined;
  readonly input: JsonObject;
}
type KnownToolCall<T extends ToolName> = {
  [K in T]: { readonly tool: K; readonly input: ToolInputs[K] };
}[T];

/** The tool of a call and its input, by what the hook asked for. Only unit types narrow, so `tool` is one or undefined. */
type ToolPart<T extends ToolSelector> = [T] extends [never]
  ? KnownToolCall<ToolName> | OtherToolCall
  : KnownToolCall<Extract<T, ToolName>> | (Extract<T, McpTool> extends never ? never : OtherToolCall);

/** What an event tells besides the tool. */
interface EventFields {
  PostToolUse: { readonly output: Json };
  PostToolUseFailure: { readonly error: string; readonly output: Json };
  UserPromptSubmit: { readonly prompt: string };
  UserPromptExpansion: { readonly prompt: string };
  Stop: { readonly stopHookActive: boolean };
  SubagentStop: { readonly stopHookActive: boolean };
  SessionStart: { readonly source: string | undefined };
  SessionEnd: { readonly reason: string | undefined };
  PreCompact: { readonly trigger: string | undefined };
}

type Fields<E extends EventName> = E extends keyof EventFields ? EventFields[E] : unknown;

/** What `run` is given on an event. */
export type HookCall<E extends EventName, T extends ToolSelector = never> = E extends EventName
  ? GivenCall &
      Fields<E> & { readonly event: E } & (E extends ToolEvent
        ? ToolPart<T> & {
            /** canonical name, also of tools that are not listed: `mcp__github__create_issue` */
            readonly toolName: string;
            /** the host's own name */
            readonly hostTool: string;
          }
        : { readonly input: JsonObject })
  : never;

/** What a hook on these tools may change. */
type Changes<T extends ToolSelector> = [T] extends [never]
  ? JsonObject
  : [Extract<T, McpTool>] extends [never]
    ? Partial<Omit<ToolInputs[Extract<T, ToolName>], "paths">>
    : JsonObject;

type Answer<E extends EventName, T extends ToolSelector> = EffectFor<E, Changes<T>>;
type Nothing = ReturnType<() => void> | undefined | null;
export type HookAnswer<E extends EventName, T extends ToolSelector = never> =
  | Answer<E, T>
  | readonly Answer<E, T>[]
  | Nothing;

export interface HookSettings {
  /** 5 000; within the time that the host gives to all hooks of an event */
  readonly timeoutMs?: number;
  /** what happens when the hook breaks or is late, on events that can be refused: `open` when absent */
  readonly onFailure?: FailurePolicy;
  /** lower runs first; 0 when absent; equal ones by name */
  readonly order?: number;
  /** ids of hosts; all when absent */
  readonly hosts?: readonly string[];
  /** a cheap test on the raw text of the command or prompt, made before the hook is loaded: a pattern, or words */
  readonly when?: RegExp | string | readonly string[];
}

export interface HookSpec<E extends EventName, T extends ToolSelector> {
  /** letters, digits, `.`, `_` and `-` */
  readonly name: string;
  readonly event: E | readonly E[];
  /** canonical names, or names of MCP tools with `*`; every tool when absent */
  readonly tool?: [E] extends [ToolEvent] ? T | readonly T[] : never;
  /** the host's own name of a tool that has no canonical one */
  readonly hostTool?: [E] extends [ToolEvent] ? string | readonly string[] : never;
  readonly options?: HookSettings;
  run(call: HookCall<E, T>): HookAnswer<E, T> | Promise<HookAnswer<E, T>>;
}

/** A hook as a value: what `defineHook` makes, and what every place that runs hooks takes. */
export interface UserHook {
  readonly kind: typeof HOOK_KIND;
  readonly name: string;
  readonly events: readonly EventName[];
  readonly tools: readonly string[];
  readonly hostTools: readonly string[];
  readonly options: HookSettings;
  /** Typed by `defineHook`; whoever calls it has made sure that the call is one of its events and tools. */
  readonly run: (call: object) => unknown;
}

export const HOOK_KIND = "amplihack.hook";
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Makes a hook. `event` and `tool` decide what `run` is given and what it may say. */
export function defineHook<const E extends EventName, const T extends ToolSelector = never>(
  spec: HookSpec<E, T>,
): UserHook {
  if (typeof spec?.name !== "string" || !NAME.test(spec.name))
    throw new TypeError(
      `a hook needs a "name" of letters, digits, ".", "_" and "-", not ${JSON.stringify(spec?.name)}`,
    );
  if (typeof spec.run !== "function") throw new TypeError(`hook ${spec.name} needs a function "run"`);
  return {
    kind: HOOK_KIND,
    name: spec.name,
    events: listOf<E>(spec.event),
    tools: listOf<string>(spec.tool),
    hostTools: listOf<string>(spec.hostTool),
    options: spec.options ?? {},
    run: call => spec.run(call as HookCall<E, T>),
  };
}

export function isUserHook(value: unknown): value is UserHook {
  return typeof value === "object" && value !== null && Reflect.get(value, "kind") === HOOK_KIND;
}

function listOf<V extends string>(value: V | readonly V[] | undefined): readonly V[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
