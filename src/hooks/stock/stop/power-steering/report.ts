import { clip, oneLine } from "../../../../text/index.ts";
import { HOLD_MARK } from "../lock-mode.ts";
import type { SessionFacts } from "./facts.ts";
import type { Consideration } from "./heuristics.ts";
import { announcedSteps, type CheckFailure, completionClaims } from "./heuristics.ts";
import { MAX_BLOCKS, type TurnState } from "./turn-state.ts";

const SHOWN_TODOS = 10;

/** One consideration and what was found; undefined when it is satisfied. */
export interface CheckResult {
  readonly consideration: Consideration;
  readonly failure: CheckFailure | undefined;
}

export function isFailedBlocker({ consideration, failure }: CheckResult): boolean {
  return failure !== undefined && consideration.severity === "blocker";
}

/** Ids that failed at an earlier stop and are satisfied now. */
function addressedIds(state: TurnState, failed: readonly string[]): readonly string[] {
  const earlier = state.block_history.flatMap(block =>
    block.failed_evidence.map(item => item.consideration_id),
  );
  return [...new Set(earlier)].filter(id => !failed.includes(id)).sort();
}

const SHOWN_FAILURES = 3;
const LINE_LENGTH = 600;

/**
 * What the agent is told when it may not stop: what was found, in eight lines at most. `state` is that of before this
 * stop. How the check is switched off is for the person and stands in the documentation.
 */
export function renderHold(state: TurnState, facts: SessionFacts, results: readonly CheckResult[]): string {
  const failed = results.filter(isFailedBlocker);
  const ids = failed.map(({ consideration }) => consideration.id);
  const attempt = state.consecutive_blocks + 1;
  const left = MAX_BLOCKS - attempt;
  const open = facts.todos.filter(todo => todo.status !== "completed");
  const afterwards =
    left > 0
      ? `After ${left} more held ${left === 1 ? "attempt" : "attempts"} the stop is let through.`
      : "The next stop is let through.";
  const urgency = attempt > 2 ? " This is getting urgent: finish the points below." : "";
  return [
    `${HOLD_MARK} The work is not complete yet: stop attempt ${attempt} of ${MAX_BLOCKS} is held. ${afterwards}${urgency}`,
    ...line("Unfinished todo entries", shorten(open.map(renderTodo), SHOWN_TODOS)),
    ...line("Work you announced yourself", announcedSteps(facts, 5)),
    ...renderFailures(failed),
    ...line("You said that it is complete", failed.length === 0 ? [] : completionClaims(facts, 2)),
    ...line("Since the last attempt", [
      ...addressedIds(state, ids).map(id => `${id} was addressed`),
      ...repeatedFailures(state, ids),
    ]),
  ].join("\n");
}

/** One line of facts; none when there are none. */
function line(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [clip(`${title}: ${items.join("; ")}`, LINE_LENGTH)];
}

function shorten(items: readonly string[], limit: number): readonly string[] {
  return items.length <= limit ? items : [...items.slice(0, limit), `and ${items.length - limit} more`];
}

function renderTodo({ status, text }: SessionFacts["todos"][number]): string {
  return `[${oneLine(status)}] ${clip(oneLine(text), 150)}`;
}

function repeatedFailures(state: TurnState, ids: readonly string[]): readonly string[] {
  return ids.flatMap(id => {
    const count = state.block_history.filter(block =>
      block.failed_evidence.some(item => item.consideration_id === id),
    ).length;
    return count === 0 ? [] : [`${id} failed again, ${count + 1} times now`];
  });
}

/** A line for each of the first, the rest together in the last one. */
function renderFailures(failed: readonly CheckResult[]): readonly string[] {
  if (failed.length === 0) return ["The work is incomplete."];
  const texts = failed.map(({ consideration, failure }) => {
    const quote = failure?.quote === undefined ? "" : ` ("${failure.quote}")`;
    return `${consideration.id}: ${oneLine(failure?.reason ?? "")}${quote}`;
  });
  const alone = texts.length > SHOWN_FAILURES ? SHOWN_FAILURES - 1 : SHOWN_FAILURES;
  return [
    ...texts.slice(0, alone).map(text => clip(`✗ ${text}`, LINE_LENGTH)),
    ...(texts.length > alone
      ? [
          clip(
            texts
              .slice(alone)
              .map(text => `✗ ${text}`)
              .join("; "),
            LINE_LENGTH,
          ),
        ]
      : []),
  ];
}

/** One line per check: satisfied, missing, missing without weight, or not checked because only a model could. */
export function renderTable(results: readonly CheckResult[]): string {
  const lines = results.map(({ consideration, failure }) => {
    if (consideration.heuristic === undefined) return `· ${consideration.id}: not checked`;
    const mark = failure === undefined ? "✓" : consideration.severity === "blocker" ? "✗" : "⚠";
    return `${mark} ${consideration.id}: ${oneLine(failure?.reason ?? consideration.question)}`;
  });
  return ["Checks:", ...lines].join("\n");
}

/** `summary.md`, written when everything passed. */
export function renderSessionSummary(
  sessionId: string,
  time: string,
  results: readonly CheckResult[],
): string {
  return [`# Session ${sessionId}`, "", `Completed: ${time}`, "", renderTable(results), ""].join("\n");
}
