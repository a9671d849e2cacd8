import { clip } from "../../../state/index.ts";
import { oneLine } from "../../words.ts";
import { HOLD_MARK } from "../hold-mark.ts";
import type { Consideration } from "./considerations.ts";
import type { SessionFacts } from "./facts.ts";
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

/** What the agent is told when it may not stop. `state` is that of before this stop. */
export function renderHold(state: TurnState, facts: SessionFacts, results: readonly CheckResult[]): string {
  const failed = results.filter(isFailedBlocker);
  const ids = failed.map(({ consideration }) => consideration.id);
  const attempt = state.consecutive_blocks + 1;
  const open = facts.todos.filter(todo => todo.status !== "completed");
  const steps = announcedSteps(facts, 5);
  const claims = completionClaims(facts, 2);
  const addressed = addressedIds(state, ids);
  const repeated = repeatedFailures(state, ids);
  const left = MAX_BLOCKS - attempt;
  return [
    `${HOLD_MARK} The work is not complete yet: stop attempt ${attempt} of ${MAX_BLOCKS} is held.`,
    ...(attempt > 2
      ? ["This is getting urgent: the same session was held several times. Finish the points below."]
      : []),
    ...section("Unfinished todo entries", renderTodos(open)),
    ...section("Work you announced yourself", steps),
    ...section("Recognised as addressed since the last attempt", addressed),
    ...section("You said that it is complete, but the checks below fail", ids.length === 0 ? [] : claims),
    ...section("Failed again", repeated),
    ...renderFailures(failed),
    "",
    left > 0
      ? `After ${left} more held ${left === 1 ? "attempt" : "attempts"} the stop is let through.`
      : "The next stop is let through.",
    "To switch this check off: set AMPLIHACK_SKIP_POWER_STEERING=1 or create .claude/runtime/power-steering/.disabled",
    "",
    renderTable(results),
  ].join("\n");
}

/** Each on a line, cut so that a long list leaves room for what follows. */
function renderTodos(todos: SessionFacts["todos"]): readonly string[] {
  const shown = todos
    .slice(0, SHOWN_TODOS)
    .map(todo => `[${oneLine(todo.status)}] ${clip(oneLine(todo.text), 150)}`);
  const more = todos.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : ["", `${title}:`, ...items.map(item => `- ${item}`)];
}

function repeatedFailures(state: TurnState, ids: readonly string[]): readonly string[] {
  return ids.flatMap(id => {
    const count = state.block_history.filter(block =>
      block.failed_evidence.some(item => item.consideration_id === id),
    ).length;
    return count === 0 ? [] : [`${id}: ${count + 1} times`];
  });
}

function renderFailures(failed: readonly CheckResult[]): readonly string[] {
  if (failed.length === 0) return ["", "The work is incomplete."];
  const categories = [...new Set(failed.map(({ consideration }) => consideration.category))];
  return categories.flatMap(category => [
    "",
    `${oneLine(category)}:`,
    ...failed
      .filter(({ consideration }) => consideration.category === category)
      .map(({ consideration, failure }) => {
        const quote = failure?.quote === undefined ? "" : ` ("${failure.quote}")`;
        return `- ${consideration.id}: ${oneLine(failure?.reason ?? "")}${quote}`;
      }),
  ]);
}

/** One line per check: satisfied, missing, or missing without weight. */
export function renderTable(results: readonly CheckResult[]): string {
  const lines = results.map(({ consideration, failure }) => {
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
