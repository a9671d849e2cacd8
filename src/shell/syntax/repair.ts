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

/** Text in the grammar of bash, and where a quote begins that was never ended. */
interface RepairedText {
  readonly text: string;
  readonly openQuote: number | undefined;
  /** Words that have no place in any shell were left as they are. */
  readonly isOdd: boolean;
}

/**
 * Writes shell text anew that bash would refuse: blocks of fish and csh (`for x in a; …; end`), short forms of zsh
 * (`for x (a b) …`, `if [[ … ]] { … }`, `{ … } always { … }`), and commands that are not finished yet. What is open at
 * the end is closed. It is generous: words that are in no place of any grammar stay as they are.
 */
export function repairShell(source: string, isFish = false): RepairedText {
  const repair: Repair = {
    source,
    isFish,
    at: 0,
    out: [],
    tail: "",
    lastThen: lastWord(source, "then"),
    lastDo: lastWord(source, "do"),
    blocks: [],
    isStart: true,
    documents: [],
    openQuote: undefined,
    isOdd: false,
  };
  while (!isDone(repair)) step(repair);
  endDocuments(repair);
  write(repair, "\n:\n");
  while (repair.blocks.length > 0) closeBlock(repair);
  return { text: repair.out.join(""), openQuote: repair.openQuote, isOdd: repair.isOdd };
}

/** Where a word stands alone for the last time; -1 if it never does. */
function lastWord(source: string, word: string): number {
  let at = source.lastIndexOf(word);
  while (
    at > 0 &&
    !(ENDS_WORD.test(source[at - 1] ?? " ") && ENDS_WORD.test(source[at + word.length] ?? " "))
  )
    at = source.lastIndexOf(word, at - 1);
  return at;
}

function step(repair: Repair): void {
  const character = peek(repair);
  if (character === "\n") takeLine(repair);
  else if (character === "\\" && peek(repair, 1) === "\n") copy(repair, 2);
  else if (/\s/.test(character)) copy(repair, 1);
  else if (character === "#" && /^$|\s$/.test(repair.tail)) copyLine(repair);
  else if (character === "(") takeOpening(repair);
  else if (character === ")") takeClosing(repair);
  else if (character === "<" || character === ">") takeRedirection(repair);
  else if (ENDS_WORD.test(character)) takeOperator(repair);
  else if (isPattern(repair)) takePattern(repair);
  else if (repair.isStart) takeFirstWord(repair);
  else takeArgument(repair);
}

function copyLine(repair: Repair): void {
  const found = repair.source.indexOf("\n", repair.at);
  copy(repair, (found < 0 ? repair.source.length : found) - repair.at);
}

function takeLine(repair: Repair): void {
  if (repair.documents.length > 0) endDocuments(repair);
  else copy(repair, 1);
  separate(repair);
}

/** Copies the texts of here-documents, and writes the line that ends one which is missing. */
function endDocuments(repair: Repair): void {
  for (const { end, stripsTabs } of repair.documents.splice(0)) {
    let isEnded = false;
    while (!isEnded && !isDone(repair)) {
      copy(repair, 1);
      const start = repair.at;
      copyLine(repair);
      const line = repair.source.slice(start, repair.at);
      isEnded = (stripsTabs ? line.replace(/^\t+/, "") : line) === end;
    }
    if (!isEnded) write(repair, `\n${end}`);
  }
  if (repair.at > 0) write(repair, "\n");
}

/** A command ended: of `while`, `if` and their kin without `do` and `then` the body begins here. */
function separate(repair: Repair): void {
  repair.isStart = true;
  const block = inner(repair);
  if (block?.kind === "group" && block.isShort) {
    closeBlock(repair);
    write(repair, "\n");
    repair.isStart = true;
  }
  if (block?.part !== "condition") return;
  const word = nextWord(repair, true);
  const opener = block.kind === "if" ? "then" : "do";
  if (word === opener || word === "{" || word === "and" || word === "or") return;
  if ((block.kind === "if" ? repair.lastThen : repair.lastDo) >= repair.at) return;
  beginBody(repair, block);
}

