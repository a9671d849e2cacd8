import type { RuleId } from "../config/index.ts";
import { loadGuard } from "../guard/index.ts";
import { loadGrants, loadGuardContext } from "../hooks/index.ts";
import { findStateHome } from "../state/index.ts";
import { quoteWord, type System } from "../system/index.ts";
import { CommandError } from "./errors.ts";

/**
 * Consent binds bytes. A command that runs something looks again where an agent started it: what may never run does not,
 * and a file that a person was asked about must still be what they were shown. The hook program asked before the command
 * was started, and the files may have changed since. Where it did not ask about a file, there is nothing to compare.
 */
export async function requireAgreed(system: System, words: readonly string[]): Promise<void> {
  const stateHome = findStateHome(system);
  if (stateHome === undefined) return;
  const { changedSinceAsked, ranFiles, wasAskedAbout, whyStartedByAgent } = await loadGrants();
  if (whyStartedByAgent(system, stateHome) === undefined) return;
  const [{ openGuard }, { judgeCommand }] = await Promise.all([loadGuardContext(), loadGuard()]);
  const { config, context } = openGuard(system, undefined, () => {});
  if (!config.parts.includes("guard")) return;
  const command = words.map(quoteWord).join(" ");
  const judgement = judgeCommand(command, { ...context, machineKey: undefined });
  if (judgement.verdict === "allow") return;
  const fixed = judgement.all.find(({ verdict, isAllowable }) => verdict === "deny" && !isAllowable);
  if (fixed !== undefined)
    throw new CommandError(`it did not run: ${fixed.lost}`, { kind: "refused", causes: [fixed.rule] });
  const files = ranFiles(system, judgement).files ?? [];
  const unasked = files.find(({ sha256 }) => !wasAskedAbout(system, stateHome, sha256));
  const grave = judgement.all.find(({ rule }) => rule !== OWN_RULE);
  if (unasked !== undefined && grave !== undefined)
    throw new CommandError(`it did not run: ${grave.lost}`, {
      kind: "refused",
      causes: [`${grave.rule}: nobody was asked about ${unasked.path} as it is now`],
      fix: ASK_AGAIN,
    });
  const changed = changedSinceAsked(system, stateHome, files);
  if (changed !== undefined)
    throw new CommandError(`it did not run: ${changed} is not what the person was asked about`, {
      kind: "refused",
      fix: ASK_AGAIN,
    });
}

/** That it is a command of ours was no question of its files. */
const OWN_RULE = "agent.bypass" satisfies RuleId;
const ASK_AGAIN = "run the command again, so that they are asked about the file as it is now";
