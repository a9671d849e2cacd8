import type { Piece } from "../shell/index.ts";
import { compileGlob, createGlob, type GlobToken, matchesGlob } from "../system/index.ts";

/**
 * Could this path component, partly pattern or unknown, name exactly `name`? Shell rules: a pattern in front
 * does not match a leading dot.
 */
export function componentCouldBe(component: readonly Piece[], name: string): boolean {
  const [first] = component;
  if (first?.kind === "glob" && name.startsWith(".") && !opensWithDot(first.pattern)) return false;
  if (first?.kind === "unknown" && first.shape === "token" && name.startsWith(".")) return false;
  return matchesGlob(createGlob(component.flatMap(tokensOf)), name);
}

/** The same under any options that a shell may have: a leading dot is no exception, and case makes no difference. */
export function componentCouldBeInAnyShell(component: readonly Piece[], name: string): boolean {
  const tokens = component.flatMap(tokensOf).map((token): GlobToken => {
    if (token.kind === "text") return { kind: "text", text: token.text.toLowerCase() };
    return token.kind === "one" ? token : { kind: "many" };
  });
  return matchesGlob(createGlob(tokens), name.toLowerCase());
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

function tokensOf(piece: Piece): readonly GlobToken[] {
  if (piece.kind === "text") return [piece];
  return piece.kind === "unknown" ? [{ kind: "many" }] : compileGlob(piece.pattern, "shell").tokens;
}

function opensWithDot(pattern: string): boolean {
  return pattern.startsWith(".") || pattern.startsWith("\\.");
}
