import type { Effect, Outcome } from "../protocol/index.ts";

/** What all hooks of a dispatch said, as the effect of one: for a fold that goes on elsewhere. */
export function toEffect({ decision, halt, input, output, context, messages }: Outcome): Effect {
  const { kind, ...said } = decision;
  const reason = "reason" in said && said.reason !== undefined ? { reason: said.reason } : {};
  const texts = "texts" in said && said.texts !== undefined ? { texts: said.texts } : {};
  const [first] = messages;
  return {
    ...(kind === "none" ? {} : { decision: { kind, ...reason, ...texts } }),
    ...(halt === undefined ? {} : { halt: halt.reason === undefined ? {} : { reason: halt.reason } }),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(context.length === 0 ? {} : { context: context.map(({ text }) => text).join("\n\n") }),
    ...(first === undefined
      ? {}
      : { message: { text: messages.map(({ text }) => text).join("\n"), level: first.level } }),
  };
}
