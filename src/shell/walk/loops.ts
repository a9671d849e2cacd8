import { LIMITS } from "../limits.ts";
import { appendOutput, EMPTY_OUTPUT, eitherOutput, NO_OUTPUT } from "../state/output.ts";
import { forkState, spanOf } from "../state/session.ts";
import { mergeState, scalar, valueKey } from "../state/state.ts";
import type { Output, Scope } from "../state/types.ts";
import { assign } from "../state/variables.ts";
import type {
  ArithmeticExpression,
  ArithmeticFor,
  CompoundList,
  For,
  Select,
  While,
  Word,
} from "../syntax/syntax.ts";
import { blend, knownPrefix, unknown, type Value } from "../value.ts";
import { evaluateExpression, resolveWords } from "../words/resolve.ts";
import { noteEndlessLoop } from "./endless-loops.ts";

/** The body runs once per item with the variable bound to it. */
export function runFor(node: For, scope: Scope): Output {
  const lists = itemsOf(node.wordlist, scope);
  return eitherOutput(...lists.map(items => runItems(node, items, scope)));
}

export function runSelect(node: Select, scope: Scope): Output {
  const items = itemsOf(node.wordlist, scope).flat();
  bind(node.name, items, scope);
  assign("REPLY", [scalar(unknown("any", "$REPLY", [{ kind: "input" }]))], scope);
  return runBody(node.body, scope);
}

function itemsOf(wordlist: readonly Word[] | undefined, scope: Scope): readonly (readonly Value[])[] {
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
    span: spanOf(scope.source, name),
  });
}

const MAX_REACHING = 8;

/** A path that does not stay below the working directory, or an option. */
function reachesOut(item: Value): boolean {
  return /^[-/~]|(?:^|\/)\.\.?(?:\/|$)/.test(knownPrefix(item));
}

export function runWhile(node: While, scope: Scope): Output {
  noteEndlessLoop(node, scope);
  const clause = scope.session.walker.runNode(node.clause, scope);
  return appendOutput(clause, runBody(node.body, scope));
}

export function runArithmeticFor(node: ArithmeticFor, scope: Scope): Output {
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
