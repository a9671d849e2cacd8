import type { Language } from "../../shell/index.ts";
import { knownDatumText, listDatum, textDatum } from "../meaning/datum.ts";
import { noteDelete, noteEvaluate, noteWrite } from "../meaning/effects.ts";
import {
  expandTilde,
  homeDatum,
  type LibraryFunction,
  select,
  toPattern,
  withArgument,
} from "../meaning/evaluation-context.ts";
import { defineLanguage } from "../meaning/library-table.ts";
import { DEFAULT_GRAMMAR, type Grammar, Parser, readExpression } from "../syntax/parser.ts";
import { type ReadingBudget, step } from "../syntax/source.ts";
import { C_ESCAPES, type LexerRules, readText, tokenise } from "../syntax/tokens.ts";
import { augments, callNode, level, type Node, nameNode, textNode } from "../syntax/tree.ts";

// Ex commands: what `vim -c`, `+` and a script on the stdin of `ex` say. A command is a call of a function of its
// name behind a colon.

const LEXER_RULES: LexerRules = {
  marks: ".. .= == != =~ && || ->",
  nameCharacters: ":#$&",
  readSpecial: lexer => {
    const character = lexer.source.charAt(lexer.at);
    if (character === "'") return readText(lexer, { isVerbatim: true, doubles: true });
    return character === '"' ? readText(lexer, { escapes: C_ESCAPES }) : undefined;
  },
};

const GRAMMAR: Grammar = {
  ...DEFAULT_GRAMMAR,
  infix: new Map([
    ...level(1, "assign", "="),
    ...augments(1, "join", ".="),
    ...level(2, "ternary", "?"),
    ...level(3, "choice", "|| &&"),
    ...level(4, "other", "== != =~ < >"),
    ...level(5, "join", ". .."),
    ...level(6, "other", "+ - * / %"),
  ]),
  negations: new Set(["!", "-", "+"]),
  memberMarks: new Set(["->"]),
  allowsSpacedCall: true,
  bracesAreRecord: true,
};

/** Where a line stands in the script. */
interface Place {
  readonly at: number;
  readonly depth: number;
  readonly budget: ReadingBudget;
}

const MAX_DEPTH = 8;

function parseVim(source: string, budget: ReadingBudget): readonly Node[] {
  let at = 0;
  const nodes = source.split("\n").flatMap(line => {
    const nodes = readLine(line, { at, depth: 0, budget });
    at += line.length + 1;
    return nodes;
  });
  const opened = nodes.filter(node => isCallTo(node, ":edit"));
  // `:w` without a name writes what was opened before it.
  const isWritten = nodes.some(node => isCallTo(node, ":write") && node.arguments.length === 0);
  return isWritten
    ? [
        ...nodes,
        ...opened.flatMap(node => (node.kind === "call" ? [{ ...node, callee: nameNode(":write") }] : [])),
      ]
    : nodes;
}

function isCallTo(node: Node, name: string): node is Extract<Node, { kind: "call" }> {
  return node.kind === "call" && node.callee.kind === "name" && node.callee.name === name;
}

