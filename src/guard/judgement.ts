import type { ReaderTexts } from "../protocol/index.ts";
import { describe, type ShellFacts, type Span } from "../shell/index.ts";
import type { Surroundings, Workspace } from "../workspace/index.ts";
import type { Finding } from "./finding.ts";
import { type Footprint, NO_FOOTPRINT } from "./footprint.ts";
import type { Gap } from "./gap.ts";
import type { Grant } from "./grants.ts";
import type { Verdict } from "./rule.ts";
import type { CommandEffect } from "./rule-context.ts";

/** What the caller knows: the places around a call, and what its person has allowed. */
export interface GuardContext extends Surroundings {
  readonly grants?: readonly Grant[] | undefined;
  /** asked only when something was found; without a key no allow-once code is offered */
  readonly machineKey?: (() => string | undefined) | undefined;
  /** where nobody is there to ask, somebody is asked elsewhere, and answers by the code */
  readonly asksElsewhere?: boolean | undefined;
}

export type GuardWorkspace = Workspace<GuardContext>;

/** The answer of the guard. Its functions work out what most callers never ask for. */
export interface Judgement {
  readonly verdict: Verdict;
  /** distinct, the strictest first, at most five */
  readonly findings: readonly Finding[];
  /** every one of them, also those that are not shown */
  readonly all: readonly Finding[];
  /** what was noticed and changed nothing: unreadable parts, a grant that was used */
  readonly notes: readonly string[];
  /** undefined when allowed: of a denial the model's text; of a question the person's and behind it the model's */
  readonly reason: string | undefined;
  /** the same for one reader each */
  readonly texts: ReaderTexts | undefined;
  /** for `guard allow-once`; undefined when nothing can permit it, or without a machine key */
  readonly code: string | undefined;
  /** what the code is short for: a grant counts for nothing else */
  readonly digest: string | undefined;
  readonly usedGrants: readonly Grant[];
  /** the stack of a failure inside the guard, for the log */
  readonly failure: string | undefined;
  explain(): readonly Explained[];
  /** what the call may change on this machine; worked out when it is asked for */
  footprint(): Footprint;
  /** what is not known of the call; worked out when it is asked for. None and nothing found: see `isUnderstood` */
  gaps(): readonly Gap[];
  /** whether there is any gap: found at the first */
  hasGaps(): boolean;
  /** the files that the call runs, as they were read */
  ranFiles(): readonly RanFile[];
  /** something of it does not end by itself: a server, a watcher, a screen, what runs in the background */
  goesOn(): boolean;
  /** the judgement if only these of its findings had been found */
  settle(findings: readonly Finding[]): Judgement;
}

/** A file that a call runs. */
export interface RanFile {
  /** absolute, as the call names it: links are not followed */
  readonly path: string;
  readonly text: string;
}

/** Nothing was looked at, so that nothing is known. */
const UNREAD: readonly Gap[] = [{ kind: "program", what: "the call", why: "it was not examined" }];

/** Nothing to say. Shared, so that the common case allocates nothing. */
export const ALLOWED: Judgement = Object.freeze({
  verdict: "allow",
  findings: [],
  all: [],
  notes: [],
  reason: undefined,
  texts: undefined,
  code: undefined,
  digest: undefined,
  usedGrants: [],
  failure: undefined,
  explain: () => [],
  footprint: () => NO_FOOTPRINT,
  gaps: () => UNREAD,
  hasGaps: () => true,
  ranFiles: () => [],
  goesOn: () => false,
  settle: () => ALLOWED,
});

/** Denied whatever a person would say. Where nobody can be asked, a question is a denial too, and may still be settled. */
export function isDenied({ verdict, all }: Judgement): boolean {
  return verdict === "deny" && (all.length === 0 || all.some(finding => finding.verdict === "deny"));
}

/** Everything is known of the call, and it loses nothing that cannot be taken back. */
export function isUnderstood(judgement: Judgement): boolean {
  const { verdict, all, usedGrants, failure } = judgement;
  if (verdict !== "allow" || all.length > 0 || usedGrants.length > 0 || failure !== undefined) return false;
  return !judgement.hasGaps();
}

/** A judgement as commands and tools print it. */
export function judgementJson(judgement: Judgement) {
  const { verdict, reason, texts, findings, notes, code } = judgement;
  return {
    verdict,
    reason: reason ?? null,
    person: texts?.person ?? null,
    model: texts?.model ?? null,
    rules: [...new Set(findings.map(finding => finding.rule))],
    findings: findings.map(findingJson),
    understood: isUnderstood(judgement),
    gaps: judgement.gaps(),
    notes,
    code,
  };
}

function findingJson({
  rule,
  title,
  verdict,
  target,
  lost,
  safer,
  isAllowable,
}: Judgement["findings"][number]) {
  return { rule, title, verdict, target, lost, safer, allowable: isAllowable };
}

/** One program start as the guard understood it, with what it does and what was found. */
export interface Explained {
  readonly id: number;
  readonly parent: number | undefined;
  readonly road: string | undefined;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly place: string;
  readonly span: Span;
  readonly effects: readonly string[];
  readonly findings: readonly Finding[];
}

export function explainTree(
  facts: ShellFacts,
  effects: readonly CommandEffect[],
  findings: readonly Finding[],
): readonly Explained[] {
  return facts.invocations.map(invocation => ({
    id: invocation.id,
    parent: invocation.parent?.invocation,
    road: invocation.parent?.via,
    argv: invocation.argv.map(describe),
    cwd: describe(invocation.cwd),
    place: invocation.place.kind,
    span: invocation.span,
    effects: effects.filter(effect => effect.by.invocation?.id === invocation.id).map(describeEffect),
    findings: findings.filter(finding => finding.invocation === invocation.id),
  }));
}

function describeEffect(effect: CommandEffect): string {
  switch (effect.kind) {
    case "delete":
      return `delete ${describe(effect.path)}${effect.isRecursive ? " with everything in it" : ""}`;
    case "move":
      return `move ${describe(effect.from)} to ${effect.to === undefined ? "?" : describe(effect.to)}`;
    case "write":
      return `${effect.how} ${describe(effect.path)}`;
    case "read":
      return `read ${describe(effect.path)}`;
    case "attributes":
      return `change ${effect.what} of ${describe(effect.path)}${effect.isRecursive ? " and everything in it" : ""}`;
    case "alter":
      return `change ${describe(effect.path)}`;
    case "send":
      return `send to ${effect.to === undefined ? "the network" : describe(effect.to)}`;
    case "git":
      return `git ${effect.run.subcommand}${effect.run.branch === undefined ? "" : ` on ${effect.run.branch}`}`;
    case "operation":
      return effect.what;
  }
}
