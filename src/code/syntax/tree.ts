/** A parameter or assignment target is itself a node: name, list, record, member, or one of them with a default. */
export interface FunctionDefinition {
  readonly name: string | undefined;
  readonly parameters: readonly Node[];
  readonly body: readonly Node[];
}

/** An argument of a call or an item of a list: positional, named, or spread over several. */
export interface Argument {
  readonly value: Node;
  readonly name?: string;
  readonly isSpread?: boolean;
}

/**
 * The one small tree that every interpreted language is read into: enough to follow names, texts and calls,
 * nothing more. `areAllTrue` marks `a and b`: where it is a condition, each option holds. What a reader does not understand becomes `other`, whose parts are still examined for calls; `isNumber` tells that it can be nothing else, `isTruth` that it is true or false and shows nothing of its parts.
 */
export type Node =
  | { readonly kind: "text"; readonly pieces: readonly (string | Node)[] }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "reference"; readonly path: string }
  | { readonly kind: "member"; readonly object: Node; readonly name: string }
  | { readonly kind: "index"; readonly object: Node; readonly index: Node }
  | {
      readonly kind: "call";
      readonly callee: Node;
      readonly arguments: readonly Argument[];
      readonly at: number;
    }
  | { readonly kind: "list"; readonly items: readonly Argument[] }
  | { readonly kind: "record"; readonly entries: readonly RecordEntry[] }
  | { readonly kind: "operation"; readonly operation: Operation; readonly operands: Node[] }
  | { readonly kind: "choice"; readonly options: Node[]; readonly areAllTrue?: boolean }
  | { readonly kind: "assign"; readonly target: Node; readonly value: Node }
  | { readonly kind: "function"; readonly definition: FunctionDefinition }
  | { readonly kind: "each"; readonly target: Node; readonly over: Node; readonly body: readonly Node[] }
  | { readonly kind: "block"; readonly body: readonly Node[]; readonly isConditional: boolean }
  | { readonly kind: "return"; readonly value: Node }
  | {
      readonly kind: "other";
      readonly parts: readonly Node[];
      readonly isNumber?: boolean;
      readonly isTruth?: boolean;
    };

export type RecordEntry = readonly [key: Node | undefined, value: Node];

/** `join` puts texts or lists together, `divide` also joins paths, `format` fills `%s`, `repeat` is `"x" * 3`. */
export type Operation = "join" | "divide" | "format" | "repeat";

/** The value of a counter after it was changed. */
export const SOME_NUMBER: Node = { kind: "other", parts: [], isNumber: true };

export const NOTHING: Node = { kind: "other", parts: [] };

export function nameNode(name: string): Node {
  return { kind: "name", name };
}

export function textNode(text: string): Node {
  return { kind: "text", pieces: [text] };
}

/** A call with positional arguments, of a function by its name or of whatever a node gives. */
export function callNode(callee: string | Node, values: readonly Node[], at: number): Node {
  return {
    kind: "call",
    callee: typeof callee === "string" ? nameNode(callee) : callee,
    arguments: values.map(value => ({ value })),
    at,
  };
}

/** Statements that may run or not. */
export function conditional(...body: readonly Node[]): Node {
  return { kind: "block", body, isConditional: true };
}

/** Statements one after the other; the last one gives the value. */
export function sequence(...body: readonly Node[]): Node {
  return { kind: "block", body, isConditional: false };
}

/** What two operands can become: a value of theirs, something else, or a number. */
export type OperatorResult = Operation | "choice" | "other" | "number" | "truth";

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

/** What words mean; a row holds several words, separated by blanks. */
export function wordMap<Meaning>(
  rows: readonly (readonly [words: string, meaning: Meaning])[],
): ReadonlyMap<string, Meaning> {
  return new Map(rows.flatMap(([words, meaning]) => words.split(" ").map(word => [word, meaning] as const)));
}
