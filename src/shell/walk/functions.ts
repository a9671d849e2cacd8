import { LIMITS } from "../limits.ts";
import { NO_OUTPUT } from "../state/output.ts";
import { spanOf } from "../state/session.ts";
import type { FunctionDefinition, Positionals } from "../state/state.ts";
import type { ActiveFunction, Output, Scope } from "../state/types.ts";
import { forEachNode } from "../syntax/parse.ts";
import type { FunctionNode, SyntaxNode } from "../syntax/syntax.ts";
import { describe, wordAt } from "../value.ts";

export function defineFunction(node: FunctionNode, scope: Scope): void {
  const name = node.name.value;
  const { functions } = scope.session;
  scope.state.functions.set(name, { node, source: scope.source, isExported: false });
  const isCalled = functions.get(name)?.isCalled ?? false;
  functions.set(name, { name, isForkBomb: isForkBomb(node), isCalled, span: spanOf(scope.source, node) });
}

/** Walks the body with these arguments in the shell of the caller. */
export function callFunction(definition: FunctionDefinition, positionals: Positionals, scope: Scope): Output {
  const { session, state } = scope;
  const name = definition.node.name.value;
  const fact = session.functions.get(name);
  if (fact !== undefined) session.functions.set(name, { ...fact, isCalled: true });
  if (!isWorthEntering(definition, positionals, scope.activeFunctions)) return NO_OUTPUT;
  const outer = state.positionals;
  const hidden: Scope["hidden"] = new Map();
  state.positionals = positionals;
  const output = session.walker.runNode(definition.node.body, {
    ...scope,
    source: definition.source,
    hidden,
    activeFunctions: [...scope.activeFunctions, { node: definition.node, positionals }],
  });
  state.positionals = outer;
  for (const [variable, before] of hidden) {
    if (before === undefined) state.variables.delete(variable);
    else state.variables.set(variable, before);
  }
  return output;
}

/**
 * A function inside itself is entered once more, for what its first round left in variables, and then only while it
 * hands on a rest of its own arguments: `run() { "$@"; }; run run rm -rf /`. Every such step has fewer of them.
 */
function isWorthEntering(
  { node }: FunctionDefinition,
  { values }: Positionals,
  active: readonly ActiveFunction[],
): boolean {
  if (active.length >= LIMITS.nesting) return false;
  const rounds = active.filter(call => call.node === node);
  const given = rounds.at(-1)?.positionals.values;
  if (given === undefined || rounds.length < 2) return true;
  const start = given.length - values.length;
  return (
    start > 0 && values.every((value, index) => describe(value) === describe(wordAt(given, start + index)))
  );
}

/** Starts itself more than once without waiting: in a pipeline with itself, or in the background. */
function isForkBomb(node: FunctionNode): boolean {
  const name = node.name.value;
  let isFound = false;
  const visit = (child: SyntaxNode) => {
    if (isFound) return;
    if (child.type === "Pipeline")
      isFound = child.commands.filter(command => calls(command, name)).length > 1;
    else if (child.type === "Statement" && child.background === true) isFound = calls(child.command, name);
    if (!isFound) forEachNode(child, visit);
  };
  forEachNode(node, visit);
  return isFound;
}

function calls(node: SyntaxNode, name: string): boolean {
  if (node.type === "Command" && node.name?.value === name) return true;
  let isFound = false;
  forEachNode(node, child => {
    isFound ||= calls(child, name);
  });
  return isFound;
}
