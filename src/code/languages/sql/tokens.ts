import { type ReadingBudget, step } from "../../syntax/reading-budget.ts";

/** Which database reads the text: they quote and comment differently. */
export type SqlDialect = "postgres" | "mysql" | "sqlite" | "sqlserver" | "other";

/** `word`: a bare identifier or keyword; `name`: a quoted identifier; `text`: a string literal. */
export interface SqlToken {
  readonly kind: "word" | "name" | "text" | "number" | "mark";
  /** Without quotes; words as written. */
  readonly text: string;
  readonly at: number;
  readonly startsLine: boolean;
}

/** Cut SQL into tokens; comments vanish, except those that MySQL runs. */
export function tokeniseSql(source: string, dialect: SqlDialect, budget: ReadingBudget): SqlToken[] {
  const tokens: SqlToken[] = [];
  let at = 0;
  let startsLine = true;
  const push = (kind: SqlToken["kind"], text: string, end: number): void => {
    tokens.push({ kind, text, at, startsLine });
    startsLine = false;
    at = end;
  };
  while (at < source.length && step(budget)) {
    const character = source.charAt(at);
    const blank = blankEnd(source, at, dialect);
    if (blank !== undefined) {
      startsLine ||= source.slice(at, blank).includes("\n");
      at = blank;
      continue;
    }
    const word = /^[\p{L}_\ue000-\uf8ff][\p{L}\p{N}_$\ue000-\uf8ff]*/u.exec(source.slice(at, at + 200))?.[0];
    if (word !== undefined && !(isEscapePrefix(word) && source.charAt(at + word.length) === "'")) {
      push("word", word, at + word.length);
    } else if (word !== undefined || character === "'") {
      const start = at + (word?.length ?? 0);
      const hasBackslash = dialect === "mysql" || word?.toLowerCase() === "e";
      const end = quoteEnd(source, start, "'", hasBackslash);
      push("text", unquoted(source.slice(start + 1, end - 1), "'", hasBackslash), end);
    } else if (character === '"' || character === "`") {
      const isText = character === '"' && dialect === "mysql";
      const end = quoteEnd(source, at, character, isText);
      push(isText ? "text" : "name", unquoted(source.slice(at + 1, end - 1), character, isText), end);
    } else if (character === "[" && dialect === "sqlserver") {
      const end = quoteEnd(source, at, "]", false);
      push("name", source.slice(at + 1, end - 1), end);
    } else if (character === "$" && dialect !== "mysql" && dollarTag(source, at) !== undefined) {
      const tag = dollarTag(source, at) ?? "$$";
      const close = source.indexOf(tag, at + tag.length);
      const end = close === -1 ? source.length : close + tag.length;
      push("text", source.slice(at + tag.length, close === -1 ? end : close), end);
    } else if (character >= "0" && character <= "9") {
      const digits = /^[\w.]+/.exec(source.slice(at, at + 100))?.[0] ?? character;
      push("number", digits, at + digits.length);
    } else push("mark", character, at + 1);
  }
  return tokens;
}

function isEscapePrefix(word: string): boolean {
  return /^(?:[eEnNbBxX]|_utf8)$/.test(word);
}

/** End of the blank or comment at `at`, if one is there. */
function blankEnd(source: string, at: number, dialect: SqlDialect): number | undefined {
  const character = source.charAt(at);
  if (/\s/.test(character)) return at + 1;
  const isLine = source.startsWith("--", at) || (character === "#" && dialect === "mysql");
  if (isLine) {
    const end = source.indexOf("\n", at);
    return end === -1 ? source.length : end;
  }
  // `/*!50000 DROP … */` runs in MySQL: only its frame is a comment.
  const conditional = dialect === "mysql" ? /^\/\*!\d*/.exec(source.slice(at, at + 12))?.[0] : undefined;
  if (conditional !== undefined) return at + conditional.length;
  if (source.startsWith("*/", at) && dialect === "mysql") return at + 2;
  if (!source.startsWith("/*", at)) return undefined;
  const end = source.indexOf("*/", at + 2);
  return end === -1 ? source.length : end + 2;
}

/** Behind the closing quote; a doubled quote goes on. */
function quoteEnd(source: string, start: number, close: string, hasBackslash: boolean): number {
  let at = start + 1;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === "\\" && hasBackslash) at += 2;
    else if (character !== close) at += 1;
    else if (source.charAt(at + 1) === close) at += 2;
    else return at + 1;
  }
  return source.length + 1;
}

function unquoted(body: string, quote: string, hasBackslash: boolean): string {
  const single = body.replaceAll(quote + quote, quote);
  return hasBackslash ? single.replace(/\\(.)/gs, "$1") : single;
}

function dollarTag(source: string, at: number): string | undefined {
  return /^\$(?:[A-Za-z_]\w{0,60})?\$/.exec(source.slice(at, at + 64))?.[0];
}
