import { appendOutput, NO_OUTPUT } from "../state/output.ts";
import type { Output, Scope } from "../state/types.ts";
import { runShellText } from "./shell-text.ts";

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
