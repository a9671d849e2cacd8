import { LIMITS } from "../limits.ts";

/** What a plain look at shell text tells, without a grammar. */
export interface DelimiterCheck {
  /** Every quote and substitution that was opened is closed again. */
  readonly isClosed: boolean;
  /** Where the word `case` stands as an argument, not as a keyword. */
  readonly caseArguments: readonly number[];
  /** words, quoted parts and operators; what follows the last that may be parsed was not looked at */
  readonly tokens: number;
}

/** Words behind which a command begins. */
const BEFORE_COMMAND = new Set("if then elif else do while until ! time {".split(" "));
/** Words behind which a name follows that must stay as it is. */
const BEFORE_NAME = new Set(["for", "select", "function", "coproc"]);

/**
 * The rest of a word, as far as nothing in it is special; likewise of what is quoted and of a parameter. A search is quick
 * in every engine, where a step for each character is not.
 */
const PLAIN_CHARACTERS = /[^\s;&|()<>'"`$\\]*/y;
const PLAIN_IN_QUOTES = /[^\\"`$}]*/y;
const PLAIN_IN_ESCAPED_QUOTES = /[^\\']*/y;

/** A word with one of these may be a pattern; `[` and `[[` are commands, `$?` and `$*` variables. */
const PATTERN = /^(?!\$)[\s\S]*(?:[*?]|\[[^[])/;

/** Here-documents inside substitutions of here-documents that are looked into. */
const DOCUMENTS = 8;

interface WaitingDocument {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly isQuoted: boolean;
}

/** `$` is a substitution, `(` a subshell or list. */
type Opening = "$" | "(" | "{" | '"' | "`";

/**
 * Walks over text once, keeping only what is open. It is a second opinion on the parser, which may take a text
 * for unfinished that is not: a word that the shell runs must never be waved through as refused.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one scanner, whose cases share what is open
export function checkDelimiters(
  source: string,
  maxTokens: number = LIMITS.tokens,
  documentDepth = 0,
): DelimiterCheck {
  const isDocument = documentDepth > 0;
  const open: Opening[] = isDocument ? ['"'] : [];
  const caseArguments: number[] = [];
  const documents: WaitingDocument[] = [];
  let isCommandStart = true;
  let lastWord = "";
  let index = 0;
  let isBroken = false;
  let tokens = 0;

  const skipQuoted = (from: number, hasEscapes: boolean) => {
    tokens += 1;
    if (hasEscapes) {
      index = skip(PLAIN_IN_ESCAPED_QUOTES, from);
      while (source[index] === "\\") index = skip(PLAIN_IN_ESCAPED_QUOTES, index + 2);
    } else index = source.indexOf("'", from);
    if (index < 0) index = source.length;
    if (index >= source.length) isBroken = true;
    isCommandStart = false;
  };
  const skipDocuments = () => {
    for (const { end, stripsTabs, isQuoted } of documents.splice(0)) {
      const start = index + 1;
      let bodyEnd = start;
      for (let isEnd = false; !isEnd && index < source.length; ) {
        const newline = source.indexOf("\n", index + 1);
        const stop = newline < 0 ? source.length : newline;
        const written = source.slice(index + 1, stop);
        isEnd = (stripsTabs ? written.replace(/^\t+/, "") : written) === end;
        bodyEnd = isEnd ? index : stop;
        index = stop;
      }
      if (isQuoted || documentDepth >= DOCUMENTS) continue;
      const inner = source.slice(start, Math.max(start, bodyEnd));
      const body = checkDelimiters(inner, maxTokens - tokens, documentDepth + 1);
      caseArguments.push(...body.caseArguments.map(at => at + start));
      tokens += body.tokens;
    }
  };
  const begin = (opening: Opening) => {
    tokens += 1;
    open.push(opening);
    isCommandStart = opening === "(" || opening === "$" || opening === "`";
  };

  for (; index < source.length && tokens <= maxTokens; index += 1) {
    const character = source[index] ?? "";
    const next = source[index + 1];
    const inside = open.at(-1);
    if (character === "\\") {
      index += 1;
      isCommandStart = false;
    } else if (inside === '"' && character === '"') {
      if (!isDocument || open.length > 1) open.pop();
    } else if (character === "`") {
      if (inside === "`") open.pop();
      else begin("`");
    } else if (character === "$" && next === "(") {
      begin("$");
      index += 1;
    } else if (character === "$" && next === "{") {
      begin("{");
      index += 1;
    } else if (inside === "{" && character === "}") open.pop();
    else if (inside === '"') index = skip(PLAIN_IN_QUOTES, index + 1) - 1;
    else if (character === '"') {
      begin('"');
    } else if (character === "$" && next === "'") skipQuoted(index + 2, true);
    else if (character === "'" && inside !== "{") skipQuoted(index + 1, false);
    else if (inside === "{") index = skip(PLAIN_IN_QUOTES, index + 1) - 1;
    else if (character === "(") begin(/[<>]/.test(source[index - 1] ?? "") ? "$" : "(");
    else if (character === ")") {
      if (inside === "(" || inside === "$") open.pop();
      isCommandStart = inside !== "$";
    } else if (character === "#" && /^[\s;&|()]?$/.test(source[index - 1] ?? "")) {
      const newline = source.indexOf("\n", index);
      index = (newline < 0 ? source.length : newline) - 1;
    } else if (character === "<" && next === "<" && source[index + 2] !== "<" && source[index - 1] !== "<") {
      const match = /^<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([^\s;&|()<>'"]+))/.exec(
        source.slice(index, index + 256),
      );
      tokens += 1;
      if (match !== null) {
        const end = match[2] ?? match[3] ?? match[4] ?? "";
        documents.push({
          end,
          stripsTabs: match[1] === "-",
          isQuoted: match[4] === undefined || match[0].includes("\\"),
        });
        index += match[0].length - 1;
      }
    } else if (character === "\n") {
      skipDocuments();
      isCommandStart = true;
    } else if (";&|".includes(character)) {
      tokens += 1;
      isCommandStart = true;
    } else if (character !== " " && !/\s/.test(character)) readWord();
  }
  return { isClosed: open.length === (isDocument ? 1 : 0) && !isBroken, caseArguments, tokens };

  /** Where the run of such characters ends that begins here. */
  function skip(characters: RegExp, from: number): number {
    characters.lastIndex = from;
    return characters.test(source) ? characters.lastIndex : source.length;
  }

  /** A run of plain characters. Only a whole word that ends here can be `case`. */
  function readWord(): void {
    const start = index;
    index = skip(PLAIN_CHARACTERS, index + 1) - 1;
    const word = source.slice(start, index + 1);
    tokens += PATTERN.test(word) ? LIMITS.tokensOfPattern : 1;
    const isWhole = () =>
      /^[\s;&|()]?$/.test(source[start - 1] ?? "") && /^[\s;&|()<>]?$/.test(source[index + 1] ?? "");
    if (word === "case" && !isCommandStart && !BEFORE_NAME.has(lastWord) && isWhole())
      caseArguments.push(start);
    isCommandStart = isCommandStart && BEFORE_COMMAND.has(word) && isWhole();
    lastWord = word;
  }
}
