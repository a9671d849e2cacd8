import { clipCharacters } from "../steps/snippet.ts";
import { readPlaceholder } from "../values/template.ts";
import { isCanonicalNumber } from "../values/value.ts";
import { ConditionError } from "./values.ts";

/** A piece of a string literal: text, or the path of a placeholder whose rendered value stands there. */
export type LiteralPart = string | readonly string[];

export type ConditionToken =
  | { readonly kind: "string"; readonly parts: readonly LiteralPart[]; readonly source: string }
  | { readonly kind: "number"; readonly value: number | string; readonly source: string }
  | { readonly kind: "name"; readonly source: string }
  | { readonly kind: "path"; readonly segments: readonly string[]; readonly source: string }
  | { readonly kind: "word"; readonly word: Word; readonly source: string }
  | { readonly kind: "symbol"; readonly source: string }
  | { readonly kind: "end"; readonly source: "" };

type Word = "and" | "or" | "not" | "in" | "true" | "false";

const WORDS: ReadonlyMap<string, Word> = new Map([
  ["and", "and"],
  ["&&", "and"],
  ["or", "or"],
  ["||", "or"],
  ["not", "not"],
  ["in", "in"],
  ["true", "true"],
  ["True", "true"],
  ["false", "false"],
  ["False", "false"],
]);

const NAME = /[A-Za-z0-9_]+(?:-(?=[A-Za-z])[A-Za-z0-9_]+)*/y;
const NUMBER = /-?\d+(?:\.\d+)?/y;
const SYMBOL = /==|!=|<=|>=|&&|\|\||[<>()[\].,]/y;

/** Splits a condition into tokens. Values never take part, so no value can change the expression. */
export function tokeniseCondition(text: string): readonly ConditionToken[] {
  const tokens: ConditionToken[] = [];
  for (let index = 0; index < text.length; ) {
    const character = text[index] ?? "";
    if (/\s/.test(character)) {
      index++;
      continue;
    }
    const { token, end } = readToken(text, index, tokens.at(-1)?.source === ".");
    tokens.push(token);
    index = end;
  }
  tokens.push({ kind: "end", source: "" });
  return tokens;
}

function readToken(text: string, index: number, isAfterDot: boolean): { token: ConditionToken; end: number } {
  const character = text[index] ?? "";
  if (character === "'" || character === '"') return readString(text, index, character);
  const placeholder = readPlaceholder(text, index);
  if (placeholder !== undefined) {
    const segments = placeholder.path.split(".").map(refuseUnsafe);
    const source = text.slice(index, placeholder.end);
    return { token: { kind: "path", segments, source }, end: placeholder.end };
  }
  const name = matchAt(NAME, text, index);
  if (name !== undefined && (isAfterDot || !/^\d+$/.test(name))) return readName(name, index, isAfterDot);
  if (name !== undefined || character === "-") return readNumber(text, index);
  const symbol = matchAt(SYMBOL, text, index);
  if (symbol === undefined)
    throw new ConditionError(`unexpected character '${clipSource(text.slice(index))}'`);
  const word = WORDS.get(symbol);
  const end = index + symbol.length;
  return {
    token: word === undefined ? { kind: "symbol", source: symbol } : { kind: "word", word, source: symbol },
    end,
  };
}

function readName(name: string, index: number, isAfterDot: boolean): { token: ConditionToken; end: number } {
  const end = index + name.length;
  const word = isAfterDot ? undefined : WORDS.get(name);
  if (word !== undefined) return { token: { kind: "word", word, source: name }, end };
  return { token: { kind: "name", source: refuseUnsafe(name) }, end };
}

function readNumber(text: string, index: number): { token: ConditionToken; end: number } {
  const source = matchAt(NUMBER, text, index);
  if (source === undefined)
    throw new ConditionError(`unexpected character '${clipSource(text.slice(index))}'`);
  const end = index + source.length;
  if (/^(?:\.\d|\.(?![A-Za-z_])|[A-Za-z0-9_])/.test(text.slice(end, end + 2))) {
    throw new ConditionError(
      `invalid number '${clipSource(/^[-\w.]+/.exec(text.slice(index))?.[0] ?? source)}'`,
    );
  }
  const value = Number(source);
  const isExact = source.includes(".") || Number.isSafeInteger(value) || isCanonicalNumber(source);
  return { token: { kind: "number", value: isExact ? value : source, source }, end };
}

function readString(text: string, start: number, quote: string): { token: ConditionToken; end: number } {
  const parts: LiteralPart[] = [];
  let plain = "";
  for (let index = start + 1; index < text.length; ) {
    const character = text[index] ?? "";
    if (character === quote) {
      if (plain !== "" || parts.length === 0) parts.push(plain);
      return { token: { kind: "string", parts, source: text.slice(start, index + 1) }, end: index + 1 };
    }
    const placeholder = readPlaceholder(text, index);
    if (placeholder !== undefined) {
      if (plain !== "") parts.push(plain);
      plain = "";
      parts.push(placeholder.path.split(".").map(refuseUnsafe));
      index = placeholder.end;
    } else if (character === "\\" && index + 1 < text.length) {
      const literal = String.fromCodePoint(text.codePointAt(index + 1) ?? 0);
      plain += literal;
      index += 1 + literal.length;
    } else {
      plain += character;
      index++;
    }
  }
  throw new ConditionError("unterminated string");
}

/** Names that reach into an object's machinery in other languages are refused outright. */
export function refuseUnsafe(name: string): string {
  if (name.includes("__"))
    throw new ConditionError(`Unsafe expression: name '${clipSource(name)}' is not allowed`);
  return name;
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}

export function clipSource(text: string): string {
  return clipCharacters(text, 60, "…");
}
