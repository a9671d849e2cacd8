import { describe, dropKnown, isKnown, knownPrefix, knownText, text, type Value } from "./value.ts";

/**
 * How one program reads its options. Names are written without dashes and with blanks between: `-abc` stands for three
 * letters, `r|R|recursive` for three spellings of one option whose name is `r`, `tmpdir=p` for a spelling of an option
 * that is listed elsewhere. One letter is a short option, more is a long one.
 */
export interface OptionGrammar {
  /** Options without a value. */
  readonly flags?: string;
  /** Options with a value, glued or in the next word. */
  readonly values?: string;
  /** Options whose value can only be glued: `-ifile`, `--color=always`. */
  readonly optional?: string;
  /** Options whose value may be glued or in the next word, unless that begins with a dash. */
  readonly bare?: string;
  /** Short options followed by digits only, if anything: perl's `-l012e`. */
  readonly digits?: string;
  /** Long options may be shortened while they stay unambiguous. Default true, as GNU and git do. */
  readonly abbreviates?: boolean;
  /** The first operand ends the options (POSIX, wrappers). Default false: options may follow operands. */
  readonly stopsAtOperand?: boolean;
  /** Long names with a single dash and no bundles, as in find, terraform, java. Default false. */
  readonly isSingleDash?: boolean;
  /** A short option may stand before `=` as a long one does: Go programs read `-n=prod` so. Default false. */
  readonly shortEquals?: boolean;
  /** Names know no case, and a colon stands before the value of a switch: `-WhatIf:$false`. Default false. */
  readonly isCmdlet?: boolean;
  /** An option not in the grammar that is followed by a word takes it as its value. Default false: a flag. */
  readonly unknownTakesValue?: boolean;
}

interface ParsedOption {
  /** Canonical name. */
  readonly name: string;
  readonly value: Value | undefined;
  /** Index of the word that held it. */
  readonly index: number;
  readonly isInGrammar: boolean;
  /** Given with a value that switches it off: `--dry-run=none`, `-WhatIf:$false`, `--dry-run false`. */
  readonly isOff: boolean;
  /** Stands behind an option that is not in the grammar, whose value it may be: `--description --dry-run`. */
  readonly mayBeValue: boolean;
}

/** The options and operands of one command. */
export class ParsedOptions {
  readonly options: readonly ParsedOption[];
  readonly operands: readonly Operand[];
  /** Index of `--`, if there was one that ended the options. */
  readonly endOfOptions: number | undefined;
  /** A word that may be an option but is not known (`$FLAGS`). */
  readonly hasUnknownOption: boolean;
  readonly operandValues: readonly Value[];

  constructor(
    options: readonly ParsedOption[],
    operands: readonly Operand[],
    endOfOptions: number | undefined,
    hasUnknownOption: boolean,
  ) {
    this.options = options;
    this.operands = operands;
    this.endOfOptions = endOfOptions;
    this.hasUnknownOption = hasUnknownOption;
    this.operandValues = operands.map(operand => operand.value);
  }

  has(...names: readonly string[]): boolean {
    return this.options.some(option => names.includes(option.name));
  }

  /**
   * Certainly given as an option, and not taken back by a word behind it: for options that make a command harmless.
   */
  isOn(...names: readonly string[]): boolean {
    return this.lastSaid(names, option => !option.mayBeValue) === true;
  }

  /** Given, maybe, and not taken back: for options that make a command dangerous. */
  mayBeOn(...names: readonly string[]): boolean {
    return this.lastSaid(names, () => true) === true;
  }

  /** Whether the last of these that counts switches on or off; undefined when there is none. */
  private lastSaid(names: readonly string[], counts: (option: ParsedOption) => boolean): boolean | undefined {
    if (this.options.length === 0) return undefined;
    let isOn: boolean | undefined;
    for (const option of this.options) {
      const isTakenBack = option.name.startsWith("no-") && names.includes(option.name.slice(3));
      if (isTakenBack) isOn = option.isOff && counts(option);
      else if (!names.includes(option.name)) continue;
      else if (option.isOff) isOn = false;
      else if (counts(option)) isOn = true;
    }
    return isOn;
  }

