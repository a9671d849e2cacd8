import { isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { valueAtPath, valueAtSegment, valueText } from "../values/value.ts";
import { FUNCTIONS, METHODS } from "./functions.ts";
import {
  type Atom,
  type ComparisonOperator,
  type Expression,
  type Postfix,
  parseCondition,
} from "./parse.ts";
import { areEqual, ConditionError, compareValues, isContained, isTruthy } from "./values.ts";

export type ConditionResult =
  | { readonly ok: true; readonly value: boolean }
  | { readonly ok: false; readonly message: string };

/** Decides a condition against a context. Never throws; an error is a result. */
export function evaluateCondition(text: string, context: JsonObject): ConditionResult {
  return attempt(() => isTruthy(evaluate(parseCondition(text), context)));
}

/** What is wrong with the text of a condition, whatever the values; undefined when it can be evaluated. */
export function conditionProblem(text: string): string | undefined {
  const checked = attempt(() => parseCondition(text) !== undefined);
  return checked.ok ? undefined : checked.message;
}

function attempt(decide: () => boolean): ConditionResult {
  try {
    return { ok: true, value: decide() };
  } catch (error) {
    if (error instanceof ConditionError) return { ok: false, message: error.message };
    throw error;
  }
}

function evaluate(expression: Expression, context: JsonObject): Json {
  switch (expression.kind) {
    case "or":
      return expression.terms.some(term => isTruthy(evaluate(term, context)));
    case "and":
      return expression.terms.every(term => isTruthy(evaluate(term, context)));
    case "not":
      return !isTruthy(evaluate(expression.term, context));
    case "compare":
      return COMPARE[expression.operator](
        evaluate(expression.left, context),
        evaluate(expression.right, context),
      );
    case "value":
      return expression.postfixes.reduce(
        (value, postfix) => applyPostfix(value, postfix, context),
        evaluateAtom(expression.atom, context),
      );
  }
}

function evaluateAtom(atom: Atom, context: JsonObject): Json {
  switch (atom.kind) {
    case "literal":
      return atom.value;
    case "text":
      return atom.parts
        .map(part => (typeof part === "string" ? part : valueText(valueAtPath(context, part))))
        .join("");
    case "path":
      return valueAtPath(context, atom.segments) ?? null;
    case "call":
      return FUNCTIONS.get(atom.name)?.run(...atom.args.map(arg => evaluate(arg, context))) ?? null;
    case "group":
      return evaluate(atom.inner, context);
    case "list":
      return atom.items.map(item => evaluate(item, context));
  }
}

function applyPostfix(value: Json, postfix: Postfix, context: JsonObject): Json {
  switch (postfix.kind) {
    case "member":
      return valueAtSegment(value, postfix.name) ?? null;
    case "key":
      return isJsonObject(value) ? (ownValue(value, postfix.name) ?? null) : null;
    case "index":
      return Array.isArray(value) ? (value[postfix.position] ?? null) : null;
    case "method": {
      if (typeof value === "object" && value !== null) {
        throw new ConditionError(`.${postfix.name}() works on text, not on a list or an object`);
      }
      const args = postfix.args.map(arg => evaluate(arg, context));
      return METHODS.get(postfix.name)?.run(valueText(value), ...args) ?? null;
    }
  }
}

const COMPARE: Readonly<Record<ComparisonOperator, (left: Json, right: Json) => boolean>> = {
  "==": areEqual,
  "!=": (left, right) => !areEqual(left, right),
  "<": (left, right) => compareValues(left, right) === -1,
  "<=": (left, right) => (compareValues(left, right) ?? 1) !== 1,
  ">": (left, right) => compareValues(left, right) === 1,
  ">=": (left, right) => (compareValues(left, right) ?? -1) !== -1,
  in: isContained,
  "not in": (left, right) => !isContained(left, right),
};
