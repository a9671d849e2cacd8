import { isJsonObject, type Json } from "../../protocol/index.ts";
import { textOf } from "../values/value.ts";
import { ConditionError } from "./condition-error.ts";
import { codePointCount, countOf, findIn, joinTexts, replaceIn, splitText, titleCase } from "./text.ts";
import { clip } from "./tokens.ts";
import { compareValues, isTruthy, numberFrom } from "./values.ts";

interface Arity {
  readonly fewest: number;
  readonly most: number;
}
type ConditionFunction = Arity & { readonly run: (args: readonly Json[]) => Json };
type ConditionMethod = Arity & { readonly run: (text: string, args: readonly Json[]) => Json };

const one = { fewest: 1, most: 1 };
const none = { fewest: 0, most: 0 };

/** Everything a condition may call. */
export const FUNCTIONS: ReadonlyMap<string, ConditionFunction> = new Map([
  ["int", { ...one, run: ([value]: readonly Json[]) => toInteger(value) }],
  ["float", { ...one, run: ([value]: readonly Json[]) => toFloat(value) }],
  ["str", { ...one, run: ([value]: readonly Json[]) => textOf(value) }],
  ["bool", { ...one, run: ([value]: readonly Json[]) => isTruthy(value ?? null) }],
  ["len", { ...one, run: ([value]: readonly Json[]) => sizeOf(value) }],
  ["min", { fewest: 2, most: Infinity, run: (args: readonly Json[]) => extreme("min", args, -1) }],
  ["max", { fewest: 2, most: Infinity, run: (args: readonly Json[]) => extreme("max", args, 1) }],
]);

/** Methods of text; the receiver and plain arguments are turned into text first. */
export const METHODS: ReadonlyMap<string, ConditionMethod> = new Map([
  ["strip", { ...none, run: (text: string) => text.trim() }],
  ["lstrip", { ...none, run: (text: string) => text.trimStart() }],
  ["rstrip", { ...none, run: (text: string) => text.trimEnd() }],
  ["lower", { ...none, run: (text: string) => text.toLowerCase() }],
  ["upper", { ...none, run: (text: string) => text.toUpperCase() }],
  ["title", { ...none, run: (text: string) => titleCase(text) }],
  ["startswith", { ...one, run: (text: string, [start]: readonly Json[]) => text.startsWith(textOf(start)) }],
  ["endswith", { ...one, run: (text: string, [end]: readonly Json[]) => text.endsWith(textOf(end)) }],
  [
    "replace",
    {
      fewest: 2,
      most: 2,
      run: (text: string, [from, to]: readonly Json[]) => replaceIn(text, textOf(from), textOf(to)),
    },
  ],
  [
    "split",
    {
      fewest: 0,
      most: 1,
      run: (text: string, [separator]: readonly Json[]) =>
        splitText(text, separator === undefined ? undefined : textOf(separator)),
    },
  ],
  ["join", { ...one, run: (text: string, [items]: readonly Json[]) => join(text, items) }],
  ["count", { ...one, run: (text: string, [part]: readonly Json[]) => countOf(text, textOf(part)) }],
  ["find", { ...one, run: (text: string, [part]: readonly Json[]) => findIn(text, textOf(part)) }],
]);

function toInteger(value: Json | undefined): Json {
  if (typeof value === "number") return Math.trunc(value) || 0;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return 0;
  const trimmed = value.trim();
  if (!/^[-+]?\d+$/.test(trimmed)) throw new ConditionError(`cannot convert '${clip(value)}' to int`);
  return Number(trimmed) || 0;
}

function toFloat(value: Json | undefined): Json {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return 0;
  const number = numberFrom(value);
  if (number === undefined) throw new ConditionError(`cannot convert '${clip(value)}' to float`);
  return number;
}

function sizeOf(value: Json | undefined): number {
  if (typeof value === "string") return codePointCount(value);
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function extreme(name: string, values: readonly Json[], wanted: -1 | 1): Json {
  return values.reduce((best, value) => {
    const order = compareValues(value, best);
    if (order === undefined) throw new ConditionError(`${name}() cannot compare its arguments`);
    return order === wanted ? value : best;
  });
}

function join(separator: string, items: Json | undefined): string {
  if (!Array.isArray(items)) throw new ConditionError(".join() takes a list");
  return joinTexts(items.map(textOf), separator);
}
