import type {
  Effect,
  EventName,
  EventRow,
  FailurePolicy,
  Json,
  JsonObject,
  Power,
} from "../../protocol/index.ts";
import type { GivenCall } from "./call.ts";
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

const HOOK_KIND = "amplihack.hook";
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
    events: toList<E>(spec.event),
    tools: toList<string>(spec.tool),
    hostTools: toList<string>(spec.hostTool),
    options: spec.options ?? {},
    run: call => spec.run(call as HookCall<E, T>),
  };
}

export const HOOK_TIMEOUT_MS = 5_000;

export function isUserHook(value: unknown): value is UserHook {
  return typeof value === "object" && value !== null && Reflect.get(value, "kind") === HOOK_KIND;
}

function toList<V extends string>(value: V | readonly V[] | undefined): readonly V[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

export type EffectKind =
  | "allow"
  | "ask"
  | "deny"
  | "context"
  | "message"
  | "rewrite"
  | "replaceOutput"
  | "halt";

declare const KIND: unique symbol;
declare const CHANGES: unique symbol;

/** An `Effect` that knows in its type what it says, so that an event can refuse what it cannot carry. */
export interface Said<K extends EffectKind> extends Effect {
  readonly [KIND]: K;
}

/** A change of the tool's input: the members given replace those of the call, the rest stays. */
export interface Rewrite<I> extends Said<"rewrite"> {
  readonly [CHANGES]: I;
}

/** Skips the host's own question. It never overrides a refusal, nor a question of the guard. */
export function allow(reason?: string): Said<"allow"> {
  return say({ decision: { kind: "allow", ...(reason === undefined ? {} : { reason }) } });
}

/** Lets a person decide. */
export function ask(reason: string): Said<"ask"> {
  return say({ decision: { kind: "ask", reason } });
}

/** Refuses the action; before the end of a turn, makes the agent go on; after a tool, tells the model why it was wrong. */
export function deny(reason: string): Said<"deny"> {
  return say({ decision: { kind: "deny", reason } });
}

/** Text for the model. */
export function context(text: string): Said<"context"> {
  return say({ context: text });
}

/** Text for the person. */
export function message(text: string, level: "info" | "warn" | "error" = "info"): Said<"message"> {
  return say({ message: { text, level } });
}

export function rewrite<I extends object>(input: I): Rewrite<I> {
  return say({ input: input as JsonObject }) as Rewrite<I>;
}

/** What the model gets in place of the tool's result. */
export function replaceOutput(output: Json): Said<"replaceOutput"> {
  return say({ output });
}

/** Ends the agent's turn. */
export function halt(reason: string): Said<"halt"> {
  return say({ halt: { reason } });
}

function say<K extends EffectKind>(effect: Effect): Said<K> {
  return effect as Said<K>;
}

type EventsOf<P extends Power> = {
  [E in EventName]: EventRow<E>["power"] extends P ? E : never;
}[EventName];
type EventsRewriting<R> = {
  [E in EventName]: R extends EventRow<E>["rewrites"][number] ? E : never;
}[EventName];

/** Events on which text reaches the model; a test compares it with what Claude Code takes. */
export const CONTEXT_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "Setup",
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "PostModelSwitch",
] as const satisfies readonly EventName[];

/** Events on which a person can be asked. */
export const ASK_EVENTS = ["PreToolUse", "PreModelSwitch"] as const satisfies readonly EventName[];

/** Which events carry which effect. */
interface Carriers {
  allow: EventsRewriting<"input">;
  ask: (typeof ASK_EVENTS)[number];
  deny: EventsOf<"veto" | "retry" | "feedback">;
  context: (typeof CONTEXT_EVENTS)[number];
  message: EventName;
  rewrite: EventsRewriting<"input">;
  replaceOutput: EventsRewriting<"output">;
  halt: EventsOf<"veto" | "retry" | "feedback">;
}

/** What a hook may say on an event, or on each of several; `I` is what a rewrite may change. */
type EffectFor<E extends EventName, I> = {
  [K in EffectKind]: [E] extends [Carriers[K]] ? (K extends "rewrite" ? Rewrite<I> : Said<K>) : never;
}[EffectKind];
