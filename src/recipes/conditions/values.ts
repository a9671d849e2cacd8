import { isJsonObject, isSameJson, type Json } from "../../protocol/index.ts";
import { countCharacters } from "../../text/index.ts";
import { valueText } from "../values/value.ts";

export function isTruthy(value: Json): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== 0 && value !== "";
}

/** The number a text spells, blanks around it ignored; undefined when it spells none. */
export function numberFrom(text: string): number | undefined {
  const trimmed = text.trim();
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** Equality across types as far as recipe authors expect it; null equals only null. */
export function areEqual(left: Json, right: Json): boolean {
  if (typeof left === typeof right) return isSameJson(left, right);
  if (typeof left === "string" && isScalar(right)) return areEqual(right, left);
  if (typeof right === "string") {
    if (typeof left === "number") return numberFrom(right) === left;
    if (typeof left === "boolean") return left ? /^[tT]rue$/.test(right) : /^[fF]alse$/.test(right);
    return false;
  }
  const [a, b] = [asNumber(left), asNumber(right)];
  return a !== undefined && a === b;
}

function isScalar(value: Json): boolean {
  return typeof value === "number" || typeof value === "boolean";
}

function asNumber(value: Json): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "boolean" ? Number(value) : undefined;
}

/** -1, 0 or 1; undefined when the two have no order. */
export function compareValues(left: Json, right: Json): -1 | 0 | 1 | undefined {
  if (typeof left === "string") return compareWithText(left, right);
  if (typeof right === "string") return flip(compareWithText(right, left));
  return compareNumbers(asNumber(left), asNumber(right));
}

function compareWithText(text: string, other: Json): -1 | 0 | 1 | undefined {
  if (typeof other === "string" || typeof other === "boolean") return compareText(text, valueText(other));
  return typeof other === "number" ? compareNumbers(numberFrom(text), other) : undefined;
}

function flip(order: -1 | 0 | 1 | undefined): -1 | 0 | 1 | undefined {
  return order === undefined || order === 0 ? order : order === 1 ? -1 : 1;
}

function compareNumbers(a: number | undefined, b: number | undefined): -1 | 0 | 1 | undefined {
  if (a === undefined || b === undefined) return undefined;
  return a === b ? 0 : a < b ? -1 : 1;
}

export function isContained(needle: Json, haystack: Json): boolean {
  if (typeof haystack === "string") return haystack.includes(valueText(needle));
  if (Array.isArray(haystack)) return haystack.some(item => areEqual(needle, item));
  return isJsonObject(haystack) && Object.hasOwn(haystack, valueText(needle));
}

/** Text operations counted in code points, none of which can grow without bound. */

/** What is wrong with a condition; never leaves this folder. */
export class ConditionError extends Error {
  override readonly name = "ConditionError";
}

/** Expressions are short, but a chain of replacements could still ask for all memory. */
const MAX_TEXT_LENGTH = 20_000_000;

export function titleCase(text: string): string {
  return text.replace(/\p{L}+/gu, word => {
    const [first = ""] = word;
    return first.toUpperCase() + word.slice(first.length).toLowerCase();
  });
}

export function replaceIn(text: string, from: string, to: string): string {
  const times = countOccurrences(text, from);
  refuseLongerThan(text.length + times * (to.length - from.length));
  if (from === "") return `${to}${[...text].map(character => character + to).join("")}`;
  return text.split(from).join(to);
}

/** Occurrences that do not overlap; of the empty text, one more than there are characters. */
export function countOccurrences(text: string, part: string): number {
  if (part === "") return countCharacters(text) + 1;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

export function findIn(text: string, part: string): number {
  const at = text.indexOf(part);
  return at < 0 ? -1 : countCharacters(text.slice(0, at));
}

export function splitText(text: string, separator: string | undefined): readonly string[] {
  if (separator === undefined) return text.trim() === "" ? [] : text.trim().split(/\s+/);
  if (separator === "") throw new ConditionError(".split() takes a separator that is not empty");
  return text.split(separator);
}

export function joinTexts(texts: readonly string[], separator: string): string {
  refuseLongerThan(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return texts.join(separator);
}

function refuseLongerThan(length: number): void {
  if (length > MAX_TEXT_LENGTH) throw new ConditionError(`text grows beyond ${MAX_TEXT_LENGTH} characters`);
}

/** By code point; the order of UTF-16 units differs above U+FFFF. */
function compareText(left: string, right: string): -1 | 0 | 1 {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    const isSurrogateA = a >= 0xd800 && a <= 0xdfff;
    const isSurrogateB = b >= 0xd800 && b <= 0xdfff;
    if (isSurrogateA !== isSurrogateB && a >= 0xd800 && b >= 0xd800) return isSurrogateA ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return left.length === right.length ? 0 : left.length < right.length ? -1 : 1;
}
