import { LIMITS } from "../limits.ts";
import type { Content } from "../state/state.ts";
import { lookUp } from "../state/variables.ts";
import { partsOf } from "../syntax/parts.ts";
import type { Word } from "../syntax/syntax.ts";
import { knownText, text, unknown, type Value } from "../value.ts";
import { evaluateArithmetic } from "./arithmetic.ts";
import { type Expansion, expandJoined, type ParameterUse } from "./expansion.ts";
import { joinFragments } from "./fragments.ts";

/** One alternative of what the parameter holds: a value, a list (`$@`), or nothing. */
export type Held =
  | { readonly kind: "value"; readonly value: Value }
  | {
      readonly kind: "list";
      readonly values: readonly Value[];
      readonly isOpenEnded: boolean;
      readonly isJoined: boolean;
    }
  | { readonly kind: "unset" };

/** Everything the parameter may hold, before any operator. */
export function hold(use: ParameterUse, expansion: Expansion): readonly Held[] {
  const { scope } = expansion;
  if (use.parameter === "@" || use.parameter === "*") {
    const { values, isOpenEnded } = scope.state.positionals;
    return [{ kind: "list", values, isOpenEnded, isJoined: use.parameter === "*" }];
  }
  const keys =
    use.index === undefined ? [] : expandWordText(use.index, expansion).map(value => knownText(value));
  const contents = lookUp(use.parameter, scope);
  if (use.prefix === "!") {
    const isList = keys[0] === "@" || keys[0] === "*";
    return contents.flatMap(content => (isList ? [keysOf(content)] : followName(content, use, expansion)));
  }
  if (keys.length === 0) return contents.map(content => elementOf(content, "0", use.label));
  return contents.flatMap(content => keys.flatMap(key => select(content, key, use, expansion)));
}

function select(
  content: Content,
  key: string | undefined,
  use: ParameterUse,
  expansion: Expansion,
): readonly Held[] {
  if (key === "@" || key === "*") {
    if (content.kind === "unset")
      return [{ kind: "list", values: [], isOpenEnded: false, isJoined: key === "*" }];
    const values = content.kind === "scalar" ? [asMany(content.value)] : [...content.elements.values()];
    return [
      {
        kind: "list",
        values,
        isOpenEnded: content.kind === "array" && content.isOpenEnded,
        isJoined: key === "*",
      },
    ];
  }
  if (key !== undefined) return [elementOf(content, resolveKey(content, key, expansion), use.label)];
  if (content.kind !== "array" || content.elements.size > LIMITS.alternatives)
    return [unknownHeld(use.label)];
  return [...content.elements.values()].map(value => ({ kind: "value", value }));
}

/** Something unknown may be an array of any length, quotes or not. */
function asMany(value: Value): Value {
  return {
    ...value,
    pieces: value.pieces.map(piece => (piece.kind === "unknown" ? { ...piece, mayBeMany: true } : piece)),
  };
}

/** The key as written when there is such an element, else the number it computes to. */
function resolveKey(content: Content, key: string, expansion: Expansion): string {
  if (content.kind === "array" && content.elements.has(key)) return key;
  const number = computeNumber(key, expansion);
  if (number === undefined) return key;
  if (number >= 0 || content.kind !== "array") return String(number);
  return [...content.elements.keys()].at(number) ?? key;
}

export function computeNumber(written: string, expansion: Expansion): number | undefined {
  if (/^-?\d{1,15}$/.test(written)) return Number(written);
  const word = { type: "ArithmeticWord", pos: 0, end: 0, value: written } as const;
  return evaluateArithmetic(word, expansion.scope, parts => expandJoined(parts, expansion));
}

function elementOf(content: Content, key: string, label: string): Held {
  if (content.kind === "unset") return content;
  if (content.kind === "scalar")
    return key === "0" ? { kind: "value", value: content.value } : unsetOr(content.value, label);
  const value = content.elements.get(key);
  if (value !== undefined) return { kind: "value", value };
  return content.isOpenEnded ? unknownHeld(label) : { kind: "unset" };
}

/** An element of something that is not an array here but may be one outside. */
function unsetOr(value: Value, label: string): Held {
  return knownText(value) === undefined
    ? { kind: "value", value: unknown("any", label, value.origins) }
    : { kind: "unset" };
}

function unknownHeld(label: string): Held {
  return { kind: "value", value: unknown("any", label) };
}

function keysOf(content: Content): Held {
  const values = content.kind === "array" ? [...content.elements.keys()].map(key => text(key)) : [text("0")];
  return {
    kind: "list",
    values,
    isOpenEnded: content.kind === "array" && content.isOpenEnded,
    isJoined: false,
  };
}

/** `${!x}`: the value of x is the name to look up, possibly with a subscript. */
function followName(content: Content, use: ParameterUse, expansion: Expansion): readonly Held[] {
  const written = content.kind === "scalar" ? knownText(content.value) : undefined;
  const match = written === undefined ? null : /^([A-Za-z_]\w*|\d+|[@*#?])(?:\[([^\]]*)\])?$/.exec(written);
  if (match === null) return [unknownHeld(use.label)];
  const [, parameter = "", key] = match;
  if (parameter === "@" || parameter === "*") return hold({ parameter, label: use.label }, expansion);
  const contents = lookUp(parameter, expansion.scope);
  return contents.flatMap(found => select(found, key ?? "0", use, expansion));
}

export function expandWordText(word: Word, expansion: Expansion): readonly Value[] {
  return expansion.expandParts(partsOf(word), false).map(fragments => joinFragments(fragments, false));
}

/** `${#x}`. */
export function measure(held: Held, label: string): Value {
  if (held.kind === "unset") return text("0");
  if (held.kind === "list")
    return held.isOpenEnded ? unknown("token", label) : text(String(held.values.length));
  const known = knownText(held.value);
  return known === undefined ? unknown("token", label) : text(String(known.length));
}
