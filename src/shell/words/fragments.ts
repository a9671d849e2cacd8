import { LIMITS } from "../limits.ts";
import type { Content, Scope } from "../state/state.ts";
import { lookUp } from "../state/variables.ts";
import { wordParts } from "../syntax/parse.ts";
import type { ParameterOperation, Word, WordPart } from "../syntax/syntax.ts";
import { asMany, concatenate, knownText, type Piece, text, unknown, type Value } from "../value.ts";
import { evaluateArithmetic, noteUncomputed } from "./arithmetic.ts";

/**
 * A part of a word after its own expansion, before splitting. `text` is never split (`isQuoted` keeps it even
 * if empty), `expansion` is split at IFS and may hold patterns, `list` is `$@` or `${a[@]}`.
 */
export type Fragment =
  | { readonly kind: "text"; readonly value: Value; readonly isQuoted: boolean }
  | { readonly kind: "expansion"; readonly value: Value }
  | { readonly kind: "glob"; readonly pattern: string }
  | {
      readonly kind: "list";
      readonly values: readonly Value[];
      readonly isOpenEnded: boolean;
      readonly isQuoted: boolean;
    };

/** The words that one written word became. `isOpenEnded`: more follow that are not known. */
export interface Fields {
  readonly values: readonly Value[];
  readonly isOpenEnded: boolean;
}

/** Field splitting; `separators` is IFS. */
export function assembleFields(fragments: readonly Fragment[], separators: string): Fields {
  const values: Value[] = [];
  let current: Value[] | undefined;
  let isOpenEnded = false;
  const append = (value: Value) => {
    current ??= [];
    current.push(value);
  };
  const finish = () => {
    if (current !== undefined) values.push(concatenate(current));
    current = undefined;
  };
  const appendSplit = (value: Value) => {
    for (const part of splitExpansion(value, separators)) {
      if (part === "break") finish();
      else append(part);
    }
  };
  for (const fragment of fragments) {
    if (fragment.kind === "text") {
      if (fragment.isQuoted || fragment.value.pieces.length > 0) append(fragment.value);
    } else if (fragment.kind === "expansion") appendSplit(fragment.value);
    else if (fragment.kind === "glob") append({ pieces: [fragment], origins: [] });
    else {
      isOpenEnded ||= fragment.isOpenEnded;
      fragment.values.forEach((value, index) => {
        if (index > 0) finish();
        if (fragment.isQuoted) append(value);
        else appendSplit(value);
      });
    }
  }
  finish();
  if (values.length <= LIMITS.fieldsPerWord) return { values, isOpenEnded };
  return { values: values.slice(0, LIMITS.fieldsPerWord), isOpenEnded: true };
}

/** Text without splitting, as on the right of an assignment. Patterns stay patterns only if asked. */
export function joinFragments(fragments: readonly Fragment[], keepsPatterns: boolean): Value {
  return concatenate(
    fragments.map(fragment => {
      if (fragment.kind === "glob") {
        return keepsPatterns ? { pieces: [fragment], origins: [] } : text(fragment.pattern);
      }
      if (fragment.kind === "list") return joinValues(fragment.values, " ");
      return fragment.value;
    }),
  );
}

export function joinValues(values: readonly Value[], separator: string): Value {
  return concatenate(values.flatMap((value, index) => (index === 0 ? [value] : [text(separator), value])));
}

function splitExpansion(value: Value, separators: string): readonly (Value | "break")[] {
  const parts: (Value | "break")[] = [];
  for (const piece of value.pieces) {
    if (piece.kind === "text") {
      const fields = splitText(piece.text, separators);
      fields.forEach((part, index) => {
        if (index > 0) parts.push("break");
        const isInner = index > 0 && index < fields.length - 1;
        if (part !== "" || isInner) parts.push({ pieces: globPieces(part), origins: value.origins });
      });
    } else if (piece.kind === "unknown") {
      parts.push({ pieces: [{ ...piece, mayBeMany: true }], origins: value.origins });
    } else parts.push({ pieces: [piece], origins: value.origins });
  }
  return parts;
}

/**
 * Fields of an expansion; the ends keep an empty string to mark a break. Blanks in IFS count as one, together
 * with at most one other separator; two others have an empty field between them.
 */
function splitText(content: string, separators: string): readonly string[] {
  if (separators === "") return [content];
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < content.length; index += 1) {
    if (!separators.includes(content[index] ?? "")) continue;
    parts.push(content.slice(start, index));
    let others = isBlank(content[index]) ? 0 : 1;
    while (index + 1 < content.length && separators.includes(content[index + 1] ?? "")) {
      if (!isBlank(content[index + 1])) others += 1;
      if (others > 1) break;
      index += 1;
    }
    start = index + 1;
  }
  parts.push(content.slice(start));
  return parts;
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n";
}

