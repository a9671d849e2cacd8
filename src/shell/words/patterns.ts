import type { Budget } from "../budget.ts";

/** A shell pattern as a list of matchers. */
export type Pattern = readonly Matcher[];

export type Matcher =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "one" }
  | { readonly kind: "many" }
  | {
      readonly kind: "set";
      readonly isNegated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    }
  | { readonly kind: "group"; readonly operator: string; readonly choices: readonly Pattern[] };

const CLASSES: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map(
  Object.entries({
    alpha: [
      ["a", "z"],
      ["A", "Z"],
    ],
    digit: [["0", "9"]],
    alnum: [
      ["a", "z"],
      ["A", "Z"],
      ["0", "9"],
    ],
    upper: [["A", "Z"]],
    lower: [["a", "z"]],
    space: [
      [" ", " "],
      ["\t", "\r"],
    ],
    blank: [
      [" ", " "],
      ["\t", "\t"],
    ],
    punct: [
      ["!", "/"],
      [":", "@"],
      ["[", "`"],
      ["{", "~"],
    ],
    print: [[" ", "~"]],
    graph: [["!", "~"]],
    xdigit: [
      ["0", "9"],
      ["a", "f"],
      ["A", "F"],
    ],
    word: [
      ["a", "z"],
      ["A", "Z"],
      ["0", "9"],
      ["_", "_"],
    ],
    cntrl: [["\u0000", "\u001f"]],
  }),
);

/** Reads pattern text; with `isLiteral` every character stands for itself. */
export function compilePattern(source: string, isLiteral = false): Pattern {
  if (isLiteral) return Array.from(source, character => ({ kind: "character" as const, character }));
  const matchers: Matcher[] = [];
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index] ?? "";
    if (character === "\\" && index + 1 < source.length) {
      index += 1;
      matchers.push({ kind: "character", character: source[index] ?? "" });
    } else if ("?*+@!".includes(character) && source[index + 1] === "(") {
      const close = closingParenthesis(source, index + 1);
      if (close < 0) {
        matchers.push({ kind: "character", character });
        continue;
      }
      const choices = splitChoices(source.slice(index + 2, close)).map(choice => compilePattern(choice));
      matchers.push({ kind: "group", operator: character, choices });
      index = close;
    } else if (character === "*") {
      if (matchers.at(-1)?.kind !== "many") matchers.push({ kind: "many" });
    } else if (character === "?") matchers.push({ kind: "one" });
    else if (character === "[") {
      const set = readSet(source, index);
      matchers.push(set?.matcher ?? { kind: "character", character });
      if (set !== undefined) index = set.end;
    } else matchers.push({ kind: "character", character });
  }
  return matchers;
}

function closingParenthesis(source: string, open: number): number {
  let depth = 0;
  for (let index = open; index < source.length; index += 1) {
    if (source[index] === "(") depth += 1;
    else if (source[index] === ")") {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return -1;
}

function splitChoices(source: string): readonly string[] {
  const choices: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < source.length; index += 1) {
    if (source[index] === "(") depth += 1;
    else if (source[index] === ")") depth -= 1;
    else if (source[index] === "|" && depth === 0) {
      choices.push(source.slice(start, index));
      start = index + 1;
    }
  }
  return [...choices, source.slice(start)];
}

/** The set that begins at `open`; undefined when it is not closed. */
export function readSet(
  source: string,
  open: number,
): { readonly matcher: Matcher; readonly end: number } | undefined {
  let index = open + 1;
  const isNegated = source[index] === "!" || source[index] === "^";
  if (isNegated) index += 1;
  const ranges: (readonly [string, string])[] = [];
  for (let isFirst = true; index < source.length; index += 1, isFirst = false) {
    const character = source[index] ?? "";
    if (character === "]" && !isFirst) return { matcher: { kind: "set", isNegated, ranges }, end: index };
    const named = /^\[:(\w+):\]/.exec(source.slice(index, index + 12));
    if (named !== null) {
      ranges.push(...(CLASSES.get(named[1] ?? "") ?? []));
      index += named[0].length - 1;
    } else if (source[index + 1] === "-" && source[index + 2] !== "]" && index + 2 < source.length) {
      ranges.push([character, source[index + 2] ?? character]);
      index += 2;
    } else if (character === "\\" && index + 1 < source.length) {
      index += 1;
      ranges.push([source[index] ?? "", source[index] ?? ""]);
    } else ranges.push([character, character]);
  }
  return undefined;
}

/** All ends of a match that begins at `start`: every state at once, so there is no backtracking. */
export function matchEnds(
  pattern: Pattern,
  subject: string,
  start: number,
  budget: Budget,
): ReadonlySet<number> {
  let positions = new Set([start]);
  for (const matcher of pattern) {
    if (positions.size === 0 || !budget.take(positions.size)) return new Set();
    positions = advance(matcher, subject, positions, budget);
  }
  return positions;
}

function advance(matcher: Matcher, subject: string, from: ReadonlySet<number>, budget: Budget): Set<number> {
  const next = new Set<number>();
  if (matcher.kind === "many") {
    let first = subject.length;
    for (const position of from) first = Math.min(first, position);
    budget.take(subject.length - first);
    for (let position = first; position <= subject.length; position += 1) next.add(position);
    return next;
  }
  for (const position of from) {
    if (matcher.kind === "group") {
      for (const end of matchGroup(matcher.operator, matcher.choices, subject, position, budget))
        next.add(end);
    } else if (position < subject.length && accepts(matcher, subject[position] ?? "")) next.add(position + 1);
  }
  return next;
}

function accepts(matcher: Matcher, character: string): boolean {
  if (matcher.kind === "character") return matcher.character === character;
  if (matcher.kind === "one") return true;
  if (matcher.kind !== "set") return false;
  return matcher.ranges.some(([low, high]) => low <= character && character <= high) !== matcher.isNegated;
}

function matchGroup(
  operator: string,
  choices: readonly Pattern[],
  subject: string,
  start: number,
  budget: Budget,
): ReadonlySet<number> {
  const once = (position: number) => {
    const ends = new Set<number>();
    for (const choice of choices)
      for (const end of matchEnds(choice, subject, position, budget)) ends.add(end);
    return ends;
  };
  const first = once(start);
  if (operator === "@") return first;
  if (operator === "?") return first.add(start);
  if (operator === "!") {
    const others = new Set<number>();
    for (let end = start; end <= subject.length; end += 1) if (!first.has(end)) others.add(end);
    return others;
  }
  const reached = new Set(first);
  const waiting = [...first];
  for (let end = waiting.pop(); end !== undefined && budget.take(1); end = waiting.pop()) {
    for (const further of once(end)) {
      if (reached.has(further)) continue;
      reached.add(further);
      waiting.push(further);
    }
  }
  return operator === "*" ? reached.add(start) : reached;
}
