import { wordSet } from "../../shell/index.ts";
import { type Datum, knownDatumText, listDatum, literal, mapText, reference } from "../meaning/datum.ts";
import { noteDelete, noteDirectory, noteMove, noteRead, noteSpawn } from "../meaning/effects.ts";
import {
  type FunctionCall,
  forwardSlashes,
  homeDatum,
  type LibraryFunction,
  toPattern,
  workingDirectory,
} from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { type ReadingBudget, step } from "../syntax/source.ts";
import { NOTHING, type Node, nameNode } from "../syntax/tree.ts";

// The command text of cmd.exe: what `cmd /c` is given, or a batch file.

interface Command {
  readonly words: readonly string[];
  readonly redirections: readonly { readonly path: string; readonly operator: string }[];
  readonly at: number;
}

/** Commands between `&`, `|`, newlines and parentheses; quotes hold blanks, a caret escapes. */
function splitCommands(script: string, budget: ReadingBudget): Command[] {
  const commands: Command[] = [];
  let words: string[] = [];
  let redirections: { path: string; operator: string }[] = [];
  let word: string | undefined;
  let isQuoted = false;
  let operator: string | undefined;
  let start = 0;
  const endWord = (): void => {
    if (word === undefined) return;
    if (operator === undefined) words.push(word);
    else redirections.push({ path: word, operator });
    operator = undefined;
    word = undefined;
  };
  const endCommand = (at: number): void => {
    endWord();
    if (words.length > 0 || redirections.length > 0) commands.push({ words, redirections, at: start });
    words = [];
    redirections = [];
    operator = undefined;
    start = at + 1;
  };
  for (let at = 0; at < script.length && step(budget); at += 1) {
    const character = script.charAt(at);
    if (character === '"') {
      isQuoted = !isQuoted;
      word ??= "";
    } else if (isQuoted && character !== "\n") word = (word ?? "") + character;
    else if (character === "^") {
      at += 1;
      word = (word ?? "") + script.charAt(at);
    } else if (character === ">" || character === "<") {
      // `2>` and `1>` are part of the redirection.
      if (word !== undefined && /^[0-9]$/.test(word)) word = undefined;
      endWord();
      const isDouble = character === ">" && script.charAt(at + 1) === ">";
      if (isDouble) at += 1;
      if (script.charAt(at + 1) === "&") at += 2;
      else operator = isDouble ? ">>" : character;
    } else if (character === "(" && isSetOfLoop(words)) {
      const close = script.indexOf(")", at);
      words.push(script.slice(at + 1, close === -1 ? undefined : close));
      at = close === -1 ? script.length : close;
    } else if (/[&|\n()]/.test(character)) {
      isQuoted = false;
      endCommand(at);
    } else if (/[\s,;=]/.test(character) && !(character === "=" && words.length > 0)) endWord();
    else word = (word ?? "") + character;
  }
  endCommand(script.length);
  return commands;
}

/** `for %i in (…)` */
function isSetOfLoop(words: readonly string[]): boolean {
  return /^@?for$/i.test(words[0] ?? "") && !words.some(word => /^do$/i.test(word));
}

function parseCmd(script: string, budget: ReadingBudget): readonly Node[] {
  return splitCommands(script, budget).flatMap(({ words, redirections, at }) => [
    ...redirections
      .filter(({ path }) => !/^(?:nul|con)$/i.test(path))
      .map(({ path, operator }) => callNode(operator, [wordNode(path)], at)),
    commandNode(words, at),
  ]);
}

function callNode(name: string, values: readonly Node[], at: number): Node {
  return { kind: "call", callee: nameNode(name), arguments: values.map(value => ({ value })), at };
}

/** Commands that can follow a condition. */
const COMMANDS = wordSet(
  "rd rmdir del erase type move ren rename copy xcopy cd chdir pushd set call start if else for cmd",
);
const SILENT = /^(?:rem|echo|title|color|pause|setlocal|endlocal|goto|exit|cls|:.*)$/;

function commandNode(words: readonly string[], at: number): Node {
  const [first, ...rest] = words;
  if (first === undefined) return NOTHING;
  const program = first.replace(/^@/, "");
  const name = program
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "")
    .replace(/^echo[.:/\\(].*$/, "echo");
  const from = (start: number): Node => (start < 0 ? NOTHING : commandNode(rest.slice(start), at));
  switch (name) {
    case "set": {
      const [, variable, value] = /^([^=]+)=(.*)$/s.exec(rest.join(" ")) ?? [];
      if (variable === undefined) return NOTHING;
      return { kind: "assign", target: variableNode(variable), value: wordNode(value ?? "") };
    }
    case "call":
    case "else":
      return from(0);
    case "start":
      // `start "" /wait program …`: what follows the program is the program's, options too.
      return from(
        rest.findIndex(
          (word, index) => word !== "" && !isStartOption(word) && !/^\/d$/i.test(rest[index - 1] ?? ""),
        ),
      );
    case "if":
      // `if exist x del x`: the command starts at the first word that can be one.
      return from(rest.findIndex(word => COMMANDS.has(word.toLowerCase())));
    case "cmd": {
      const option = rest.findIndex(word => /^\/[ck]$/i.test(word));
      return option < 0 ? NOTHING : from(option + 1);
    }
    case "for":
      return loopNode(rest, at);
    default:
      if (SILENT.test(name)) return NOTHING;
      if (COMMANDS.has(name)) return callNode(name, rest.map(wordNode), at);
      return callNode("*", [program, ...rest].map(wordNode), at);
  }
}

