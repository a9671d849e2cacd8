import type { Actor } from "./effects.ts";
import { isOfFamily, type Rule, type RuleId } from "./rules.ts";

const OF_THE_NETWORK: readonly Rule["id"][] = ["git.push", "git.main"] satisfies RuleId[];
const OF_THIS_MACHINE: readonly Rule["id"][] = [
  "exec.remote",
  "exec.decoded",
  "exec.computed",
] satisfies RuleId[];

/**
 * A fresh container without any mount has nothing of ours: what is lost in it was made in it. What it does to others
 * over the network is judged as everywhere.
 */
export function staysInContainer(rule: Rule["id"], by: Actor | undefined): boolean {
  const place = by?.place;
  if (place?.kind !== "container" || place.mounts.length > 0) return false;
  return OF_THIS_MACHINE.includes(rule) || (isOfFamily(rule, "git", "sys") && !OF_THE_NETWORK.includes(rule));
}