  /** Value of the last one given. */
  valueOf(...names: readonly string[]): Value | undefined {
    return this.options.filter(option => names.includes(option.name)).at(-1)?.value;
  }

  valuesOf(...names: readonly string[]): readonly Value[] {
    return this.options.flatMap(({ name, value }) =>
      value !== undefined && names.includes(name) ? [value] : [],
    );
  }
}

/** A constant list of words, read when it is first asked for: few commands need any one of them. */
export class WordSet {
  private readonly text: string;
  private words: readonly string[] | undefined;
  private set: ReadonlySet<string> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get list(): readonly string[] {
    this.words ??= blankSeparated(this.text);
    return this.words;
  }

  has(word: string): boolean {
    this.set ??= new Set(this.list);
    return this.set.has(word);
  }
}

export function wordSet(text: string): WordSet {
  return new WordSet(text);
}

interface Operand {
  readonly value: Value;
  readonly index: number;
}

interface Names {
  readonly kinds: ReadonlyMap<string, OptionKind>;
  /** The name that a spelling stands for, where it is another. */
  readonly canonical: ReadonlyMap<string, string>;
  readonly longNames: readonly string[];
}

type OptionKind = "flag" | "value" | "optional" | "bare" | "digits";

/** The words of each list that was asked for. */
const wordsByText = new Map<string, readonly string[]>();

/** Grammars are constants, so their look-up tables are made once. */
const namesByGrammar = new WeakMap<OptionGrammar, Names>();

/** Words as they were read in one grammar, and in others before that. */
interface Reading {
  readonly argv: readonly Value[];
  readonly grammar: OptionGrammar;
  readonly options: ParsedOptions;
  readonly before: Reading | undefined;
}

/** Of the words that were read last: what is known of a program asks for the same again and again. */
let last: Reading | undefined;

/** Reads `argv` from `start` on. Unknown options count as flags unless the grammar says otherwise. */
export function parseOptions(argv: readonly Value[], grammar: OptionGrammar, start = 1): ParsedOptions {
  if (start !== 1) return new OptionReader(argv, grammar, start).read();
  const before = last?.argv === argv ? last : undefined;
  for (let known = before; known !== undefined; known = known.before)
    if (known.grammar === grammar) return known.options;
  last = { argv, grammar, options: new OptionReader(argv, grammar, start).read(), before };
  return last.options;
}

/** One pass over the words of a command. */
class OptionReader {
  private readonly argv: readonly Value[];
  private readonly grammar: OptionGrammar;
  private readonly names: Names;
  private readonly options: ParsedOption[] = [];
  private readonly operands: Operand[] = [];
  private hasUnknownOption = false;
  /** where the word is that is read */
  private index: number;
  /** where an option was that the grammar does not have, and that may take the next word */
  private openOption: number | undefined;

  constructor(argv: readonly Value[], grammar: OptionGrammar, start: number) {
    this.argv = argv;
    this.grammar = grammar;
    this.names = getNames(grammar);
    this.index = start;
  }

  read(): ParsedOptions {
    const { argv, grammar } = this;
    let endOfOptions: number | undefined;
    for (; this.index < argv.length; this.index += 1) {
      const word = argv[this.index];
      if (word === undefined) break;
      const known = knownPrefix(word);
      if (known === "--" && isKnown(word)) {
        endOfOptions = this.index;
        this.addOperandsFrom(this.index + 1);
        break;
      }
      if (this.isLong(known)) this.readLong(word, known);
      else if (known.length > 1 && known[0] === "-") this.readBundle(word, known);
      else {
        if (mayBeOption(word)) this.hasUnknownOption = true;
        if (grammar.stopsAtOperand === true) {
          this.addOperandsFrom(this.index);
          break;
        }
        this.operands.push({ value: word, index: this.index });
      }
    }
    return new ParsedOptions(this.options, this.operands, endOfOptions, this.hasUnknownOption);
  }

  private isLong(known: string): boolean {
    const isWordBehindDash = this.grammar.isSingleDash === true && known.length > 1 && known[0] === "-";
    return known.startsWith("--") || isWordBehindDash;
  }

