import { appendOutput, EMPTY_OUTPUT, eitherOutput, NO_OUTPUT } from "../state/output.ts";
import { forkState, takeNumber } from "../state/session.ts";
import {
  adoptFiles,
  mergeState,
  refill,
  replaceState,
  type ShellState,
  uniteValues,
} from "../state/state.ts";
import type { Output, Scope } from "../state/types.ts";
import type {
  AndOr,
  CommandNode,
  CompoundList,
  Pipeline,
  PipelineNode,
  Redirected,
  Statement,
} from "../syntax/syntax.ts";
import { unknown } from "../value.ts";
import { evaluateExpression } from "../words/resolve.ts";
import { runCase, runIf } from "./conditions.ts";
import { defineFunction } from "./functions.ts";
import { runArithmeticFor, runFor, runSelect, runWhile } from "./loops.ts";
import { closeStreams, openStreams, recordRedirections } from "./redirections.ts";
import { runCommand } from "./simple-command.ts";
import { endsShell, isUsedUp, runSubshell } from "./subshell.ts";
import { runTest } from "./test-expressions.ts";

/** Walks statements in order. What is left when the work is used up is recorded as unexamined. */
export function runStatements(statements: readonly Statement[], scope: Scope): Output {
  let output = NO_OUTPUT;
  for (const statement of statements) {
    if (isUsedUp(statement, scope)) break;
    const written = runStatement(statement, scope);
    if (scope.isCaptured) output = appendOutput(output, written);
    settleDirectory(scope);
  }
  return output;
}

/** A `cd` to a directory that is not there: what follows without `&&` may still run in the old one. */
function settleDirectory({ state }: Scope): void {
  if (state.fallbackCwds === undefined) return;
  state.cwds = uniteValues([state.cwds, state.fallbackCwds], "the current directory");
  state.fallbackCwds = undefined;
}

function runStatement(statement: Statement, scope: Scope): Output {
  if (statement.background !== true) return runNode(statement.command, scope);
  return runSubshell({ ...scope, isBackground: true }, inner => runNode(statement.command, inner));
}

export function runNode(node: PipelineNode | AndOr | CompoundList, scope: Scope): Output {
  switch (node.type) {
    case "AndOr":
      return runAndOr(node, scope);
    case "Pipeline":
      return runPipeline(node, scope);
    case "CompoundList":
      return runStatements(node.commands, scope);
    default:
      return runCommandNode(node, scope);
  }
}

function runCommandNode(node: CommandNode, scope: Scope): Output {
  switch (node.type) {
    case "Command":
      return runCommand(node, scope);
    case "Redirected":
      return runRedirected(node, scope);
    case "Subshell":
      return runSubshell(scope, inner => runNode(node.body, inner));
    case "BraceGroup":
      return runNode(node.body, scope);
    case "If":
      return runIf(node, scope);
    case "Case":
      return runCase(node, scope);
    case "For":
      return runFor(node, scope);
    case "Select":
      return runSelect(node, scope);
    case "While":
      return runWhile(node, scope);
    case "ArithmeticFor":
      return runArithmeticFor(node, scope);
    case "Function":
      defineFunction(node, scope);
      return NO_OUTPUT;
    case "Coproc":
      return runSubshell({ ...scope, isBackground: true }, inner => runNode(node.body, inner));
    case "TestCommand":
      runTest(node.expression, scope);
      return NO_OUTPUT;
    case "ArithmeticCommand":
      evaluateExpression(node.expression, scope);
      return NO_OUTPUT;
  }
}

function runRedirected(node: Redirected, scope: Scope): Output {
  const { state } = scope;
  const cwd = state.cwds[0] ?? unknown("any", "the current directory");
  const streams = openStreams(node.redirects, cwd, scope);
  recordRedirections(streams.redirections, state.cwds, undefined, scope);
  const isCaptured = scope.isCaptured || streams.stdoutFiles !== undefined;
  const outputs = streams.stdins.map(stdin => {
    const saved = new Map(state.descriptors);
    refill(state.descriptors, streams.descriptors);
    const output = runCommandNode(node.command, { ...scope, stdin, isCaptured });
    refill(state.descriptors, saved);
    return output;
  });
  return closeStreams(streams, eitherOutput(...outputs), cwd, scope, scope.session.invocations.length);
}

/** Both sides count. What the right side leaves behind is one possibility, not having run it another. */
function runAndOr(node: AndOr, scope: Scope): Output {
  const { state } = scope;
  const [first, ...rest] = node.commands;
  if (first === undefined) return NO_OUTPUT;
  const beforeAll = state.cwds;
  let mayHaveFailed = !isTrusted(first, scope);
  let output = runNode(first, scope);
  // What follows `&&` starts where everything in front of it went well.
  let success: ShellState | undefined;
  for (const [index, command] of rest.entries()) {
    if (isUsedUp(command, scope)) break;
    const isOr = node.operators[index] === "||";
    const branch = forkState(isOr || success === undefined ? scope : { ...scope, state: success });
    if (isOr) {
      branch.cwds =
        index === 0 && isTrusted(first, scope)
          ? beforeAll
          : uniteValues([beforeAll, state.cwds], "the current directory");
      branch.fallbackCwds = undefined;
    }
    const written = runNode(command, { ...scope, state: branch });
    output = isOr ? eitherOutput(output, appendOutput(output, written)) : appendOutput(output, written);
    const leaves = endsShell(command);
    if (isOr) state.fallbackCwds = leaves ? undefined : state.fallbackCwds;
    if (isOr && leaves) adoptFiles(state, branch);
    else if (isOr || (mayHaveFailed && !leaves)) mergeState(state, branch);
    else if (!leaves) replaceState(state, branch);
    else adoptFiles(state, branch);
    success = isOr ? undefined : branch;
    mayHaveFailed ||= !isTrusted(command, scope);
  }
  return output;
}

const TRUSTED = new Set(
  "cd pushd popd true : export set source . shopt umask declare local readonly".split(" "),
);

/** Commands that are taken to succeed, so that `cd build && rm -rf *` never happens elsewhere. */
function isTrusted(node: PipelineNode, { session }: Scope): boolean {
  if (node.type !== "Command") return false;
  const name = node.name?.value;
  return name === undefined || TRUSTED.has(name) || session.programs.seldomFails(name);
}

/** Each command runs in its own subshell and reads what the one before it wrote. */
function runPipeline(node: Pipeline, scope: Scope): Output {
  const [only] = node.commands;
  if (node.commands.length === 1 && only !== undefined) return scope.session.walker.runNode(only, scope);
  const id = takeNumber(scope.session);
  const length = node.commands.length;
  let output: Output = NO_OUTPUT;
  for (const [index, command] of node.commands.entries()) {
    if (isUsedUp(command, scope)) break;
    const isCaptured = index < length - 1 || scope.isCaptured;
    const stdins = index === 0 ? [scope.stdin] : output.length === 0 ? EMPTY_OUTPUT : output;
    const runs = stdins.map(stdin =>
      runSubshell({ ...scope, stdin, isCaptured, pipeline: { id, index, length } }, inner =>
        scope.session.walker.runNode(command, inner),
      ),
    );
    output = eitherOutput(...runs);
  }
  return output;
}
