import { footprintOfEffects } from "./collect-footprint.ts";
import type { CommandEffect } from "./effects.ts";
import { movedEarlier, movedTo } from "./moved-here.ts";
import type { RuleContext } from "./rule-context.ts";

/** The paths and repositories that an effect changes; undefined when any of them is not known or not of this machine. */
export function pathsAtRisk(effect: CommandEffect, context: RuleContext): readonly string[] | undefined {
  if (effect.by.place.kind === "remote") return undefined;
  const { targets, repositories, unresolved, unknownIn } = footprintOfEffects([effect], context.workspace);
  // The history keeps nothing of what is made again, and so nothing of what was put there.
  if (targets.some(({ path }) => movedEarlier(context, path).length > 0)) return undefined;
  const paths = [
    ...targets.flatMap(({ path }) => [path, ...movedTo(context, path, effect.by)]),
    ...repositories.map(one => one.top ?? one.gitDirectory),
    // A patch that is taken back changes files that git has something to compare with: the sweep keeps their work.
    ...(effect.kind === "write" && effect.isReverse === true ? unknownIn : []),
  ];
  return unresolved.length > 0 || paths.length === 0 ? undefined : [...new Set(paths)];
}
