import type { CodeContext, CodeReading } from "../shell/code-calls.ts";
import type { Value } from "../shell/value.ts";
import type { Effort } from "./effort.ts";
import { step } from "./effort.ts";
import { literal } from "./meaning/datum.ts";
import { noteDelete, noteShell } from "./meaning/effects.ts";
import { evaluates, passes, runsShell } from "./meaning/models.ts";
import type { Library, Model } from "./meaning/run.ts";
import { homeDatum } from "./meaning/run.ts";
import { readProgram } from "./read-program.ts";
import { PLAIN_ESCAPES } from "./syntax/escapes.ts";
import { PLAIN_HOOKS, readExpression } from "./syntax/expressions.ts";
import type { Grammar } from "./syntax/grammar.ts";
import { level } from "./syntax/grammar.ts";
import type { Reader } from "./syntax/reader.ts";
import { createReader, isNext, peek, take, takeIf } from "./syntax/reader.ts";
import { readQuoted } from "./syntax/strings.ts";
import type { Lexicon } from "./syntax/tokens.ts";
import { tokenise } from "./syntax/tokens.ts";
import type { Node } from "./syntax/tree.ts";
import { nameNode } from "./syntax/tree.ts";

const LEXICON: Lexicon = {
  lineComments: ["--", "#"],
  blockComments: [["(*", "*)"]],
  marks: ["¬", "≠"],
  nameCharacters: "",
  hasBackslashContinuation: false,
  readSpecial: scan => {
    if (scan.source.charAt(scan.at) !== '"') return undefined;
    scan.at += 1;
    return { kind: "text", text: "", pieces: readQuoted(scan, { close: '"', escapes: PLAIN_ESCAPES }) };
  },
};

/** Phrases that do something, and the function that stands for them. */
const PHRASES: readonly (readonly [words: readonly string[], name: string])[] = [
  [["do", "shell", "script"], "do shell script"],
  [["do", "script"], "do script"],
  [["run", "script"], "run script"],
  [["path", "to", "home", "folder"], "path to home folder"],
  [["quoted", "form", "of"], "quoted form of"],
  [["posix", "path", "of"], "quoted form of"],
  [["posix", "file"], "quoted form of"],
  [["delete"], "delete"],
  [["shut", "down"], "shut down"],
  [["restart"], "restart"],
  [["log", "out"], "log out"],
];

/** What the phrases that end the work of everybody come to as commands. */
const ENDINGS: readonly (readonly [phrase: string, command: string])[] = [
  ["shut down", "shutdown -h now"],
  ["restart", "shutdown -r now"],
  ["log out", "launchctl bootout"],
];
const WITHOUT_VALUE: ReadonlySet<string> = new Set([
  "path to home folder",
  ...ENDINGS.map(([phrase]) => phrase),
]);

const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: new Map([...level(2, "join", "&"), ...level(1, "other", "= is")]),
  prefixes: new Set(["the"]),
  negations: new Set(["not", "-"]),
  memberMarks: new Set(),
  spreads: new Set(),
  endsAtLine: true,
  allowsSpacedCall: false,
  parenthesesAreList: true,
  bracesAreRecord: false,
  readPrimary: readPhrase,
};

function parseAppleScript(source: string, effort: Effort): readonly Node[] {
  const reader = createReader(tokenise(source, LEXICON, effort), GRAMMAR, effort);
  const nodes: Node[] = [];
  while (peek(reader).kind !== "end" && step(effort)) {
    const before = reader.at;
    nodes.push(readStatement(reader));
    if (reader.at === before) reader.at += 1;
  }
  return nodes;
}

/** `set x to value`; everything else is looked through for phrases. */
function readStatement(reader: Reader): Node {
  const isSetting = isNext(reader, "set") && peek(reader, 1).kind === "name" && isNext(reader, "to", 2);
  if (!isSetting) return readExpression(reader);
  reader.at += 1;
  const target = nameNode(take(reader).text);
  takeIf(reader, "to");
  return { kind: "assign", target, value: readExpression(reader) };
}

function readPhrase(reader: Reader): Node | undefined {
  const at = peek(reader).start;
  for (const [words, name] of PHRASES) {
    const isHere = words.every((word, ahead) => {
      const token = peek(reader, ahead);
      return token.kind === "name" && token.text.toLowerCase() === word;
    });
    if (!isHere) continue;
    reader.at += words.length;
    const value = WITHOUT_VALUE.has(name) ? [] : [{ value: readExpression(reader, 2) }];
    return { kind: "call", callee: nameNode(name), arguments: value, at };
  }
  return undefined;
}

const removes: Model = (call, run) => {
  const [target] = call.positional;
  if (target?.kind === "text") noteDelete(run, call, target, true);
  return undefined;
};

const APPLESCRIPT: Library = {
  language: "applescript",
  parse: parseAppleScript,
  models: new Map<string, Model>([
    ["do shell script", runsShell()],
    ["do script", runsShell()],
    ["run script", evaluates],
    ["quoted form of", passes()],
    ["path to home folder", (_call, run) => homeDatum(run)],
    ["delete", removes],
    ...ENDINGS.map(([phrase, command]): [string, Model] => [
      phrase,
      (call, run) => {
        noteShell(run, call, literal(command));
        return undefined;
      },
    ]),
  ]),
  methods: new Map(),
  constants: new Map(),
  properties: new Map(),
  canonical: path => path,
  environments: new Set(),
  returnsLast: false,
};

/** Read AppleScript for `do shell script` and its kin. */
export function readAppleScript(code: Value, context: CodeContext, invocation: number): CodeReading {
  return readProgram(APPLESCRIPT, code, context, invocation);
}
