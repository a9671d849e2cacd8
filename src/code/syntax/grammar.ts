import type { Reader } from "./reader.ts";
import type { Node, Operation } from "./tree.ts";

/** What two operands can become: a value of theirs, something else, or a number. */
export type Outcome = Operation | "choice" | "other" | "number";

/** What an infix operator makes of its operands. */
export type Infix =
  | {
      readonly precedence: number;
      readonly means: Outcome | "both" | "ternary" | "python-if" | "assign" | "method";
    }
  | { readonly precedence: number; readonly means: "augment"; readonly operation: Outcome };

/** How expressions of one language differ from another's. */
export interface Grammar {
  readonly infix: ReadonlyMap<string, Infix>;
  /** Words and marks in front of a value that leave it as it is: `await`, `new`. */
  readonly prefixes: ReadonlySet<string>;
  /** Those that make something else of it: `not`, `!`. */
  readonly negations: ReadonlySet<string>;
  readonly memberMarks: ReadonlySet<string>;
  readonly spreads: ReadonlySet<string>;
  /** A newline outside brackets ends an expression. */
  readonly endsAtLine: boolean;
  /** `f (x)` is a call. */
  readonly allowsSpacedCall: boolean;
  /** `(a, b)` is a list; otherwise its value is the last item. */
  readonly parenthesesAreList: boolean;
  /** `{` at the place of a value opens a record. */
  readonly bracesAreRecord: boolean;
  /** A primary of this language alone (lambda, function, heredoc ...), or `undefined` without moving. */
  readonly readPrimary: (reader: Reader) => Node | undefined;
  /** Something after a complete value (tagged template, argument without parentheses), or `undefined`. */
  readonly readSuffix: (reader: Reader, value: Node, start: number) => Node | undefined;
  /** What a value is after all that belongs to it was read. */
  readonly finish: (reader: Reader, value: Node, start: number) => Node;
  /** The name of a named argument, consumed with its mark; or `undefined` without moving. */
  readonly readArgumentName: (reader: Reader) => string | undefined;
  /** Something after an item in brackets, such as a comprehension. */
  readonly readItemSuffix: (reader: Reader, item: Node) => Node;
  /** What a keyword at the start of a statement begins; the keyword is consumed already. */
  readonly statements: ReadonlyMap<string, (reader: Reader) => Node>;
  /** Is the keyword at hand really one, or a name that looks like it? */
  readonly isStatement: (reader: Reader) => boolean;
  /** A statement without a keyword. */
  readonly readSimple: (reader: Reader) => Node;
}

export type InfixTable = ReadonlyMap<string, Infix>;

/** Operators of one level, separated by blanks. */
export function level(
  precedence: number,
  means: Exclude<Infix["means"], "augment">,
  operators: string,
): [string, Infix][] {
  return operators.split(" ").map(operator => [operator, { precedence, means }]);
}

/** Operators such as `+=`, separated by blanks. */
export function augments(precedence: number, operation: Outcome, operators: string): [string, Infix][] {
  return operators.split(" ").map(operator => [operator, { precedence, means: "augment", operation }]);
}
