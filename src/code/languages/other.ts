import { wordSet } from "../../shell/index.ts";
import {
  DELETE_WORDS,
  hasWord,
  isPathText,
  MOVE_WORDS,
  READ_WORDS,
  RUN_WORDS,
  WRITE_WORDS,
  wordsInName,
} from "../meaning/by-name.ts";
import { expandTilde } from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { type ReadingBudget, step } from "../syntax/source.ts";
import { callNode, type Node, textNode } from "../syntax/tree.ts";

// Code of a language without a grammar here. Names and texts look alike everywhere: what a statement does is told by the
// words in its names (`deleteRecursively`, `del_dir_r`, `uiop:run-program`), what it does it to by its texts.

interface Text {
  readonly text: string;
  readonly at: number;
  /** between backticks, or words between angles */
  readonly isCommand: boolean;
  /** given to a function: `f("x")`, `(f "x")` */
  readonly isGiven: boolean;
}

interface Statement {
  readonly words: Set<string>;
  readonly texts: Text[];
  /** it asks for the home by a function or a variable: `homedir()`, `getenv("HOME")` */
  isAtHome: boolean;
}

/** What is only shown. */
const SHOWS =
  /^(?:print|say|puts|echo|write|log|display|format|put|message|show|output|trace|debug|warn|comment|error|info)/;
