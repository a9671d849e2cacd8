/** `amplihack/engine/claude-agent-sdk`: every hook of an engine in an agent of the Claude Agent SDK. */
import {
  type Effect,
  EVENTS,
  type EventDescriptor,
  type EventName,
  type JsonObject,
} from "../../protocol/index.ts";
import { claudeAnswer, toEffect } from "../output/encode.ts";
import { freezeJson } from "../reply.ts";
import type { AnyEngine } from "./shared.ts";

type Callback = (
  input: object,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<object>;
/** The SDK's option `hooks`, as far as hooks have to do with it. */
export type ClaudeHooks = { [E in EventName]?: { hooks: Callback[]; onFailure?: "block" }[] };

/**
 * The option `hooks` of `query`: one callback for each event that the engine has a hook for, so register hooks
 * before. What a hook asks about goes to `canUseTool`. The type is the one the SDK expects where this is passed.
 */
export function claudeHooks<H extends object = ClaudeHooks>(
  engine: AnyEngine,
  options: { readonly context?: unknown } = {},
): H {
  const wanted = EVENTS.filter(({ name }) => engine.untyped.has(name));
  const hooks = wanted.map(event => [
    event.name,
    [toMatcher(event, callback(engine, event, options.context))],
  ]);
  // The SDK's own type names every event's answer; ours is made by the same table.
  return Object.fromEntries(hooks) as H;
}

/** The SDK goes on when a callback fails, unless it is told to block. */
function toMatcher({ power }: EventDescriptor, hook: Callback): NonNullable<ClaudeHooks[EventName]>[number] {
  return power === "veto" ? { hooks: [hook], onFailure: "block" } : { hooks: [hook] };
}

function callback(engine: AnyEngine, event: EventDescriptor, context: unknown): Callback {
  return async (input, _toolUseId, { signal }) => {
    const payload = freezeJson(input) as JsonObject;
    const outcome = await engine.untyped.dispatch(event.name, payload, { signal, context });
    return claudeAnswer(askPerson(toEffect(outcome)), event).answer;
  };
}

/** Whoever `canUseTool` shows a question to is a person. */
function askPerson(effect: Effect): Effect {
  const { decision } = effect;
  if (decision?.kind !== "ask" || decision.texts === undefined) return effect;
  return { ...effect, decision: { ...decision, reason: decision.texts.person } };
}
