import {
  type Block,
  ENDS_WORD,
  isDone,
  nextWord,
  peek,
  type Repair,
  skipBlanks,
  takeBalanced,
  takeWord,
} from "./repair-words.ts";

export function copy(repair: Repair, length: number): void {
  write(repair, repair.source.slice(repair.at, repair.at + length));
  repair.at += length;
}

/** How far back it is looked at what was written. */
const MAX_TAIL = 80;

export function write(repair: Repair, text: string): void {
  repair.out.push(text);
  repair.tail = (repair.tail + text.slice(-MAX_TAIL)).slice(-MAX_TAIL);
}

export function inner(repair: Repair): Block | undefined {
  return repair.blocks.at(-1);
}

export function isBracket(block: Block | undefined): boolean {
  return block?.kind === "parentheses" || block?.kind === "substitution";
}

export function open(repair: Repair, kind: Block["kind"], part: Block["part"], isShort = false): void {
  repair.blocks.push({ kind, part, isShort });
  repair.isStart = true;
}

const CLOSERS: Readonly<Record<Block["kind"], string>> = {
  loop: "done",
  if: "fi",
  case: "esac",
  switch: "esac",
  group: "}",
  parentheses: ")",
  // Fish cuts what comes out at line ends, not at blanks.
  substitution: ')"',
};

/** Ends the innermost block; an empty body and a condition without one get a command that does nothing. */
export function closeBlock(repair: Repair): void {
  const block = repair.blocks.pop();
  if (block === undefined) return;
  if (block.part === "condition") write(repair, `\n:\n${block.kind === "if" ? "then" : "do"}`);
  const isCase = block.kind === "case" || block.kind === "switch";
  if (isCase) write(repair, block.part === "body" ? "\n;;\n" : "\n");
  else write(repair, "\n:\n");
  write(repair, `${CLOSERS[block.kind]} `);
  repair.isStart = false;
}

export function beginBody(repair: Repair, block: Block, isShort: boolean): void {
  block.part = "body";
  block.isShort = isShort;
  write(repair, `\n${block.kind === "if" ? "then" : "do"}\n`);
  repair.isStart = true;
}

export function endBraces(repair: Repair): void {
  const block = inner(repair);
  if (block?.kind === "if" && /^(?:else|elif|elseif)$/.test(nextWord(repair, true))) {
    write(repair, "\n");
    repair.isStart = true;
    skipBlanks(repair, true);
    return;
  }
  closeBlock(repair);
  if (nextWord(repair) !== "always") return;
  skipBlanks(repair);
  repair.at += "always".length;
  write(repair, "\n");
  repair.isStart = true;
}

/** `[[ … ]]` and `((…))` may be followed by what they are the condition of. */
export function endTest(repair: Repair): void {
  repair.isStart = false;
  const block = inner(repair);
  skipBlanks(repair);
  if (block?.part !== "condition" || isDone(repair) || ENDS_WORD.test(peek(repair))) return;
  if (nextWord(repair) === "{") return;
  beginBody(repair, block, true);
}

function takeCondition(repair: Repair, word: string): void {
  write(repair, word);
  open(repair, word === "if" ? "if" : "loop", "condition");
}

/** `do` and `then` behind a condition. */
function takeBody(repair: Repair, word: string): void {
  const block = inner(repair);
  if (block?.part === "condition") block.part = "body";
  write(repair, word);
  repair.isStart = true;
}

function takeEnd(repair: Repair, word: string): void {
  const block = inner(repair);
  if (block === undefined || isBracket(block)) {
    repair.isOdd = true;
    write(repair, word === "end" ? ":" : word);
  } else if (word === "}") endBraces(repair);
  else closeBlock(repair);
}

function takeElse(repair: Repair, word: string): void {
  const block = inner(repair);
  const isElseIf = word !== "else" || (block?.isShort === true && nextWord(repair) === "if");
  if (word === "else" && isElseIf) {
    skipBlanks(repair);
    repair.at += "if".length;
  }
  if (isElseIf && block?.kind === "if") block.part = "condition";
  write(repair, isElseIf ? "elif " : "else\n");
  repair.isStart = true;
  if (!isElseIf && nextWord(repair) === "{") {
    skipBlanks(repair);
    repair.at += 1;
  }
}

/** `for x in a b`, `for x (a b)`, `foreach x (a b)`, `for ((…))`; the body follows in any of their forms. */
function takeFor(repair: Repair, word: string): void {
  skipBlanks(repair);
  let head = "";
  const start = repair.at;
  if (peek(repair) === "(") head = takeBalanced(repair, repair.at);
  else {
    takeWord(repair);
    skipBlanks(repair);
  }
  head = repair.source.slice(start, repair.at) + head;
  write(repair, `${word === "foreach" ? "for" : word} ${head} `);
  if (peek(repair) === "(") {
    const from = repair.at + 1;
    const missing = takeBalanced(repair, repair.at);
    const list = repair.source.slice(from, missing === "" ? repair.at - 1 : repair.at);
    write(repair, `in ${list.replaceAll("\n", " ")}`);
  } else if (!head.startsWith("(")) takeItems(repair);
  takeLoopBody(repair);
}

/** The words behind `in` up to the end of the line, or to a brace. */
function takeItems(repair: Repair): void {
  while (!isDone(repair) && !/[;\n&|]/.test(peek(repair)) && nextWord(repair) !== "{") {
    if (/[\s<>)]/.test(peek(repair))) copy(repair, 1);
    else {
      repair.isOdd ||= peek(repair) === "(" && !repair.isFish && /\S$/.test(repair.tail);
      write(repair, takeValue(repair));
    }
  }
}

