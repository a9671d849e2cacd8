import {
  type Command,
  forEachNode,
  type HereDoc,
  type ParameterExpansionPart,
  parseShell,
  type SyntaxNode,
} from "../../shell/index.ts";
import { basename } from "../../system/index.ts";
import { findPlaceholders, holdsPlaceholder, type Placeholder } from "../values/template.ts";

interface Interpreter {
  readonly names: RegExp;
  readonly isProgram: (words: readonly string[], index: number) => boolean;
}

/** Programs that read the word after a flag as program text, also behind another program: `xargs sh -c …`. */
const FLAGGED: readonly Interpreter[] = [
  { names: /^(?:ba|da|z|k)?sh$/, isProgram: isAfterFlag(/^-[a-z]*c$/) },
  { names: /^python[0-9.]*$/, isProgram: isAfterFlag(/^-c$/) },
  { names: /^(?:node|perl|ruby)$/, isProgram: isAfterFlag(/^-[a-z]*[ep]$|^--eval$/) },
];
/** Programs that read some of their words as program text, and which. */
const INTERPRETERS: readonly Interpreter[] = [
  ...FLAGGED,
  { names: /^(?:eval|ssh)$/, isProgram: () => true },
  { names: /^trap$/, isProgram: isFirstPlainWord(/^$/) },
  { names: /^jq$/, isProgram: isFirstPlainWord(/^--(?:arg|argjson|slurpfile|rawfile)$/) },
  { names: /^[gm]?awk$/, isProgram: isFirstPlainWord(/^$/) },
];

