import { isJsonObject, isSameJson, type Json } from "../../protocol/index.ts";
import { valueText } from "../values/value.ts";
import { compareText } from "./text.ts";

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
  if (typeof left === "string") return orderOf(left, right);
  if (typeof right === "string") return flip(orderOf(right, left));
  return compareNumbers(asNumber(left), asNumber(right));
}

function orderOf(text: string, other: Json): -1 | 0 | 1 | undefined {
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
