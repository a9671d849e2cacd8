import { type Scope, scalar } from "../state/state.ts";
import { assign, lookUp, scalarValues } from "../state/variables.ts";
import { parseArithmetic } from "../syntax/parse.ts";
import type { ArithmeticExpression, WordPart } from "../syntax/syntax.ts";
import { isOpen, knownText, text, unknown, type Value } from "../value.ts";

/** Expands the parts of a word inside an expression; gives its alternatives. */
type ExpandText = (parts: readonly WordPart[]) => readonly Value[];

const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="]);

/**
 * The number an expression gives, or undefined when it is not constant. Substitutions inside are walked and
 * assignments made either way.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one evaluator, a case for each kind of node
export function evaluateArithmetic(
  expression: ArithmeticExpression | undefined,
  scope: Scope,
  expandText: ExpandText,
): number | undefined {
  const evaluate = (node: ArithmeticExpression): number | undefined => {
    if (!scope.session.budget.take(1)) return undefined;
    switch (node.type) {
      case "ArithmeticGroup":
        return evaluate(node.expression);
      case "ArithmeticTernary": {
        const test = evaluate(node.test);
        const consequent = evaluate(node.consequent);
        const alternate = evaluate(node.alternate);
        return test === undefined ? undefined : test === 0 ? alternate : consequent;
      }
      case "ArithmeticUnary":
        return evaluateUnary(node.operator, node.operand, node.prefix);
      case "ArithmeticBinary":
        return evaluateBinary(node.operator, node.left, node.right);
      case "ArithmeticCommandExpansion": {
        const [output, ...others] =
          node.script === undefined ? [] : scope.session.walker.runSubstitution(node.script, node, scope);
        return output === undefined || others.length > 0
          ? undefined
          : readNumber(knownText(output)?.trim() ?? "");
      }
      case "ArithmeticWord":
        return evaluateWord(node.value, node.parts);
    }
  };

  const evaluateUnary = (operator: string, operand: ArithmeticExpression, isPrefix: boolean) => {
    const value = evaluate(operand);
    if (operator === "++" || operator === "--") {
      const changed = value === undefined ? undefined : value + (operator === "++" ? 1 : -1);
      store(operand, changed);
      return isPrefix ? changed : value;
    }
    if (value === undefined) return undefined;
    if (operator === "-") return -value;
    if (operator === "!") return value === 0 ? 1 : 0;
    return operator === "~" ? ~value : value;
  };

  const evaluateBinary = (operator: string, left: ArithmeticExpression, right: ArithmeticExpression) => {
    // What a plain name held before does not matter to it.
    const isNew = operator === "=" && left.type === "ArithmeticWord" && /^\w+$/.test(left.value);
    const first = isNew ? undefined : evaluate(left);
    const second = evaluate(right);
    if (!ASSIGNMENTS.has(operator)) return calculate(operator, first, second);
    const value = operator === "=" ? second : calculate(operator.slice(0, -1), first, second);
    store(left, value);
    return value;
  };

  const store = (target: ArithmeticExpression, value: number | undefined) => {
    if (target.type !== "ArithmeticWord" || !/^[A-Za-z_]\w*$/.test(target.value)) return;
    assign(
      target.value,
      [scalar(value === undefined ? unknown("token", `$${target.value}`) : text(String(value)))],
      scope,
    );
  };

  const evaluateWord = (written: string, parts: readonly WordPart[] | undefined) => {
    if (parts === undefined) return readOperand(written, 0);
    const results = expandText(parts).map(value => readValue(value, 0));
    return results.length === 1 ? results[0] : undefined;
  };

  const readValue = (value: Value, hops: number): number | undefined => {
    const known = knownText(value)?.trim();
    if (known === undefined) noteUncomputed(value, scope);
    return known === undefined ? undefined : known === "" ? 0 : readOperand(known, hops);
  };

  /** A number, or a name whose value is again an expression; its substitutions run too. */
  const readOperand = (written: string, hops: number): number | undefined => {
    const number = readNumber(written);
    if (number !== undefined || hops > 4) return number;
    if (/\$\(|`/.test(written)) {
      scope.session.walker.runInside(`((${written}))`, scope);
      return undefined;
    }
    const [, parameter] = /^\$\{?(\w+)\}?$/.exec(written) ?? [];
    if (parameter !== undefined) {
      const results = scalarValues(lookUp(parameter, scope)).map(value => readValue(value, hops + 1));
      return results.length === 1 ? results[0] : undefined;
    }
    const [, array, subscript] = /^([A-Za-z_]\w*)\[(.*)\]$/s.exec(written) ?? [];
    if (array !== undefined && subscript !== undefined) {
      readOperand(subscript.trim(), hops + 1);
      for (const content of lookUp(array, scope))
        for (const value of content.kind === "array" ? content.elements.values() : scalarValues([content]))
          readValue(value, hops + 1);
      return undefined;
    }
    if (!/^[A-Za-z_]\w*$/.test(written)) {
      const inner = parseArithmetic(written);
      if (written.includes("$")) noteUncomputed(unknown("any", written), scope);
      return inner === undefined || inner.type === "ArithmeticWord" ? undefined : evaluate(inner);
    }
    const results = scalarValues(lookUp(written, scope)).map(value => readValue(value, hops + 1));
    return results.length === 1 ? results[0] : undefined;
  };

  return expression === undefined ? undefined : evaluate(expression);
}

/** Text that is not known is computed: as `a[$(command)]` it would run that command. */
export function noteUncomputed(value: Value, { session }: Scope): void {
  if (isOpen(value)) session.computed.push(value);
}

function readNumber(written: string): number | undefined {
  if (written === "") return undefined;
  if (/^0[xX][0-9a-fA-F]{1,12}$/.test(written)) return Number.parseInt(written.slice(2), 16);
  if (/^0[0-7]{1,15}$/.test(written)) return Number.parseInt(written, 8);
  if (/^-?\d{1,15}$/.test(written)) return Number(written);
  const based = /^(\d{1,2})#([0-9A-Za-z]{1,12})$/.exec(written);
  if (based === null) return undefined;
  const value = Number.parseInt(based[2] ?? "", Math.min(36, Math.max(2, Number(based[1]))));
  return Number.isNaN(value) ? undefined : value;
}

function calculate(
  operator: string,
  left: number | undefined,
  right: number | undefined,
): number | undefined {
  if (operator === ",") return right;
  if (left === undefined || right === undefined) return undefined;
  const operation = OPERATIONS[operator];
  const result = operation?.(left, right);
  return result !== undefined && Number.isSafeInteger(result) ? result : undefined;
}

const OPERATIONS: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => Math.trunc(left / right),
  "%": (left, right) => left % right,
  "**": (left, right) => left ** right,
  "<<": (left, right) => left * 2 ** right,
  ">>": (left, right) => Math.floor(left / 2 ** right),
  "&": (left, right) => left & right,
  "|": (left, right) => left | right,
  "^": (left, right) => left ^ right,
  "&&": (left, right) => (left !== 0 && right !== 0 ? 1 : 0),
  "||": (left, right) => (left !== 0 || right !== 0 ? 1 : 0),
  "==": (left, right) => (left === right ? 1 : 0),
  "!=": (left, right) => (left !== right ? 1 : 0),
  "<": (left, right) => (left < right ? 1 : 0),
  ">": (left, right) => (left > right ? 1 : 0),
  "<=": (left, right) => (left <= right ? 1 : 0),
  ">=": (left, right) => (left >= right ? 1 : 0),
};
