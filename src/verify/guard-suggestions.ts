import { type AllowEntry, isHistoryOn } from "../config/index.ts";
import {
  canBeAllowedForGood,
  findRule,
  type GuardContext,
  isOfFamily,
  type Judgement,
  judgeCommand,
  type Rule,
} from "../guard/index.ts";
import { type ConfiguredGuard, openGuard } from "../hooks/index.ts";
import type { System } from "../system/index.ts";
import { REDACTED } from "../text/index.ts";

/** A command that an agent ran or wanted to run. */
export interface PastCall {
  readonly command: string;
  readonly cwd: string;
  readonly from: "audit" | "transcript";
  readonly ts: string | undefined;
  /** what the guard noted and let pass */
  readonly notes: readonly string[];
}

/** What a person may want to put into the configuration. Nothing here changes anything. */
export interface Suggestion {
  readonly kind: "allow" | "rule";
  /** `spares`: fewer questions; `asks`: a question where there was none */
  readonly effect: "spares" | "asks";
  /** how many of the past calls it would have changed */
  readonly count: number;
  readonly rules: readonly string[];
  readonly example: { readonly command: string; readonly cwd: string; readonly ts: string | undefined };
  /** to be merged into the `guard` section */
  readonly entry: {
    readonly allow?: readonly AllowEntry[];
    readonly rules?: Readonly<Record<string, "allow" | "ask">>;
  };
}

interface Group {
  readonly command: string;
  readonly cwd: string;
  count: Record<PastCall["from"], number>;
  ts: string | undefined;
}

const MIN_COMMANDS = 3;
/** The log cuts and hides; what it shows then is not what ran. */
const MAX_WHOLE_LENGTH = 1_900;

/** Suggestions from past calls, the most useful first; `min` is how often one must have helped. */
export function suggest(system: System, calls: readonly PastCall[], min: number): readonly Suggestion[] {
  const guards = new Map<string, ConfiguredGuard>();
  const guardIn = (cwd: string): ConfiguredGuard => {
    const guard = guards.get(cwd) ?? openGuard(system, cwd, () => {});
    guards.set(cwd, guard);
    return guard;
  };
  const asked = groupCalls(calls).flatMap(group => {
    const guard = guardIn(group.cwd);
    const judgement = judgeAgain(group, guard);
    return isLoosable(group, judgement) ? [{ group, guard, judgement }] : [];
  });
  return [
    ...byCount(asked.flatMap(each => allowEntryFor(each, min))),
    ...byCount(gentleRules(asked, min)),
    ...byCount(notedRules(calls, guardIn, min)),
  ];
}

interface AskedGroup {
  readonly group: Group;
  readonly guard: ConfiguredGuard;
  readonly judgement: Judgement;
}

