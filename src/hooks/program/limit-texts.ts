import type { Effect } from "../../protocol/index.ts";

const REASON_LIMIT = 4_000;
const CONTEXT_LIMIT = 100_000;

/** What a hook says, no longer than hosts take. */
export function limitTexts(effect: Effect): Effect {
  const { decision, context } = effect;
  return {
    ...effect,
    ...(decision?.reason === undefined
      ? {}
      : { decision: { ...decision, reason: cut(decision.reason, REASON_LIMIT) } }),
    ...(context === undefined ? {} : { context: cut(context, CONTEXT_LIMIT) }),
  };
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
