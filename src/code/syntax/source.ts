import { type Budget, concatenate, type Piece, text, type Value } from "../../shell/index.ts";

/**
 * Program text as a plain string. Parts that only the run decides (`python -c "rmtree('$DIR')"`) are single
 * characters of the private use area, so tokenisers see an ordinary letter; `literalValue` turns them back.
 */
export interface Source {
  readonly text: string;
  readonly holes: readonly Piece[];
}

const FIRST_HOLE = 0xe000;
const MAX_HOLES = 256;
const PRIVATE_USE = /[\ue000-\uf8ff]/g;

export function createSource(code: Value): Source {
  const holes: Piece[] = [];
  let result = "";
  for (const piece of code.pieces) {
    if (piece.kind === "text") result += piece.text.replace(PRIVATE_USE, "\ufffd");
    else if (piece.kind === "glob") result += piece.pattern;
    else {
      if (holes.length < MAX_HOLES) holes.push(piece);
      result += String.fromCharCode(FIRST_HOLE + holes.length - 1);
    }
  }
  return { text: result, holes };
}

/** A literal of the program text as a value, holes included. */
export function literalValue(literal: string, source: Source): Value {
  if (source.holes.length === 0 || literal.search(PRIVATE_USE) === -1) return text(literal);
  const values: Value[] = [];
  let start = 0;
  for (const match of literal.matchAll(PRIVATE_USE)) {
    const hole = source.holes[match[0].charCodeAt(0) - FIRST_HOLE];
    if (hole === undefined) continue;
    values.push(text(literal.slice(start, match.index)), { pieces: [hole], origins: [] });
    start = match.index + 1;
  }
  values.push(text(literal.slice(start)));
  return concatenate(values);
}

/**
 * The work one reading of code may do: linear in the text, and never more than the analysis has left. Once it
 * is cut short (steps, nesting, alternatives), no call found does not mean that there is none.
 */
export interface ReadingBudget {
  readonly total: Budget;
  /** what a step costs of the total */
  readonly price: number;
  left: number;
  isCutShort: boolean;
}

const STEPS_PER_CHARACTER = 24;
const STEPS_FOR_ANY_TEXT = 4_000;

export function createReadingBudget(length: number, total: Budget, price = 1): ReadingBudget {
  return { total, price, left: STEPS_FOR_ANY_TEXT + STEPS_PER_CHARACTER * length, isCutShort: false };
}

/** Pay one step. False means: stop, return what you have. */
export function step(budget: ReadingBudget): boolean {
  if (budget.left <= 0 || !budget.total.take(budget.price)) {
    budget.isCutShort = true;
    return false;
  }
  budget.left -= 1;
  return true;
}
