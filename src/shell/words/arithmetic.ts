import { type Scope, scalar } from "../state/state.ts";
import { assign, lookUp, scalarValues } from "../state/variables.ts";
import { parseArithmetic } from "../syntax/parse.ts";
import type { ArithmeticExpression, WordPart } from "../syntax/syntax.ts";
import { isOpen, knownText, text, unknown, type Value } from "../value.ts";

/** Expands the parts of a word inside an expression; gives its alternatives. */
type ExpandText = (parts: readonly WordPart[]) => readonly Value[];

const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="]);

/** A name whose value is again an expression is followed so often. */
const MAX_HOPS = 4;
const NAME = /^[A-Za-z_]\w*$/;
/** `$name`, `${name}` */
const PARAMETER = /^\$\{?(\w+)\}?$/;
const ARRAY_ELEMENT = /^([A-Za-z_]\w*)\[(.*)\]$/s;
const SUBSTITUTION = /\$\(|`/;

/**
 * The number an expression gives, or undefined when it is not constant. Substitutions inside are walked and
 * assignments made either way.
 */
export function evaluateArithmetic(
  expression: ArithmeticExpression | undefined,
  scope: Scope,
  expandText: ExpandText,
): number | undefined {
  return expression === undefined
    ? undefined
    : new ArithmeticEvaluation(scope, expandText).evaluate(expression);
}

class ArithmeticEvaluation {
  private readonly scope: Scope;
  private readonly expandText: ExpandText;

  constructor(scope: Scope, expandText: ExpandText) {
    this.scope = scope;
    this.expandText = expandText;
  }

  evaluate(node: ArithmeticExpression): number | undefined {
    const { session } = this.scope;
    if (!session.budget.take(1)) return undefined;
    switch (node.type) {
      case "ArithmeticGroup":
        return this.evaluate(node.expression);
      case "ArithmeticTernary": {
        const test = this.evaluate(node.test);
        const consequent = this.evaluate(node.consequent);
        const alternate = this.evaluate(node.alternate);
        return test === undefined ? undefined : test === 0 ? alternate : consequent;
      }
      case "ArithmeticUnary":
        return this.evaluateUnary(node.operator, node.operand, node.prefix);
      case "ArithmeticBinary":
        return this.evaluateBinary(node.operator, node.left, node.right);
      case "ArithmeticCommandExpansion": {
        const [output, ...others] =
          node.script === undefined ? [] : session.walker.runSubstitution(node.script, node, this.scope);
        return output === undefined || others.length > 0
          ? undefined
          : readNumber(knownText(output)?.trim() ?? "");
      }
      case "ArithmeticWord":
        return node.parts === undefined ? this.readOperand(node.value, 0) : this.expandWord(node.parts);
    }
  }

  private evaluateUnary(
    operator: string,
    operand: ArithmeticExpression,
    isPrefix: boolean,
  ): number | undefined {
    const value = this.evaluate(operand);
    if (operator === "++" || operator === "--") {
      const changed = value === undefined ? undefined : value + (operator === "++" ? 1 : -1);
      this.store(operand, changed);
      return isPrefix ? changed : value;
    }
    if (value === undefined) return undefined;
    if (operator === "-") return -value;
    if (operator === "!") return value === 0 ? 1 : 0;
    return operator === "~" ? ~value : value;
  }

  private evaluateBinary(
    operator: string,
    left: ArithmeticExpression,
    right: ArithmeticExpression,
  ): number | undefined {
    // What a plain name held before does not matter to it.
    const isNew = operator === "=" && left.type === "ArithmeticWord" && /^\w+$/.test(left.value);
    const first = isNew ? undefined : this.evaluate(left);
    const second = this.evaluate(right);
    if (!ASSIGNMENTS.has(operator)) return calculate(operator, first, second);
    const value = operator === "=" ? second : calculate(operator.slice(0, -1), first, second);
    this.store(left, value);
    return value;
  }

  private store(target: ArithmeticExpression, value: number | undefined): void {
    if (target.type !== "ArithmeticWord" || !NAME.test(target.value)) return;
    const stored = value === undefined ? unknown("token", `$${target.value}`) : text(String(value));
    assign(target.value, [scalar(stored)], this.scope);
  }

  private expandWord(parts: readonly WordPart[]): number | undefined {
    return only(this.expandText(parts).map(value => this.readValue(value, 0)));
  }

  private readValue(value: Value, hops: number): number | undefined {
    const known = knownText(value)?.trim();
    if (known === undefined) noteUncomputed(value, this.scope);
    return known === undefined ? undefined : known === "" ? 0 : this.readOperand(known, hops);
  }

  /** A number, or a name whose value is again an expression; its substitutions run too. */
  private readOperand(written: string, hops: number): number | undefined {
    const { scope } = this;
    const number = readNumber(written);
    if (number !== undefined || hops > MAX_HOPS) return number;
    if (SUBSTITUTION.test(written)) {
      scope.session.walker.runInside(`((${written}))`, scope);
      return undefined;
    }
    const [, parameter] = PARAMETER.exec(written) ?? [];
    if (parameter !== undefined) return this.readVariable(parameter, hops);
    const [, array, subscript] = ARRAY_ELEMENT.exec(written) ?? [];
    if (array !== undefined && subscript !== undefined) {
      this.readOperand(subscript.trim(), hops + 1);
      this.readElements(array, hops);
      return undefined;
    }
    return NAME.test(written) ? this.readVariable(written, hops) : this.readExpression(written);
  }

  private readVariable(name: string, hops: number): number | undefined {
    return only(scalarValues(lookUp(name, this.scope)).map(value => this.readValue(value, hops + 1)));
  }

  /** Which of them is meant is not known, so that all are read. */
  private readElements(array: string, hops: number): void {
    for (const content of lookUp(array, this.scope))
      for (const value of content.kind === "array" ? content.elements.values() : scalarValues([content]))
        this.readValue(value, hops + 1);
  }

  private readExpression(written: string): number | undefined {
    const inner = parseArithmetic(written);
    if (written.includes("$")) noteUncomputed(unknown("any", written), this.scope);
    return inner === undefined || inner.type === "ArithmeticWord" ? undefined : this.evaluate(inner);
  }
}

/** Of several alternatives none is the value. */
function only(results: readonly (number | undefined)[]): number | undefined {
  return results.length === 1 ? results[0] : undefined;
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
