import type { Escapes } from "./escapes.ts";
import { step } from "./reading-budget.ts";
import { readQuoted } from "./strings.ts";
import { type Lexer, lineEnd, type SpecialToken, type TokenPiece } from "./tokens.ts";

/** How heredocs of a language are written. */
export interface HeredocRules {
  /** Finds the opening: groups `indent` (the closing tag may be indented), `quote` and `tag`. */
  readonly opening: RegExp;
  readonly escapes: Escapes;
  readonly interpolate: (lexer: Lexer) => TokenPiece | undefined;
}

interface Heredoc {
  readonly tag: string;
  readonly isIndented: boolean;
}

const MAX_OPENING = 80;

/** The heredoc that starts here. In single quotes everything is meant as it stands, in backticks it is a command. */
export function readHeredoc(lexer: Lexer, rules: HeredocRules): SpecialToken | undefined {
  const { source, at } = lexer;
  const match = rules.opening.exec(source.slice(at, Math.min(at + MAX_OPENING, lineEnd(source, at))));
  if (match === null) return undefined;
  lexer.at += match[0].length;
  const { indent, quote, tag, bare } = match.groups ?? {};
  const heredoc = { tag: tag ?? bare ?? "", isIndented: indent !== "" };
  const pieces = readLater(lexer, heredoc, quote === "'" ? undefined : rules);
  return { kind: quote === "`" ? "command" : "text", text: "", pieces };
}

/** No text holds it, so a body is read to its very end. */
const NEVER = "\u0000\u0000";

/** The pieces of a text whose body starts on the next line; they fill up when the tokeniser gets there. */
function readLater(lexer: Lexer, heredoc: Heredoc, rules: HeredocRules | undefined): TokenPiece[] {
  const pieces: TokenPiece[] = [];
  lexer.pending.push(later => {
    const found = findBody(later, heredoc);
    // Without its closing tag it was no heredoc, but an operator: the lines are code.
    if (found === undefined) return;
    const { body, end } = found;
    later.at = end;
    const inner: Lexer = { ...later, source: body, at: 0, tokens: [], pending: [] };
    pieces.push(
      ...readQuoted(inner, {
        close: NEVER,
        escapes: rules?.escapes,
        isVerbatim: rules === undefined,
        interpolate: rules?.interpolate,
      }),
    );
  });
  return pieces;
}

function findBody(lexer: Lexer, heredoc: Heredoc): { body: string; end: number } | undefined {
  const { source, at: start } = lexer;
  let at = start;
  while (at < source.length && step(lexer.budget)) {
    const end = lineEnd(source, at);
    const line = source.slice(at, end).replace(/\r$/, "");
    // PHP lets code follow the tag: `EOT;`.
    const name = (heredoc.isIndented ? line.trimStart() : line).replace(/[;,)].*$/, "");
    if (name === heredoc.tag) {
      return { body: source.slice(start, at), end: at + line.indexOf(name) + name.length };
    }
    at = end + 1;
  }
  return undefined;
}
