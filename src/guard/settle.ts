import type { RuleSetting } from "../config/levels.ts";
import type { GuardSettings } from "../config/settings.ts";
import {
  type Finding,
  fillIn,
  isStricterThan,
  type Rule,
  stricter,
  type Verdict,
  verdictAt,
} from "./rule.ts";
import type { Details } from "./rule-context.ts";

/** The verdict of a rule for one finding, after level and configuration. */
export function settleVerdict(rule: Rule, own: Verdict | undefined, settings: GuardSettings): Verdict {
  const byLevel = verdictAt(rule, settings.level);
  let verdict = own ?? byLevel;
  if (settings.level === "relaxed" && byLevel === "allow" && own !== "deny") verdict = "allow";
  if (settings.level === "strict") verdict = stricter(verdict, byLevel);
  const setting = settingFor(settings.rules, rule.id);
  if (setting !== undefined) {
    const wanted = toVerdict(setting);
    const isRefused = rule.isAllowable === false && isStricterThan(verdict, wanted);
    if (!isRefused) verdict = wanted;
  }
  const floor = settingFor(settings.floors, rule.id);
  return floor === undefined ? verdict : stricter(verdict, toVerdict(floor));
}

function toVerdict(setting: RuleSetting): Verdict {
  return setting === "off" ? "allow" : setting;
}

/** The exact id, else the longest pattern such as `git.*`, else `*`. */
function settingFor(table: Readonly<Record<string, RuleSetting>>, id: string): RuleSetting | undefined {
  if (Object.hasOwn(table, id)) return table[id];
  let best: string | undefined;
  for (const key of Object.keys(table)) {
    if (!key.endsWith("*") || !id.startsWith(key.slice(0, -1))) continue;
    if (best === undefined || key.length > best.length) best = key;
  }
  return best === undefined ? undefined : table[best];
}

export function makeFinding(
  rule: Rule,
  details: Details,
  verdict: "ask" | "deny",
  invocation: number | undefined,
): Finding {
  const fill: Record<string, string> = {};
  for (const [name, value] of Object.entries(details)) if (value !== undefined) fill[name] = value;
  return {
    rule: rule.id,
    title: rule.title,
    verdict,
    target: details.target,
    lost: fillIn(details.lost ?? rule.lost, fill),
    safer: fillIn(details.safer ?? rule.safer, fill).trim(),
    isAllowable: rule.isAllowable !== false,
    invocation,
  };
}
