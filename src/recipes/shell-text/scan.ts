import { readPlaceholder } from "../values/template.ts";

/** The quoting a placeholder stands in. */
export type Quoting = "command" | "double" | "single" | "brace" | "arithmetic" | "heredoc" | "comment";

/** How a placeholder was found, for those who want to warn about it. */
export interface PlaceholderUse {
  readonly path: string;
  readonly quoting: Quoting;
  /** the words of the simple command around it, as written; complete once rendering has ended */
  readonly words: readonly string[];
  /** which of the words holds it; -1 in a here-document or a redirection of the command */
  readonly wordIndex: number;
}

/** What all scans of one script share. */
export interface Script {
  readonly variableFor: (path: string) => string;
  readonly uses: PlaceholderUse[];
  /** commands and quotes contain each other; this is how quotes reach commands */
  readonly scanCommands: (scan: Scan, close: ")" | undefined) => void;
  heredocCount: number;
  depth: number;
}

/** One pass over one text: read at `position`, write to `out`. */
export interface Scan {
  readonly script: Script;
  readonly source: string;
  position: number;
  readonly out: string[];
  words: string[];
  wordIndex: number;
}

/** More nesting than any person writes; the scanner recurses, so it needs an end. */
const NESTING_LIMIT = 200;

export class ShellNestingError extends Error {
  override readonly name = "ShellNestingError";

  constructor() {
    super(`Shell text is nested deeper than ${NESTING_LIMIT} levels`);
  }
}

export function startScan(script: Script, source: string, words: string[] = [], wordIndex = 0): Scan {
  return { script, source, position: 0, out: [], words, wordIndex };
}

export function nested(scan: Scan, read: () => void): void {
  if (++scan.script.depth > NESTING_LIMIT) throw new ShellNestingError();
  read();
  scan.script.depth--;
}

export function copy(scan: Scan, length: number): void {
  scan.out.push(scan.source.slice(scan.position, scan.position + length));
  scan.position += length;
}

/** A placeholder at the position, replaced by what `write` makes of its variable. */
export function takePlaceholder(scan: Scan, quoting: Quoting, write: (expansion: string) => string): boolean {
  const found = readPlaceholder(scan.source, scan.position);
  if (found === undefined) return false;
  const { script, words, wordIndex } = scan;
  script.uses.push({ path: found.path, quoting, words, wordIndex });
  scan.out.push(write(`\${${script.variableFor(found.path)}-}`));
  scan.position = found.end;
  return true;
}

/** `\{{name}}` where a backslash escapes the next character; other escapes are copied as they are. */
export function takeEscape(scan: Scan): void {
  const literal = readPlaceholder(scan.source, scan.position + 1);
  if (literal === undefined) {
    copy(scan, 2);
    return;
  }
  scan.position++;
  copy(scan, literal.end - scan.position);
}

/** The same where backslashes are ordinary characters: an odd number of them before a placeholder escapes it. */
export function takeLiteralBackslashes(scan: Scan, write: (backslashes: string) => string): void {
  let end = scan.position;
  while (scan.source[end] === "\\") end++;
  const count = end - scan.position;
  const literal = readPlaceholder(scan.source, end);
  const isEscaping = literal !== undefined && count % 2 === 1;
  scan.out.push(write("\\".repeat(isEscaping ? count - 1 : count)));
  scan.position = end;
  if (isEscaping) copy(scan, literal.end - end);
}

export const asWord = (expansion: string): string => `"${expansion}"`;
export const asText = (expansion: string): string => expansion;