/** A program with an option, as nobody writes a plain text. */
const COMMAND = /^(?:sudo\s+)?[a-z][\w.-]{1,30}(?:\s+[\w.:/@=-]+)?\s+-{1,2}[A-Za-z][\w-]*(?:=\S*)?(?:\s|$)/;
/** `.system rm -rf x`, `platform shell rm -rf x`: the rest of the line is a command. */
const REST = /^[ \t]+([a-z][\w.-]*(?:[ \t]+[^\s()"'`]+)+)[ \t]*(?=\n|$)/;

/** `source("https://…")`, `include(download("https://…"))`: what an address holds is run, whatever the language. */
const FETCHED =
  /\b(?:source|include|eval|evaluate|exec|load|loadfile|dofile)\s*\(\s*(?:[\w.:]+\s*\(\s*){0,3}["'](https?:\/\/[^"'\s]{1,500})["']/g;

const newStatement = (): Statement => ({ words: new Set(), texts: [], isAtHome: false });

/** Names of functions that answer with the home, and of variables that hold it. */
const HOME_FUNCTION = /^(?:(?:ns|get_?)?(?:user_?)?home_?dir(?:ectory)?|user_?home|get_?home)$/i;
const HOME_VARIABLE = /^(?:HOME|USERPROFILE|user\.home|user_home)$/;
/** `Dir.home`, `Path.home()` */
const HOME_MEMBER = /\w(?:\.|::|\/)$/;
const AFTER_HOME = /^\s*(?:[)\s,;.(]|$)/;
const HOME_FOLDER = /^-(?:dir(?:ectory)?|path|folder)\b/;

const MAX_TEXT = 2000;
const TOKEN = /[A-Za-z_$][\w$]*|[;\n]|["'`<]|:?!/g;
/** `qx{rm x}`, `qqx(rm x)`; `%sh{rm x}` */
const QUOTED_COMMAND = /^q{1,2}x$/i;
const QUOTED_SHELL = /^(?:sh|shell)$/;
/** `h, _ := os.UserHomeDir()`, `let d = "~/x"`: what a name stands for from then on. */
const ASSIGNED = /([A-Za-z_$][\w$]*)(?:\s*,\s*[\w$]+)*(?:\s*:\s*[\w<>?[\]]+)?\s*(?::=|=(?![=>~])|<-)/;
const MAX_HELD = 200;
const CLOSERS: Readonly<Record<string, string>> = {
  "{": "}",
  "(": ")",
  "[": "]",
  "<": ">",
  "/": "/",
  "|": "|",
  "!": "!",
};

function parseOther(source: string, budget: ReadingBudget): readonly Node[] {
  const nodes: Node[] = [];
  let statement = newStatement();
  const held = new Map<string, Pick<Statement, "isAtHome" | "texts">>();
  let start = 0;
  const end = (at: number): void => {
    nodes.push(...readStatement(statement, at));
    const { isAtHome, texts } = statement;
    const name =
      isAtHome || texts.length > 0
        ? ASSIGNED.exec(source.slice(start, Math.min(at, start + 300)))?.[1]
        : undefined;
    if (name !== undefined && held.size < MAX_HELD) held.set(name, { isAtHome, texts });
    statement = newStatement();
    start = at + 1;
  };
  for (const { 1: address = "", index } of source.matchAll(FETCHED))
    nodes.push(callNode("runs", [textNode(`curl '${address}' | sh`)], index));
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match !== null && step(budget); match = TOKEN.exec(source)) {
    const [token] = match;
    const at = match.index;
    if (token === ";" || token === "\n") end(at);
    else if (/^\w|^\$/.test(token)) {
      for (const word of wordsInName(token)) statement.words.add(word);
      const meant = held.get(token);
      if (meant !== undefined && source[at + token.length] !== "(") {
        statement.isAtHome ||= meant.isAtHome;
        statement.texts.push(...meant.texts.map(one => ({ ...one, isGiven: true })));
      }
      const rest = RUN_WORDS.has(token) ? REST.exec(source.slice(at + token.length, at + MAX_TEXT)) : null;
      if (rest !== null && statement.texts.length === 0)
        nodes.push(callNode("runs", [textNode(rest[1] ?? "")], at));
      statement.isAtHome ||= HOME_FUNCTION.test(token) || (token === "home" && isHomeWord(source, at));
      const isQuoted =
        QUOTED_COMMAND.test(token) || (QUOTED_SHELL.test(token) && /%$/.test(source.slice(0, at)));
      const close = isQuoted ? CLOSERS[source[at + token.length] ?? ""] : undefined;
      const end = close === undefined ? -1 : source.indexOf(close, at + token.length + 1);
      if (end < 0) continue;
      const text = source.slice(at + token.length + 1, end);
      statement.texts.push({ text, at, isCommand: true, isGiven: false });
      TOKEN.lastIndex = end + 1;
    } else if (token.endsWith("!")) {
      const command = commandLine(source, at, token.length);
      if (command === undefined) continue;
      nodes.push(callNode("runs", [textNode(command)], at));
      TOKEN.lastIndex = at + token.length + command.length;
    } else {
      const text = readText(source, at, token, statement.words);
      if (text === undefined) continue;
      if (HOME_VARIABLE.test(text.text)) statement.isAtHome = true;
      else statement.texts.push(text);
      TOKEN.lastIndex = at + text.text.length + 2;
    }
  }
  end(source.length);
  return nodes;
}

/** `Dir.home`, `(fs/home)`, `home-dir`; not the home of something: `home page`. */
function isHomeWord(source: string, at: number): boolean {
  const behind = source.slice(at + 4, at + 24);
  const isMember = HOME_MEMBER.test(source.slice(Math.max(0, at - 12), at));
  return HOME_FOLDER.test(behind) || (isMember && AFTER_HOME.test(behind));
}

/** `!rm x` and `:!rm x` at the start of a line. */
function commandLine(source: string, at: number, length: number): string | undefined {
  if (!/(?:^|\n)[ \t]*$/.test(source.slice(Math.max(0, at - 20), at))) return undefined;
  const end = source.indexOf("\n", at);
  return source.slice(at + length, end < 0 ? Math.min(source.length, at + MAX_TEXT) : end);
}

function readText(source: string, at: number, open: string, words: ReadonlySet<string>): Text | undefined {
  // `<a b>` is a list of words for some, and a comparison for most.
  if (open === "<" && !hasWord(words, RUN_WORDS)) return undefined;
  // `'x` is a name for Lisps.
  if (open === "'" && /\w/.test(source[at - 1] ?? "")) return undefined;
  const close = open === "<" ? ">" : open;
  let end = at + 1;
  while (end < source.length && source[end] !== close && end - at < MAX_TEXT) {
    if (source[end] === "\n" && open !== "`" && open !== '"') return undefined;
    end += source[end] === "\\" ? 2 : 1;
  }
  if (source[end] !== close) return undefined;
  // `"rm x".!` and `"rm x".execute()`
  const isStarted = /^\s*\.?\s*(?:!|execute\b|shell\b|system\b)/.test(source.slice(end + 1, end + 20));
  const isGiven = /[([,]\s*$|\([\w:.!?*/-]+\s+$/.test(source.slice(Math.max(0, at - 40), at));
  const isCommand = open === "`" || open === "<" || isStarted;
  return { text: source.slice(at + 1, end), at, isCommand, isGiven };
}

function readStatement({ words, texts, isAtHome }: Statement, end: number): readonly Node[] {
  if (texts.length === 0) {
    const isLost = isAtHome && hasWord(words, DELETE_WORDS);
    return isLost ? [callNode("deletes", [textNode("~")], end)] : [];
  }
  const nodes: Node[] = texts
    .filter(({ isCommand }) => isCommand)
    .map(({ text, at }) => callNode("runs", [textNode(withHome(unescaped(text)))], at));
  const at = texts[0]?.at ?? 0;
  const inHome = isAtHome ? texts.map(({ text }) => textNode(belowHome(unescaped(text)))) : [];
  const paths = [
    ...inHome,
    ...texts.filter(({ text }) => isPathText(text)).map(({ text }) => textNode(unescaped(text))),
  ];
  if (!hasWord(words, RUN_WORDS) && ![...words].some(word => SHOWS.test(word)))
    for (const { text, at: place, isCommand, isGiven } of texts)
      if (!isCommand && isGiven && COMMAND.test(text))
        nodes.push(callNode("runs", [textNode(unescaped(text))], place));
  if (hasWord(words, RUN_WORDS)) {
    const plain = texts.filter(({ isCommand }) => !isCommand).map(({ text }) => unescaped(text));
    for (const text of plain) if (/\s/.test(text)) nodes.push(callNode("runs", [textNode(text)], at));
    const argv = plain.filter(text => !/^\s*$/.test(text));
    // As shell words, because only a shell knows what the tilde is.
    if (isAtHome && argv.length > 0) nodes.push(callNode("runs", [textNode([...argv, "~"].join(" "))], at));
    if (argv.length > 0)
      nodes.push(
        callNode("starts", [{ kind: "list", items: argv.map(text => ({ value: textNode(text) })) }], at),
      );
  }
  // `"rm" "-rf" "x"`: words of a command, whoever gets them.
  const first = texts.findIndex(
    ({ text }, index) => /^[\w./-]+$/.test(text) && /^-{1,2}\w/.test(texts[index + 1]?.text ?? ""),
  );
  if (first >= 0 && !hasWord(words, RUN_WORDS)) {
    const argv = [...texts.slice(first).map(({ text }) => unescaped(text)), ...(isAtHome ? ["~"] : [])];
    nodes.push(callNode("runs", [textNode(argv.join(" "))], at));
  }
  if (hasWord(words, READ_WORDS) || hasWord(words, SHOWN_FILES))
    for (const path of paths) nodes.push(callNode("reads", [path], at));
  // A plain name may be one of a folder that is there.
  const names = texts
    .filter(({ text, isGiven }) => isGiven && /^[\w-]+$/.test(text))
    .map(({ text }) => textNode(text));
  if (hasWord(words, DELETE_WORDS))
    for (const path of [...paths, ...names]) nodes.push(callNode("deletes", [path], at));
  const written = hasWord(words, WRITE_WORDS)
    ? paths[0]
    : hasWord(words, MOVE_WORDS)
      ? paths.at(-1)
      : undefined;
  if (written !== undefined) nodes.push(callNode("writes", [written], at));
  return nodes;
}

/** Words of functions that take a file in, which are none of a list or a table. */
const SHOWN_FILES = wordSet("insert contents readfile readalltext readallbytes readtostring getbytes");

/** `$(homedir())`, `#{Dir.home}` and `${home_dir()}` inside a command. */
function withHome(command: string): string {
  return command.replace(/[$#][({][^(){}]*(?:\(\))?[)}]/g, part => (/home/i.test(part) ? "~" : part));
}

/** `joinpath(homedir(), "Documents")` and `homedir() <> "/Documents"` */
function belowHome(text: string): string {
  return text.startsWith("~") ? text : `~/${text.replace(/^\/+/, "")}`;
}

function unescaped(text: string): string {
  return text.replace(/\\(["'\\`])/g, "$1");
}

/** What words and texts alone tell. */
export const OTHER = defineLanguage({
  id: "other",
  parse: parseOther,
  toPath: expandTilde,
  functions: () => [
    ["runs", "runsShell", "0"],
    ["starts", "runsWords", "0"],
    ["deletes", "deletes", "0", "recursively"],
    ["writes", "writes", "0"],
    ["reads", "reads", "0"],
  ],
});
