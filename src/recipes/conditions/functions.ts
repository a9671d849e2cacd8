import { isJsonObject, type Json } from "../../protocol/index.ts";
import { countCharacters } from "../../text/index.ts";
import { valueText } from "../values/value.ts";
import { clipSource } from "./tokens.ts";
import {
  ConditionError,
  compareValues,
  countOccurrences,
  findIn,
  isTruthy,
  joinTexts,
  numberFrom,
  replaceIn,
  splitText,
  titleCase,
} from "./values.ts";

/** The least and the most arguments. */
export type Arity = readonly [min: number, max: number];
type Arguments = readonly (Json | undefined)[];

interface ConditionFunction {
  readonly arity: Arity;
  readonly run: (...args: Arguments) => Json;
}
interface ConditionMethod {
  readonly arity: Arity;
  readonly run: (text: string, ...args: Arguments) => Json;
}

/** Everything a condition may call. */
export const FUNCTIONS: ReadonlyMap<string, ConditionFunction> = new Map<string, ConditionFunction>([
  ["int", { arity: [1, 1], run: toInteger }],
  ["float", { arity: [1, 1], run: toFloat }],
  ["str", { arity: [1, 1], run: valueText }],
  ["bool", { arity: [1, 1], run: value => isTruthy(value ?? null) }],
  ["len", { arity: [1, 1], run: measure }],
  ["min", { arity: [2, Infinity], run: (...args) => extreme("min", args, -1) }],
  ["max", { arity: [2, Infinity], run: (...args) => extreme("max", args, 1) }],
]);

/** Methods of text; the receiver and plain arguments are turned into text first. */
export const METHODS: ReadonlyMap<string, ConditionMethod> = new Map<string, ConditionMethod>([
  ["strip", { arity: [0, 0], run: text => text.trim() }],
  ["lstrip", { arity: [0, 0], run: text => text.trimStart() }],
  ["rstrip", { arity: [0, 0], run: text => text.trimEnd() }],
  ["lower", { arity: [0, 0], run: text => text.toLowerCase() }],
  ["upper", { arity: [0, 0], run: text => text.toUpperCase() }],
  ["title", { arity: [0, 0], run: titleCase }],
  ["startswith", { arity: [1, 1], run: (text, start) => text.startsWith(valueText(start)) }],
  ["endswith", { arity: [1, 1], run: (text, end) => text.endsWith(valueText(end)) }],
  ["replace", { arity: [2, 2], run: (text, from, to) => replaceIn(text, valueText(from), valueText(to)) }],
  [
    "split",
    { arity: [0, 1], run: (text, by) => splitText(text, by === undefined ? undefined : valueText(by)) },
  ],
  ["join", { arity: [1, 1], run: join }],
  ["count", { arity: [1, 1], run: (text, part) => countOccurrences(text, valueText(part)) }],
  ["find", { arity: [1, 1], run: (text, part) => findIn(text, valueText(part)) }],
]);

function toInteger(value: Json | undefined): Json {
  if (typeof value === "number") return Math.trunc(value) || 0;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return 0;
  const trimmed = value.trim();
  if (!/^[-+]?\d+$/.test(trimmed)) throw new ConditionError(`cannot convert '${clipSource(value)}' to int`);
  return Number(trimmed) || 0;
}

function toFloat(value: Json | undefined): Json {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return 0;
  const number = numberFrom(value);
  if (number === undefined) throw new ConditionError(`cannot convert '${clipSource(value)}' to float`);
  return number;
}

function measure(value: Json | undefined): number {
  if (typeof value === "string") return countCharacters(value);
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function extreme(name: string, values: Arguments, wanted: -1 | 1): Json {
  const known = values.map(value => value ?? null);
  return known.reduce((best, value) => {
    const order = compareValues(value, best);
    if (order === undefined) throw new ConditionError(`${name}() cannot compare its arguments`);
    return order === wanted ? value : best;
  });
}

function join(separator: string, items: Json | undefined): string {
  if (!Array.isArray(items)) throw new ConditionError(".join() takes a list");
  return joinTexts(items.map(valueText), separator);
}
