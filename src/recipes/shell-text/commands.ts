import { type Heredoc, takeHeredocBody, takeHeredocOperator } from "./heredoc.ts";
import {
  arithmeticEnd,
  scanArithmetic,
  scanBackticks,
  scanDollar,
  scanDouble,
  scanSingle,
} from "./quoting.ts";
import { asText, asWord, copy, nested, type Scan, takeEscape, takePlaceholder } from "./scan.ts";

/** Words after which the next word is again the first of a command. */
const INTRODUCERS: ReadonlySet<string> = new Set([
  "if",
  "then",
  "elif",
  "else",
  "do",
  "while",
  "until",
  "!",
  "{",
  "time",
  "coproc",
]);

type Case = "subject" | "pattern" | "body";

/**
 * Reads commands up to `close`, or to the end of the text. Of the grammar it knows what decides where quotes,
 * comments, here-documents and brackets begin and end: words, `case`, and the kinds of brackets.
 */
export function scanCommands(scan: Scan, close: ")" | undefined): void {
  nested(scan, () => new CommandScanner(scan, close, false).run());
}

class CommandScanner {
  private readonly scan: Scan;
  private readonly close: ")" | undefined;
  /** inside `name=(…)` and extended patterns there are words but no commands */
  private readonly isWordList: boolean;
  private readonly cases: Case[] = [];
  private readonly pending: Heredoc[] = [];
  private wordStart: number | undefined;
  private isCommandStart = true;
  private isRedirection = false;

  constructor(scan: Scan, close: ")" | undefined, isWordList: boolean) {
    this.scan = scan;
    this.close = close;
    this.isWordList = isWordList;
  }

  run(): void {
    const { scan } = this;
    const { words, wordIndex } = scan;
    this.startCommand();
    while (scan.position < scan.source.length) {
      if (this.takeOperator(scan.source[scan.position] ?? "")) {
        if (this.isClosed) break;
      } else this.takeWordPart(scan.source[scan.position] ?? "");
    }
    this.endWord();
    scan.words = words;
    scan.wordIndex = wordIndex;
  }

  private isClosed = false;

  private startCommand(): void {
    this.endWord();
    if (this.isWordList) return;
    this.isCommandStart = true;
    this.isRedirection = false;
    this.scan.words = [];
    this.scan.wordIndex = 0;
  }

  private startWord(): void {
    if (this.wordStart !== undefined) return;
    this.wordStart = this.scan.position;
    this.scan.wordIndex = this.isRedirection ? -1 : this.scan.words.length;
  }

  private endWord(): void {
    if (this.wordStart === undefined) return;
    const word = this.scan.source.slice(this.wordStart, this.scan.position);
    this.wordStart = undefined;
    if (this.isRedirection) {
      this.isRedirection = false;
      return;
    }
    this.scan.words.push(word);
    if (!this.isWordList) this.readReserved(word);
  }

  private readReserved(word: string): void {
    const { cases } = this;
    const innermost = cases.at(-1);
    if (innermost === "subject") {
      if (word === "in") cases[cases.length - 1] = "pattern";
    } else if (innermost === "pattern") {
      if (word === "esac") cases.pop();
    } else if (this.isCommandStart && word === "case") {
      cases.push("subject");
    } else if (this.isCommandStart && word === "esac" && innermost === "body") {
      cases.pop();
    } else if (word === "{" || (this.isCommandStart && INTRODUCERS.has(word))) {
      this.scan.words = [];
      return;
    }
    this.isCommandStart = false;
  }

  /** Blanks, line breaks, separators, redirections, brackets and comments; false for parts of words. */
  private takeOperator(character: string): boolean {
    const { scan } = this;
    switch (character) {
      case " ":
      case "\t":
      case "\r":
        this.endWord();
        copy(scan, 1);
        return true;
      case "\n":
        this.startCommand();
        copy(scan, 1);
        for (const heredoc of this.pending.splice(0)) takeHeredocBody(scan, heredoc);
        return true;
      case ";":
        this.takeSemicolon();
        return true;
      case "&":
      case "|":
        if (this.cases.at(-1) === "pattern") this.endWord();
        else this.startCommand();
        copy(scan, 1);
        return true;
      case "<":
      case ">":
        this.takeRedirection(character);
        return true;
      case "(":
        this.takeOpening();
        return true;
      case ")":
        this.takeClosing();
        return true;
      case "#":
        if (this.wordStart !== undefined) return false;
        this.takeComment();
        return true;
      default:
        return false;
    }
  }

  private takeWordPart(character: string): void {
    const { scan } = this;
    this.startWord();
    if (character === "\\") takeEscape(scan);
    else if (character === "'") scanSingle(scan);
    else if (character === '"') scanDouble(scan);
    else if (character === "$") scanDollar(scan, false);
    else if (character === "`") scanBackticks(scan, false);
    else if (!takePlaceholder(scan, "command", asWord)) copy(scan, 1);
  }

  private takeSemicolon(): void {
    const operator = /^;(?:;&|;|&)?/.exec(this.scan.source.slice(this.scan.position, this.scan.position + 3));
    const length = operator?.[0].length ?? 1;
    this.startCommand();
    copy(this.scan, length);
    if (length > 1 && this.cases.at(-1) === "body") this.cases[this.cases.length - 1] = "pattern";
  }

  private takeRedirection(character: string): void {
    const { scan } = this;
    const following = scan.source.slice(scan.position + 1, scan.position + 3);
    if (following.startsWith("(")) {
      this.startWord();
      copy(scan, 2);
      scan.script.scanCommands(scan, ")");
      return;
    }
    // The digits of `2>` belong to the redirection, not to the command.
    if (this.wordStart !== undefined && /^\d+$/.test(scan.source.slice(this.wordStart, scan.position))) {
      this.wordStart = undefined;
    }
    this.endWord();
    if (character === "<" && following === "<<") copy(scan, 3);
    else if (character === "<" && following.startsWith("<")) {
      this.pending.push(takeHeredocOperator(scan));
      return;
    } else copy(scan, /^[<>&|]/.test(following) ? 2 : 1);
    this.isRedirection = true;
    scan.wordIndex = -1;
  }

  private takeOpening(): void {
    const { scan } = this;
    const before = this.wordStart === undefined ? "" : (scan.source[scan.position - 1] ?? "");
    if (before === "" && scan.source[scan.position + 1] === "(") {
      const end = arithmeticEnd(scan.source, scan.position + 2);
      if (end !== undefined) {
        scanArithmetic(scan, 2, end);
        return;
      }
    }
    if (before === "" && this.cases.at(-1) === "pattern") {
      copy(scan, 1);
      return;
    }
    if (this.isWordList || /[=@?+*!]/.test(before)) {
      copy(scan, 1);
      nested(scan, () => new CommandScanner(scan, ")", true).run());
      return;
    }
    this.startCommand();
    copy(scan, 1);
    scan.script.scanCommands(scan, ")");
    this.startCommand();
  }

  private takeClosing(): void {
    const isPatternEnd = this.cases.at(-1) === "pattern";
    this.endWord();
    if (isPatternEnd && this.cases.at(-1) === "pattern") {
      this.cases[this.cases.length - 1] = "body";
      this.startCommand();
    } else if (this.close !== undefined) this.isClosed = true;
    copy(this.scan, 1);
  }

  /** To the end of the line; what is written there harms nobody, so a placeholder may stay an expansion. */
  private takeComment(): void {
    const { scan } = this;
    while (scan.position < scan.source.length && scan.source[scan.position] !== "\n") {
      if (!takePlaceholder(scan, "comment", asText)) copy(scan, 1);
    }
  }
}
