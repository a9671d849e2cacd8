import type { Invocation } from "../shell/facts.ts";
import { describe, wordAt } from "../shell/value.ts";
import type { Actor } from "./effects.ts";
import type { RuleContext } from "./rule-context.ts";

/** Who an invocation is, for a finding about it. */
export function actorOf(invocation: Invocation): Actor {
  const { cwd, place, span, argv, program = describe(wordAt(argv, 0)) } = invocation;
  return { cwd, place, span, program, invocation };
}

export function actorAt({ facts }: RuleContext, id: number | undefined): Actor | undefined {
  const invocation = id === undefined ? undefined : facts.invocations[id];
  return invocation === undefined ? undefined : actorOf(invocation);
}

/** The command for people, resolved as far as possible. */
export function commandLine({ argv }: Invocation): string {
  return argv.map(describe).join(" ");
}
