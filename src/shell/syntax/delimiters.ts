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

/** What may stand in front of the first character of a word, and behind its last; nothing at the ends of the text. */
const BEFORE_WORD = /^[\s;&|()]?$/;
const BEHIND_WORD = /^[\s;&|()<>]?$/;

/** `<<END`, `<<-END`, `<<'END'`, `<<"END"`, `<<\END`. */
const HERE_DOCUMENT = /^<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([^\s;&|()<>'"]+))/;
/** An operator longer than this is no here-document. */
const MAX_OPERATOR_CHARS = 256;
/** Here-documents inside substitutions of here-documents that are looked into. */
const MAX_DOCUMENT_DEPTH = 8;

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
export function checkDelimiters(source: string, maxTokens: number = LIMITS.tokens): DelimiterCheck {
  return new DelimiterScanner(source, maxTokens, 0).scan();
}

class DelimiterScanner {
  private readonly source: string;
  private readonly maxTokens: number;
  private readonly documentDepth: number;
  private readonly open: Opening[] = [];
  /** what is open when the text begins: the body of a here-document is expanded as if it stood in quotes */
  private readonly outermost: number;
  private readonly caseArguments: number[] = [];
  private readonly documents: WaitingDocument[] = [];
  private isCommandStart = true;
  private lastWord = "";
  private index = 0;
  private isBroken = false;
  private tokens = 0;

  constructor(source: string, maxTokens: number, documentDepth: number) {
    this.source = source;
    this.maxTokens = maxTokens;
    this.documentDepth = documentDepth;
    if (documentDepth > 0) this.open.push('"');
    this.outermost = this.open.length;
  }

  scan(): DelimiterCheck {
    const { source, open, outermost, caseArguments } = this;
    for (; this.index < source.length && this.tokens <= this.maxTokens; this.index += 1) this.readNext();
    return { isClosed: open.length === outermost && !this.isBroken, caseArguments, tokens: this.tokens };
  }

  /** Reads what begins at the index, and leaves the index on its last character. */
  private readNext(): void {
    const { source, open, index } = this;
    const character = source[index] ?? "";
    const next = source[index + 1];
    const inside = open.at(-1);
    if (character === "\\") {
      this.index += 1;
      this.isCommandStart = false;
    } else if (character === "`") {
      if (inside === "`") open.pop();
      else this.begin("`");
    } else if (character === "$" && (next === "(" || next === "{")) {
      this.begin(next === "(" ? "$" : "{");
      this.index += 1;
    } else if (inside === '"') this.readInQuotes(character);
    else if (character === '"') this.begin('"');
    else if (character === "$" && next === "'") this.skipEscapedQuotes();
    else if (inside === "{") this.readInParameter(character);
    else this.readInCommand(character);
  }

  private readInQuotes(character: string): void {
    if (character !== '"') this.index = this.findEnd(PLAIN_IN_QUOTES, this.index + 1) - 1;
    else if (this.open.length > this.outermost) this.open.pop();
  }

  private readInParameter(character: string): void {
    if (character === "}") this.open.pop();
    else this.index = this.findEnd(PLAIN_IN_QUOTES, this.index + 1) - 1;
  }

  private readInCommand(character: string): void {
    const before = this.source[this.index - 1] ?? "";
    if (character === "'") this.skipQuotes();
    else if (character === "(") this.begin(before === "<" || before === ">" ? "$" : "(");
    else if (character === ")") this.closeParenthesis();
    else if (character === "#" && BEFORE_WORD.test(before)) this.index = this.lineEnd(this.index) - 1;
    else if (this.isHereDocument()) this.readHereDocument();
    else if (character === "\n") {
      this.skipDocuments();
      this.isCommandStart = true;
    } else if (";&|".includes(character)) {
      this.tokens += 1;
      this.isCommandStart = true;
    } else if (character !== " " && !/\s/.test(character)) this.readWord();
  }

  private begin(opening: Opening): void {
    this.tokens += 1;
    this.open.push(opening);
    this.isCommandStart = opening === "(" || opening === "$" || opening === "`";
  }

  private closeParenthesis(): void {
    const inside = this.open.at(-1);
    if (inside === "(" || inside === "$") this.open.pop();
    this.isCommandStart = inside !== "$";
  }

  /** `'…'` */
  private skipQuotes(): void {
    this.closeQuotes(this.source.indexOf("'", this.index + 1));
  }

  /** `$'…'` */
  private skipEscapedQuotes(): void {
    let end = this.findEnd(PLAIN_IN_ESCAPED_QUOTES, this.index + 2);
    while (this.source[end] === "\\") end = this.findEnd(PLAIN_IN_ESCAPED_QUOTES, end + 2);
    this.closeQuotes(end);
  }

  private closeQuotes(end: number): void {
    const { source } = this;
    this.tokens += 1;
    this.isCommandStart = false;
    this.index = end < 0 ? source.length : end;
    if (this.index >= source.length) this.isBroken = true;
  }

  /** `<<`, but not `<<<`. */
  private isHereDocument(): boolean {
    const { source, index } = this;
    return source.startsWith("<<", index) && source[index + 2] !== "<" && source[index - 1] !== "<";
  }

  private readHereDocument(): void {
    const operator = this.source.slice(this.index, this.index + MAX_OPERATOR_CHARS);
    const match = HERE_DOCUMENT.exec(operator);
    this.tokens += 1;
    if (match === null) return;
    const [written, dash, inSingle, inDouble, bare] = match;
    this.documents.push({
      end: inSingle ?? inDouble ?? bare ?? "",
      stripsTabs: dash === "-",
      isQuoted: bare === undefined || written.includes("\\"),
    });
    this.index += written.length - 1;
  }

  /** From the newline at the index to the end of the bodies that begin behind it. What the shell expands is read, too. */
  private skipDocuments(): void {
    const { source } = this;
    for (const { end, stripsTabs, isQuoted } of this.documents.splice(0)) {
      const start = this.index + 1;
      let bodyEnd = start;
      for (let isEnd = false; !isEnd && this.index < source.length; ) {
        const stop = this.lineEnd(this.index + 1);
        const written = source.slice(this.index + 1, stop);
        isEnd = (stripsTabs ? written.replace(/^\t+/, "") : written) === end;
        bodyEnd = isEnd ? this.index : stop;
        this.index = stop;
      }
      if (!isQuoted && this.documentDepth < MAX_DOCUMENT_DEPTH)
        this.readBody(start, source.slice(start, Math.max(start, bodyEnd)));
    }
  }

  private readBody(start: number, text: string): void {
    const body = new DelimiterScanner(text, this.maxTokens - this.tokens, this.documentDepth + 1).scan();
    this.caseArguments.push(...body.caseArguments.map(at => at + start));
    this.tokens += body.tokens;
  }

  /** A run of plain characters. Only a whole word that ends here can be `case`. */
  private readWord(): void {
    const { source, index: start } = this;
    this.index = this.findEnd(PLAIN_CHARACTERS, start + 1) - 1;
    const word = source.slice(start, this.index + 1);
    this.tokens += PATTERN.test(word) ? LIMITS.tokensOfPattern : 1;
    const isWhole = () =>
      BEFORE_WORD.test(source[start - 1] ?? "") && BEHIND_WORD.test(source[this.index + 1] ?? "");
    if (word === "case" && !this.isCommandStart && !BEFORE_NAME.has(this.lastWord) && isWhole())
      this.caseArguments.push(start);
    this.isCommandStart = this.isCommandStart && BEFORE_COMMAND.has(word) && isWhole();
    this.lastWord = word;
  }

  /** Where the run of such characters ends that begins here. */
  private findEnd(characters: RegExp, from: number): number {
    characters.lastIndex = from;
    return characters.test(this.source) ? characters.lastIndex : this.source.length;
  }

  private lineEnd(from: number): number {
    const newline = this.source.indexOf("\n", from);
    return newline < 0 ? this.source.length : newline;
  }
}