const MAX_ITEMS = 16;

/** `for %i in (a b) do …`: the variable is any of the set; what `/f` reads from a file is not known. */
function loopNode(words: readonly string[], at: number): Node {
  const doAt = words.findIndex(word => word.toLowerCase() === "do");
  if (doAt < 0) return NOTHING;
  const name = words.find(word => /^%%?[A-Za-z]$/.test(word))?.replace(/^%+/, "");
  const set = words[doAt - 1]?.trim().split(/[\s,]+/) ?? [];
  const walk = words.findIndex(word => /^\/r$/i.test(word));
  const root = walk < 0 || /^%/.test(words[walk + 1] ?? "%") ? "" : `${words[walk + 1]}/`;
  const items = set
    .slice(0, MAX_ITEMS)
    .map(item => ({ value: callNode("pattern", [wordNode(walk < 0 ? item : `${root}**/${item}`)], at) }));
  const isRead = words.slice(0, doAt).some(word => /^\/f$/i.test(word));
  const over: Node = isRead || items.length === 0 ? NOTHING : { kind: "list", items };
  const body = [commandNode(words.slice(doAt + 1), at)];
  return { kind: "each", target: variableNode(name ?? ""), over, body };
}

const OPTION = /^(?:\/[A-Za-z?](?::[^/]*)?)+$/;

function isStartOption(word: string): boolean {
  return OPTION.test(word) || /^\/[a-z]+$/i.test(word);
}

/** Variables are members of `%`. Their names know no case. */
function variableNode(name: string): Node {
  return { kind: "member", object: { kind: "reference", path: "%" }, name: name.toUpperCase() };
}

const VARIABLE = /%(?:~\w{0,20})?([A-Za-z_]\w*)%|%%?(?:~\w{0,20})?([A-Za-z])\b|!([A-Za-z_]\w*)!/g;

/** A word with its `%NAME%` variables. */
function wordNode(word: string): Node {
  const pieces: (string | Node)[] = [];
  let start = 0;
  for (const match of word.matchAll(VARIABLE)) {
    const name = match[1] ?? match[3] ?? match[2] ?? "";
    pieces.push(word.slice(start, match.index), variableNode(name));
    start = match.index + match[0].length;
  }
  return { kind: "text", pieces: [...pieces, word.slice(start)] };
}

function listOperands(call: FunctionCall): Datum[] {
  return call.positional.filter(word => !OPTION.test(knownDatumText(word) ?? ""));
}

function isRecursive(call: FunctionCall): boolean {
  return call.positional.some(word =>
    /^(?=[\s\S]*\/s(?:\/|$))(?:\/[a-z])+$/i.test(knownDatumText(word) ?? ""),
  );
}

/** `*.*` is everything, also names without a dot. */
function allNames(path: Datum): Datum {
  return knownDatumText(path)?.endsWith("*.*") === true ? mapText(path, known => known.slice(0, -2)) : path;
}

function moves(kind: "move" | "copy"): LibraryFunction {
  return (call, context) => {
    const [from, to] = listOperands(call);
    return from && to && noteMove(context, call, toPattern(from), to, kind);
  };
}

/** What the commands of cmd.exe itself do; everything else is a program. Only some take wildcards. */
export const CMD = defineLanguage({
  id: "cmd",
  parse: parseCmd,
  functions: () => [
    [
      "rd rmdir",
      (call, context) => noteDelete(context, call, listDatum(listOperands(call)), isRecursive(call)),
    ],
    [
      "del erase",
      (call, context) =>
        noteDelete(context, call, toPattern(listDatum(listOperands(call).map(allNames))), isRecursive(call)),
    ],
    ["type", (call, context) => noteRead(context, call, toPattern(listDatum(listOperands(call))))],
    ["move ren rename", moves("move")],
    ["copy xcopy", moves("copy")],
    [
      "cd chdir pushd",
      (call, context) => {
        const [path] = listOperands(call);
        return path && noteDirectory(context, call, path);
      },
    ],
    ["pattern", "makesPath", "0", "pattern"],
    ["<", "reads", "0"],
    [">", "writes", "0"],
    [">>", "writes", "0", "", "appending"],
    ["*", (call, context) => reference("program()", noteSpawn(context, call, call.positional, false))],
  ],
  constants: () => [
    ["%.HOMEPATH %.USERPROFILE", homeDatum],
    ["%.HOMEDRIVE", () => literal("")],
    ["%.SYSTEMDRIVE", () => literal("C:")],
    ["%.SYSTEMROOT %.WINDIR", () => literal("C:/Windows")],
    ["%.CD", workingDirectory],
  ],
  environments: new Set(["%"]),
  toPath: forwardSlashes,
});
