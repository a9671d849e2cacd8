import type { Piece } from "../../shell/value.ts";

/**
 * Could this path component, partly pattern or unknown, name exactly `name`? Shell rules: a pattern in front
 * does not match a leading dot. Work is bounded by length × length.
 */
export function componentCouldBe(component: readonly Piece[], name: string): boolean {
  const [first] = component;
  if (first?.kind === "glob" && name.startsWith(".") && !opensWithDot(first.pattern)) return false;
  if (first?.kind === "unknown" && first.shape === "token" && name.startsWith(".")) return false;
  const tokens = component.flatMap(tokensOf);
  let positions = new Set([0]);
  for (const token of tokens) {
    const next = new Set<number>();
    for (const position of positions) advance(token, name, position, next);
    if (next.size === 0) return false;
    positions = next;
  }
  return positions.has(name.length);
}

/** The component when it is plain text, else undefined. */
export function plainName(component: readonly Piece[]): string | undefined {
  let name = "";
  for (const piece of component) {
    if (piece.kind !== "text") return undefined;
    name += piece.text;
  }
  return name;
}

type Token =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "one" }
  | { readonly kind: "some" }
  | { readonly kind: "class"; readonly isNegated: boolean; readonly members: string };

function advance(token: Token, name: string, position: number, next: Set<number>): void {
  switch (token.kind) {
    case "literal":
      if (name.startsWith(token.text, position)) next.add(position + token.text.length);
      return;
    case "one":
      if (position < name.length) next.add(position + 1);
      return;
    case "some":
      for (let end = position; end <= name.length; end += 1) next.add(end);
      return;
    case "class": {
      const character = name[position];
      if (character !== undefined && isMember(token.members, character) !== token.isNegated)
        next.add(position + 1);
    }
  }
}

function tokensOf(piece: Piece): readonly Token[] {
  if (piece.kind === "text") return [{ kind: "literal", text: piece.text }];
  if (piece.kind === "unknown") return [{ kind: "some" }];
  return globTokens(piece.pattern);
}

/** Most patterns are our own constants and are asked for again and again. */
const tokensByPattern = new Map<string, readonly Token[]>();
const MOST_PATTERNS = 1000;

function globTokens(pattern: string): readonly Token[] {
  const known = tokensByPattern.get(pattern);
  if (known !== undefined) return known;
  if (tokensByPattern.size >= MOST_PATTERNS) tokensByPattern.clear();
  const tokens = readGlob(pattern);
  tokensByPattern.set(pattern, tokens);
  return tokens;
}

/** The tokens of a shell pattern. Extended groups such as `@(a|b)` could be anything. */
function readGlob(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] as string;
    if ("@?*+!".includes(character) && pattern[index + 1] === "(") {
      const end = pattern.indexOf(")", index);
      tokens.push({ kind: "some" });
      if (end < 0) break;
      index = end;
    } else if (character === "*") tokens.push({ kind: "some" });
    else if (character === "?") tokens.push({ kind: "one" });
    else if (character === "[") {
      const end = pattern.indexOf("]", index + 2);
      if (end < 0) tokens.push({ kind: "literal", text: character });
      else {
        const isNegated = pattern[index + 1] === "!" || pattern[index + 1] === "^";
        tokens.push({ kind: "class", isNegated, members: pattern.slice(index + (isNegated ? 2 : 1), end) });
        index = end;
      }
    } else if (character === "\\" && index + 1 < pattern.length) {
      index += 1;
      tokens.push({ kind: "literal", text: pattern[index] as string });
    } else tokens.push({ kind: "literal", text: character });
  }
  return tokens;
}

/** Does the plain pattern (`*`, `?`, `[…]`) match the whole name? A leading dot is an ordinary character. */
export function globMatches(pattern: string, name: string): boolean {
  if (!OTHER_THAN_STAR.some(character => pattern.includes(character))) return starMatches(pattern, name);
  let positions = new Set([0]);
  for (const token of globTokens(pattern)) {
    const next = new Set<number>();
    for (const position of positions) advance(token, name, position, next);
    if (next.size === 0) return false;
    positions = next;
  }
  return positions.has(name.length);
}

const OTHER_THAN_STAR = ["?", "[", "(", "\\"];

/** Most patterns have no wildcard but `*`, and a hook tries a hundred of them on every word. */
function starMatches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let from = first.length;
  const end = name.length - last.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}

function opensWithDot(pattern: string): boolean {
  return pattern.startsWith(".") || pattern.startsWith("\\.");
}

const CLASSES: Readonly<Record<string, (character: string) => boolean>> = {
  alpha: character => /[A-Za-z]/.test(character),
  digit: character => /[0-9]/.test(character),
  alnum: character => /[A-Za-z0-9]/.test(character),
  lower: character => /[a-z]/.test(character),
  upper: character => /[A-Z]/.test(character),
  punct: character => /[!-/:-@[-`{-~]/.test(character),
};

function isMember(members: string, character: string): boolean {
  for (const name of Object.keys(CLASSES)) {
    if (members.includes(`[:${name}:`) && CLASSES[name]?.(character) === true) return true;
  }
  for (let index = 0; index < members.length; index += 1) {
    const low = members[index] as string;
    const high = members[index + 2];
    if (members[index + 1] === "-" && high !== undefined) {
      if (character >= low && character <= high) return true;
      index += 2;
    } else if (low === character) return true;
  }
  return false;
}
