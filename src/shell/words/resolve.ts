import { LIMITS } from "../limits.ts";
import { leaveUnexamined, type Scope, spanOf } from "../state/state.ts";
import { partsOf } from "../syntax/parse.ts";
import type { ArithmeticExpression, Word, WordPart } from "../syntax/syntax.ts";
import { blend, combine, concatenate, type Piece, text, unknown, type Value } from "../value.ts";
import { evaluateArithmetic } from "./arithmetic.ts";
import { expandBraces } from "./braces.ts";
import {
  createExpansion,
  type Expansion,
  expandJoined,
  expandParts,
  reveal,
  separatorsOf,
} from "./expand.ts";

/** The alternatives of a list of words after all expansions, as a command gets them. */
export function resolveWords(words: readonly Word[], scope: Scope): readonly Fields[] {
  const lists: (readonly Fields[])[] = [];
  for (const word of words) {
    if (!scope.session.words.take(1)) {
      const region = scope.source.text.slice(word.pos);
      leaveUnexamined(
        scope.session,
        "words",
        `more than ${LIMITS.words} words`,
        region,
        spanOf(scope.source, word),
      );
      lists.push([{ values: [], isOpenEnded: true }]);
      break;
    }
    lists.push(resolveWord(word, scope));
  }
  const isLate = scope.session.invocations.length > LIMITS.closeStarts;
  const limit = isLate ? LIMITS.variantsBehind : LIMITS.variants;
  const chosen = combine(lists, limit) ?? combine(lists.map(collapseFields)) ?? [];
  return chosen.map(joinFields);
}

function joinFields(fields: readonly Fields[]): Fields {
  const values: Value[] = [];
  let isOpenEnded = false;
  for (const one of fields) {
    for (const value of one.values) values.push(value);
    isOpenEnded ||= one.isOpenEnded;
  }
  return { values, isOpenEnded };
}

/** Too many ways to read the command: the word becomes one unknown. */
function collapseFields(alternatives: readonly Fields[]): readonly Fields[] {
  if (alternatives.length <= 1) return alternatives;
  const blended = blend(
    alternatives.flatMap(one => one.values),
    `${alternatives.length} values`,
  );
  const value = { ...blended, pieces: blended.pieces.map(piece => ({ ...piece, mayBeMany: true })) };
  return [{ values: [value], isOpenEnded: alternatives.some(one => one.isOpenEnded) }];
}

/** Also in a word like an assignment: `dd of=~/x`. */
const TILDE = /^(?:[A-Za-z_]\w*=)?~/;

function resolveWord(word: Word, scope: Scope): readonly Fields[] {
  if (word.parts === undefined && !TILDE.test(word.text)) {
    return [{ values: [reveal(word.value, scope, false)], isOpenEnded: false }];
  }
  const expansion = createExpansion(scope);
  const separators = separatorsOf(scope);
  const assemble = (parts: readonly (WordPart | string)[]) =>
    expandParts(parts, expansion, false).map(fragments => assembleFields(fragments, separators));
  const parts = partsOf(word);
  if (!parts.some(part => part.type === "BraceExpansion")) return assemble(parts);
  const isConstant = scope.source.placeholders.size === 0 && !/[$`~\\]/.test(word.text);
  const known = isConstant ? constants.get(word) : undefined;
  if (known !== undefined) return known;
  const fields = resolveBraces(parts, expansion, assemble);
  if (isConstant) constants.set(word, fields);
  return fields;
}

/** Words of braces and plain text alone, which loops in loops ask for again and again. */
const constants = new WeakMap<Word, readonly Fields[]>();

function resolveBraces(
  parts: readonly WordPart[],
  expansion: Expansion,
  assemble: (parts: readonly (WordPart | string)[]) => readonly Fields[],
): readonly Fields[] {
  const braces = expandBraces(parts);
  if (braces.isLongSequence && braces.words.length === 0) return [longSequence(parts, expansion)];
  const lists = braces.words.map(assemble);
  const chosen = combine(lists) ?? combine(lists.map(collapseFields)) ?? [];
  return chosen.map(fields => {
    const joined = joinFields(fields);
    return braces.isCut || braces.isLongSequence ? { ...joined, isOpenEnded: true } : joined;
  });
}

/** `x{1..5000}`: what stands around the sequence, with one unknown token in its place. */
function longSequence(parts: readonly WordPart[], expansion: Expansion): Fields {
  const fragments = parts.flatMap((part): readonly Fragment[] => {
    if (part.type !== "BraceExpansion") return expandParts([part], expansion, false)[0] ?? [];
    return [{ kind: "text", value: unknown("token", part.text, [], true), isQuoted: true }];
  });
  return { values: [joinFragments(fragments, true)], isOpenEnded: false };
}

/** The alternatives of a word that is not split: assignments, redirections, here-strings, `case`. */
export function resolveSingle(word: Word, scope: Scope, keepsPatterns = false): readonly Value[] {
  scope.session.words.take(1);
  const expansion = createExpansion(scope);
  return expandParts(partsOf(word), expansion, false).map(fragments =>
    joinFragments(fragments, keepsPatterns),
  );
}

/** Expands parts as inside double quotes, as in a here-document. */
export function resolveQuoted(parts: readonly WordPart[], scope: Scope): readonly Value[] {
  const expansion = createExpansion(scope);
  return expandParts(parts, expansion, true).map(fragments => joinFragments(fragments, false));
}

/** The number of an arithmetic command or loop header; see `evaluateArithmetic`. */
export function evaluateExpression(
  expression: ArithmeticExpression | undefined,
  scope: Scope,
): number | undefined {
  const expansion = createExpansion(scope);
  return evaluateArithmetic(expression, scope, parts => expandJoined(parts, expansion));
}

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
function assembleFields(fragments: readonly Fragment[], separators: string): Fields {
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
