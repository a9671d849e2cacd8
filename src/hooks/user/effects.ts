import type { Effect, EventName, EventRow, Json, JsonObject, Power } from "../../protocol/index.ts";

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
export type EffectFor<E extends EventName, I> = {
  [K in EffectKind]: [E] extends [Carriers[K]] ? (K extends "rewrite" ? Rewrite<I> : Said<K>) : never;
}[EffectKind];
