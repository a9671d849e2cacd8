import { step } from "../effort.ts";
import type { Escapes } from "./escapes.ts";
import { readQuoted } from "./strings.ts";
import type { Scan, TokenPiece } from "./tokens.ts";
import { lineEnd } from "./tokens.ts";

export interface Heredoc {
  readonly tag: string;
  /** The closing tag may be indented. */
  readonly isIndented: boolean;
  readonly escapes: Escapes | undefined;
  readonly interpolate: ((scan: Scan) => TokenPiece | undefined) | undefined;
}

/** No text holds it, so a body is read to its very end. */
const NEVER = "\u0000\u0000";

/** The pieces of a text whose body starts on the next line; they fill up when the tokeniser gets there. */
export function readHeredocLater(scan: Scan, heredoc: Heredoc): TokenPiece[] {
  const pieces: TokenPiece[] = [];
  scan.pending.push(later => {
    const found = findBody(later, heredoc);
    // Without its closing tag it was no heredoc, but an operator: the lines are code.
    if (found === undefined) return;
    const { body, end } = found;
    later.at = end;
    const inner: Scan = { ...later, source: body, at: 0, tokens: [], pending: [] };
    pieces.push(
      ...readQuoted(inner, {
        close: NEVER,
        escapes: heredoc.escapes,
        isVerbatim: heredoc.escapes === undefined,
        interpolate: heredoc.interpolate,
      }),
    );
  });
  return pieces;
}

function findBody(scan: Scan, heredoc: Heredoc): { body: string; end: number } | undefined {
  const { source, at: start } = scan;
  let at = start;
  while (at < source.length && step(scan.effort)) {
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
