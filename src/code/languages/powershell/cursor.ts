import { type ReadingBudget, step } from "../../syntax/reading-budget.ts";
import { NOTHING, type Node } from "../../syntax/tree.ts";

/** Where the reader stands in PowerShell text. Words are bare there, so it reads characters, not tokens. */
export interface Cursor {
  readonly source: string;
  readonly budget: ReadingBudget;
  /** Reads the statement at hand. It is handed on, because values hold statements and statements hold values. */
  readonly readStatement: (cursor: Cursor) => Node;
  at: number;
  depth: number;
}

const MAX_DEPTH = 48;
const MAX_MATCH = 120;

export function charAt(cursor: Cursor, ahead = 0): string {
  return cursor.source.charAt(cursor.at + ahead);
}

export function startsWith(cursor: Cursor, text: string): boolean {
  return cursor.source.startsWith(text, cursor.at);
}

export function isAtEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.source.length || !step(cursor.budget);
}

export function takeIf(cursor: Cursor, text: string): boolean {
  if (!startsWith(cursor, text)) return false;
  cursor.at += text.length;
  return true;
}

/** What a pattern finds at this very place, consumed; it looks a bounded way ahead. */
export function takeMatch(cursor: Cursor, pattern: RegExp): RegExpExecArray | null {
  const match = pattern.exec(cursor.source.slice(cursor.at, cursor.at + MAX_MATCH));
  if (match !== null) cursor.at += match[0].length;
  return match;
}

/** Does a pattern fit at this very place? */
export function isAt(cursor: Cursor, pattern: RegExp): boolean {
  return pattern.test(cursor.source.slice(cursor.at, cursor.at + MAX_MATCH));
}

/** Reads what stands in front of `close`, which is consumed; always moves on. */
export function readUntil(cursor: Cursor, close: string, read: () => void): void {
  const isClosed = (): boolean => close !== "" && charAt(cursor) === close;
  for (skipBlanks(cursor, true); !isAtEnd(cursor) && !isClosed(); skipBlanks(cursor, true)) {
    const before = cursor.at;
    read();
    if (cursor.at === before) cursor.at += 1;
  }
  cursor.at += 1;
}

export function readStatements(cursor: Cursor, close: string): Node[] {
  const nodes: Node[] = [];
  readUntil(cursor, close, () => {
    if (takeIf(cursor, ";") || takeIf(cursor, "&&") || takeIf(cursor, "||")) return;
    nodes.push(cursor.readStatement(cursor));
  });
  return nodes;
}

/** One value, or a list of several with commas between them. */
export function readCommaList(cursor: Cursor, read: () => Node): Node {
  const items = [{ value: read() }];
  for (skipBlanks(cursor); !isAtEnd(cursor) && takeIf(cursor, ","); skipBlanks(cursor)) {
    skipBlanks(cursor, true);
    items.push({ value: read() });
  }
  const [only] = items;
  return items.length === 1 && only !== undefined ? only.value : { kind: "list", items };
}

/** Blanks, continued lines and comments; newlines too where they mean nothing. */
export function skipBlanks(cursor: Cursor, hasNewlines = false): void {
  const { source } = cursor;
  while (cursor.at < source.length) {
    const character = charAt(cursor);
    if (character === " " || character === "\t" || character === "\r") cursor.at += 1;
    else if (character === "\n" && hasNewlines) cursor.at += 1;
    else if (character === "`" && /^`\r?\n/.test(source.slice(cursor.at, cursor.at + 3)))
      cursor.at = source.indexOf("\n", cursor.at) + 1;
    else if (startsWith(cursor, "<#")) {
      const end = source.indexOf("#>", cursor.at);
      cursor.at = end === -1 ? source.length : end + 2;
    } else if (character === "#" && !/[\w.)\]]/.test(source.charAt(cursor.at - 1))) {
      const end = source.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? source.length : end;
    } else return;
  }
}

/** One more level of brackets; too deep gives up on that part and says so. */
export function nested(cursor: Cursor, read: () => Node): Node {
  if (cursor.depth >= MAX_DEPTH) {
    cursor.budget.isCutShort = true;
    cursor.at += 1;
    return NOTHING;
  }
  cursor.depth += 1;
  const node = read();
  cursor.depth -= 1;
  return node;
}
