import { Buffer } from "node:buffer";
import { type Arity, FUNCTIONS, METHODS } from "./functions.ts";
import {
  type ConditionToken,
  clipSource,
  type LiteralPart,
  refuseUnsafe,
  tokeniseCondition,
} from "./tokens.ts";
import { ConditionError } from "./values.ts";

const MAX_BYTES = 8192;
const MAX_NESTING = 32;

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export type Expression =
  | { readonly kind: "or" | "and"; readonly terms: readonly Expression[] }
  | { readonly kind: "not"; readonly term: Expression }
  | {
      readonly kind: "compare";
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "value"; readonly atom: Atom; readonly postfixes: readonly Postfix[] };

export type Atom =
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "text"; readonly parts: readonly LiteralPart[] }
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
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new ConditionError(`condition is longer than ${MAX_BYTES} bytes`);
  return new ConditionParser(tokeniseCondition(text)).parse();
}

class ConditionParser {
  private readonly tokens: readonly ConditionToken[];
  private position = 0;
  private nesting = 0;

  constructor(tokens: readonly ConditionToken[]) {
    this.tokens = tokens;
  }

  parse(): Expression {
    const expression = this.readExpression();
    if (this.token.kind !== "end") this.fail();
    return expression;
  }

  private get token(): ConditionToken {
    return this.tokens[this.position] ?? { kind: "end", source: "" };
  }

  private isSymbol(symbol: string): boolean {
    return this.token.kind === "symbol" && this.token.source === symbol;
  }

  private isWord(word: string, token: ConditionToken | undefined = this.token): boolean {
    return token?.kind === "word" && token.word === word;
  }

  private fail(): never {
    const { token } = this;
    if (token.kind === "end") throw new ConditionError("unexpected end of condition");
    throw new ConditionError(`unexpected token '${clipSource(token.source)}'`);
  }

  private take(symbol: string): void {
    if (!this.isSymbol(symbol)) this.fail();
    this.position++;
  }

  private nested<T>(read: () => T): T {
    if (++this.nesting > MAX_NESTING)
      throw new ConditionError(`brackets are nested deeper than ${MAX_NESTING}`);
    const result = read();
    this.nesting--;
    return result;
  }

  private chain(kind: "or" | "and", readTerm: () => Expression): Expression {
    const first = readTerm();
    if (!this.isWord(kind)) return first;
    const terms = [first];
    while (this.isWord(kind)) {
      this.position++;
      terms.push(readTerm());
    }
    return { kind, terms };
  }

  private readExpression(): Expression {
    return this.chain("or", () => this.chain("and", () => this.readNot()));
  }

  private readNot(): Expression {
    let count = 0;
    for (; this.isWord("not"); count++) this.position++;
    const term = this.readComparison();
    if (count === 0) return term;
    const not: Expression = { kind: "not", term };
    return count % 2 === 1 ? not : { kind: "not", term: not };
  }

  private readComparison(): Expression {
    const left = this.readValue();
    const operator = this.readOperator();
    return operator === undefined ? left : { kind: "compare", operator, left, right: this.readValue() };
  }

  private readOperator(): ComparisonOperator | undefined {
    const { token } = this;
    if (token.kind === "symbol" && COMPARISONS.has(token.source)) {
      this.position++;
      return token.source as ComparisonOperator;
    }
    if (this.isWord("in")) {
      this.position++;
      return "in";
    }
    if (this.isWord("not") && this.isWord("in", this.tokens[this.position + 1])) {
      this.position += 2;
      return "not in";
    }
    return undefined;
  }

  private readValue(): Expression {
    const atom = this.readAtom();
    const postfixes: Postfix[] = [];
    while (this.isSymbol(".") || this.isSymbol("["))
      postfixes.push(this.isSymbol(".") ? this.readMember() : this.readIndex());
    return { kind: "value", atom, postfixes };
  }

  private readAtom(): Atom {
    const { token } = this;
    if (token.kind === "symbol") return this.readBracketed();
    if (token.kind === "end" || (token.kind === "word" && !/^(?:true|false)$/.test(token.word)))
      return this.fail();
    this.position++;
    switch (token.kind) {
      case "number":
        return { kind: "literal", value: token.value };
      case "path":
        return { kind: "path", segments: token.segments };
      case "string": {
        const [only, ...rest] = token.parts;
        return typeof only === "string" && rest.length === 0
          ? { kind: "literal", value: only }
          : { kind: "text", parts: token.parts };
      }
      case "word":
        return { kind: "literal", value: token.word === "true" };
      case "name":
        if (this.isSymbol("(")) return this.readCall(token.source);
        return { kind: "path", segments: [token.source] };
    }
  }

  private readBracketed(): Atom {
    if (this.isSymbol("(")) {
      this.position++;
      const inner = this.nested(() => this.readExpression());
      this.take(")");
      return { kind: "group", inner };
    }
    this.take("[");
    return { kind: "list", items: this.nested(() => this.readItems("]")) };
  }

  private readCall(name: string): Atom {
    const known = FUNCTIONS.get(name);
    if (known === undefined)
      throw new ConditionError(`Unsafe expression: function '${clipSource(name)}' is not allowed`);
    return { kind: "call", name, args: this.readArguments(`${name}()`, known.arity) };
  }

  private readMember(): Postfix {
    this.take(".");
    const { token } = this;
    if (token.kind !== "name") return this.fail();
    const name = token.source;
    this.position++;
    if (!this.isSymbol("(")) return { kind: "member", name };
    const known = METHODS.get(name);
    if (known === undefined)
      throw new ConditionError(`Unsafe expression: method '.${clipSource(name)}()' is not allowed`);
    return { kind: "method", name, args: this.readArguments(`.${name}()`, known.arity) };
  }

  private readArguments(name: string, arity: Arity): readonly Expression[] {
    this.take("(");
    const args = this.nested(() => this.readItems(")"));
    checkCount(name, arity, args.length);
    return args;
  }

  private readIndex(): Postfix {
    this.take("[");
    const { token } = this;
    this.position++;
    const postfix = parseIndex(token);
    this.take("]");
    return postfix;
  }

  private readItems(close: string): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.isSymbol(close)) {
      items.push(this.readValue());
      if (!this.isSymbol(",")) break;
      this.position++;
    }
    this.take(close);
    return items;
  }
}

function parseIndex(token: ConditionToken): Postfix {
  if (token.kind === "string" && token.parts.every(part => typeof part === "string"))
    return { kind: "key", name: refuseUnsafe(token.parts.join("")) };
  if (token.kind === "number" && typeof token.value === "number" && /^\d+$/.test(token.source))
    return { kind: "index", position: token.value };
  throw new ConditionError(
    `index must be a quoted key or a non-negative integer, not '${clipSource(token.source)}'`,
  );
}

function checkCount(name: string, [min, max]: Arity, given: number): void {
  if (given >= min && given <= max) return;
  const wanted = min === max ? `${min}` : max === Infinity ? `at least ${min}` : `${min} to ${max}`;
  throw new ConditionError(`${name} takes ${wanted} argument(s), ${given} given`);
}
