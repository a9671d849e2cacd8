import type { Invocation, Place, ShellFacts, Value } from "../shell/index.ts";
import { resolveTargets, type Target, type Workspace } from "../workspace/index.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import type { Details } from "./finding.ts";
import type { RuleId } from "./rules.ts";

/** What rules see of a judgement under way, and how they speak. */
export interface RuleContext {
  readonly workspace: Workspace;
  readonly facts: ShellFacts;
  /** the text that was analysed; empty for a tool that has none */
  readonly source: string;
  readonly effects: readonly CommandEffect[];
  /** what words were found to name: several rules ask about each */
  readonly targets: Map<Value, KnownTargets[]>;
  /** by invocation, words that may name files which it changes; made by the rules that ask for them */
  readonly changedWords: Map<Invocation, readonly Value[]>;
  report(rule: RuleId, by: Actor | undefined, target: string, details?: Details): void;
}

interface KnownTargets {
  readonly cwd: Value;
  readonly place: Place;
  readonly followsLast: boolean;
  readonly isReading: boolean;
  readonly targets: readonly Target[];
}

/** What the rules of a pack say of one effect, and of the command as a whole. */
export interface Check {
  inspect?(effect: CommandEffect, context: RuleContext): void;
  inspectWhole?(context: RuleContext): void;
}

/** The file that an effect reads or changes, as far as rules care. */
export function touchedPath(effect: CommandEffect): Value | undefined {
  if (effect.kind === "move") return effect.from;
  if (effect.kind === "alter") return undefined;
  return "path" in effect ? effect.path : undefined;
}

/** What a word of a command names: itself for deleting and moving, or what a link there leads to. */
export function targetsOf(
  context: RuleContext,
  word: Value,
  by: Actor,
  followsLast: boolean,
  isReading = false,
): readonly Target[] {
  const { cwd, place } = by;
  const all = context.targets.get(word) ?? [];
  for (const known of all) {
    const isSame = known.followsLast === followsLast && known.isReading === isReading;
    if (isSame && known.cwd === cwd && known.place === place) return known.targets;
  }
  const targets = resolveTargets(context.workspace.disk, word, cwd, place, { followsLast, isReading });
  all.push({ cwd, place, followsLast, isReading, targets });
  context.targets.set(word, all);
  return targets;
}
