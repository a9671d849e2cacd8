import { holdsPlaceholder, readPlaceholder } from "../values/template.ts";
import { scanQuotedCharacter } from "./quoting.ts";
import { asText, copy, type Scan, startScan, takeLiteralBackslashes, takePlaceholder } from "./scan.ts";

/** A `<<` whose body comes after the next line break. */
export interface Heredoc {
  readonly delimiter: string;
  /** the delimiter was quoted, so the shell expands nothing in the body */
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  /** where the delimiter stands in `out`, to be replaced */
  readonly outIndex: number;
  readonly words: string[];
}

/** Reads `<<WORD` or `<<-WORD` at the position. */
export function takeHeredocOperator(scan: Scan): Heredoc {
  const stripsTabs = scan.source[scan.position + 2] === "-";
  copy(scan, stripsTabs ? 3 : 2);
  while (scan.source[scan.position] === " " || scan.source[scan.position] === "\t") copy(scan, 1);
  const start = scan.position;
  let delimiter = "";
  let isQuoted = false;
  while (scan.position < scan.source.length) {
    const character = scan.source[scan.position] ?? "";
    if (/[\s;&|<>()]/.test(character)) break;
    if (character === "\\") {
      isQuoted = true;
      delimiter += scan.source[scan.position + 1] ?? "";
      scan.position += 2;
    } else if (character === "'" || character === '"') {
      isQuoted = true;
      const close = scan.source.indexOf(character, scan.position + 1);
      const end = close < 0 ? scan.source.length : close;
      delimiter += scan.source.slice(scan.position + 1, end);
      scan.position = end + 1;
    } else {
      const placeholder = readPlaceholder(scan.source, scan.position);
      const end = placeholder?.end ?? scan.position + 1;
      delimiter += scan.source.slice(scan.position, end);
      scan.position = end;
    }
  }
  scan.position = Math.min(scan.position, scan.source.length);
  const outIndex = scan.out.push(scan.source.slice(start, scan.position)) - 1;
  return { delimiter, isQuoted, stripsTabs, outIndex, words: scan.words };
}

/**
 * The body at the position, up to and including the line of the delimiter. A quoted body that holds placeholders
 * becomes an unquoted one with everything else escaped, under a new delimiter: the shell looks for the end before
 * it expands anything, so no value can end the body.
 */
export function takeHeredocBody(scan: Scan, heredoc: Heredoc): void {
  const { body, closing } = splitBody(scan, heredoc);
  const hasPlaceholder = holdsPlaceholder(body);
  const needsDelimiter = (heredoc.isQuoted && hasPlaceholder) || holdsPlaceholder(heredoc.delimiter);
  const inner = startScan(scan.script, body, heredoc.words, -1);
  if (!hasPlaceholder) inner.out.push(body);
  else if (heredoc.isQuoted) scanQuotedBody(inner);
  else while (inner.position < body.length) scanQuotedCharacter(inner, "heredoc");
  scan.out.push(inner.out.join(""));
  if (!needsDelimiter) {
    scan.out.push(closing);
    return;
  }
  const delimiter = freshDelimiter(scan, body);
  const quote = heredoc.isQuoted && !hasPlaceholder ? "'" : "";
  scan.out[heredoc.outIndex] = `${quote}${delimiter}${quote}`;
  if (closing !== "") scan.out.push(delimiter, closing.endsWith("\n") ? "\n" : "");
}

function scanQuotedBody(inner: Scan): void {
  const escapeAll = (text: string) => text.replace(/[\\$`]/g, "\\$&");
  while (inner.position < inner.source.length) {
    const character = inner.source[inner.position] ?? "";
    if (character === "\\") takeLiteralBackslashes(inner, escapeAll);
    else if (!takePlaceholder(inner, "heredoc", asText)) {
      inner.out.push(escapeAll(character));
      inner.position++;
    }
  }
}

function splitBody(scan: Scan, heredoc: Heredoc): { body: string; closing: string } {
  const start = scan.position;
  let isContinued = false;
  while (scan.position < scan.source.length) {
    const lineStart = scan.position;
    const lineBreak = scan.source.indexOf("\n", lineStart);
    const lineEnd = lineBreak < 0 ? scan.source.length : lineBreak;
    const line = scan.source.slice(lineStart, lineEnd);
    scan.position = Math.min(lineEnd + 1, scan.source.length);
    const candidate = heredoc.stripsTabs ? line.replace(/^\t+/, "") : line;
    if (!isContinued && candidate === heredoc.delimiter) {
      return {
        body: scan.source.slice(start, lineStart),
        closing: scan.source.slice(lineStart, scan.position),
      };
    }
    isContinued = !heredoc.isQuoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
  }
  return { body: scan.source.slice(start), closing: "" };
}

function freshDelimiter(scan: Scan, body: string): string {
  for (;;) {
    const delimiter = `RECIPE_TEXT_${++scan.script.heredocCount}`;
    if (!body.includes(delimiter)) return delimiter;
  }
}
