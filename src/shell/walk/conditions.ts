import { appendOutput, EMPTY_OUTPUT, eitherOutput } from "../state/output.ts";
import { forkState } from "../state/session.ts";
import { adoptFiles, mergeState, replaceState, type ShellState } from "../state/state.ts";
import type { Output, Scope } from "../state/types.ts";
import type { Case, CompoundList, If } from "../syntax/syntax.ts";
import { resolveSingle } from "../words/resolve.ts";
import { endsShell } from "./subshell.ts";

export function runIf(node: If, scope: Scope): Output {
  const before = scope.session.walker.runNode(node.clause, scope);
  const branches: CompoundList[] = [node.then];
  let clauses = before;
  for (const branch of node.elif) {
    clauses = appendOutput(clauses, scope.session.walker.runNode(branch.clause, scope));
    branches.push(branch.then);
  }
  if (node.else !== undefined) branches.push(node.else);
  return appendOutput(clauses, runBranches(branches, node.else === undefined, scope));
}

export function runCase(node: Case, scope: Scope): Output {
  resolveSingle(node.word, scope);
  for (const item of node.items) for (const pattern of item.pattern) resolveSingle(pattern, scope);
  const isCertain = node.items.some(item => item.pattern.some(pattern => pattern.text === "*"));
  return runBranches(
    node.items.map(item => item.body),
    !isCertain,
    scope,
  );
}

/** Runs each branch from the same start and unites what they leave; `mayBeNone`: perhaps none runs. */
function runBranches(branches: readonly CompoundList[], mayBeNone: boolean, scope: Scope): Output {
  const ends: ShellState[] = mayBeNone ? [forkState(scope)] : [];
  const outputs = branches.map(branch => {
    const state = forkState(scope);
    const output = scope.session.walker.runNode(branch, { ...scope, state });
    if (endsShell(branch)) adoptFiles(scope.state, state);
    else ends.push(state);
    return output;
  });
  const [first, ...others] = ends;
  if (first !== undefined) {
    adoptFiles(first, scope.state);
    replaceState(scope.state, first);
    for (const other of others) mergeState(scope.state, other);
  }
  return eitherOutput(...(mayBeNone ? [EMPTY_OUTPUT] : []), ...outputs);
}
