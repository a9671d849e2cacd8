import { createBudget } from "../budget.ts";
import type { ShellContext, ShellFacts, Unexamined } from "../facts.ts";
import { LIMITS } from "../limits.ts";
import type { Span } from "../value.ts";
import { cloneState, type ShellState, type Source } from "./state.ts";
import type { Knowledge, Located, Scope, Session, Walker } from "./types.ts";

export function createSession(
  context: ShellContext,
  { readCode, programs }: Knowledge,
  walker: Walker,
): Session {
  return {
    context,
    tmpdir: context.tmpdir ?? "/tmp",
    readCode,
    programs,
    walker,
    budget: createBudget(LIMITS.steps, context.isLate),
    words: createBudget(LIMITS.words),
    invocations: [],
    effects: [],
    listings: new Map(),
    argumentLists: new Map(),
    removers: new Set(),
    redirections: [],
    codeRuns: [],
    codeEffects: [],
    writtenFiles: [],
    links: [],
    functions: new Map(),
    assignments: [],
    unexamined: [],
    ownScripts: new Map(),
    nextNumber: 1,
  };
}

/** A copy of the shell's state for a branch or a subshell; paid for by its size. */
export function forkState(scope: Scope): ShellState {
  const { variables, files, functions } = scope.state;
  scope.session.budget.take(20 + variables.size + files.size + functions.size);
  return cloneState(scope.state);
}

export function takeNumber(session: Session): number {
  const number = session.nextNumber;
  session.nextNumber += 1;
  return number;
}

/** A position of the walked text as a place in the command. */
export function spanOf(source: Source, node: Located): Span {
  // The parser may count one character more than there are, behind a backslash that ends the text.
  const start = Math.min(node.pos, source.text.length);
  return source.base ?? { start, end: Math.min(Math.max(start, node.end), source.text.length) };
}

/** Records a region that was not examined. `region` is scanned for dangerous names. */
export function leaveUnexamined(
  session: Session,
  reason: Unexamined["reason"],
  message: string,
  region: string,
  span: Span,
): void {
  const isKnown = session.unexamined.some(
    known => known.reason === reason && known.span.start === span.start && known.span.end === span.end,
  );
  if (!isKnown) {
    session.unexamined.push({ reason, message, criticalWords: session.programs.findDangerous(region), span });
  }
}

export function factsOf(session: Session): ShellFacts {
  return {
    invocations: session.invocations,
    listings: session.listings,
    effects: session.effects,
    redirections: session.redirections,
    codeRuns: session.codeRuns,
    codeEffects: session.codeEffects,
    writtenFiles: session.writtenFiles,
    links: session.links,
    functions: [...session.functions.values()],
    assignments: session.assignments,
    unexamined: session.unexamined,
    steps: session.budget.used + session.words.used,
  };
}
