import { appendOutput, NO_OUTPUT } from "../state/output.ts";
import { forkState, leaveUnexamined, spanOf } from "../state/session.ts";
import { adoptFiles } from "../state/state.ts";
import type { Located, Output, Scope } from "../state/types.ts";
import type { AndOr, CompoundList, PipelineNode } from "../syntax/syntax.ts";
import { runShellText } from "./shell-text.ts";

/** A copy of the shell; only the files it writes outlive it. */
export function runSubshell(scope: Scope, run: (inner: Scope) => Output): Output {
  const state = forkState(scope);
  state.traps.clear();
  const inner: Scope = { ...scope, state };
  const output = appendOutput(run(inner), runHandlers(inner));
  adoptFiles(scope.state, state);
  return output;
}

/** The work allowed for the whole is done; what starts with `next` stays unexamined. */
export function isUsedUp(next: Located, { session, source }: Scope): boolean {
  if (!session.words.isSpent && !session.budget.isSpent) return false;
  const reason = session.words.isSpent ? "words" : "steps";
  const region = source.text.slice(next.pos);
  leaveUnexamined(session, reason, "the command is too long to be analysed", region, spanOf(source, next));
  return true;
}

const ENDINGS = new Set(["exit", "return", "break", "continue"]);

/** The branch does not come back: `cd x || exit`. */
export function endsShell(node: PipelineNode | CompoundList | AndOr): boolean {
  if (node.type === "Command") return node.name !== undefined && ENDINGS.has(node.name.value);
  const list = node.type === "BraceGroup" ? node.body : node.type === "CompoundList" ? node : undefined;
  const last = list?.commands.at(-1)?.command;
  return last !== undefined && endsShell(last);
}

/** Runs what `trap` left for the end of this shell; also where `exit` stands, with the state of that place. */
export function runHandlers(scope: Scope): Output {
  const handlers = [...scope.state.traps.values()];
  if (handlers.length === 0) return NO_OUTPUT;
  scope.state.traps.clear();
  let output: Output = NO_OUTPUT;
  for (const { code, span, invocation } of handlers) {
    const inner: Scope = { ...scope, parent: { invocation, via: "trap" } };
    const run = runShellText(code, inner, span);
    scope.session.codeRuns.push({
      language: "shell",
      code,
      from: "handler",
      path: undefined,
      invocation,
      isExamined: run.isExamined,
      span,
    });
    output = appendOutput(output, run.output);
  }
  return output;
}
