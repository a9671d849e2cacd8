import { eitherOutput, NO_OUTPUT, NOTHING } from "../state/output.ts";
import { takeNumber } from "../state/session.ts";
import type { Output, Scope } from "../state/types.ts";
import type { Pipeline } from "../syntax/syntax.ts";
import { isUsedUp, runSubshell } from "./subshell.ts";

/** Each command runs in its own subshell and reads what the one before it wrote. */
export function runPipeline(node: Pipeline, scope: Scope): Output {
  const [only] = node.commands;
  if (node.commands.length === 1 && only !== undefined) return scope.session.walker.runNode(only, scope);
  const id = takeNumber(scope.session);
  const length = node.commands.length;
  let output: Output = NO_OUTPUT;
  for (const [index, command] of node.commands.entries()) {
    if (isUsedUp(command, scope)) break;
    const isCaptured = index < length - 1 || scope.isCaptured;
    const stdins = index === 0 ? [scope.stdin] : output.length === 0 ? NOTHING : output;
    const runs = stdins.map(stdin =>
      runSubshell({ ...scope, stdin, isCaptured, pipeline: { id, index, length } }, inner =>
        scope.session.walker.runNode(command, inner),
      ),
    );
    output = eitherOutput(...runs);
  }
  return output;
}
