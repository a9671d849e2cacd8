import { type ReadingBudget, step } from "../../syntax/reading-budget.ts";
import { NOTHING, type Node } from "../../syntax/tree.ts";

/** Where the reader stands in PowerShell text. Words are bare there, so it reads characters, not tokens. */
export interface Lexer {
  readonly source: string;
  readonly budget: ReadingBudget;
  at: number;
  depth: number;
}

const MAX_DEPTH = 48;

export function charAt(lexer: Lexer, ahead = 0): string {
  return lexer.source.charAt(lexer.at + ahead);
}

export function startsWith(lexer: Lexer, text: string): boolean {
  return lexer.source.startsWith(text, lexer.at);
}

export function isAtEnd(lexer: Lexer): boolean {
  return lexer.at >= lexer.source.length || !step(lexer.budget);
}

export function takeIf(lexer: Lexer, text: string): boolean {
  if (!startsWith(lexer, text)) return false;
  lexer.at += text.length;
  return true;
}

/** Blanks, continued lines and comments; newlines too where they mean nothing. */
export function skipBlanks(lexer: Lexer, hasNewlines = false): void {
  const { source } = lexer;
  while (lexer.at < source.length) {
    const character = charAt(lexer);
    if (character === " " || character === "\t" || character === "\r") lexer.at += 1;
    else if (character === "\n" && hasNewlines) lexer.at += 1;
    else if (character === "`" && /^`\r?\n/.test(source.slice(lexer.at, lexer.at + 3)))
      lexer.at = source.indexOf("\n", lexer.at) + 1;
    else if (startsWith(lexer, "<#")) {
      const end = source.indexOf("#>", lexer.at);
      lexer.at = end === -1 ? source.length : end + 2;
    } else if (character === "#" && !/[\w.)\]]/.test(source.charAt(lexer.at - 1))) {
      const end = source.indexOf("\n", lexer.at);
      lexer.at = end === -1 ? source.length : end;
    } else return;
  }
}

/** One more level of brackets; too deep gives up on that part and says so. */
export function nested(lexer: Lexer, read: () => Node): Node {
  if (lexer.depth >= MAX_DEPTH) {
    lexer.budget.isCutShort = true;
    lexer.at += 1;
    return NOTHING;
  }
  lexer.depth += 1;
  const node = read();
  lexer.depth -= 1;
  return node;
}

/** The word at hand in lower case, not consumed: letters, digits and dashes. */
export function peekWord(lexer: Lexer): string {
  return (/^[A-Za-z][\w-]*/.exec(lexer.source.slice(lexer.at, lexer.at + 80))?.[0] ?? "").toLowerCase();
}
