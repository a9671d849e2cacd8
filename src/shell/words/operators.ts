import {
  compileGlob,
  createGlob,
  type Glob,
  type GlobToken,
  matchEnds,
  quoteWord,
} from "../../system/index.ts";
import { decodeEscapes } from "../decode.ts";
import type { Budget } from "../limits.ts";
import { wordParts } from "../syntax/parse.ts";
import type { ParameterOperation, Word } from "../syntax/syntax.ts";
import {
  dropKnown,
  hasGlob,
  knownPrefix,
  knownText,
  lastComponent,
  text,
  unknown,
  type Value,
} from "../value.ts";
import { noteUncomputed } from "./arithmetic.ts";
import { computeNumber, type Expansion, expandWordText, type Held } from "./fragments.ts";

/** Applies every operator but the defaults. Gives all alternatives, since operands have some, too. */
export function applyOperation(
  operation: ParameterOperation,
  held: Held,
  label: string,
  expansion: Expansion,
): readonly Held[] {
  const { scope } = expansion;
  const { budget } = scope.session;
  const each = (change: (value: Value) => Value): readonly Held[] => {
    if (held.kind === "list") return [{ ...held, values: held.values.map(change) }];
    return [{ kind: "value", value: change(held.kind === "unset" ? text("") : held.value) }];
  };
  const blurAll = () => each(value => unknown("any", label, value.origins));
  switch (operation.type) {
    case "Remove":
      return expandPattern(operation.operand, expansion).flatMap(pattern =>
        pattern === undefined
          ? blurAll()
          : each(value => removePattern(value, operation.operator, pattern, label, budget)),
      );
    case "Replace": {
      if (/\$\(|`|[<>]\(/.test(operation.pattern.text)) {
        runPatternWhole(operation, expansion);
        return blurAll();
      }
      const replacements = expandWordText(operation.replacement, expansion);
      return expandPattern(operation.pattern, expansion).flatMap(pattern =>
        replacements.flatMap(replacement =>
          pattern === undefined
            ? blurAll()
            : each(value => replacePattern(value, operation.operator, pattern, replacement, label, budget)),
        ),
      );
    }
    case "Slice": {
      const offset = wordNumber(operation.offset, expansion);
      const length = operation.length === undefined ? "rest" : wordNumber(operation.length, expansion);
      if (held.kind !== "list") return each(value => sliceText(value, offset, length, label));
      return [sliceList(held, offset, length, label, expansion)];
    }
    case "CaseModification": {
      const patterns =
        operation.operand === undefined ? [undefined] : expandPattern(operation.operand, expansion);
      return patterns.flatMap(pattern =>
        each(value => changeCase(value, operation.operator, pattern, label, budget)),
      );
    }
    case "Transform": {
      const operator = operation.operand.value;
      if (operator === "P") each(value => runPrompt(value, expansion));
      return each(value => transform(value, operator, label, budget));
    }
    default:
      return blurAll();
  }
}

/**
 * The parser ends the pattern at the first slash, also at one inside a substitution. The commands in it are
 * found by reading pattern and replacement as one word; what they make of the value stays open.
 */
function runPatternWhole(operation: ParameterOperation, { scope }: Expansion): void {
  const written = scope.source.text.slice(operation.operatorEnd, operation.end);
  scope.session.walker.runInside(`: ${written}`, scope);
}

/** `${x@P}` expands its value like a prompt, substitutions included. */
function runPrompt(value: Value, { scope }: Expansion): Value {
  const known = knownText(value);
  if (known !== undefined && /\$\(|`/.test(known))
    scope.session.walker.runInside(`: "${known.replaceAll('"', '\\"')}"`, scope);
  return value;
}

function sliceList(
  held: Extract<Held, { kind: "list" }>,
  offset: number | undefined,
  length: number | undefined | "rest",
  label: string,
  { scope }: Expansion,
): Held {
  if (offset === undefined || length === undefined)
    return { ...held, values: [unknown("any", label)], isOpenEnded: true };
  const isPositional = held.values === scope.state.positionals.values;
  const all = isPositional ? [scope.state.positionals.zero, ...held.values] : held.values;
  const start = offset < 0 ? all.length + offset : offset;
  const end = length === "rest" ? undefined : start + length;
  return { ...held, values: all.slice(isPositional && offset === 0 ? 0 : start, end) };
}

function wordNumber(word: Word, expansion: Expansion): number | undefined {
  const [value, ...others] = expandWordText(word, expansion);
  const known = value === undefined || others.length > 0 ? undefined : knownText(value);
  if (known === undefined && value !== undefined) noteUncomputed(value, expansion.scope);
  return known === undefined ? undefined : computeNumber(known.trim(), expansion);
}

/** The alternatives of a pattern word; undefined where it is not known. */
function expandPattern(word: Word, expansion: Expansion): readonly (Glob | undefined)[] {
  // Whether `+(…)` is a group or these characters depends on an option that a script may switch anywhere.
  if (/[?*+@!]\(/.test(word.text)) return [undefined];
  return expansion.expandParts(wordParts(word), false).map(fragments => {
    const tokens = fragments.map((fragment): readonly GlobToken[] | undefined => {
      if (fragment.kind === "glob") return compileGlob(fragment.pattern, "shell").tokens;
      if (fragment.kind === "list") return undefined;
      const known = knownText(fragment.value);
      if (known === undefined) return undefined;
      return fragment.kind === "text" ? [{ kind: "text", text: known }] : compileGlob(known, "shell").tokens;
    });
    return tokens.every(list => list !== undefined) ? createGlob(tokens.flat()) : undefined;
  });
}

/** What an operator makes of text that is only partly known: unknown again, with the same origins. */
function blur(value: Value, label: string): Value {
  const isName =
    hasGlob(value) &&
    !value.pieces.some(
      piece => piece.kind === "unknown" || (piece.kind === "text" && piece.text.includes("/")),
    );
  return unknown(isName ? "token" : "any", label, value.origins);
}

/** Longest text that patterns are tried on; anything beyond is left unknown. */
const PATTERN_SUBJECT = 4096;

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`. */
function removePattern(value: Value, operator: string, pattern: Glob, label: string, budget: Budget): Value {
  const subject = knownText(value);
  if (subject === undefined)
    return (
      removeKnownPrefix(value, operator, pattern) ??
      removeKnownSuffix(value, operator, pattern) ??
      blur(value, label)
    );
  if (subject.length > PATTERN_SUBJECT) return blur(value, label);
  if (operator.startsWith("#")) {
    const ends = [...matchEnds(pattern, subject, 0, budget)];
    if (ends.length === 0) return value;
    const end = ends.reduce((one, two) => (operator === "#" ? Math.min(one, two) : Math.max(one, two)));
    return text(subject.slice(end), value.origins);
  }
  const starts = Array.from({ length: subject.length + 1 }, (_, index) => index);
  if (operator === "%") starts.reverse();
  const start = starts.find(from => matchEnds(pattern, subject, from, budget).has(subject.length));
  return start === undefined ? value : text(subject.slice(0, start), value.origins);
}

// `${p#/proc/}` and `${p##*/}` where p is a path that matched `/proc/[0-9]*`: what the pattern stands for is left.
function removeKnownPrefix(value: Value, operator: string, pattern: Glob): Value | undefined {
  if (!operator.startsWith("#") || value.pieces.some(piece => piece.kind === "unknown")) return undefined;
  const { literals = [] } = pattern;
  if (operator === "##" && literals.length === 2 && literals[0] === "" && literals[1] === "/")
    return lastComponent(value);
  const prefix = literalText(pattern);
  return prefix === undefined || !knownPrefix(value).startsWith(prefix)
    ? undefined
    : dropKnown(value, prefix.length);
}

/** `${f%.txt}` where f is a file name that matched `*.txt`. */
function removeKnownSuffix(value: Value, operator: string, pattern: Glob): Value | undefined {
  const suffix = literalText(pattern);
  const last = value.pieces.at(-1);
  if (!operator.startsWith("%") || suffix === undefined || last?.kind !== "text") return undefined;
  if (!last.text.endsWith(suffix)) return value;
  const rest = last.text.slice(0, last.text.length - suffix.length);
  const pieces = value.pieces.slice(0, -1);
  return { pieces: rest === "" ? pieces : [...pieces, { kind: "text", text: rest }], origins: value.origins };
}

function literalText({ literals }: Glob): string | undefined {
  return literals?.length === 1 ? literals[0] : undefined;
}

/** `${x/p/r}`, `${x//p/r}`, `${x/#p/r}`, `${x/%p/r}`. */
function replacePattern(
  value: Value,
  operator: string,
  pattern: Glob,
  replacement: Value,
  label: string,
  budget: Budget,
): Value {
  const subject = knownText(value);
  const substitute = knownText(replacement);
  if (subject === undefined || substitute === undefined || subject.length > PATTERN_SUBJECT) {
    return { ...blur(value, label), origins: [...value.origins, ...replacement.origins] };
  }
  // Anchored, nothing at all matches at that end; elsewhere it matches nowhere.
  const isEmpty = literalText(pattern) === "";
  if (isEmpty && operator !== "/#" && operator !== "/%") return value;
  if (isEmpty) return text(operator === "/#" ? substitute + subject : subject + substitute, value.origins);
  let result = "";
  let index = 0;
  while (index <= subject.length) {
    const ends = [...matchEnds(pattern, subject, index, budget)];
    const longest = ends.length === 0 ? -1 : ends.reduce((one, two) => Math.max(one, two));
    const isMatch = longest >= 0 && (operator !== "/%" || ends.includes(subject.length));
    const end = operator === "/%" && isMatch ? subject.length : longest;
    if (isMatch) {
      result += substitute;
      if (operator !== "//") return text(result + subject.slice(end), value.origins);
      if (end === index) result += subject[index] ?? "";
      index = Math.max(end, index + 1);
      continue;
    }
    if (operator === "/#") return value;
    result += subject[index] ?? "";
    index += 1;
  }
  return text(result, value.origins);
}

/** `${x:offset:length}`. A known prefix is enough when the slice lies in it. */
function sliceText(
  value: Value,
  offset: number | undefined,
  length: number | undefined | "rest",
  label: string,
): Value {
  if (offset === undefined || length === undefined) return blur(value, label);
  const subject = knownText(value);
  if (subject === undefined) {
    const prefix = knownPrefix(value);
    const isInside = offset >= 0 && length !== "rest" && length >= 0 && offset + length <= prefix.length;
    return isInside ? text(prefix.slice(offset, offset + length), value.origins) : blur(value, label);
  }
  const start = offset < 0 ? subject.length + offset : offset;
  if (start < 0) return text("", value.origins);
  const end = length === "rest" ? subject.length : length < 0 ? subject.length + length : start + length;
  return text(subject.slice(start, Math.max(start, end)), value.origins);
}

/** `${x^}`, `${x^^}`, `${x,}`, `${x,,}` and the `@U @u @L` transformations. */
function changeCase(
  value: Value,
  operator: string,
  pattern: Glob | undefined,
  label: string,
  budget: Budget,
): Value {
  const subject = knownText(value);
  if (subject === undefined || subject.length > PATTERN_SUBJECT) return blur(value, label);
  const isUpper = operator.startsWith("^");
  const change = (character: string) => {
    if (pattern !== undefined && !matchEnds(pattern, character, 0, budget).has(character.length))
      return character;
    return isUpper ? character.toUpperCase() : character.toLowerCase();
  };
  const changed =
    operator.length > 1
      ? Array.from(subject, change).join("")
      : change(subject.slice(0, 1)) + subject.slice(1);
  return text(changed, value.origins);
}

/** `${x@Q}` and its relatives that give text. */
function transform(value: Value, operator: string, label: string, budget: Budget): Value {
  const caseOperator = operator === "U" ? "^^" : operator === "u" ? "^" : operator === "L" ? ",," : undefined;
  if (caseOperator !== undefined) return changeCase(value, caseOperator, undefined, label, budget);
  const subject = knownText(value);
  if (subject === undefined) return operator === "P" || operator === "E" ? value : blur(value, label);
  if (operator === "Q" || operator === "K") return text(quoteAlways(subject), value.origins);
  if (operator === "E") return text(decodeEscapes(subject, "ansi").text, value.origins);
  return operator === "P" ? value : unknown("any", label, value.origins);
}

function quoteAlways(subject: string): string {
  const quoted = quoteWord(subject);
  return quoted.startsWith("'") ? quoted : `'${subject}'`;
}
