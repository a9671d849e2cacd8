import type { AllowEntry } from "../config/index.ts";
import { analyseCommand } from "../programs/index.ts";
import { errorText } from "../protocol/index.ts";
import { describe, type Invocation, type ShellFacts } from "../shell/index.ts";
import { normalise } from "../system/index.ts";
import type { Workspace } from "../workspace/index.ts";
import type { Finding } from "./finding.ts";
import { type Footprint, NO_FOOTPRINT } from "./footprint.ts";
import { distinctGaps, type Gap } from "./gap.ts";
import { allowOnceCode, type CodeSubject, findGrant } from "./grants.ts";
import { ALLOWED, type Explained, type GuardWorkspace, type Judgement, type RanFile } from "./judgement.ts";
import { renderTexts } from "./reason.ts";
import { listStarters } from "./rule-context.ts";

const MAX_FINDINGS = 5;

/** What was learned of a call beside its findings. */
export interface Examined {
  readonly workspace: GuardWorkspace;
  readonly notes: readonly string[];
  subject(): CodeSubject;
  explain(): readonly Explained[];
  footprint(): Footprint;
  gaps(): Iterable<Gap>;
  ranFiles?(): readonly RanFile[];
  goesOn?(): boolean;
}

/** The judgement that follows from what was found, and from what a human permitted. */
export function conclude(found: readonly Finding[], examined: Examined): Judgement {
  const { workspace, notes, subject, explain } = examined;
  const all = distinct(found);
  let footprint: Footprint | undefined;
  let gaps: readonly Gap[] | undefined;
  let isOpen: boolean | undefined;
  const base: Judgement = {
    ...ALLOWED,
    notes,
    explain,
    footprint: () => {
      footprint ??= attemptFootprint(examined);
      return footprint;
    },
    gaps: () => {
      gaps ??= attemptGaps(examined);
      return gaps;
    },
    hasGaps: () => {
      isOpen ??= gaps === undefined ? findGap(examined) : gaps.length > 0;
      return isOpen;
    },
    ranFiles: () => examined.ranFiles?.() ?? [],
    goesOn: () => examined.goesOn?.() ?? false,
    settle: rest => {
      const settled = all.filter(
        ({ rule, target }) => !rest.some(one => one.rule === rule && one.target === target),
      );
      const passed = settled.map(({ rule, lost }): Gap => ({ kind: "place", what: rule, why: lost }));
      return conclude(rest, {
        ...examined,
        footprint: base.footprint,
        gaps: () => [...base.gaps(), ...passed],
      });
    },
  };
  const [worst] = all;
  if (worst === undefined) return base;
  const { grants = [], nowMs = 0, system, machineKey, asksElsewhere = false } = workspace.given;
  const isRefused = worst.verdict === "ask" && workspace.settings.unattended === "deny";
  const isAllowable = (!isRefused || asksElsewhere) && all.every(finding => finding.isAllowable);
  const key = isAllowable ? machineKey?.() : undefined;
  const permitted = key === undefined ? undefined : allowOnceCode(subject(), all, key, system.text);
  const grant = permitted === undefined ? undefined : findGrant(grants, permitted, nowMs);
  const findings = all.slice(0, MAX_FINDINGS);
  if (grant !== undefined) {
    const note = `allowed once by ${grant.code}: ${findings.map(finding => finding.rule).join(", ")}`;
    return { ...base, notes: [...notes, note], ...permitted, usedGrants: [grant] };
  }
  const verdict = isRefused ? "deny" : worst.verdict;
  const told = renderTexts(verdict, findings, permitted?.code, isRefused);
  return { ...base, verdict, findings, all, ...permitted, ...told };
}

/** A failure of ours must not let a call pass for one that changes nothing. */
function attemptFootprint({ footprint, workspace }: Examined): Footprint {
  try {
    return footprint();
  } catch (error) {
    const unresolved = [`not worked out: ${errorText(error)}`];
    return { ...NO_FOOTPRINT, unknownIn: [workspace.cwd], unresolved };
  }
}

