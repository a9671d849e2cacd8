import { describe, type Invocation, type ShellFacts, wordAt } from "../shell/index.ts";
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

/** All invocations that led to this one, nearest first. */
export function startersOf(invocation: Invocation, { invocations }: ShellFacts): readonly Invocation[] {
  const starters: Invocation[] = [];
  for (let next = invocation.parent; next !== undefined && starters.length < 16; ) {
    const starter: Invocation | undefined = invocations[next.invocation];
    if (starter === undefined) break;
    starters.push(starter);
    next = starter.parent;
  }
  return starters;
}

/** The command for people, resolved as far as possible. */
export function commandLine({ argv }: Invocation): string {
  return argv.map(describe).join(" ");
}
