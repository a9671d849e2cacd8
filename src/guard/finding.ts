import type { GuardSettings, RuleId, RuleSetting } from "../config/index.ts";
import type { System } from "../system/index.ts";
import { isStricterThan, type Rule, stricter, type Verdict, verdictAt } from "./rule.ts";

/** What a rule has against one target. */
export interface Finding {
  readonly rule: Rule["id"];
  readonly title: string;
  readonly verdict: "ask" | "deny";
  readonly target: string;
  /** for both readers: what would happen to what */
  readonly lost: string;
  /** for the person, behind it: what that means, and whether it can be undone */
  readonly person: string;
  /** for the model, behind it: what to do instead, and a command for it */
  readonly model: string;
  readonly safer: string;
  readonly isAllowable: boolean;
  /**
   * Paths on this machine, as the footprint has them, whose loss this is about: what was kept of all of them takes the
   * question away. Absent where a copy would not help, or where it is not known what is lost.
   */
  readonly atRisk?: readonly string[];
  /** what a yes is for, beside the file: its content of that moment, or a kind of change */
  readonly stamp?: string | undefined;
  /** it follows from what stands in a file: the same words mean something else once that changes */
  readonly isOfFile?: boolean;
  /** index into the analysed invocations; undefined for what belongs to no program */
  readonly invocation: number | undefined;
}

/** What such a rule found depends on values that are not known: an allow entry would stand for more than was shown. */
const OF_UNKNOWN: readonly string[] = [
  "fs.unresolved",
  "exec.computed",
  "guard.unexamined",
] satisfies RuleId[];

function isOfUnknown(rule: string): boolean {
  return OF_UNKNOWN.includes(rule);
}

/** Whether an allow entry for the words of the command would stand for what was shown, and for no more. */
export function canBeAllowedForGood({ rule, invocation, isOfFile }: Finding): boolean {
  return invocation !== undefined && isOfFile !== true && !isOfUnknown(rule);
}

/** What a check adds to a rule's own texts. */
export interface Details {
  /** instead of the rule's own */
  readonly verdict?: Verdict | undefined;
  readonly safer?: string | undefined;
  readonly lost?: string | undefined;
  /** more names for the rule's sentences */
  readonly [name: string]: string | undefined;
}

/** The verdict of a rule for one finding, after level and configuration. */
export function settleVerdict(rule: Rule, own: Verdict | undefined, settings: GuardSettings): Verdict {
  const verdict = settle(rule, own, settings);
  const least = stricter(verdict, settingFor(settings.floors, rule.id) ?? "allow");
  return settings.managed === undefined ? least : stricter(least, managedVerdict(rule, own, settings));
}

/** A refusal by the machine's managed configuration, which no code and no entry lets through. */
export function isManagedRefusal(rule: Rule, own: Verdict | undefined, settings: GuardSettings): boolean {
  return settings.managed !== undefined && managedVerdict(rule, own, settings) === "deny";
}

/** What a managed machine says of a rule at least. */
export function managedVerdict(rule: Rule, own: Verdict | undefined, { managed }: GuardSettings): Verdict {
  if (managed === undefined) return "allow";
  const { level, rules } = managed;
  return level === undefined ? (settingFor(rules, rule.id) ?? "allow") : settle(rule, own, { level, rules });
}

function settle(
  rule: Rule,
  own: Verdict | undefined,
  settings: Pick<GuardSettings, "level" | "rules">,
): Verdict {
  const byLevel = verdictAt(rule, settings.level);
  let verdict = own ?? byLevel;
  if (settings.level === "relaxed" && byLevel === "allow" && own !== "deny") verdict = "allow";
  if (settings.level === "strict") verdict = stricter(verdict, byLevel);
  const wanted = settingFor(settings.rules, rule.id);
  const isRefused = rule.isAllowable === false && wanted !== undefined && isStricterThan(verdict, wanted);
  return wanted !== undefined && !isRefused ? wanted : verdict;
}

/** It passes, and the log says so: the level alone lets it through. */
export function isNoted(rule: Rule, settings: GuardSettings): boolean {
  return (
    rule.isNoted === true &&
    settings.level === "standard" &&
    settingFor(settings.rules, rule.id) === undefined
  );
}

/** The exact id, else the longest pattern such as `git.*`, else `*`. */
export function settingFor(
  table: Readonly<Record<string, RuleSetting>>,
  id: Rule["id"],
): Verdict | undefined {
  let best: string | undefined = Object.hasOwn(table, id) ? id : undefined;
  if (best === undefined) {
    for (const key of Object.keys(table)) {
      if (!key.endsWith("*") || !id.startsWith(key.slice(0, -1))) continue;
      if (best === undefined || key.length > best.length) best = key;
    }
  }
  const setting = best === undefined ? undefined : table[best];
  return setting === "off" ? "allow" : setting;
}

/** `{name}` in the rule's sentences is filled in from the target and the details; an unknown name is left out. */
export function makeFinding(
  rule: Rule,
  verdict: "ask" | "deny",
  invocation: number | undefined,
  target: string,
  details: Details,
): Finding {
  const fill = (template: string) =>
    template.replace(/\{([a-z]+)\}/g, (_, name: string) =>
      name === "target" ? target : (details[name] ?? ""),
    );
  return {
    rule: rule.id,
    title: rule.title,
    verdict,
    target,
    lost: fill(details.lost ?? rule.lost),
    person: fill(rule.person),
    model: fill(rule.model),
    safer: fill(details.safer ?? rule.safer).trim(),
    isAllowable: rule.isAllowable !== false,
    invocation,
  };
}

/** What a finding asks: the same rule about the same thing, as it is. */
export function questionKey({ rule, target, stamp }: Pick<Finding, "rule" | "target" | "stamp">): string {
  return stamp === undefined ? `${rule}\n${target}` : `${rule}\n${target}\n${stamp}`;
}

/**
 * Once permitted for a file, asking again tells the person nothing. What was seen or may run is the content of that
 * moment; what may be changed is changed in that way.
 */
const ASKED_ONCE: readonly Rule["id"][] = [
  "agent.bypass",
  "exec.session",
  "sec.read",
  "sec.write",
] satisfies RuleId[];
const OF_CONTENT: readonly Rule["id"][] = ["exec.session", "sec.read"] satisfies RuleId[];

/** With what a yes would be for: the file as it is now, or this kind of change. */
export function withStamp(finding: Finding, path: string, files: System["files"], change?: string): Finding {
  if (!ASKED_ONCE.includes(finding.rule) || !path.startsWith("/")) return finding;
  if (!OF_CONTENT.includes(finding.rule)) return { ...finding, stamp: change };
  try {
    return { ...finding, stamp: files.exactFacts(path)?.stamp };
  } catch {
    return finding;
  }
}

export function isAnswered(finding: Finding, permitted: readonly string[]): boolean {
  return (
    finding.verdict === "ask" &&
    finding.isAllowable &&
    ASKED_ONCE.includes(finding.rule) &&
    finding.target.startsWith("/") &&
    finding.stamp !== undefined &&
    permitted.includes(questionKey(finding))
  );
}
