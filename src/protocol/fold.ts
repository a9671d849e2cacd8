import {
  type Decision,
  type Diagnostic,
  type Effect,
  type Outcome,
  type ReaderTexts,
  type Run,
  VERDICTS,
  type VerdictKind,
} from "./effect.ts";
import type { Power } from "./events.ts";
import type { Json, JsonObject } from "./members.ts";

/** One hook's effect in its place in fold order. */
export interface Contribution {
  readonly hook: string;
  readonly effect: Effect;
  readonly run?: Run;
}

/**
 * The unfinished fold. Accumulators form a monoid under `combine` with `EMPTY`, so effects may be folded in
 * pieces; only their order counts, never who finished first.
 */
export interface Accumulator {
  readonly verdict: VerdictKind;
  /** the hooks that gave the winning verdict, with their reasons */
  readonly winners: readonly {
    readonly hook: string;
    readonly reason: string | undefined;
    readonly texts?: ReaderTexts | undefined;
  }[];
  readonly halt: { readonly hook: string; readonly reason: string | undefined } | undefined;
  readonly input: { readonly value: JsonObject; readonly hook: string } | undefined;
  readonly hasRewriteConflict: boolean;
  readonly output: { readonly value: Json } | undefined;
  readonly context: Outcome["context"];
  readonly messages: Outcome["messages"];
  readonly suppress: boolean;
  readonly extras: JsonObject;
  readonly diagnostics: readonly Diagnostic[];
  readonly runs: readonly Run[];
}

export const EMPTY: Accumulator = Object.freeze({
  verdict: "none",
  winners: [],
  halt: undefined,
  input: undefined,
  hasRewriteConflict: false,
  output: undefined,
  context: [],
  messages: [],
  suppress: false,
  extras: {},
  diagnostics: [],
  runs: [],
});

/** What silence folds to; shared and frozen, so that the empty path allocates nothing. */
export const NO_OUTCOME: Outcome = Object.freeze({
  decision: Object.freeze({ kind: "none" }),
  context: Object.freeze([]),
  messages: Object.freeze([]),
  suppressOutput: false,
  aborted: false,
  runs: Object.freeze([]),
  diagnostics: Object.freeze([]),
  extras: Object.freeze({}),
});

export interface FoldOptions {
  readonly power: Power;
  /** the host gave up waiting: on a veto event that refuses the action */
  readonly aborted?: boolean;
  /** the agent was held too often already: a deny lets it stop */
  readonly isStopCapReached?: boolean;
}

/** All effects of one event, in declared order, as the one outcome a host obeys. */
export function fold(contributions: readonly Contribution[], options: FoldOptions): Outcome {
  const runs: Run[] = [];
  let folded = EMPTY;
  for (const contribution of contributions) {
    if (contribution.run !== undefined) runs.push(contribution.run);
    // Most hooks have nothing to say most of the time.
    if (!isSilent(contribution.effect))
      folded = combine(folded, accumulate({ hook: contribution.hook, effect: contribution.effect }));
  }
  return finish(runs.length === 0 ? folded : { ...folded, runs }, options);
}

function isSilent(effect: Effect): boolean {
  for (const _ in effect) return false;
  return true;
}

const NONE: readonly never[] = EMPTY.winners as readonly never[];

export function accumulate({ hook, effect, run }: Contribution): Accumulator {
  const { decision, halt, input, output, context, message, extras, diagnostics } = effect;
  return {
    verdict: decision === undefined ? "none" : decision.kind,
    winners: decision === undefined ? NONE : [{ hook, reason: decision.reason, texts: decision.texts }],
    halt: halt === undefined ? undefined : { hook, reason: halt.reason },
    input: input === undefined ? undefined : { value: input, hook },
    hasRewriteConflict: false,
    output: output === undefined ? undefined : { value: output },
    context: context === undefined ? NONE : [{ text: context, hook }],
    messages: message === undefined ? NONE : [{ ...message, hook }],
    suppress: effect.suppress === true,
    extras: extras ?? EMPTY.extras,
    diagnostics: diagnostics === undefined ? NONE : diagnostics.map(diagnostic => ({ hook, ...diagnostic })),
    runs: run === undefined ? NONE : [run],
  };
}

export function combine(left: Accumulator, right: Accumulator): Accumulator {
  const isLeftStricter = isStricter(left.verdict, right.verdict);
  const isRightStricter = isStricter(right.verdict, left.verdict);
  return {
    verdict: isRightStricter ? right.verdict : left.verdict,
    winners: isLeftStricter
      ? left.winners
      : isRightStricter
        ? right.winners
        : join(left.winners, right.winners),
    halt: left.halt ?? right.halt,
    input: right.input ?? left.input,
    hasRewriteConflict: left.hasRewriteConflict || right.hasRewriteConflict || rewritesDiffer(left, right),
    output: right.output ?? left.output,
    context: join(left.context, right.context),
    messages: join(left.messages, right.messages),
    suppress: left.suppress || right.suppress,
    extras: mergeExtras(left.extras, right.extras),
    diagnostics: join(left.diagnostics, right.diagnostics),
    runs: join(left.runs, right.runs),
  };
}

