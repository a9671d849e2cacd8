import { forEachChild, parse } from "unbash";
import { LIMITS } from "../limits.ts";
import { text, type Value } from "../value.ts";
import { checkDelimiters, type DelimiterCheck } from "./delimiters.ts";
import type {
  ArithmeticExpression,
  Assignment,
  Command,
  ParsedScript,
  Statement,
  SyntaxNode,
  Word,
  WordPart,
} from "./syntax.ts";

/** Statements that may run, and the regions of the text that were not understood. */
export interface ParseResult {
  readonly statements: readonly Statement[];
  readonly problems: readonly ParseProblem[];
  /** Characters of the tree that stand for others; see `Source`. */
  readonly placeholders: ReadonlyMap<string, Value>;
}

interface ParseProblem {
  readonly reason: "incomplete" | "syntax" | "nesting" | "failure";
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** Text that may cost the parser more than linear time is refused above these. */
const BRACE_WORK = 4_000_000;
const OPEN_SUBSTITUTIONS = 200;
const CHEAP_BRACES = 16;
const OPENINGS = ["(", "$[", "<<"];

/** Never throws. What is missing from `statements` is in `problems`. */
export function parseShell(source: string, maxTokens: number = LIMITS.tokens): ParseResult {
  const danger = findCostlyNesting(source);
  if (danger !== undefined) return nothing(source, "nesting", danger);
  const closing = checkDelimiters(source, maxTokens);
  if (closing.tokens > maxTokens)
    return nothing(source, "nesting", `more than ${maxTokens} words and operators`);
  const plain = hideCaseArguments(source, closing);
  try {
    const result = judgeErrors(parse(plain.text), source, source.length, closing.isClosed);
    if (plain.placeholders.size === 0) return result;
    if (result.problems.length === 0) return { ...result, placeholders: plain.placeholders };
    const asWritten = judgeErrors(parse(source), source, source.length, closing.isClosed);
    return asWritten.problems.length === 0 ? asWritten : { ...result, placeholders: plain.placeholders };
  } catch (error) {
    // The parser recurses: text nested thousands deep overflows the stack, which is a RangeError.
    const reason = error instanceof RangeError ? "nesting" : "failure";
    return nothing(source, reason, error instanceof Error ? error.message : "the parser failed");
  }
}

/**
 * Inside `$(…)` the parser takes any word `case` for the keyword and then misses the end of the substitution.
 * Where it is an argument its last letter is written as a character that stands for it; no position changes.
 */
function hideCaseArguments(
  source: string,
  { caseArguments }: DelimiterCheck,
): { readonly text: string; readonly placeholders: ReadonlyMap<string, Value> } {
  if (caseArguments.length === 0) return { text: source, placeholders: NO_PLACEHOLDERS };
  let code = 0xf8ff;
  while (source.includes(String.fromCharCode(code)) && code > 0xf000) code -= 1;
  const letter = String.fromCharCode(code);
  const parts: string[] = [];
  let start = 0;
  for (const at of caseArguments) {
    parts.push(source.slice(start, at + 3), letter);
    start = at + 4;
  }
  return { text: parts.join("") + source.slice(start), placeholders: new Map([[letter, text("e")]]) };
}

const NO_PLACEHOLDERS: ReadonlyMap<string, Value> = new Map();

/** Calls back for each direct child of a node. */
export function forEachNode(node: SyntaxNode, callback: (child: SyntaxNode) => void): void {
  forEachChild(node, callback);
}

/** The tree of arithmetic text without substitutions; undefined when it is none. */
export function parseArithmetic(source: string): ArithmeticExpression | undefined {
  if (source.length > 256 || /[$`(){}"']/.test(source)) return undefined;
  const [statement] = parse(`((${source}))`).commands;
  return statement?.command.type === "ArithmeticCommand" ? statement.command.expression : undefined;
}

function nothing(source: string, reason: ParseProblem["reason"], message: string): ParseResult {
  const problems = [{ reason, message, start: 0, end: source.length }];
  return { statements: [], problems, placeholders: NO_PLACEHOLDERS };
}

/**
 * Sorts out what the shell would still run from what it refuses. Also for the scripts of substitutions.
 * `isClosed`: a second look found nothing open, so what the parser calls unterminated may well run.
 */
export function judgeErrors(
  script: ParsedScript,
  source: string,
  end: number,
  isClosed: boolean,
): ParseResult {
  const statements = script.commands;
  const errors = script.errors ?? [];
  if (errors.length === 0) return { statements, problems: [], placeholders: NO_PLACEHOLDERS };
  const problems: ParseProblem[] = [];
  let kept = statements;
  let refusedFrom = Number.POSITIVE_INFINITY;
  for (const error of errors) {
    const { message } = error;
    if (error.pos >= refusedFrom) continue;
    if (message.startsWith("maximum ")) {
      problems.push({ reason: "nesting", message, start: error.pos, end });
    } else if (isIncomplete(message, error.pos, source, end, isClosed)) {
      const complete = linesBefore(kept, error.pos, source);
      refusedFrom = kept[complete]?.pos ?? error.pos;
      problems.push({ reason: "incomplete", message, start: refusedFrom, end });
      kept = kept.slice(0, complete);
    } else {
      problems.push({
        reason: "syntax",
        message,
        start: error.pos,
        end: regionEnd(statements, error.pos, end),
      });
    }
  }
  return { statements: kept, problems: withoutCrowds(problems), placeholders: NO_PLACEHOLDERS };
}

/** Each problem is looked at by itself; beyond this many of a kind the rest count as one. */
const MAX_OF_A_KIND = 32;

/** Keeps a wall of errors from costing more than its length: their regions overlap. */
function withoutCrowds(problems: readonly ParseProblem[]): readonly ParseProblem[] {
  if (problems.length <= MAX_OF_A_KIND) return problems;
  const kept: ParseProblem[] = [];
  const counts = new Map<string, number>();
  const rest = new Map<string, ParseProblem>();
  for (const problem of problems) {
    const { reason, start, end } = problem;
    const count = (counts.get(reason) ?? 0) + 1;
    counts.set(reason, count);
    const joined = rest.get(reason) ?? problem;
    if (count <= MAX_OF_A_KIND) kept.push(problem);
    else {
      rest.set(reason, { ...joined, start: Math.min(joined.start, start), end: Math.max(joined.end, end) });
    }
  }
  return [...kept, ...rest.values()];
}

/** The text stops before its quote, bracket or compound does; no shell runs it. */
function isIncomplete(
  message: string,
  position: number,
  source: string,
  end: number,
  isClosed: boolean,
): boolean {
  if (message.startsWith("unterminated ")) return !isClosed;
  return source.slice(position, end).trim() === "";
}

/** How many statements stand on complete lines in front of the one that holds the error. */
function linesBefore(statements: readonly Statement[], position: number, source: string): number {
  let index = 0;
  while ((statements[index + 1]?.pos ?? Number.POSITIVE_INFINITY) <= position) index += 1;
  if ((statements[0]?.pos ?? Number.POSITIVE_INFINITY) > position) return 0;
  for (; index > 0; index -= 1) {
    const before = statements[index - 1];
    const here = statements[index];
    if (before === undefined || here === undefined) break;
    if (source.slice(before.end, here.pos).includes("\n")) break;
  }
  return index;
}

/** Up to the statement where the parser found its way again. */
function regionEnd(statements: readonly Statement[], position: number, end: number): number {
  return statements.find(statement => statement.pos > position)?.pos ?? end;
}

/**
 * The parser looks for the end of every brace again from its start, so a word full of braces costs their
 * number times its length; likewise `$[`, deep substitutions and here-documents that wait for their text.
 */
function findCostlyNesting(source: string): string | undefined {
  const isCheap =
    !hasMore(source, "{", CHEAP_BRACES) &&
    OPENINGS.every(opening => !hasMore(source, opening, OPEN_SUBSTITUTIONS));
  if (isCheap) return undefined;
  let work = 0;
  let wordStart = 0;
  let braces = 0;
  let open = 0;
  let brackets = 0;
  let documents = 0;
  const endWord = (at: number) => {
    if (braces > CHEAP_BRACES) work += braces * (at - wordStart);
    braces = 0;
    wordStart = at + 1;
  };
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index];
    if (
      character === " " ||
      character === "\n" ||
      character === "\t" ||
      character === '"' ||
      character === "'"
    ) {
      endWord(index);
      if (character === "\n") documents = 0;
    } else if (character === "{") braces += 1;
    else if (character === "<" && source[index - 1] === "<") documents += 1;
    else if (character === "(" && isSubstitution(source[index - 1])) open += 1;
    else if (character === ")") open = Math.max(0, open - 1);
    else if (character === "[" && source[index - 1] === "$") brackets += 1;
    if (open > OPEN_SUBSTITUTIONS || brackets > OPEN_SUBSTITUTIONS) return "substitutions nested too deeply";
    if (documents > OPEN_SUBSTITUTIONS) return "too many here-documents in one line";
  }
  endWord(source.length);
  return work > BRACE_WORK ? "too many braces in one word" : undefined;
}

/** Searched for, because most texts are spared the steps for each character. */
function hasMore(source: string, searched: string, count: number): boolean {
  let found = 0;
  for (let at = source.indexOf(searched); at >= 0; at = source.indexOf(searched, at + 1))
    if (++found > count) return true;
  return false;
}

function isSubstitution(before: string | undefined): boolean {
  return before === "$" || before === "<" || before === ">" || before === "(";
}

/** The parts of a word; a plain word is one literal. */
export function wordParts(word: Word): readonly WordPart[] {
  if (word.parts !== undefined) return word.parts;
  if (word.text === "") return [];
  return [{ type: "Literal", pos: word.pos, end: word.end, value: word.value, text: word.text }];
}

/** The words of a simple command as bash cuts them. */
interface CommandWords {
  readonly prefix: readonly Assignment[];
  /** Program and arguments; assignments among them belong to `export` and its relatives. */
  readonly words: readonly (Word | Assignment)[];
}

/**
 * The parser ends a word in front of `<(` and `>(` and behind them; bash does not. Pieces that touch are put
 * together again, so that `A=<(x) cmd` sets a variable and `--file=<(x)` is one word.
 */
export function commandWords(node: Command): CommandWords {
  const prefix: Assignment[] = node.prefix.filter(item => item.type === "Assignment");
  const written = node.name === undefined ? [] : [node.name, ...node.args];
  const last = prefix.at(-1);
  let start = 0;
  if (last !== undefined) {
    const joined = joinTo(last, written, 0);
    prefix[prefix.length - 1] = joined.word;
    start = joined.next;
  }
  const words: (Word | Assignment)[] = [];
  while (start < written.length) {
    const word = written[start];
    if (word === undefined) break;
    const joined = joinTo(word, written, start + 1);
    words.push(joined.word);
    start = joined.next;
  }
  return { prefix, words };
}

/** Appends the words from `next` on that begin where the one before ends. */
function joinTo<Item extends Word | Assignment>(
  first: Item,
  words: readonly (Word | Assignment)[],
  next: number,
): { readonly word: Item; readonly next: number } {
  let word = first;
  let index = next;
  for (
    let following = words[index];
    following?.type === "Word" && following.pos === word.end;
    following = words[index]
  ) {
    word = append(word, following);
    index += 1;
  }
  return { word, next: index };
}

function append<Item extends Word | Assignment>(item: Item, following: Word): Item {
  if (item.type === "Word") return { ...item, ...joinWords(item, following) };
  const { value } = item;
  if (value.type !== "Word") return item;
  const { type, name, append: isAppend, index, pos, text } = item;
  return {
    ...item,
    type,
    name,
    append: isAppend,
    index,
    pos,
    end: following.end,
    text: text + following.text,
    value: joinWords(value, following),
  };
}

function joinWords(one: Word, two: Word): Word {
  return {
    type: "Word",
    pos: one.pos,
    end: two.end,
    text: one.text + two.text,
    value: one.value + two.value,
    parts: [...wordParts(one), ...wordParts(two)],
  };
}