  /** `--name`, `--name=value`, and in some grammars `-name` or `-Name:value`. */
  private readLong(word: Value, known: string): void {
    const { grammar, names, index: at } = this;
    const isCmdlet = grammar.isCmdlet === true;
    const dashes = known.startsWith("--") ? 2 : 1;
    const equals = known.indexOf(isCmdlet ? ":" : "=");
    const spelt = known.slice(dashes, equals < 0 ? undefined : equals);
    const name = resolveLong(isCmdlet ? spelt.toLowerCase() : spelt, names, grammar);
    if (equals >= 0) this.take(name, dropKnown(word, equals + 1), at);
    else if (names.kinds.has(name) || grammar.unknownTakesValue !== true) this.take(name, undefined, at);
    else this.takeNextWord(name, at);
  }

  /** `-abc`: letters behind one dash, of which the last may have its value behind it. */
  private readBundle(word: Value, known: string): void {
    const { grammar, names, index: at } = this;
    for (let offset = 1; offset < known.length; offset += 1) {
      const letter = known[offset] ?? "";
      const kind = names.kinds.get(letter);
      if (kind === "value" || kind === "optional") {
        const isSeparated = grammar.shortEquals === true && known[offset + 1] === "=";
        const rest = dropKnown(word, offset + (isSeparated ? 2 : 1));
        this.take(letter, rest.pieces.length > 0 ? rest : undefined, at);
        return;
      }
      if (known[offset + 1] === "=" && kind !== "digits") {
        this.add(letter, dropKnown(word, offset + 2), at);
        return;
      }
      const digits = kind === "digits" ? (/^\d+/.exec(known.slice(offset + 1))?.[0] ?? "") : "";
      this.add(letter, digits === "" ? undefined : text(digits), at);
      offset += digits.length;
    }
    if (!isKnown(word)) this.hasUnknownOption = true;
  }

  /** Takes the option `written` with the rest of its word, or the next word, as its value. */
  private take(written: string, glued: Value | undefined, at: number): void {
    const kind = this.names.kinds.get(written) ?? "flag";
    if (glued === undefined && kind === "bare") this.takeNextWord(written, at);
    else if (glued !== undefined || kind !== "value") this.add(written, glued, at);
    else {
      this.index += 1;
      this.add(written, this.argv[this.index], at, false);
    }
  }

  /** Takes the next word as the value, unless it is an option. */
  private takeNextWord(name: string, at: number): void {
    const next = this.argv[this.index + 1];
    const isValue = next !== undefined && !knownPrefix(next).startsWith("-");
    if (isValue) this.index += 1;
    this.add(name, isValue ? next : undefined, at, false);
  }

  private add(written: string, value: Value | undefined, at: number, isGlued = value !== undefined): void {
    const { canonical, kinds } = this.names;
    const isInGrammar = kinds.has(written);
    this.options.push({
      name: canonical.get(written) ?? written,
      value,
      index: at,
      isInGrammar,
      isOff: isGlued ? saysNo(value) : kinds.get(written) !== "value" && isFalse(this.argv[this.index + 1]),
      mayBeValue: this.openOption === at - 1,
    });
    if (value === undefined && !isInGrammar && !neverTakesValue(written)) this.openOption = at;
  }

  private addOperandsFrom(start: number): void {
    for (const [offset, value] of this.argv.slice(start).entries())
      this.operands.push({ value, index: start + offset });
  }
}

/** A word whose first character is not known and which is free to begin with a dash. */
function mayBeOption(word: Value): boolean {
  const [first] = word.pieces;
  return first?.kind === "unknown" && first.shape !== "token";
}

/** The option that a long one is, in full; `no-` stays in front of the name of the one that it takes back. */
function resolveLong(written: string, names: Names, grammar: OptionGrammar): string {
  const isWhole = names.kinds.has(written) && (written.length > 1 || grammar.isSingleDash === true);
  if (isWhole || written === "") return written;
  const found = grammar.abbreviates === false ? undefined : abbreviated(written, names);
  if (found !== undefined) return found;
  const negated = written.startsWith("no-") ? written.slice(3) : "";
  if (negated === "") return written;
  const positive = names.kinds.has(negated)
    ? negated
    : grammar.abbreviates === false
      ? undefined
      : abbreviated(negated, names);
  return positive === undefined ? written : `no-${names.canonical.get(positive) ?? positive}`;
}

