import { KEEPING_ESCAPES, QUOTE_ESCAPES } from "../../syntax/escapes.ts";
import { type HeredocRules, readHeredoc } from "../../syntax/heredoc.ts";
import { readBareVariable, readText } from "../../syntax/strings.ts";
import type { Lexer, LexerRules, SpecialToken, Token, TokenPiece } from "../../syntax/tokens.ts";
import { readInterpolation } from "../../syntax/tokens.ts";

export const LEXER_RULES: LexerRules = {
  lineComments: ["//", "#"],
  blockComments: [["/*", "*/"]],
  marks:
    "<=> **= ... <<= >>= === !== ??= ?-> -> => :: == != <> <= >= && || ?? ?: ++ -- += -= *= /= .= %= &= |= ^= << >> **",
  nameCharacters: "$\\",
  readSpecial,
};

function readSpecial(lexer: Lexer): SpecialToken | undefined {
  const { source } = lexer;
  const character = source.charAt(lexer.at);
  switch (character) {
    case "'":
      return readText(lexer, { escapes: QUOTE_ESCAPES });
    case '"':
    case "`":
      return readText(
        lexer,
        { escapes: KEEPING_ESCAPES, interpolate: readEmbedded },
        character === "`" ? "command" : "text",
      );
    case "<":
      return readHeredoc(lexer, HEREDOC);
    case "?":
      // Outside the tags is text that is printed.
      if (!source.startsWith("?>", lexer.at)) return undefined;
      lexer.at = tagEnd(source, lexer.at + 2);
      return { kind: "mark", text: ";", pieces: [] };
    default:
      return undefined;
  }
}

/** Behind the next opening tag, or the end of the text. */
export function tagEnd(source: string, at: number): number {
  const open = source.indexOf("<?", at);
  if (open === -1) return source.length;
  if (source.startsWith("<?php", open)) return open + 5;
  return open + (source.startsWith("<?=", open) ? 3 : 2);
}

/** `$x`, `$x->y`, `{$x->y()}`, `${x}` */
function readEmbedded(lexer: Lexer): TokenPiece | undefined {
  if (lexer.source.startsWith("{$", lexer.at)) {
    lexer.at += 1;
    return readInterpolation(lexer, "}") ?? "{";
  }
  if (lexer.source.charAt(lexer.at) !== "$") return undefined;
  return readBareVariable(lexer)?.map(quoteKey);
}

/** In a text the key of `$list[key]` stands without quotes. */
function quoteKey(token: Token): Token {
  const isKey = token.kind === "name" && !token.text.startsWith("$") && !token.isSpaced;
  return isKey ? { ...token, kind: "text", pieces: [token.text] } : token;
}

const HEREDOC: HeredocRules = {
  opening: /^<<<[ \t]*(?<quote>["']?)(?<tag>[A-Za-z_]\w*)\k<quote>/,
  escapes: KEEPING_ESCAPES,
  interpolate: readEmbedded,
};