/** Most lists are empty most of the time, and this runs before every tool call. */
function join<V>(left: readonly V[], right: readonly V[]): readonly V[] {
  if (right.length === 0) return left;
  return left.length === 0 ? right : left.concat(right);
}

export function finish(folded: Accumulator, options: FoldOptions): Outcome {
  const aborted = options.aborted === true;
  const diagnostics = [...folded.diagnostics];
  const messages = [...folded.messages];
  let decision = decide(folded);

  if (aborted && options.power === "veto" && decision.kind !== "deny") {
    decision = { kind: "deny", reason: "aborted", by: [] };
  } else if (aborted && decision.kind === "allow") {
    // Some hooks gave no answer, and each of them could have refused.
    decision = { kind: "none" };
  }
  if (decision.kind !== "none" && options.power === "none") {
    if (decision.kind === "deny") {
      for (const { hook, reason } of folded.winners) {
        messages.push({ text: reason ?? missingReason([hook]), hook, level: "warn" });
      }
    }
    diagnostics.push({
      code: "decision-ignored",
      severity: "warning",
      detail: `this event cannot be decided by a hook; ${decision.kind} by ${decision.by.join(", ")} has no effect`,
    });
    decision = { kind: "none" };
  }
  if (decision.kind === "deny" && options.isStopCapReached === true) {
    diagnostics.push({
      code: "stop-cap",
      severity: "warning",
      detail: "the agent was held too many times in a row and may stop now",
    });
    decision = { kind: "none" };
  }
  if (folded.hasRewriteConflict) {
    diagnostics.push({
      code: "rewrite-conflict",
      severity: "warning",
      detail: `several hooks rewrote the input; the last in order, ${folded.input?.hook}, counts`,
    });
  }
  const { halt, input } = folded;
  return {
    decision,
    ...(halt === undefined
      ? {}
      : { halt: halt.reason === undefined ? { hook: halt.hook } : { ...halt, reason: halt.reason } }),
    ...(input === undefined || decision.kind === "deny" || halt !== undefined ? {} : { input: input.value }),
    ...(folded.output === undefined ? {} : { output: folded.output.value }),
    context: folded.context,
    messages,
    suppressOutput: folded.suppress,
    aborted,
    runs: folded.runs,
    diagnostics,
    extras: folded.extras,
  };
}

export function isStricter(left: VerdictKind, right: VerdictKind): boolean {
  return VERDICTS.indexOf(left) > VERDICTS.indexOf(right);
}

function decide({ verdict, winners }: Accumulator): Decision {
  if (verdict === "none") return { kind: "none" };
  const by = winners.map(winner => winner.hook);
  const reasons = winners.flatMap(winner => (winner.reason === undefined ? [] : [winner.reason]));
  const reason = reasons.join("\n");
  const texts = joinTexts(winners);
  if (verdict === "deny")
    return { kind: "deny", reason: reasons.length === 0 ? missingReason(by) : reason, ...texts, by };
  return reasons.length === 0 ? { kind: verdict, by } : { kind: verdict, reason, ...texts, by };
}

/** Where one hook has a text for each reader, the others' reasons are for both. */
function joinTexts(winners: Accumulator["winners"]): { readonly texts?: ReaderTexts } {
  if (winners.every(({ texts }) => texts === undefined)) return {};
  const textFor = (reader: keyof ReaderTexts) =>
    winners.flatMap(({ texts, reason }) => texts?.[reader] ?? reason ?? []).join("\n");
  return { texts: { person: textFor("person"), model: textFor("model") } };
}

function missingReason(by: readonly string[]): string {
  return `refused by ${by.join(", ")}, which gave no reason`;
}

function rewritesDiffer(left: Accumulator, right: Accumulator): boolean {
  return (
    left.input !== undefined && right.input !== undefined && !isSameJson(left.input.value, right.input.value)
  );
}

/** Equal as JSON: key order does not count. */
export function isSameJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => isSameJson(item, right[index] ?? null));
  }
  const one = left as JsonObject;
  const other = right as JsonObject;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(key => Object.hasOwn(other, key) && isSameJson(one[key] ?? null, other[key] ?? null));
}

function mergeExtras(left: JsonObject, right: JsonObject): JsonObject {
  if (right === EMPTY.extras || Object.keys(right).length === 0) return left;
  if (Object.keys(left).length === 0) return right;
  // Members that are worked out when they are read stay so.
  const members = { ...Object.getOwnPropertyDescriptors(left), ...Object.getOwnPropertyDescriptors(right) };
  return Object.defineProperties({}, members);
}
