import type { GuardSettings } from "../config/index.ts";
import { type Finding, makeFinding, settleVerdict } from "./finding.ts";
import { findRule } from "./rules.ts";

/**
 * What there is to say when something would be lost of which no copy could be kept: the path, and in words that follow
 * "because" the reason (`it is larger than 50 MB`). Undefined when the configuration allows it.
 */
export function findUnkept(settings: GuardSettings, path: string, why: string): Finding | undefined {
  const rule = findRule("fs.unkept");
  const verdict = settleVerdict(rule, undefined, settings);
  return verdict === "allow" ? undefined : makeFinding(rule, verdict, undefined, path, { why });
}
