import { type Effort, step } from "../effort.ts";
import type { Node } from "../syntax/tree.ts";
import { NOTHING } from "../syntax/tree.ts";

/** Where the reader stands in PowerShell text. Words are bare there, so it reads characters, not tokens. */
export interface Scan {
  readonly source: string;
  readonly effort: Effort;
  at: number;
  depth: number;
}

const DEEPEST = 48;

export function charAt(scan: Scan, ahead = 0): string {
  return scan.source.charAt(scan.at + ahead);
}

export function startsWith(scan: Scan, text: string): boolean {
  return scan.source.startsWith(text, scan.at);
}

export function isAtEnd(scan: Scan): boolean {
  return scan.at >= scan.source.length || !step(scan.effort);
}

export function takeIf(scan: Scan, text: string): boolean {
  if (!startsWith(scan, text)) return false;
  scan.at += text.length;
  return true;
}

/** Blanks, continued lines and comments; newlines too where they mean nothing. */
export function skipBlanks(scan: Scan, hasNewlines = false): void {
  const { source } = scan;
  while (scan.at < source.length) {
    const character = charAt(scan);
    if (character === " " || character === "\t" || character === "\r") scan.at += 1;
    else if (character === "\n" && hasNewlines) scan.at += 1;
    else if (character === "`" && /^`\r?\n/.test(source.slice(scan.at, scan.at + 3)))
      scan.at = source.indexOf("\n", scan.at) + 1;
    else if (startsWith(scan, "<#")) {
      const end = source.indexOf("#>", scan.at);
      scan.at = end === -1 ? source.length : end + 2;
    } else if (character === "#" && !/[\w.)\]]/.test(source.charAt(scan.at - 1))) {
      const end = source.indexOf("\n", scan.at);
      scan.at = end === -1 ? source.length : end;
    } else return;
  }
}

/** One more level of brackets; too deep gives up on that part and says so. */
export function nested(scan: Scan, read: () => Node): Node {
  if (scan.depth >= DEEPEST) {
    scan.effort.isCutShort = true;
    scan.at += 1;
    return NOTHING;
  }
  scan.depth += 1;
  const node = read();
  scan.depth -= 1;
  return node;
}

/** The word at hand in lower case, not consumed: letters, digits and dashes. */
export function peekWord(scan: Scan): string {
  return (/^[A-Za-z][\w-]*/.exec(scan.source.slice(scan.at, scan.at + 80))?.[0] ?? "").toLowerCase();
}
