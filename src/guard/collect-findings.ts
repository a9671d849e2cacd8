import type { RuleId } from "../config/index.ts";
import type { ShellFacts, Span } from "../shell/index.ts";
import { isInside } from "../system/index.ts";
import { clipWithin } from "../text/index.ts";
import type { Workspace } from "../workspace/index.ts";
import { MAX_EFFECTS } from "./collect.ts";
import { footprintOfEffects } from "./collect-footprint.ts";
import { inspectCustomRules } from "./custom-rules.ts";
import {
  type Details,
  type Finding,
  isAnswered,
  isManagedRefusal,
  isNoted,
  makeFinding,
  settleVerdict,
  withStamp,
} from "./finding.ts";
import { losesNothing, movedEarlier, movedTo } from "./losses.ts";
import { isOfFamily, type Rule } from "./rule.ts";
import type { Actor, CommandEffect, RuleContext } from "./rule-context.ts";
import { CHECKS, findRule } from "./rules.ts";

const VIA_LIMIT = 80;
const EFFECTS_BETWEEN_LOOKS = 32;

/** Runs every check over effects and facts and keeps what they report. */
export function collectFindings(
  workspace: Workspace,
  facts: ShellFacts,
  source: string,
  effects: readonly CommandEffect[],
  note: (text: string) => void = () => {},
  /** what a file tool was given, where there is no source */
  given: () => string = () => source,
): readonly Finding[] {
  const findings: Finding[] = [];
  const wordsOf = wordsIn(source);
  let current: CommandEffect | undefined;
  const add = (rule: Rule, by: Actor | undefined, target: string, details: Details = {}): void => {
    const verdict = settleVerdict(rule, details.verdict, workspace.settings);
    if (verdict === "allow" && isNoted(rule, workspace.settings))
      note(`${rule.id}: ${makeFinding(rule, "ask", undefined, target, details).lost}`);
    if (verdict === "allow" || staysInContainer(rule.id, by)) return;
    const isLoss = verdict === "ask" && isOfFamily(rule.id, "fs");
    if (isLoss && current !== undefined && losesNothing(context, current)) return;
    const made = makeFinding(rule, verdict, by?.invocation?.id, target, details);
    const finding = withStamp(made, target, workspace.given.system.files, consentedChange(current));
    if (isAnswered(finding, workspace.given.facts?.permitted ?? []) && !isOfHooks(finding, workspace, given))
      return;
    const isOfFiles = by !== undefined && isOfFamily(rule.id, "fs", "sec", "disk");
    const lost = isOfFiles ? finding.lost + via(wordsOf(by.span), target, source) : finding.lost;
    const atRisk = rule.isRecoverable && current !== undefined ? pathsAtRisk(current, context) : undefined;
    const isAllowable = finding.isAllowable && !isManagedRefusal(rule, details.verdict, workspace.settings);
    findings.push({ ...finding, lost, isAllowable, ...(atRisk === undefined ? {} : { atRisk }) });
  };
  const context: RuleContext = {
    workspace,
    facts,
    source,
    effects,
    targets: new Map(),
    changedWords: new Map(),
    report: (id, by, target, details) => add(findRule(id), by, target, details),
  };
  for (const [index, effect] of effects.entries()) {
    const isTimeToLook = index % EFFECTS_BETWEEN_LOOKS === EFFECTS_BETWEEN_LOOKS - 1;
    const isTooMany = index >= MAX_EFFECTS;
    if (isTooMany || (isTimeToLook && workspace.given.isLate?.() === true)) {
      const what = isTooMany ? `more than ${MAX_EFFECTS} steps` : "too much work";
      context.report("guard.unexamined", undefined, "more than is looked at", { what });
      break;
    }
    current = effect;
    for (const check of CHECKS) check.inspect?.(effect, context);
  }
  current = undefined;
  for (const check of CHECKS) check.inspectWhole?.(context);
  inspectCustomRules(context, add);
  return findings;
}

/** The kind of change that a yes for a file is for; undefined where nobody knows what is done to it. */
function consentedChange(effect: CommandEffect | undefined): string | undefined {
  if (effect === undefined) return undefined;
  const { kind } = effect;
  if (kind === "delete" || kind === "move" || (kind === "write" && effect.how === "link")) return "name";
  return kind === "write" || kind === "alter" ? "content" : kind;
}

const MAX_SEARCHED_BYTES = 256 * 1024;
const SETTINGS = /\.(?:jsonc?|json5|toml|ya?ml)$/i;
const OF_HOOKS =
  /amplihack|disable|hooks?\w*\\?["']?\s*[:=\].]|(?:Pre|Post|Before|After)_?Tool|permission|default_?mode|trust|approv/i;

/**
 * No yes for one change of our own files, and of those that start our hooks, is a yes for another; nor is one for settings
 * a yes for a change of the hooks and permissions in them.
 */
function isOfHooks({ rule, target }: Finding, { disk, stateHomes }: Workspace, given: () => string): boolean {
  if (rule !== ("agent.bypass" satisfies RuleId)) return false;
  if (stateHomes.some(home => isInside(home, target))) return true;
  if (SETTINGS.test(target) && OF_HOOKS.test(given().replaceAll(target, ""))) return true;
  if (disk.kind(disk.resolve(target, true)) === undefined) return false;
  const text = disk.text(target, MAX_SEARCHED_BYTES);
  return text === undefined || text.toLowerCase().includes("amplihack");
}

/** The words of a command. Remembered, because one command can be found at fault for each of its thousands of words. */
function wordsIn(source: string): (span: Span) => string {
  const known = new Map<Span, string>();
  return span => {
    const words = known.get(span) ?? source.slice(span.start, span.end).replace(/\s+/g, " ").trim();
    known.set(span, words);
    return words;
  };
}

/** The part of a long command that is meant, when it does not show the target that was resolved from it. */
function via(written: string, target: string, source: string): string {
  const name = target.slice(target.lastIndexOf("/") + 1);
  return source.length <= VIA_LIMIT || written === "" || written.includes(name === "" ? " /" : name)
    ? ""
    : ` (Via \`${clipWithin(written, VIA_LIMIT)}\`.)`;
}

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
function staysInContainer(rule: Rule["id"], by: Actor | undefined): boolean {
  const place = by?.place;
  if (place?.kind !== "container" || place.mounts.length > 0) return false;
  return OF_THIS_MACHINE.includes(rule) || (isOfFamily(rule, "git", "sys") && !OF_THE_NETWORK.includes(rule));
}

/** The paths and repositories that an effect changes; undefined when any of them is not known or not of this machine. */
function pathsAtRisk(effect: CommandEffect, context: RuleContext): readonly string[] | undefined {
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