/** A `;` behind the beginning of a block ends nothing: `begin; …; end`. */
function takeOperator(repair: Repair): void {
  const rest = repair.source.slice(repair.at, repair.at + 3);
  const operator = /^(?:;;&|;;|;&|;\||&&|\|\||\|&|&!|&\||[;&|])/.exec(rest)?.[0] ?? "";
  // zsh: `&!` and `&|` are `&`.
  if (operator === "&!" || operator === "&|") {
    write(repair, "&");
    repair.at += 2;
  } else if (operator === ";" && /(?:^|\n)[ \t]*$/.test(repair.tail)) repair.at += 1;
  else copy(repair, operator.length);
  const block = inner(repair);
  if (operator.startsWith(";;") || operator === ";&" || operator === ";|") {
    if (block?.kind === "case") block.part = "pattern";
    else repair.isOdd = true;
    repair.isStart = true;
  } else if (operator === ";" || operator === "&") separate(repair);
  else repair.isStart = true;
}

function takeRedirection(repair: Repair): void {
  const rest = repair.source.slice(repair.at);
  if (/^[<>]\(/.test(rest)) {
    copy(repair, 2);
    open(repair, "parentheses", "body");
    return;
  }
  const [operator = "<"] = /^(?:<<<|<<-?|<>|<&|<|>>[!|]?|>&|>[!|]?)/.exec(rest) ?? [];
  write(repair, operator.replace(/!$/, ""));
  repair.at += operator.length;
  if (operator !== "<<" && operator !== "<<-") return;
  skipBlanks(repair);
  const word = takeWord(repair);
  repair.documents.push({ end: word.replace(/[\\'"]/g, ""), stripsTabs: operator === "<<-" });
  write(repair, word);
}

/** `(` begins a subshell, arithmetic, a list of values, the body of a function, or a substitution of fish. */
function takeOpening(repair: Repair): void {
  const before = repair.tail.slice(-1);
  if (repair.isStart && peek(repair, 1) === "(") {
    const start = repair.at;
    const missing = takeBalanced(repair, repair.at);
    write(repair, repair.source.slice(start, repair.at) + missing);
    endTest(repair);
  } else if (/^\(\s*\)/.test(repair.source.slice(repair.at))) {
    // A function; without a name zsh runs it at once.
    const isNamed = !repair.isStart;
    repair.at = repair.source.indexOf(")", repair.at) + 1;
    if (isNamed) write(repair, "()");
    const isBlock = nextWord(repair, true).startsWith("{") || /^\s*\(/.test(repair.source.slice(repair.at));
    if (isNamed && !isBlock) {
      write(repair, " {\n");
      open(repair, "group", "body", true);
    }
    repair.isStart = true;
  } else if (repair.isStart || before === "!") {
    copy(repair, 1);
    open(repair, "parentheses", "body");
  } else if (/[=*?+@]$/.test(repair.tail)) copyBrackets(repair);
  else {
    repair.at += 1;
    repair.isOdd ||= !repair.isFish;
    write(repair, '"$(');
    open(repair, "substitution", "body");
  }
}

/** `name=(a b)` and patterns such as `*(x|y)` stay; `=(command)` of zsh is a file with its output. */
function copyBrackets(repair: Repair): void {
  if (/(?:^|\s)=$/.test(repair.tail)) {
    repair.out.pop();
    write(repair, "<(");
    repair.at += 1;
    open(repair, "parentheses", "body");
    return;
  }
  const start = repair.at;
  const missing = takeBalanced(repair, repair.at);
  write(repair, repair.source.slice(start, repair.at) + missing);
}

function takeClosing(repair: Repair): void {
  let at = repair.blocks.length - 1;
  while (at >= 0 && !isBracket(repair.blocks[at])) at -= 1;
  if (at < 0) {
    repair.isOdd = true;
    copy(repair, 1);
    return;
  }
  while (repair.blocks.length > at + 1) closeBlock(repair);
  const isQuoted = repair.blocks.pop()?.kind === "substitution";
  copy(repair, 1);
  if (isQuoted) write(repair, '"');
  repair.isStart = false;
}

function isPattern(repair: Repair): boolean {
  return inner(repair)?.part === "pattern" && inner(repair)?.kind === "case";
}

/** The patterns of a `case` up to the bracket behind them. */
function takePattern(repair: Repair): void {
  const word = nextWord(repair);
  if (word === "esac" || word === "}") {
    repair.at += word.length;
    closeBlock(repair);
    return;
  }
  const start = repair.at;
  while (!isDone(repair) && peek(repair) !== ")") {
    if (ENDS_WORD.test(peek(repair))) repair.at += 1;
    else takeWord(repair);
  }
  const isEnded = !isDone(repair);
  write(repair, `${repair.source.slice(start, repair.at)})`);
  if (isEnded) repair.at += 1;
  const block = inner(repair);
  if (block !== undefined) block.part = "body";
  repair.isStart = true;
}

function takeArgument(repair: Repair): void {
  const word = takeWord(repair);
  const block = inner(repair);
  // In zsh a brace ends a block wherever it stands, and begins one behind a condition.
  if (word === "{" && block?.part === "condition") beginBody(repair, block);
  else if (word === "}" && block !== undefined && !isBracket(block)) endBraces(repair);
  else write(repair, repair.isFish ? word.replaceAll("$argv", "$@") : word);
}

function takeFirstWord(repair: Repair): void {
  const word = takeWord(repair);
  const act = FIRST_WORDS.get(word);
  if (act !== undefined) act(repair, word);
  else {
    write(repair, word);
    repair.isStart = /^\w+=/.test(word);
  }
}

function copy(repair: Repair, length: number): void {
  write(repair, repair.source.slice(repair.at, repair.at + length));
  repair.at += length;
}

/** How far back it is looked at what was written. */
const MAX_TAIL = 80;

function write(repair: Repair, text: string): void {
  repair.out.push(text);
  repair.tail = (repair.tail + text.slice(-MAX_TAIL)).slice(-MAX_TAIL);
}

function inner(repair: Repair): Block | undefined {
  return repair.blocks.at(-1);
}

function isBracket(block: Block | undefined): boolean {
  return block?.kind === "parentheses" || block?.kind === "substitution";
}

function open(repair: Repair, kind: Block["kind"], part: Block["part"], isShort = false): void {
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
function closeBlock(repair: Repair): void {
  const block = repair.blocks.pop();
  if (block === undefined) return;
  if (block.part === "condition") write(repair, `\n:\n${block.kind === "if" ? "then" : "do"}`);
  const isCase = block.kind === "case" || block.kind === "switch";
  if (isCase) write(repair, block.part === "body" ? "\n;;\n" : "\n");
  else write(repair, "\n:\n");
  write(repair, `${CLOSERS[block.kind]} `);
  repair.isStart = false;
}

function beginBody(repair: Repair, block: Block): void {
  block.part = "body";
  block.isShort = true;
  write(repair, `\n${block.kind === "if" ? "then" : "do"}\n`);
  repair.isStart = true;
}

function endBraces(repair: Repair): void {
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
function endTest(repair: Repair): void {
  repair.isStart = false;
  const block = inner(repair);
  skipBlanks(repair);
  if (block?.part !== "condition" || isDone(repair) || ENDS_WORD.test(peek(repair))) return;
  if (nextWord(repair) === "{") return;
  beginBody(repair, block);
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
  if (block?.part === "condition") beginBody(repair, block);
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
const FIRST_WORDS: ReadonlyMap<string, (repair: Repair, word: string) => void> = new Map([
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