function takeLoopBody(repair: Repair): void {
  const word = nextWord(repair, true);
  skipBlanks(repair, true);
  if (word === "do" || word === "{") repair.at += word.length;
  write(repair, "\ndo\n");
  open(repair, "loop", "body", word !== "do");
}

function takeRepeat(repair: Repair): void {
  skipBlanks(repair);
  takeWord(repair);
  write(repair, "for _ in 1");
  takeLoopBody(repair);
}

/** `case WORD in …`, and `switch WORD` of fish with `case` before each of its patterns. */
function takeCase(repair: Repair, word: string): void {
  const block = inner(repair);
  skipBlanks(repair);
  if (word === "case" && block?.kind === "switch") {
    const start = repair.at;
    while (!isDone(repair) && !/[;\n]/.test(peek(repair))) takeWordOrBlank(repair);
    const patterns = repair.source.slice(start, repair.at).trim().split(/\s+/).join("|");
    write(repair, `${block.part === "body" ? "\n;;\n" : ""}${patterns === "" ? "*" : patterns})`);
    skipBlanks(repair, true);
    block.part = "body";
    repair.isStart = true;
    return;
  }
  const value = takeValue(repair);
  const opener = nextWord(repair, true);
  if (word === "case" && (opener === "in" || opener === "{")) {
    skipBlanks(repair, true);
    repair.at += opener.length;
  }
  write(repair, `case ${value === "" ? "x" : value} in\n`);
  open(repair, word === "case" ? "case" : "switch", "pattern");
  if (word === "switch") skipBlanks(repair, true);
}

/** A word, or a substitution of fish in its place. */
function takeValue(repair: Repair): string {
  if (peek(repair) !== "(") return takeWord(repair);
  const start = repair.at;
  const missing = takeBalanced(repair, repair.at);
  return `$${repair.source.slice(start, repair.at)}${missing}`;
}

function takeWordOrBlank(repair: Repair): void {
  if (ENDS_WORD.test(peek(repair))) repair.at += 1;
  else takeWord(repair);
}

function takeGroup(repair: Repair): void {
  const block = inner(repair);
  // zsh: the body of a condition that ended with its line.
  if (block?.part === "condition") beginBody(repair, block, true);
  else {
    write(repair, "{\n");
    open(repair, "group", "body");
  }
}

/** `function name; …; end` of fish; options behind the name do not matter. `function { … }` runs at once. */
function takeFunction(repair: Repair): void {
  skipBlanks(repair);
  const name = nextWord(repair).startsWith("{") ? "" : takeWord(repair);
  if (/^\s*\(\s*\)/.test(repair.source.slice(repair.at)))
    repair.at = repair.source.indexOf(")", repair.at) + 1;
  while (!isDone(repair) && !/[;\n]/.test(peek(repair)) && nextWord(repair) !== "{") takeWordOrBlank(repair);
  if (nextWord(repair, true) === "{") {
    skipBlanks(repair, true);
    repair.at += 1;
  }
  write(repair, `${name === "" ? "" : `${name}() `}{\n`);
  open(repair, "group", "body");
}

/** `set -gx NAME value…` of fish. */
function takeSet(repair: Repair, word: string): void {
  const rest = /^(?:[ \t]+-[-\w]+)*[ \t]+([A-Za-z_]\w*)[ \t]+(?=[^\s;&|])/.exec(
    repair.source.slice(repair.at),
  );
  if (!repair.isFish || rest === null || / (?:-[a-zA-Z]*[qeS]|--(?:query|erase|show))\b/.test(rest[0])) {
    write(repair, word);
    repair.isStart = false;
    return;
  }
  repair.at += rest[0].length;
  const isList = /^[^\s;&|'"()]+[ \t]+[^\s;&|]/.test(repair.source.slice(repair.at));
  write(repair, `${rest[1]}=`);
  repair.isStart = false;
  if (!isList) return;
  const start = repair.at;
  while (!isDone(repair) && !/[;\n&|]/.test(peek(repair))) takeWordOrBlank(repair);
  write(repair, `(${repair.source.slice(start, repair.at)})`);
}

/** Words of fish that join commands. */
function takeJoin(repair: Repair, word: string): void {
  write(repair, word === "not" ? "! " : "");
}

function takeTest(repair: Repair): void {
  const end = repair.source.indexOf("]]", repair.at);
  write(repair, "[[");
  copy(repair, (end < 0 ? repair.source.length : end + 2) - repair.at);
  if (end < 0) write(repair, " ]]");
  endTest(repair);
}

/** What the words do that may begin a command. */
export const FIRST_WORDS: ReadonlyMap<string, (repair: Repair, word: string) => void> = new Map([
  ["for", takeFor],
  ["foreach", takeFor],
  ["select", takeFor],
  ["while", takeCondition],
  ["until", takeCondition],
  ["if", takeCondition],
  ["do", takeBody],
  ["then", takeBody],
  ["else", takeElse],
  ["elif", takeElse],
  ["elseif", takeElse],
  ["repeat", takeRepeat],
  ["switch", takeCase],
  ["case", takeCase],
  ["begin", takeGroup],
  ["{", takeGroup],
  ["function", takeFunction],
  ["end", takeEnd],
  ["done", takeEnd],
  ["fi", takeEnd],
  ["esac", takeEnd],
  ["}", takeEnd],
  ["set", takeSet],
  ["and", takeJoin],
  ["or", takeJoin],
  ["not", takeJoin],
  ["!", (repair, word) => write(repair, word)],
  ["[[", takeTest],
]);
