import { KEEPING_ESCAPES, QUOTE_ESCAPES } from "../syntax/escapes.ts";
import { readHeredocLater } from "../syntax/heredoc.ts";
import { readBareVariable, readQuoted } from "../syntax/strings.ts";
import type { Lexicon, Scan, SpecialToken, Token, TokenPiece } from "../syntax/tokens.ts";
import { lineEnd, readInterpolation } from "../syntax/tokens.ts";

export const LEXICON: Lexicon = {
  lineComments: ["//", "#"],
  blockComments: [["/*", "*/"]],
  marks: [
    "<=>",
    "**=",
    "...",
    "<<=",
    ">>=",
    "===",
    "!==",
    "??=",
    "?->",
    "->",
    "=>",
    "::",
    "==",
    "!=",
    "<>",
    "<=",
    ">=",
  ].concat([
    "&&",
    "||",
    "??",
    "?:",
    "++",
    "--",
    "+=",
    "-=",
    "*=",
    "/=",
    ".=",
    "%=",
    "&=",
    "|=",
    "^=",
    "<<",
    ">>",
    "**",
  ]),
  nameCharacters: "$\\",
  hasBackslashContinuation: false,
  readSpecial,
};

function readSpecial(scan: Scan): SpecialToken | undefined {
  const { source } = scan;
  const character = source.charAt(scan.at);
  switch (character) {
    case "'":
      scan.at += 1;
      return { kind: "text", text: "", pieces: readQuoted(scan, { close: "'", escapes: QUOTE_ESCAPES }) };
    case '"':
    case "`": {
      scan.at += 1;
      const pieces = readQuoted(scan, {
        close: character,
        escapes: KEEPING_ESCAPES,
        interpolate: readEmbedded,
      });
      return { kind: character === "`" ? "command" : "text", text: "", pieces };
    }
    case "<":
      return readHeredoc(scan);
    case "?":
      // Outside the tags is text that is printed.
      if (!source.startsWith("?>", scan.at)) return undefined;
      scan.at = tagEnd(source, scan.at + 2);
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
function readEmbedded(scan: Scan): TokenPiece | undefined {
  if (scan.source.startsWith("{$", scan.at)) {
    scan.at += 1;
    return readInterpolation(scan, "}") ?? "{";
  }
  if (scan.source.charAt(scan.at) !== "$") return undefined;
  return readBareVariable(scan)?.map(quoteKey);
}

/** In a text the key of `$list[key]` stands without quotes. */
function quoteKey(token: Token): Token {
  const isKey = token.kind === "name" && !token.text.startsWith("$") && !token.isSpaced;
  return isKey ? { ...token, kind: "text", pieces: [token.text] } : token;
}

function readHeredoc(scan: Scan): SpecialToken | undefined {
  const head = scan.source.slice(scan.at, Math.min(scan.at + 80, lineEnd(scan.source, scan.at)));
  const match = /^<<<[ \t]*(["']?)([A-Za-z_]\w*)\1/.exec(head);
  if (match === null) return undefined;
  scan.at += match[0].length;
  const isRaw = match[1] === "'";
  const pieces = readHeredocLater(scan, {
    tag: match[2] ?? "",
    isIndented: true,
    escapes: isRaw ? undefined : KEEPING_ESCAPES,
    interpolate: isRaw ? undefined : readEmbedded,
  });
  return { kind: "text", text: "", pieces };
}