/** Ranges, marks and patterns in front of a command: `%`, `1,$`, `'<,'>`, `/x/`. */
const RANGE = /^[\s:]*(?:(?:[%$.]|\d+|'[a-z<>]|\/(?:[^/\\]|\\.){0,200}\/)[+\-\d]*[,;]?)*\s*/;
const PREFIXES =
  /^(?:sil(?:ent)?!?|noa(?:utocmd)?|verb(?:ose)?|keepa(?:lt)?|keepj(?:umps)?|lockm(?:arks)?|unsil(?:ent)?|vert(?:ical)?|tab|bo(?:tright)?)\s+/;

function readLine(line: string, place: Place): Node[] {
  const { budget, depth } = place;
  if (!step(budget)) return [];
  if (depth >= MAX_DEPTH) {
    budget.isCutShort = true;
    return [];
  }
  let rest = line.replace(RANGE, "");
  while (PREFIXES.test(rest)) rest = rest.replace(PREFIXES, "").replace(RANGE, "");
  return readCommand(rest, { budget, depth: depth + 1, at: place.at + line.length - rest.length });
}

/** A bar ends most commands; those that run a program take the whole line. */
function readCommand(command: string, place: Place): Node[] {
  if (command === "" || command.startsWith('"')) return [];
  if (command.startsWith("!")) return [call("!", command.slice(1), place)];
  const [, word = "", bang = "", rest = ""] = /^(py(?:thon)?3|[A-Za-z]+)(!?)\s*(.*)$/s.exec(command) ?? [];
  // `:w !cmd` and `:r!cmd` run a program; `:w! file` writes whatever stands in the way.
  const runsProgram = /^w(?:rite|rit|ri|r)?$/.test(word)
    ? bang === "" && rest.startsWith("!")
    : /^r(?:ead|ea|e)?$/.test(word) && (bang === "!" || rest.startsWith("!"));
  if (runsProgram) return [call("!", rest.replace(/^!/, ""), place)];
  const read = COMMANDS.find(([pattern]) => pattern.test(word))?.[1];
  if (WHOLE_LINE.test(word)) return read?.(rest, place) ?? [];
  const bar = /(?<!\\)\|/.exec(rest)?.index ?? rest.length;
  const next = rest.slice(bar + 1);
  return [
    ...(read?.(rest.slice(0, bar).trim(), place) ?? []),
    ...(next === "" ? [] : readLine(next, { ...place, at: place.at + command.length - next.length })),
  ];
}

/** These take bars as part of their argument. */
const WHOLE_LINE =
  /^(?:au|autocmd|ter|term|terminal|py|py3|python|python3|pythonx|pyx|lua|ruby|rub|perl|pe|com|command|norm|normal|g|global|v|vglobal|bufdo|argdo|windo|tabdo|map|nnoremap|nmap|exe|exec|execute|cal|call|let|ec|echo|echom|if|eval)$/;

type ReadArgument = (rest: string, place: Place) => Node[];

const COMMANDS: readonly (readonly [RegExp, ReadArgument])[] = [
  [
    /^(?:w|wr|wri|writ|write|wq|wn|wa|wall|wqa|wqall|x|xi|xit|exi|exit|xa|xall|sav|saveas|up|update|mks|mksession|mkv|mkvimrc)$/,
    readWrite,
  ],
  [/^(?:so|source)$/, callsWithPath(":source")],
  [/^(?:r|re|rea|read|vie|view)$/, callsWithPath(":read")],
  [
    /^(?:e|ed|edit|sp|split|vs|vsplit|vi|tabe|tabedit|new|ar|args|arga|argadd|n|next|drop|fin|find)$/,
    readsEach(":edit"),
  ],
  [/^(?:ter|term|terminal)$/, (rest, place) => [call("!", rest.replace(/^(?:\+\+\S+\s+)+/, ""), place)]],
  [/^(?:py|py3|python|python3|pythonx|pyx)$/, callsWithCode(":python")],
  [/^lua$/, callsWithCode(":lua")],
  [/^(?:rub|ruby)$/, callsWithCode(":ruby")],
  [/^(?:pe|perl)$/, callsWithCode(":perl")],
  // Behind an event and its pattern, a pattern, options and a name, or nothing, a command line of its own follows.
  [/^(?:au|autocmd)$/, readsLineBehind(/^(?:\S+\s+){2}(?:\+\+\S+\s+)*/)],
  [/^(?:g|global|v|vglobal)$/, readsLineBehind(/^(\W)(?:\\.|(?!\1)[^\\\n]){0,200}\1/)],
  [/^(?:com|command)$/, readsLineBehind(/^(?:-\S+\s+)*\S+\s+/)],
  [/^(?:bufdo|argdo|windo|tabdo)$/, readLine],
  [/^(?:norm|normal)$/, readKeys],
  [/^(?:exe|exec|execute)$/, readExecute],
  [/^(?:cal|call|let|ec|echo|echom|if|eval|ret|return|wh|while)$/, readExpressions],
];

function call(name: string, argument: string, place: Place): Node {
  const value = argument.trim();
  const given = value === "" ? [] : [{ value: textNode(value) }];
  return { kind: "call", callee: nameNode(name), arguments: given, at: place.at };
}

function readsLineBehind(skipped: RegExp): ReadArgument {
  return (rest, place) => readLine(rest.replace(skipped, ""), place);
}

function callsWithCode(name: string): ReadArgument {
  return (rest, place) => [call(name, rest.replace(/^<<.*$/, ""), place)];
}

function callsWithPath(name: string): ReadArgument {
  return (rest, place) => [call(name, rest.replace(/^!?\s*(?:\+\+?\S+\s+)*/, ""), place)];
}

/** Several files may be opened at once. */
function readsEach(name: string): ReadArgument {
  return (rest, place) => {
    const paths = rest.replace(/^!?\s*(?:\+\+?\S+\s+)*/, "").split(/(?<!\\)\s+/);
    return paths.flatMap(path => (path === "" ? [] : [call(name, path, place)]));
  };
}

function readWrite(rest: string, place: Place): Node[] {
  const path = rest.replace(/^!?\s*(?:\+\+\S+\s+)*(?:>>\s*)?/, "");
  return [call(rest.trimStart().startsWith(">>") ? ":append" : ":write", path, place)];
}

/** Typed keys: a colon starts a command. */
function readKeys(rest: string, place: Place): Node[] {
  const colon = rest.indexOf(":");
  return colon === -1 ? [] : readLine(rest.slice(colon + 1).replace(/(?:\r|<CR>|\^M)[\s\S]*$/i, ""), place);
}

function readExpressions(expression: string, place: Place): Node[] {
  const parser = new Parser(tokenise(expression, LEXER_RULES, place.budget), GRAMMAR, place.budget);
  return parser.readMany(readExpression);
}

/** `execute "…"`: the last value is a command line of its own. */
function readExecute(expression: string, place: Place): Node[] {
  const nodes = readExpressions(expression, place);
  const last = nodes.pop();
  if (last === undefined) return [];
  return [...nodes, callNode(":execute", [last], place.at)];
}

/** `:w file`; without a name, the files that the editor was started with. */
function writesFile(isAppend: boolean): LibraryFunction {
  return (given, context) => {
    const opened = listDatum(context.inputs.arguments.map(value => textDatum(value)));
    return noteWrite(context, given, select(given, "0") ?? opened, isAppend);
  };
}

function evaluatesIn(language: Language): LibraryFunction {
  return withArgument("0", (code, given, context) => noteEvaluate(context, given, language, code));
}

/** `delete(path, "rf")` */
const removes = withArgument("0", (path, given, context) =>
  noteDelete(context, given, path, knownDatumText(select(given, "1"))?.includes("r") === true),
);

/** `writefile(lines, path, "a")` */
const writesLines = withArgument("1", (path, given, context) =>
  noteWrite(context, given, path, knownDatumText(select(given, "2"))?.includes("a") === true),
);

/** What ex commands and the functions of Vim script do. */
export const VIM = defineLanguage({
  id: "vim",
  parse: parseVim,
  toPath: (path, context) => toPattern(expandTilde(path, context), "text"),
  functions: () => [
    ["!", "runsShell", "0"],
    [":write", writesFile(false)],
    [":append", writesFile(true)],
    [":read :edit readfile readblob", "reads", "0"],
    [":source", "evaluatesFile", "0"],
    [":execute", "evaluates", "0"],
    [":python", evaluatesIn("python")],
    [":lua", evaluatesIn("lua")],
    [":ruby", evaluatesIn("ruby")],
    [":perl", evaluatesIn("perl")],
    ["system systemlist job_start jobstart term_start termopen", "runsWords", "0"],
    ["delete", removes],
    ["writefile", writesLines],
    ["rename", "moves", "0", "1"],
    ["expand fnamemodify", "makesPath", "0", "home for tilde"],
  ],
  constants: () => [["$HOME", homeDatum]],
});
