import { eitherOutput, NO_OUTPUT, NOTHING, type Output } from "./output.ts";
import { type Scope, takeNumber } from "./session.ts";
import { isUsedUp, runCommandNode, runSubshell } from "./structure.ts";
import type { Pipeline } from "./syntax.ts";

/** Each command runs in its own subshell and reads what the one before it wrote. */
export function runPipeline(node: Pipeline, scope: Scope): Output {
  const [only] = node.commands;
  if (node.commands.length === 1 && only !== undefined) return runCommandNode(only, scope);
  const id = takeNumber(scope.session);
  const length = node.commands.length;
  let output: Output = NO_OUTPUT;
  for (const [index, command] of node.commands.entries()) {
    if (isUsedUp(command, scope)) break;
    const isCaptured = index < length - 1 || scope.isCaptured;
    const stdins = index === 0 ? [scope.stdin] : output.length === 0 ? NOTHING : output;
    const runs = stdins.map(stdin =>
      runSubshell({ ...scope, stdin, isCaptured, pipeline: { id, index, length } }, inner =>
        runCommandNode(command, inner),
      ),
    );
    output = eitherOutput(...runs);
  }
  return output;
}
