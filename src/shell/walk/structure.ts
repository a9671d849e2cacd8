import { LIMITS } from "../limits.ts";
import {
  adoptFiles,
  appendOutput,
  EMPTY_OUTPUT,
  eitherOutput,
  forkState,
  mergeState,
  NO_OUTPUT,
  type Output,
  refill,
  replaceState,
  type Scope,
  type ShellState,
  scalar,
  takeNumber,
  toSpan,
  uniteValues,
  valueKey,
} from "../state/state.ts";
import { assign } from "../state/variables.ts";
import type {
  AndOr,
  ArithmeticExpression,
  ArithmeticFor,
  Case,
  CommandNode,
  CompoundList,
  For,
  If,
  Pipeline,
  PipelineNode,
  Redirected,
  Select,
  Statement,
  While,
  Word,
} from "../syntax/syntax.ts";
import { blend, knownPrefix, unknown, type Value } from "../value.ts";
import { evaluateExpression, resolveSingle, resolveWords } from "../words/resolve.ts";
import { endsShell, isUsedUp, runSubshell, runTest } from "./code-runs.ts";
import { defineFunction } from "./execute.ts";
import { closeStreams, openStreams, recordRedirections, runCommand } from "./simple-command.ts";
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

function runIf(node: If, scope: Scope): Output {
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

function runCase(node: Case, scope: Scope): Output {
  resolveSingle(node.word, scope);
  for (const item of node.items)
    if (!isUsedUp(item, scope)) for (const pattern of item.pattern) resolveSingle(pattern, scope);
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
  const outputs = branches.flatMap(branch => {
    if (isUsedUp(branch, scope)) return [];
    const state = forkState(scope);
    const output = scope.session.walker.runNode(branch, { ...scope, state });
    if (endsShell(branch)) adoptFiles(scope.state, state);
    else ends.push(state);
    return [output];
  });
  const [first, ...others] = ends;
  if (first !== undefined) {
    adoptFiles(first, scope.state);
    replaceState(scope.state, first);
    for (const other of others) mergeState(scope.state, other);
  }
  return eitherOutput(...(mayBeNone ? [EMPTY_OUTPUT] : []), ...outputs);
}

/** The body runs once per item with the variable bound to it. */
function runFor(node: For, scope: Scope): Output {
  const lists = loopItems(node.wordlist, scope);
  return eitherOutput(...lists.map(items => runItems(node, items, scope)));
}

function runSelect(node: Select, scope: Scope): Output {
  const items = loopItems(node.wordlist, scope).flat();
  bind(node.name, items, scope);
  assign("REPLY", [scalar(unknown("any", "$REPLY", [{ kind: "input" }]))], scope);
  return runBody(node.body, scope);
}

function loopItems(wordlist: readonly Word[] | undefined, scope: Scope): readonly (readonly Value[])[] {
  const { positionals } = scope.state;
  const lists = wordlist === undefined ? [positionals] : resolveWords(wordlist, scope);
  return lists.map(({ values, isOpenEnded }) =>
    isOpenEnded ? [...values, unknown("any", "a loop item")] : values,
  );
}

function runItems(node: For, items: readonly Value[], scope: Scope): Output {
  if (items.length === 0) return NO_OUTPUT;
  const wordsInBody = Math.ceil((node.body.end - node.body.pos) / 6);
  const rounds = scope.rounds * items.length;
  const isAffordable =
    rounds * wordsInBody < (LIMITS.words - scope.session.words.used) / 4 &&
    scope.session.invocations.length <= LIMITS.closeStarts;
  if (items.length > LIMITS.loopItems || (items.length > 4 && !isAffordable)) {
    bind(node.name, items, scope);
    return runBody(node.body, scope);
  }
  let output = NO_OUTPUT;
  for (const item of items) {
    bind(node.name, [item], scope);
    output = appendOutput(output, scope.session.walker.runNode(node.body, { ...scope, rounds }));
  }
  return output;
}

/**
 * Several items at once are alternatives; beyond the limit nothing is known but their kind, save of those that reach
 * out of the directory. Loops in loops multiply what has to be walked, so that their limit is lower.
 */
function bind(name: Word, items: readonly Value[], scope: Scope): void {
  const isNested = scope.loops > 0 || scope.rounds > 1;
  const isLate = scope.session.invocations.length > LIMITS.closeStarts;
  const limit = isLate ? LIMITS.variantsBehind : isNested ? LIMITS.alternatives : LIMITS.loopItems;
  const isMany = items.length > limit;
  const values = isMany
    ? [...items.filter(reachesOut).slice(0, MAX_REACHING), blend(items, `$${name.value}`)]
    : items;
  assign(name.value, values.map(scalar), scope);
  const [first] = values;
  if (first === undefined) return;
  scope.session.assignments.push({
    name: name.value,
    value: first,
    isExported: false,
    span: toSpan(scope.source, name),
  });
}

const MAX_REACHING = 8;

/** A path that does not stay below the working directory, or an option. */
function reachesOut(item: Value): boolean {
  return /^[-/~]|(?:^|\/)\.\.?(?:\/|$)/.test(knownPrefix(item));
}

function runWhile(node: While, scope: Scope): Output {
  noteEndlessLoop(node, scope);
  const clause = scope.session.walker.runNode(node.clause, scope);
  return appendOutput(clause, runBody(node.body, scope));
}

function runArithmeticFor(node: ArithmeticFor, scope: Scope): Output {
  noteEndlessLoop(node, scope);
  evaluateExpression(node.initialize, scope);
  evaluateExpression(node.test, scope);
  evaluateExpression(node.update, scope);
  for (const name of namesIn([node.initialize, node.update])) {
    assign(name, [scalar(unknown("token", `$${name}`))], scope);
  }
  return runBody(node.body, scope);
}

function namesIn(expressions: readonly (ArithmeticExpression | undefined)[]): readonly string[] {
  return expressions.flatMap((expression): readonly string[] => {
    switch (expression?.type) {
      case "ArithmeticWord":
        return /^[A-Za-z_]\w*$/.test(expression.value) ? [expression.value] : [];
      case "ArithmeticBinary":
        return expression.operator === ","
          ? namesIn([expression.left, expression.right])
          : namesIn([expression.left]);
      case "ArithmeticUnary":
        return namesIn([expression.operand]);
      default:
        return [];
    }
  });
}

function areSame(one: readonly Value[], two: readonly Value[]): boolean {
  return (
    one.length === two.length &&
    one.every((value, index) => valueKey(value) === valueKey(two[index] ?? value))
  );
}

/** A body that runs any number of times: a second walk sees what the first one left. */
function runBody(body: CompoundList, scope: Scope): Output {
  const { session, state } = scope;
  const assignedBefore = session.assignments.length;
  const first = forkState(scope);
  const loops = scope.loops + 1;
  const output = scope.session.walker.runNode(body, { ...scope, state: first, loops });
  const hasChanged = session.assignments.length > assignedBefore || !areSame(first.cwds, state.cwds);
  mergeState(state, first);
  if (!hasChanged || scope.loops >= 2) return eitherOutput(EMPTY_OUTPUT, output);
  const second = forkState(scope);
  const again = scope.session.walker.runNode(body, { ...scope, state: second, loops });
  mergeState(state, second);
  return eitherOutput(EMPTY_OUTPUT, output, appendOutput(output, again));
}

/** Records a loop that never ends and starts programs in the background without waiting for anything. */
function noteEndlessLoop(node: While | ArithmeticFor, scope: Scope): void {
  const isEndless = node.type === "While" ? isAlways(node) : node.test === undefined;
  if (!isEndless || !startsOnly(node.body)) return;
  const name = node.type === "While" ? `${node.kind} without end` : "for without end";
  scope.session.functions.set(name, {
    name,
    isForkBomb: true,
    isCalled: true,
    span: toSpan(scope.source, node),
  });
}

function isAlways({ kind, clause }: While): boolean {
  const [only, ...more] = clause.commands;
  if (only?.command.type !== "Command" || more.length > 0) return false;
  const name = only.command.name?.value;
  return kind === "while" ? name === "true" || name === ":" : name === "false";
}

function startsOnly({ commands }: CompoundList): boolean {
  return commands.some(isStarted) && commands.every(command => isStarted(command) || isQuick(command));
}

function isStarted({ background, command }: Statement): boolean {
  if (background === true) return true;
  const isGroup = command.type === "Subshell" || command.type === "BraceGroup";
  return isGroup && startsOnly(command.body);
}

function isQuick({ command }: Statement): boolean {
  return command.type === "Command" && /^(?:echo|printf|:|true|let)?$/.test(command.name?.value ?? "");
}
