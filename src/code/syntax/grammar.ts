import type { Operation } from "./tree.ts";

/** What two operands can become: a value of theirs, something else, or a number. */
export type OperatorResult = Operation | "choice" | "other" | "number";

/** What an infix operator makes of its operands. */
export type Infix =
  | {
      readonly precedence: number;
      readonly means: OperatorResult | "both" | "ternary" | "python-if" | "assign" | "method";
    }
  | { readonly precedence: number; readonly means: "augment"; readonly operation: OperatorResult };

export type InfixTable = ReadonlyMap<string, Infix>;

/**
 * Operators of one level, separated by blanks. Operators whose results are `other` need no order among themselves:
 * nothing is known of what they give.
 */
export function level(
  precedence: number,
  means: Exclude<Infix["means"], "augment">,
  operators: string,
): [string, Infix][] {
  return operators.split(" ").map(operator => [operator, { precedence, means }]);
}

/** Operators such as `+=`, separated by blanks. */
export function augments(
  precedence: number,
  operation: OperatorResult,
  operators: string,
): [string, Infix][] {
  return operators.split(" ").map(operator => [operator, { precedence, means: "augment", operation }]);
}
