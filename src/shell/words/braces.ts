import { LIMITS } from "../limits.ts";
import type { WordPart } from "../syntax/syntax.ts";

/**
 * Brace expansion over the parts of a word. A token is one character of unquoted text, or a part that braces
 * never look into (quotes, expansions).
 */
type Token = string | Escaped | WordPart;

interface Escaped {
  readonly type: "Escaped";
  readonly character: string;
}

interface BraceResult {
  /** One list of parts per word; a plain string is literal, already unescaped text. */
  readonly words: readonly (readonly (WordPart | string)[])[];
  /** There were more than the limit: the rest is left out. */
  readonly isCut: boolean;
  /** The word was a long sequence of numbers or letters and `words` is empty. */
  readonly isLongSequence: boolean;
}

export function expandBraces(parts: readonly WordPart[]): BraceResult {
  const tokens = parts.flatMap(part =>
    part.type === "BraceExpansion" ? tokensOfBrace(part.text, part.parts) : [part],
  );
  let isCut = false;
  let isLongSequence = false;

  const expand = (items: readonly Token[]): readonly (readonly Token[])[] => {
    const brace = findBrace(items);
    if (brace === undefined) return [items];
    const before = items.slice(0, brace.open);
    const after = expand(items.slice(brace.close + 1));
    const inner = brace.sequence ?? brace.alternatives.flatMap(expand);
    if (inner.length === 0) isLongSequence = true;
    const result: (readonly Token[])[] = [];
    for (const middle of inner) {
      for (const rest of after) {
        if (result.length >= LIMITS.expansionsPerWord) {
          isCut = true;
          return result;
        }
        result.push([...before, ...middle, ...rest]);
      }
    }
    return result;
  };

  return { words: expand(tokens).map(joinTokens), isCut, isLongSequence };
}

function tokensOfBrace(source: string, parts: readonly WordPart[] | undefined): readonly Token[] {
  if (parts === undefined) return literalTokens(source);
  return ["{", ...parts.flatMap(part => (part.type === "Literal" ? literalTokens(part.text) : [part])), "}"];
}

function literalTokens(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index] ?? "";
    if (character !== "\\") {
      tokens.push(character);
      continue;
    }
    index += 1;
    const next = source[index] ?? "";
    if (next !== "\n") tokens.push({ type: "Escaped", character: next });
  }
  return tokens;
}

interface Brace {
  readonly open: number;
  readonly close: number;
  readonly alternatives: readonly (readonly Token[])[];
  readonly sequence: readonly (readonly Token[])[] | undefined;
}

/** The first brace that is an expansion; `{a}` and a lone `{` are plain text. */
function findBrace(tokens: readonly Token[]): Brace | undefined {
  for (let open = 0; open < tokens.length; open += 1) {
    if (tokens[open] !== "{") continue;
    const commas: number[] = [];
    let depth = 0;
    for (let index = open; index < tokens.length; index += 1) {
      const token = tokens[index];
      if (token === "{") depth += 1;
      else if (token === "," && depth === 1) commas.push(index);
      else if (token === "}") {
        depth -= 1;
        if (depth > 0) continue;
        const brace = readBrace(tokens, open, index, commas);
        if (brace !== undefined) return brace;
        break;
      }
    }
  }
  return undefined;
}

function readBrace(
  tokens: readonly Token[],
  open: number,
  close: number,
  commas: readonly number[],
): Brace | undefined {
  if (commas.length > 0) {
    const edges = [open, ...commas, close];
    const alternatives = edges.slice(1).map((edge, index) => tokens.slice((edges[index] ?? 0) + 1, edge));
    return { open, close, alternatives, sequence: undefined };
  }
  const inner = tokens.slice(open + 1, close);
  if (!inner.every(token => typeof token === "string")) return undefined;
  const sequence = readSequence(inner.join(""));
  return sequence === undefined
    ? undefined
    : { open, close, alternatives: [], sequence: sequence.map(item => [...item]) };
}

/** `{1..9..2}`, `{a..e}`, `{01..10}`; an empty list when it is longer than the limit. */
function readSequence(content: string): readonly string[] | undefined {
  const match = /^(-?\d{1,15}|[A-Za-z])\.\.(-?\d{1,15}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(content);
  const [, from = "", to = "", by] = match ?? [];
  if (match === null) return undefined;
  const isNumber = /\d$/.test(from);
  if (isNumber !== /\d$/.test(to)) return undefined;
  const first = isNumber ? Number(from) : from.charCodeAt(0);
  const last = isNumber ? Number(to) : to.charCodeAt(0);
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  if (Math.abs(last - first) / step >= LIMITS.expansionsPerWord) return [];
  const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
  const items: string[] = [];
  for (
    let value = first;
    first <= last ? value <= last : value >= last;
    value += first <= last ? step : -step
  ) {
    items.push(isNumber ? padNumber(value, width) : String.fromCharCode(value));
  }
  return items;
}

function padNumber(value: number, width: number): string {
  const sign = value < 0 ? "-" : "";
  return sign + String(Math.abs(value)).padStart(width - sign.length, "0");
}

function joinTokens(tokens: readonly Token[]): readonly (WordPart | string)[] {
  const parts: (WordPart | string)[] = [];
  for (const token of tokens) {
    const plain = typeof token !== "string" && token.type === "Escaped" ? token.character : token;
    const last = parts.at(-1);
    if (typeof plain === "string" && typeof last === "string") parts[parts.length - 1] = last + plain;
    else parts.push(plain);
  }
  return parts;
}
