import { ConditionError } from "./condition-error.ts";
import { FUNCTIONS, METHODS } from "./functions.ts";
import { clip, refuseUnsafe, type TextPart, type Token, tokenise } from "./tokens.ts";

const BYTE_LIMIT = 8192;
const NESTING_LIMIT = 32;

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export type Expression =
  | { readonly kind: "or" | "and"; readonly terms: readonly Expression[] }
  | { readonly kind: "not"; readonly term: Expression }
  | {
      readonly kind: "compare";
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "value"; readonly atom: Atom; readonly postfixes: readonly Postfix[] };

export type Atom =
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "text"; readonly parts: readonly TextPart[] }
  | { readonly kind: "path"; readonly segments: readonly string[] }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: "group"; readonly inner: Expression }
  | { readonly kind: "list"; readonly items: readonly Expression[] };

export type Postfix =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "key"; readonly name: string }
  | { readonly kind: "index"; readonly position: number }
  | { readonly kind: "method"; readonly name: string; readonly args: readonly Expression[] };

const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** Text to expression; throws `ConditionError`. Chains are flat lists, so depth is bounded by the brackets. */
export function parseCondition(text: string): Expression {
  if (byteLength(text) > BYTE_LIMIT) {
    throw new ConditionError(`condition is longer than ${BYTE_LIMIT} bytes`);
  }
  const tokens = tokenise(text);
  let position = 0;
  let nesting = 0;

  const peek = (): Token => tokens[position] ?? { kind: "end", source: "" };
  const isSymbol = (symbol: string): boolean => peek().kind === "symbol" && peek().source === symbol;
  const isWord = (word: string): boolean => {
    const token = peek();
    return token.kind === "word" && token.word === word;
  };

  function fail(): never {
    const token = peek();
    if (token.kind === "end") throw new ConditionError("unexpected end of condition");
    throw new ConditionError(`unexpected token '${clip(token.source)}'`);
  }

  function take(symbol: string): void {
    if (!isSymbol(symbol)) fail();
    position++;
  }

  function nested<T>(read: () => T): T {
    if (++nesting > NESTING_LIMIT) {
      throw new ConditionError(`brackets are nested deeper than ${NESTING_LIMIT}`);
    }
    const result = read();
    nesting--;
    return result;
  }

  function chain(kind: "or" | "and", readTerm: () => Expression): Expression {
    const first = readTerm();
    if (!isWord(kind)) return first;
    const terms = [first];
    while (isWord(kind)) {
      position++;
      terms.push(readTerm());
    }
    return { kind, terms };
  }

  const readExpression = (): Expression => chain("or", () => chain("and", readNot));

  function readNot(): Expression {
    let isNegated = false;
    let hasNot = false;
    while (isWord("not")) {
      position++;
      hasNot = true;
      isNegated = !isNegated;
    }
    const term = readComparison();
    if (!hasNot) return term;
    return isNegated ? { kind: "not", term } : { kind: "not", term: { kind: "not", term } };
  }

  function readComparison(): Expression {
    const left = readValue();
    const operator = readOperator();
    return operator === undefined ? left : { kind: "compare", operator, left, right: readValue() };
  }

  function readOperator(): Comparison | undefined {
    const token = peek();
    if (token.kind === "symbol" && COMPARISONS.has(token.source)) {
      position++;
      return token.source as Comparison;
    }
    if (isWord("in")) {
      position++;
      return "in";
    }
    const next = tokens[position + 1];
    if (isWord("not") && next?.kind === "word" && next.word === "in") {
      position += 2;
      return "not in";
    }
    return undefined;
  }

  function readValue(): Expression {
    const atom = readAtom();
    const postfixes: Postfix[] = [];
    while (isSymbol(".") || isSymbol("[")) postfixes.push(isSymbol(".") ? readMember() : readIndex());
    return { kind: "value", atom, postfixes };
  }

  function readAtom(): Atom {
    const token = peek();
    if (token.kind === "symbol") return readBracketed();
    position++;
    if (token.kind === "number") return { kind: "literal", value: token.value };
    if (token.kind === "path") return { kind: "path", segments: token.segments };
    if (token.kind === "string") {
      const [only, ...rest] = token.parts;
      return typeof only === "string" && rest.length === 0
        ? { kind: "literal", value: only }
        : { kind: "text", parts: token.parts };
    }
    if (token.kind === "word" && (token.word === "true" || token.word === "false")) {
      return { kind: "literal", value: token.word === "true" };
    }
    if (token.kind === "name") {
      if (isSymbol("(")) return readCall(token.source);
      return { kind: "path", segments: [token.source] };
    }
    position--;
    return fail();
  }

  function readBracketed(): Atom {
    if (isSymbol("(")) {
      position++;
      const inner = nested(readExpression);
      take(")");
      return { kind: "group", inner };
    }
    if (!isSymbol("[")) fail();
    position++;
    return { kind: "list", items: nested(() => readItems("]")) };
  }

  function readCall(name: string): Atom {
    const known = FUNCTIONS.get(name);
    if (known === undefined) {
      throw new ConditionError(`Unsafe expression: function '${clip(name)}' is not allowed`);
    }
    take("(");
    const args = nested(() => readItems(")"));
    checkCount(`${name}()`, known, args.length);
    return { kind: "call", name, args };
  }

  function readMember(): Postfix {
    take(".");
    const token = peek();
    if (token.kind !== "name") return fail();
    position++;
    if (!isSymbol("(")) return { kind: "member", name: token.source };
    const known = METHODS.get(token.source);
    if (known === undefined) {
      throw new ConditionError(`Unsafe expression: method '.${clip(token.source)}()' is not allowed`);
    }
    take("(");
    const args = nested(() => readItems(")"));
    checkCount(`.${token.source}()`, known, args.length);
    return { kind: "method", name: token.source, args };
  }

  function readIndex(): Postfix {
    take("[");
    const token = peek();
    position++;
    const postfix = indexOf(token);
    take("]");
    return postfix;
  }

  function indexOf(token: Token): Postfix {
    if (token.kind === "string" && token.parts.every(part => typeof part === "string")) {
      return { kind: "key", name: refuseUnsafe(token.parts.join("")) };
    }
    if (token.kind === "number" && typeof token.value === "number" && /^\d+$/.test(token.source)) {
      return { kind: "index", position: token.value };
    }
    throw new ConditionError(
      `index must be a quoted key or a non-negative integer, not '${clip(token.source)}'`,
    );
  }

  function readItems(close: string): readonly Expression[] {
    const items: Expression[] = [];
    while (!isSymbol(close)) {
      items.push(readValue());
      if (!isSymbol(",")) break;
      position++;
    }
    take(close);
    return items;
  }

  const expression = readExpression();
  if (peek().kind !== "end") fail();
  return expression;
}

function checkCount(
  name: string,
  { fewest, most }: { readonly fewest: number; readonly most: number },
  given: number,
): void {
  if (given >= fewest && given <= most) return;
  const wanted =
    fewest === most ? `${fewest}` : most === Infinity ? `at least ${fewest}` : `${fewest} to ${most}`;
  throw new ConditionError(`${name} takes ${wanted} argument(s), ${given} given`);
}

function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