function groupCalls(calls: readonly PastCall[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { command, cwd, from, ts } of calls) {
    const key = JSON.stringify([cwd, command]);
    const group = groups.get(key) ?? { command, cwd, count: { audit: 0, transcript: 0 }, ts: undefined };
    group.count[from] += 1;
    if (ts !== undefined && (group.ts === undefined || ts > group.ts)) group.ts = ts;
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** A call may stand in the log and in a transcript, and happened once. */
function groupCount({ count }: Group): number {
  return Math.max(count.audit, count.transcript);
}

/** As it would be judged today. What the history would have kept is no question, unless the log says that it was one. */
function judgeAgain({ command, count }: Group, { context, config }: ConfiguredGuard): Judgement {
  const judgement = judgeCommand(command, { ...context, machineKey: undefined });
  if (count.audit > 0 || !isHistoryOn(config)) return judgement;
  return judgement.settle(judgement.all.filter(({ atRisk }) => atRisk === undefined));
}

/** Rules that guard against more than a slip are never suggested away, nor is anything that was refused. */
function isLoosable({ command }: Group, { verdict, all }: Judgement): boolean {
  const isWhole = command.length < MAX_WHOLE_LENGTH && !command.includes(REDACTED);
  return (
    isWhole && verdict === "ask" && all.every(finding => finding.isAllowable && !isCritical(finding.rule))
  );
}

function isCritical(rule: Rule["id"]): boolean {
  return isOfFamily(rule, "sec", "exec", "net", "agent", "guard", "text", "disk");
}

/** Would it pass with these settings? */
function passes(
  { group, guard }: AskedGroup,
  change: Partial<NonNullable<GuardContext["settings"]>>,
): boolean {
  const { guard: settings } = guard.config;
  const changed = { ...guard.context, machineKey: undefined, settings: { ...settings, ...change } };
  return judgeAgain(group, { ...guard, context: changed }).verdict === "allow";
}

function allowEntryFor(asked: AskedGroup, min: number): readonly Suggestion[] {
  const { group, guard, judgement } = asked;
  const { command, cwd, ts } = group;
  const count = groupCount(group);
  if (count < min || !judgement.all.every(canBeAllowedForGood)) return [];
  const until = ts === undefined ? "" : `, last on ${ts.slice(0, 10)}`;
  const entry = { command, cwd, reason: `asked about ${count} times${until}` };
  if (!passes(asked, { allow: [...guard.config.guard.allow, entry] })) return [];
  return [
    {
      kind: "allow",
      effect: "spares",
      count,
      rules: listRules(judgement),
      example: { command, cwd, ts },
      entry: { allow: [entry] },
    },
  ];
}

/** Rules that level relaxed or a kept copy would have silenced, where they asked about many different commands. */
function gentleRules(asked: readonly AskedGroup[], min: number): readonly Suggestion[] {
  const ids = [...new Set(asked.flatMap(({ judgement }) => listRules(judgement)))];
  return ids.flatMap(id => {
    const rule = findRule(id);
    if (rule === undefined || (rule.atLevel?.relaxed !== "allow" && rule.isRecoverable !== true)) return [];
    const helped = asked.filter(
      each =>
        listRules(each.judgement).includes(id) &&
        passes(each, { rules: { ...each.guard.config.guard.rules, [id]: "allow" } }),
    );
    const count = helped.reduce((sum, { group }) => sum + groupCount(group), 0);
    const [often] = [...helped].sort((one, other) => groupCount(other.group) - groupCount(one.group));
    if (often === undefined || helped.length < MIN_COMMANDS || count < min) return [];
    const { command, cwd, ts } = often.group;
    const entry = { rules: { [id]: "allow" as const } };
    return [{ kind: "rule", effect: "spares", count, rules: [id], example: { command, cwd, ts }, entry }];
  });
}

/** Rules that only noted what they saw, and could have asked. */
function notedRules(
  calls: readonly PastCall[],
  guardIn: (cwd: string) => ConfiguredGuard,
  min: number,
): readonly Suggestion[] {
  const noted = new Map<string, PastCall[]>();
  for (const call of calls)
    for (const note of call.notes) {
      const id = /^([a-z]+\.[a-z-]+): /.exec(note)?.[1] ?? "";
      if (findRule(id)?.isNoted === true) noted.set(id, [...(noted.get(id) ?? []), call]);
    }
  return [...noted].flatMap(([id, found]) => {
    const open = found.filter(({ cwd }) => guardIn(cwd).config.guard.rules[id] === undefined);
    const last = open.at(-1);
    if (last === undefined || open.length < min) return [];
    const { command, cwd, ts } = last;
    const entry = { rules: { [id]: "ask" as const } };
    const example = { command, cwd, ts };
    return [{ kind: "rule", effect: "asks", count: open.length, rules: [id], example, entry } as const];
  });
}

function listRules({ all }: Judgement): readonly string[] {
  return [...new Set(all.map(finding => finding.rule))];
}

function byCount(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  return [...suggestions].sort((one, other) => other.count - one.count);
}