/** Options that tell about the program; where another one begins alike, that one is meant, as in `git reset --h`. */
const TELLS = ["help", "version"];

function abbreviated(written: string, names: Names): string | undefined {
  const all = names.longNames.filter(name => name.startsWith(written));
  const others = all.filter(name => !TELLS.includes(name));
  const candidates = others.length === 0 ? all : others;
  const meanings = new Set(candidates.map(name => names.canonical.get(name) ?? name));
  return meanings.size === 1 ? candidates[0] : undefined;
}

/** What switches an option off that is given with it: `false` and its kin, of Go, of JavaScript and of PowerShell. */
function saysNo(value: Value | undefined): boolean {
  return value !== undefined && /^(none|\$?false|f|0|no|off)$/i.test(describe(value));
}

/** Some programs take the word behind a switch for its value if it is this one. */
function isFalse(word: Value | undefined): boolean {
  return word !== undefined && knownText(word) === "false";
}

/** Flags of almost every program that has them, and whatever takes another option back. */
const FLAGS = wordSet(
  "yes force verbose quiet silent all recursive debug json wait help version interactive prune y v q",
);

function neverTakesValue(name: string): boolean {
  return name.startsWith("no-") || FLAGS.has(name);
}

function getNames(grammar: OptionGrammar): Names {
  const made = namesByGrammar.get(grammar);
  if (made !== undefined) return made;
  const { flags = "", optional = "", bare = "", digits = "", values = "" } = grammar;
  // Some grammars are put together for one call: what they say is the same each time.
  const spelt = `${flags}|${optional}|${bare}|${digits}|${values}`;
  const known = namesBySpelling.get(spelt);
  const names = known ?? readNames(grammar);
  if (known === undefined) {
    if (namesBySpelling.size >= MAX_SPELLINGS) namesBySpelling.clear();
    namesBySpelling.set(spelt, names);
  }
  namesByGrammar.set(grammar, names);
  return names;
}

const endingGrammars = new WeakMap<OptionGrammar, OptionGrammar>();

/** The grammar with options that end at the first operand: one object for each, so that what is known of it is found. */
export function endingAtOperand(grammar: OptionGrammar): OptionGrammar {
  if (grammar.stopsAtOperand === true) return grammar;
  const made = endingGrammars.get(grammar) ?? { ...grammar, stopsAtOperand: true };
  endingGrammars.set(grammar, made);
  return made;
}

const namesBySpelling = new Map<string, Names>();
const MAX_SPELLINGS = 2000;

function readNames(grammar: OptionGrammar): Names {
  const kinds = new Map<string, OptionKind>();
  const canonical = new Map<string, string>();
  addNames(grammar.flags, "flag", kinds, canonical);
  addNames(grammar.optional, "optional", kinds, canonical);
  addNames(grammar.bare, "bare", kinds, canonical);
  addNames(grammar.digits, "digits", kinds, canonical);
  addNames(grammar.values, "value", kinds, canonical);
  return { kinds, canonical, longNames: [...kinds.keys()].filter(name => name.length > 1) };
}

function addNames(
  list: string | undefined,
  kind: OptionKind,
  kinds: Map<string, OptionKind>,
  canonical: Map<string, string>,
): void {
  for (const token of words(list ?? "")) {
    if (token.startsWith("-") && !token.includes("|")) {
      for (const letter of token.slice(1)) kinds.set(letter, kind);
      continue;
    }
    const equals = token.indexOf("=", 1);
    const spellings = (equals < 0 ? token : token.slice(0, equals)).replace(/^-+/, "").split("|");
    const name = equals < 0 ? (spellings[0] ?? token) : token.slice(equals + 1);
    for (const spelling of spellings) {
      kinds.set(spelling, kind);
      if (spelling !== name) canonical.set(spelling, name);
    }
  }
}

/** The words of a constant list. */
export function words(text: string): readonly string[] {
  const known = wordsByText.get(text);
  if (known !== undefined) return known;
  const read = blankSeparated(text);
  wordsByText.set(text, read);
  return read;
}

/** The words of any text; without a pattern, because small engines match slowly. */
export function blankSeparated(text: string): readonly string[] {
  return text
    .replaceAll("\n", " ")
    .split(" ")
    .filter(word => word !== "");
}
