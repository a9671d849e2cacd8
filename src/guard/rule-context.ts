import type { ShellFacts } from "../shell/facts.ts";
import type { Value } from "../shell/value.ts";
import type { Workspace } from "./context.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import { resolveTargets, type Target } from "./paths/target.ts";
import type { Rule, Verdict } from "./rule.ts";

export interface Details {
  readonly target: string;
  /** instead of the rule's own */
  readonly verdict?: Verdict | undefined;
  readonly lost?: string | undefined;
  readonly safer?: string | undefined;
  /** more names for the rule's sentences */
  readonly [name: string]: string | undefined;
}

/** What rules see of a judgement under way, and how they speak. */
export interface RuleContext {
  readonly workspace: Workspace;
  readonly facts: ShellFacts;
  /** the text that was analysed; empty for a tool that has none */
  readonly source: string;
  readonly effects: readonly CommandEffect[];
  report(rule: string, details: Details, by: Actor | undefined): void;
}

/** Rules that belong together: the table, what they say of one effect, and of the command as a whole. */
export interface Pack {
  readonly name: string;
  readonly rules: readonly Rule[];
  inspect?(effect: CommandEffect, context: RuleContext): void;
  inspectWhole?(context: RuleContext): void;
}

/** What a word of a command names: itself for deleting and moving, or what a link there leads to. */
export function targetsOf(
  context: RuleContext,
  word: Value,
  by: Actor,
  followsLast: boolean,
  isReading = false,
): readonly Target[] {
  return resolveTargets(context.workspace.disk, word, by.cwd, by.place, { followsLast, isReading });
}
