import { LIMITS } from "../limits.ts";
import { leaveUnexamined, type Scope, toSpan } from "../state/state.ts";
import { wordParts } from "../syntax/parse.ts";
import type { ArithmeticExpression, Word, WordPart } from "../syntax/syntax.ts";
import { blend, combine, unknown, type Value } from "../value.ts";
import { evaluateArithmetic, noteUncomputed } from "./arithmetic.ts";
import { expandBraces } from "./braces.ts";
import { createExpansion, expandParts, readSeparators, reveal } from "./expand.ts";
import {
  assembleFields,
  type Expansion,
  expandJoined,
  type Fields,
  type Fragment,
  joinFragments,
} from "./fragments.ts";
/** The alternatives of a list of words after all expansions, as a command gets them. */
export function resolveWords(words: readonly Word[], scope: Scope): readonly Fields[] {
  const lists: (readonly Fields[])[] = [];
  for (const word of words) {
    scope.session.budget.take(LIMITS.stepsOfWord);
    if (!scope.session.words.take(1)) {
      const region = scope.source.text.slice(word.pos);
      leaveUnexamined(
        scope.session,
        "words",
        `more than ${LIMITS.words} words`,
        region,
        toSpan(scope.source, word),
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
  const separators = readSeparators(scope);
  const assemble = (parts: readonly (WordPart | string)[]) =>
    expandParts(parts, expansion, false).map(fragments => assembleFields(fragments, separators));
  const parts = wordParts(word);
  // In zsh `*(e:'command':)` runs it, and `*(N)` finds everything.
  for (const part of parts)
    if (part.type === "ExtendedGlob") noteUncomputed(unknown("any", part.text), scope);
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
  return expandParts(wordParts(word), expansion, false).map(fragments =>
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
