import { describe, type ShellFacts, type Span } from "../shell/index.ts";
import type { CommandEffect } from "./effects.ts";
import type { Finding } from "./finding.ts";

/** One program start as the guard understood it, with what it does and what was found. */
export interface Explained {
  readonly id: number;
  readonly parent: number | undefined;
  readonly road: string | undefined;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly place: string;
  readonly span: Span;
  readonly effects: readonly string[];
  readonly findings: readonly Finding[];
}

export function explainTree(
  facts: ShellFacts,
  effects: readonly CommandEffect[],
  findings: readonly Finding[],
): readonly Explained[] {
  return facts.invocations.map(invocation => ({
    id: invocation.id,
    parent: invocation.parent?.invocation,
    road: invocation.parent?.via,
    argv: invocation.argv.map(describe),
    cwd: describe(invocation.cwd),
    place: invocation.place.kind,
    span: invocation.span,
    effects: effects.filter(effect => effect.by.invocation?.id === invocation.id).map(describeEffect),
    findings: findings.filter(finding => finding.invocation === invocation.id),
  }));
}

function describeEffect(effect: CommandEffect): string {
  switch (effect.kind) {
    case "delete":
      return `delete ${describe(effect.path)}${effect.isRecursive ? " with everything in it" : ""}`;
    case "move":
      return `move ${describe(effect.from)} to ${effect.to === undefined ? "?" : describe(effect.to)}`;
    case "write":
      return `${effect.how} ${describe(effect.path)}`;
    case "read":
      return `read ${describe(effect.path)}`;
    case "attributes":
      return `change ${effect.what} of ${describe(effect.path)}${effect.isRecursive ? " and everything in it" : ""}`;
    case "alter":
      return `change ${describe(effect.path)}`;
    case "send":
      return `send to ${effect.to === undefined ? "the network" : describe(effect.to)}`;
    case "git":
      return `git ${effect.run.subcommand}${effect.run.branch === undefined ? "" : ` on ${effect.run.branch}`}`;
    case "operation":
      return effect.what;
  }
}
