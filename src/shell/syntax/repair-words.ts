/** Shell text that is being written anew in the grammar of bash, and how far it was read. */
export interface Repair {
  readonly source: string;
  readonly isFish: boolean;
  at: number;
  readonly out: string[];
  /** the end of what was written */
  tail: string;
  /** the last places of the words that begin a body in bash */
  readonly lastThen: number;
  readonly lastDo: number;
  readonly blocks: Block[];
  /** a command begins here */
  isStart: boolean;
  /** here-documents whose text begins with the next line */
  readonly documents: { readonly end: string; readonly stripsTabs: boolean }[];
  /** where a quote begins that nothing ends */
  openQuote: number | undefined;
  /** something has no place in any shell, so that this may be another language */
  isOdd: boolean;
}

/** A compound command that was opened. */
export interface Block {
  readonly kind: "loop" | "if" | "case" | "switch" | "group" | "parentheses" | "substitution";
  /** the condition of a loop or an `if`, the pattern of a `case`, or what runs */
  part: "condition" | "pattern" | "body";
  /** written without `then` and `do` */
  isShort: boolean;
}

export const ENDS_WORD = /[\s;&|<>()]/;

export function peek({ source, at }: Repair, offset = 0): string {
  return source[at + offset] ?? "";
}

export function isDone({ source, at }: Repair): boolean {
  return at >= source.length;
}

/** Moves over blanks and joined lines; with `lines`, over separators of commands as well. */
export function skipBlanks(repair: Repair, lines = false): void {
  for (; !isDone(repair); repair.at += 1) {
    if (peek(repair) === "\\" && peek(repair, 1) === "\n") repair.at += 1;
    else if (!(lines ? /[\s;]/ : /[ \t]/).test(peek(repair))) return;
  }
}

/** The word that comes next, which is not taken. */
export function nextWord(repair: Repair, lines = false): string {
  const { at } = repair;
  skipBlanks(repair, lines);
  let end = repair.at;
  while (end < repair.source.length && !ENDS_WORD.test(repair.source[end] ?? "")) end += 1;
  const word = repair.source.slice(repair.at, end);
  repair.at = at;
  return word;
}

/** Takes a word with its quotes and substitutions; a quote that is open at the end is closed. */
export function takeWord(repair: Repair): string {
  const start = repair.at;
  let added = "";
  while (!isDone(repair) && !ENDS_WORD.test(peek(repair))) added = takePart(repair);
  return repair.source.slice(start, repair.at) + added;
}

function takePart(repair: Repair): string {
  const character = peek(repair);
  if (character === "\\") repair.at = Math.min(repair.at + 2, repair.source.length);
  else if (character === "'" || character === '"' || character === "`") return takeQuoted(repair, character);
  else if (character === "$" && (peek(repair, 1) === "(" || peek(repair, 1) === "{"))
    return takeBalanced(repair, repair.at + 1);
  else repair.at += 1;
  return "";
}

/** Answers what is missing at the end of the text. */
function takeQuoted(repair: Repair, quote: string): string {
  const start = repair.at;
  const isLiteral = quote === "'";
  let missing = "";
  repair.at += 1;
  while (!isDone(repair) && peek(repair) !== quote) {
    const isEscape = peek(repair) === "\\" && (!isLiteral || repair.isFish);
    const isInner = !isLiteral && /^(?:`|\$[({])/.test(peek(repair) + peek(repair, 1));
    if (isInner) missing = takePart(repair);
    else repair.at = Math.min(repair.at + (isEscape ? 2 : 1), repair.source.length);
  }
  if (!isDone(repair)) {
    repair.at += 1;
    return "";
  }
  repair.openQuote = Math.min(start, repair.openQuote ?? start);
  // A backslash at the very end would take the quote for itself.
  return `${missing}${/(?:^|[^\\])\\$/.test(repair.source) && !isLiteral ? "\\" : ""}${quote}`;
}

/** From an opening bracket to the one that closes it. Answers what is missing at the end of the text. */
export function takeBalanced(repair: Repair, from: number): string {
  const opening = repair.source[from] ?? "(";
  const closing = opening === "(" ? ")" : "}";
  let depth = 0;
  let added = "";
  for (repair.at = from; !isDone(repair); ) {
    const character = peek(repair);
    if (character === opening) depth += 1;
    else if (character === closing) depth -= 1;
    if (character === "\\" || character === "'" || character === '"' || character === "`")
      added = takePart(repair);
    else repair.at += 1;
    if (depth === 0) return "";
  }
  return added + closing.repeat(Math.max(depth, 0));
}