/** A failure of ours must not let a call pass for one of which everything is known. */
function attemptGaps({ gaps }: Examined): readonly Gap[] {
  try {
    return distinctGaps(gaps());
  } catch (error) {
    return [
      { kind: "size", what: "the call", why: `what is known of it could not be told: ${errorText(error)}` },
    ];
  }
}

function findGap({ gaps }: Examined): boolean {
  try {
    return gaps()[Symbol.iterator]().next().done !== true;
  } catch {
    return true;
  }
}

/**
 * One of each rule and target, the worst first: what nothing permits, then denials, in the order they were found. What
 * can be undone may fall away later, so that it stands behind the rest where not all can be shown.
 */
function distinct(found: readonly Finding[]): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of found) {
    const key = `${finding.rule}\n${finding.target}`;
    const known = seen.get(key);
    if (known === undefined || (known.verdict === "ask" && finding.verdict === "deny"))
      seen.set(key, finding);
  }
  const isCut = seen.size > MAX_FINDINGS;
  const rank = ({ verdict, isAllowable, atRisk }: Finding) =>
    (verdict === "deny" ? 0 : 4) + (isAllowable ? 2 : 0) + (isCut && atRisk !== undefined ? 1 : 0);
  return [...seen.values()].sort((one, other) => rank(one) - rank(other));
}

/**
 * Does an entry of the configuration permit what the finding is about? Compared are the words after quotes and
 * variables are resolved, and the effective directory; never the text. What started the command counts too, so
 * that `sudo rm x` can be allowed as a whole.
 */
export function isAllowedByEntry(finding: Finding, facts: ShellFacts, workspace: Workspace): boolean {
  const entries = workspace.settings.allow.filter(entry => !isExpired(entry, workspace));
  const invocation = facts.invocations[finding.invocation ?? -1];
  if (entries.length === 0 || invocation === undefined) return false;
  const chain = [invocation, ...listStarters(invocation, facts)];
  return entries.some(entry => chain.some(link => isSameCommand(entry, link, workspace)));
}

function isExpired({ expires }: AllowEntry, { given }: Workspace): boolean {
  const end = Date.parse(`${expires}T23:59:59Z`);
  return expires !== undefined && (Number.isNaN(end) || end < (given.nowMs ?? 0));
}

function isSameCommand(entry: AllowEntry, invocation: Invocation, { home, given }: Workspace): boolean {
  const cwd = describe(invocation.cwd);
  if (!cwd.startsWith("/") || (entry.cwd !== undefined && normalise(entry.cwd) !== normalise(cwd)))
    return false;
  const [wanted] = analyseCommand(entry.command, {
    cwd,
    home,
    user: given.user,
    tmpdir: given.tmpdir,
  }).invocations;
  return wanted !== undefined && hasSameWords(wanted, invocation);
}

/**
 * A command may run in one of two directories, depending on whether a `cd` before it succeeds. A denial that only
 * one of them deserves becomes a question: the other one is what was meant. The gravest rules stay as they are.
 */
export function softenAlternatives(findings: readonly Finding[], facts: ShellFacts): readonly Finding[] {
  const isDenied = ({ id }: Invocation) =>
    findings.some(found => found.invocation === id && found.verdict === "deny");
  return findings.map(finding => {
    const invocation = finding.invocation === undefined ? undefined : facts.invocations[finding.invocation];
    if (finding.verdict !== "deny" || !finding.isAllowable || invocation === undefined) return finding;
    const isDoubtful = facts.invocations.some(
      other => isSameElsewhere(other, invocation) && !isDenied(other),
    );
    return isDoubtful ? { ...finding, verdict: "ask" } : finding;
  });
}

function isSameElsewhere(other: Invocation, one: Invocation): boolean {
  if (other.id === one.id || other.span.start !== one.span.start || other.span.end !== one.span.end)
    return false;
  const cwd = describe(other.cwd);
  return cwd.startsWith("/") && cwd !== describe(one.cwd) && hasSameWords(other, one);
}

function hasSameWords(one: Invocation, other: Invocation): boolean {
  return (
    one.argv.length === other.argv.length &&
    one.argv.every((word, index) => describe(word) === describe(other.argv[index] ?? word))
  );
}