/** Unquoted text as the shell sees it before matching file names. */
export function globPieces(content: string): readonly Piece[] {
  if (!/[*?[]/.test(content)) return content === "" ? [] : [{ kind: "text", text: content }];
  const pieces: Piece[] = [];
  let start = 0;
  const flush = (end: number) => {
    if (end > start) pieces.push({ kind: "text", text: content.slice(start, end) });
  };
  let hasBracket = content.includes("]");
  for (let index = 0; index < content.length; index += 1) {
    const character = content[index];
    let end = index + 1;
    if (character === "[") {
      const close = hasBracket ? content.indexOf("]", index + 2) : -1;
      if (close < 0) {
        hasBracket = false;
        continue;
      }
      end = close + 1;
    } else if (character === "*") {
      while (content[end] === "*") end += 1;
    } else if (character !== "?") continue;
    flush(index);
    pieces.push({ kind: "glob", pattern: content.slice(index, end) });
    start = end;
    index = end - 1;
  }
  flush(content.length);
  return pieces;
}

/** The alternatives of a run of parts: each is one list of fragments. */
export type Alternatives = readonly (readonly Fragment[])[];

/** The expansion of one word. A substitution runs once, however often braces repeat it. */
export interface Expansion {
  readonly scope: Scope;
  readonly outputs: Map<object, readonly Value[]>;
  /** Words stand inside words: `${x:-$(y)}`. */
  expandParts(parts: readonly (WordPart | string)[], isQuoted: boolean): Alternatives;
}

/** A use of a parameter: `$x`, `${!x[2]:-y}`. */
export interface ParameterUse {
  readonly parameter: string;
  readonly prefix?: "!" | "#" | undefined;
  readonly index?: Word | undefined;
  readonly operation?: ParameterOperation | undefined;
  readonly label: string;
}

/** The alternatives of parts as one text each. */
export function expandJoined(parts: readonly WordPart[], expansion: Expansion): readonly Value[] {
  return expansion.expandParts(parts, true).map(fragments => joinFragments(fragments, false));
}

export function wrap(value: Value, isQuoted: boolean): Fragment {
  return isQuoted ? { kind: "text", value, isQuoted: true } : { kind: "expansion", value };
}

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
  const words = use.index === undefined ? [] : expandWordText(use.index, expansion);
  const keys = words.map(word => knownText(word));
  words.forEach((word, at) => {
    if (keys[at] === undefined) noteUncomputed(word, scope);
  });
  const contents = lookUp(use.parameter, scope);
  if (use.prefix === "!") {
    const isList = keys[0] === "@" || keys[0] === "*";
    return contents.flatMap(content => (isList ? [arrayKeys(content)] : followName(content, use, expansion)));
  }
  if (keys.length === 0) return contents.map(content => arrayElement(content, "0", use.label));
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
  if (key !== undefined) return [arrayElement(content, resolveKey(content, key, expansion), use.label)];
  if (content.kind !== "array" || content.elements.size > LIMITS.alternatives)
    return [unknownHeld(use.label)];
  return [...content.elements.values()].map(value => ({ kind: "value", value }));
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

function arrayElement(content: Content, key: string, label: string): Held {
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

function arrayKeys(content: Content): Held {
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
  if (content.kind === "scalar" && written === undefined) noteUncomputed(content.value, expansion.scope);
  const match = written === undefined ? null : /^([A-Za-z_]\w*|\d+|[@*#?])(?:\[([^\]]*)\])?$/.exec(written);
  if (match === null) return [unknownHeld(use.label)];
  const [, parameter = "", key] = match;
  if (parameter === "@" || parameter === "*") return hold({ parameter, label: use.label }, expansion);
  const contents = lookUp(parameter, expansion.scope);
  return contents.flatMap(found => select(found, key ?? "0", use, expansion));
}

export function expandWordText(word: Word, expansion: Expansion): readonly Value[] {
  return expansion.expandParts(wordParts(word), false).map(fragments => joinFragments(fragments, false));
}

/** `${#x}`. */
export function measure(held: Held, label: string): Value {
  if (held.kind === "unset") return text("0");
  if (held.kind === "list")
    return held.isOpenEnded ? unknown("token", label) : text(String(held.values.length));
  const known = knownText(held.value);
  return known === undefined ? unknown("token", label) : text(String(known.length));
}
