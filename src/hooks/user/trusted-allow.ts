import type { Contribution, HookInput } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { configurationFor } from "../program/configuration.ts";
import type { HookProgram } from "../program/hook-program.ts";

/**
 * The guard's question is left out where a hook that the user named in `guard.trustHooks` allowed the call. Refusals
 * stay, and so does every other question.
 */
export function withoutTrustedQuestions(
  all: readonly Contribution[],
  program: HookProgram,
  system: System,
  { cwd }: HookInput,
): readonly Contribution[] {
  const isQuestion = ({ hook, effect }: Contribution) =>
    hook === program.hook?.id && effect.decision?.kind === "ask";
  const allowing = all.filter(({ effect }) => effect.decision?.kind === "allow").map(({ hook }) => hook);
  if (program.isGuard !== true || allowing.length === 0 || !all.some(isQuestion)) return all;
  const trusted = configurationFor(system, cwd)?.config.guard.trustHooks ?? [];
  if (!allowing.some(hook => trusted.includes(hook))) return all;
  return all.map(one => {
    if (!isQuestion(one)) return one;
    const { decision: _, ...effect } = one.effect;
    return { ...one, effect };
  });
}
