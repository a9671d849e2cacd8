import { knownText } from "../shell/value.ts";
import { isInside } from "../system/paths.ts";
import type { Actor, CommandEffect } from "./effects.ts";
import { newTreeOf } from "./git/new-trees.ts";
import type { Target } from "./paths/target.ts";
import type { RuleContext } from "./rule-context.ts";

/** The target was not there before and an earlier part of the same command makes it: nothing of worth is lost. */
export function isMadeHere(context: RuleContext, target: Target, by: Actor): boolean {
  const { path } = target;
  const before = by.invocation?.id;
  if (path === undefined || before === undefined || context.workspace.disk.kind(path) !== undefined)
    return false;
  return context.effects.some(effect => {
    const made =
      effect.by.invocation !== undefined && effect.by.invocation.id < before ? madeBy(effect) : undefined;
    return made !== undefined && isInside(made, path) && context.workspace.disk.kind(made) === undefined;
  });
}

function madeBy(effect: CommandEffect): string | undefined {
  const tree = effect.kind === "git" ? newTreeOf(effect.run) : undefined;
  return tree === undefined ? undefined : knownText(tree);
}