/** Those of them that also take a program from their input. */
const READS_INPUT = /^(?:(?:ba|da|z|k)?sh|python[0-9.]*|node|perl|ruby|ssh)$/;
/** Programs whose words are words, whatever they spell. */
const PLAIN = /^(?:echo|printf|test|\[|\[\[)$/;
const PREFIXES = /^(?:sudo|env|exec|command|nohup|time|builtin)$/;

/** Why no quoting protects this placeholder; undefined when quoting does. */
export function unprotectedUse(use: PlaceholderUse): string | undefined {
  if (use.quoting === "comment") return undefined;
  if (isCalculated(use)) return "arithmetic";
  const start = use.words.findIndex(word => !/^\w+=/.test(word) && !PREFIXES.test(word));
  if (start < 0) return undefined;
  const words = use.words.slice(start);
  const program = basename(words[0] ?? "");
  if (use.wordIndex < 0)
    return use.quoting === "heredoc" && READS_INPUT.test(program) ? `the input of ${program}` : undefined;
  return findProgramText(words, use.wordIndex - start);
}

/** Builtins that take names of variables; the number in `a[…]` is calculated once more. */
const TAKES_NAMES =
  /^(?:unset|read|printf|test|\[|wait|mapfile|readarray|getopts|declare|typeset|local|export|readonly)$/;
const DECLARES = /^(?:declare|typeset|local|readonly|export)$/;

/** What the shell calculates runs what stands in brackets within it, however it is quoted. */
export function isCalculated({ quoting, words, wordIndex, isInNumber }: PlaceholderUse): boolean {
  if (isInNumber === true) return true;
  if (quoting === "comment" || quoting === "heredoc" || wordIndex < 0) return false;
  const start = words.findIndex(word => !/^\w+=/.test(word) && !PREFIXES.test(word));
  const program = words[start] ?? "";
  if (start < 0 || wordIndex <= start) return false;
  if (program === "let") return true;
  if (DECLARES.test(program) && words.slice(start, wordIndex).some(word => /^-\w*[in]/.test(word)))
    return true;
  return TAKES_NAMES.test(program) && /^["']?\w+\[/.test(words[wordIndex] ?? "");
}

const NUMBER = /^(?:[\s\d+\-*/%()<>=!&|^~?:,]|0[xX][\da-fA-F]+)*$/;

/** Whether calculating this runs nothing: numbers and signs, no names. */
export function isPlainNumber(value: string): boolean {
  return NUMBER.test(value);
}

function findProgramText(words: readonly string[], index: number): string | undefined {
  for (let at = 0; at < index; at++) {
    const name = basename(words[at] ?? "");
    const known = (at === 0 ? INTERPRETERS : FLAGGED).find(({ names }) => names.test(name));
    if (known?.isProgram(words.slice(at), index - at)) return `program text of ${name}`;
    if (at === 0 && PLAIN.test(name)) return undefined;
  }
  return undefined;
}

function isAfterFlag(flag: RegExp) {
  return (words: readonly string[], index: number): boolean => flag.test(words[index - 1] ?? "");
}

/** The first word that is neither an option nor the two values of an option that takes two. */
function isFirstPlainWord(takesTwo: RegExp) {
  return (words: readonly string[], index: number): boolean => {
    for (let at = 1; at < words.length; at++) {
      const word = words[at] ?? "";
      if (takesTwo.test(word)) at += 2;
      else if (!word.startsWith("-")) return at === index;
    }
    return false;
  };
}

/** The quoting a placeholder stands in. */
type Quoting = "command" | "double" | "single" | "brace" | "arithmetic" | "heredoc" | "comment";

/** A placeholder in its command, for checks that quoting alone does not settle. */
interface PlaceholderUse {
  readonly path: string;
  readonly quoting: Quoting;
  /** the words of the simple command around it, as written */
  readonly words: readonly string[];
  /** which of the words holds it; -1 in a here-document or a redirection of the command */
  readonly wordIndex: number;
  /** in arithmetic, also in quotes there */
  readonly isInNumber?: true;
}

/** A value that the shell would calculate, and that is no number. */
export class CalculatedValueError extends Error {
  override readonly name = "CalculatedValueError";

  constructor(path: string) {
    super(`The value of '{{${path}}}' is used in shell arithmetic and is not a number`);
  }
}

export class ShellNestingError extends Error {
  override readonly name = "ShellNestingError";

  constructor() {
    super("Shell text is nested deeper than the parser can follow");
  }
}

/**
 * Turns every placeholder of a bash script into an expansion of the variable that `variableFor` names, written so
 * that the program run sees exactly its value, whatever quoting the placeholder stands in. Values themselves never
 * become part of the script: where the parser misreads a text, a value may arrive changed, but it cannot run.
 * Throws `ShellNestingError`.
 */
export function renderShell(
  template: string,
  variableFor: (path: string) => string,
): { readonly script: string; readonly uses: readonly PlaceholderUse[] } {
  const shared: Shared = { variableFor, uses: [], heredocs: 0 };
  const script = holdsPlaceholder(template) ? new ShellRenderer(template, shared, 0).render() : template;
  return { script, uses: shared.uses };
}

/** What the renderers of a script and of its backticks share. */
interface Shared {
  readonly variableFor: (path: string) => string;
  readonly uses: PlaceholderUse[];
  heredocs: number;
}

/** Where a node stands, and how an expansion is written there. */
interface Placement extends Omit<PlaceholderUse, "path"> {
  readonly write: (expansion: string) => string;
  /** whether an enclosing construct keeps expansions from being split into words */
  readonly quotedBy: "double" | "other" | undefined;
}

/** Without a placement, an edit around the placeholder takes care of it. */
interface PlacedPlaceholder extends Placeholder {
  placement: Placement | undefined;
}

interface Range {
  readonly pos: number;
  readonly end: number;
}

interface Edit extends Range {
  readonly text: () => string;
}

const asWord = (expansion: string): string => `"${expansion}"`;
const asText = (expansion: string): string => expansion;

const COMMAND: Placement = {
  quoting: "command",
  write: asWord,
  quotedBy: undefined,
  words: [],
  wordIndex: 0,
};
/** What belongs to no node is a comment, or text that no shell accepts. */
const COMMENT: Placement = { ...COMMAND, quoting: "comment" };
const MAX_BACKTICK_DEPTH = 10;

class ShellRenderer {
  private readonly template: string;
  private readonly shared: Shared;
  private readonly depth: number;
  private readonly placeholders: readonly PlacedPlaceholder[];
  /** how many placeholders begin before each position */
  private readonly counts: Uint32Array;
  private readonly edits: Edit[] = [];
  /** placeholders whose preceding dollar needs no backslash, such as the second one of `$$`, by position */
  private readonly settledDollars = new Set<number>();

  constructor(template: string, shared: Shared, depth: number) {
    this.template = template;
    this.shared = shared;
    this.depth = depth;
    this.placeholders = findPlaceholders(template).map(found => ({ ...found, placement: COMMENT }));
    this.counts = new Uint32Array(template.length + 1);
    for (const [index, { start }] of this.placeholders.entries())
      this.counts.fill(index + 1, start + 1, (this.placeholders[index + 1]?.start ?? template.length) + 1);
  }

  render(): string {
    const { statements, problems } = parseShell(this.masked());
    if (problems.some(({ reason }) => reason === "nesting")) throw new ShellNestingError();
    for (const statement of statements) this.visit(statement, COMMAND);
    for (const placeholder of this.placeholders) this.replace(placeholder);
    this.edits.sort((one, other) => one.pos - other.pos || one.end - other.end);
    let script = "";
    let from = 0;
    for (const { pos, end, text } of this.edits) {
      script += this.template.slice(from, pos) + text();
      from = end;
    }
    return script + this.template.slice(from);
  }

  /** The template with letters that mean nothing to a shell for the braces of placeholders; positions stay. */
  private masked(): string {
    let code = 0xe000;
    while (this.template.includes(String.fromCharCode(code))) code++;
    const brace = String.fromCharCode(code).repeat(2);
    let text = "";
    let from = 0;
    for (const { path, start, end } of this.placeholders) {
      text += this.template.slice(from, start) + brace + path + brace;
      from = end;
    }
    return text + this.template.slice(from);
  }

  private visit(node: SyntaxNode, at: Placement): void {
    if (node.type === "Command") this.visitCommand(node);
    else if (node.type === "HereDoc") this.visitHeredoc(node, at);
    else if (node.type === "ParameterExpansion") this.visitParameter(node, at);
    else if (node.type === "Assignment") this.visitAssignment(node, at);
    else if (node.type === "TestBinary" && /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator))
      this.place(node, arithmeticIn(at));
    else if (node.type === "TestUnary" && node.operator === "-v") this.place(node, arithmeticIn(at));
    else if (node.type === "SimpleExpansion") this.settledDollars.add(node.end);
    else if (isSubstitution(node) && node.text.startsWith("`")) this.visitBackticks(node, at);
    else this.place(node, placementIn(node, at));
  }

  /** Sets how placeholders in a node are written, unless something further in says otherwise. */
  private place(node: SyntaxNode, at: Placement): void {
    this.mark(node, at);
    forEachNode(node, child => this.visit(child, at));
  }

  private mark(range: Range, at: Placement | undefined): void {
    for (const placeholder of this.within(range)) placeholder.placement = at;
  }

  private within({ pos, end }: Range): readonly PlacedPlaceholder[] {
    return this.placeholders.slice(this.counts[pos], this.counts[end]);
  }

  private visitCommand({ prefix, name, suffix }: Command): void {
    const parts = [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
    const isWord = ({ type }: SyntaxNode): boolean => type === "Word" || type === "Assignment";
    const words = parts.filter(isWord).map(({ pos, end }) => this.template.slice(pos, end));
    let index = 0;
    for (const part of parts) this.visit(part, { ...COMMAND, words, wordIndex: isWord(part) ? index++ : -1 });
  }

  /** The number of an element is calculated; the key of a list that has keys is a text. */
  private visitAssignment(node: Extract<SyntaxNode, { readonly type: "Assignment" }>, at: Placement): void {
    const { name = "", index, value } = node;
    this.place(node, at);
    if (new RegExp(`\\s-\\w*A\\w*\\s+(?:\\w+\\s+)*${name}\\b`).test(this.template)) return;
    if (index !== undefined) this.place(index, { ...arithmeticIn(at), write: asWord });
    if (value?.type !== "ArrayValue") return;
    for (const element of value.elements)
      if (this.template[element.pos] === "[") this.place(element, { ...arithmeticIn(at), write: asWord });
  }

  /** In patterns and replacements a value must be quoted even inside double quotes, to be taken literally. */
  private visitParameter(node: ParameterExpansionPart, at: Placement): void {
    const { index, operation } = node;
    const inBraces: Placement = {
      ...at,
      quoting: "brace",
      write: at.quotedBy === undefined ? asWord : asText,
    };
    this.mark(node, inBraces);
    if (index !== undefined) this.place(index, arithmeticIn(at));
    if (operation?.type === "Slice") this.place(operation, arithmeticIn(at));
    else if (operation !== undefined) {
      const isPattern = ["Remove", "Replace", "CaseModification"].includes(operation.type);
      this.place(operation, isPattern ? { ...inBraces, write: asWord } : inBraces);
    }
  }

  /** The shell removes one level of backslashes and reads the rest as a script; the level is put back afterwards. */
  private visitBackticks({ pos, end, text }: Range & { readonly text: string }, at: Placement): void {
    if (this.within({ pos, end }).length === 0) return;
    if (this.depth >= MAX_BACKTICK_DEPTH) throw new ShellNestingError();
    this.mark({ pos, end }, undefined);
    const close = /^`[\s\S]*`$/.test(text) ? end - 1 : end;
    const escaped = at.quotedBy === "double" ? /\\([$`\\"])/g : /\\([$`\\])/g;
    const render = (): string => {
      const source = this.template.slice(pos + 1, close).replace(escaped, "$1");
      return new ShellRenderer(source, this.shared, this.depth + 1).render().replace(/[$`\\]/g, "\\$&");
    };
    this.edits.push({ pos: pos + 1, end: close, text: render });
  }

  /**
   * A quoted body that holds placeholders becomes an unquoted one with everything else escaped, under a new
   * delimiter: the shell looks for the end before it expands anything, so no value can end the body.
   */
  private visitHeredoc({ delimiter, body, closing }: HereDoc, { words }: Placement): void {
    const at: Placement = { quoting: "heredoc", write: asText, quotedBy: "other", words, wordIndex: -1 };
    this.mark(body, at);
    for (const part of body.parts ?? []) this.visit(part, at);
    if (delimiter === undefined) return;
    const isConverted = delimiter.quoted && this.within(body).length > 0;
    if (isConverted) this.escapeBody(body);
    else if (this.within(delimiter).length === 0) return;
    const fresh = this.freshDelimiter(body.text);
    const quote = delimiter.quoted && !isConverted ? "'" : "";
    this.substitute(delimiter, quote + fresh + quote);
    if (closing !== undefined) this.substitute(closing, fresh);
  }

  private substitute({ pos, end }: Range, text: string): void {
    this.mark({ pos, end }, undefined);
    this.edits.push({ pos, end, text: () => text });
  }

  private escapeBody(body: Range): void {
    let from = body.pos;
    const escapeTo = (end: number): void => {
      const plain = this.template.slice(from, end);
      this.edits.push({ pos: from, end, text: () => plain.replace(/[\\$`]/g, "\\$&") });
    };
    for (const { start, end, isLiteral } of this.within(body)) {
      escapeTo(isLiteral ? start - 1 : start);
      this.settledDollars.add(start);
      from = end;
    }
    escapeTo(body.end);
  }

  private freshDelimiter(body: string): string {
    for (;;) {
      const delimiter = `RECIPE_TEXT_${++this.shared.heredocs}`;
      if (!body.includes(delimiter)) return delimiter;
    }
  }

  private replace({ path, start, end, isLiteral, placement }: PlacedPlaceholder): void {
    if (placement === undefined) return;
    if (isLiteral) {
      this.substitute({ pos: start - 1, end: start }, "");
      return;
    }
    const { quoting, words, wordIndex, isInNumber, write } = placement;
    // A dollar before a value is a dollar; left bare it would join with what the placeholder becomes.
    const isBareDollar = this.template[start - 1] === "$" && !this.settledDollars.has(start);
    if (isBareDollar && quoting !== "single" && !this.isEscaped(start - 1))
      this.edits.push({ pos: start - 1, end: start - 1, text: () => "\\" });
    const text = (): string => {
      this.shared.uses.push({
        path,
        quoting,
        words,
        wordIndex,
        ...(isInNumber === true ? { isInNumber } : {}),
      });
      return write(`\${${this.shared.variableFor(path)}-}`);
    };
    this.edits.push({ pos: start, end, text });
  }

  private isEscaped(position: number): boolean {
    let first = position;
    while (this.template[first - 1] === "\\") first--;
    return (position - first) % 2 === 1;
  }
}

function isSubstitution(node: SyntaxNode): node is Extract<SyntaxNode, { readonly script: unknown }> {
  return /^(?:CommandExpansion|ArithmeticCommandExpansion|ProcessSubstitution)$/.test(node.type);
}

function placementIn(node: SyntaxNode, at: Placement): Placement {
  if (isSubstitution(node)) return COMMAND;
  switch (node.type) {
    case "SingleQuoted":
    case "AnsiCQuoted": {
      // An apostrophe inside `"${x:-'…'}"` quotes nothing.
      if (at.quoting === "brace" && at.write === asText) return at;
      const reopening = node.text.startsWith("$") ? "$'" : "'";
      return { ...at, quoting: "single", write: expansion => `'"${expansion}"${reopening}` };
    }
    case "DoubleQuoted":
    case "LocaleString":
      return { ...at, quoting: "double", write: asText, quotedBy: "double" };
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
    case "ArithmeticWord":
      return arithmeticIn(at);
    case "Redirect":
    case "HereString":
      return { ...at, wordIndex: -1 };
    default:
      return at;
  }
}

/** Values are numbers there, and no quoting can make other text safe. */
function arithmeticIn(at: Placement): Placement {
  return { ...at, quoting: "arithmetic", write: asText, quotedBy: "other", isInNumber: true };
}
