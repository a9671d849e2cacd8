import type { CodeCall, CodeContext } from "../shell/code-calls.ts";
import type { Value } from "../shell/value.ts";
import type { Effort } from "./effort.ts";
import { step } from "./effort.ts";
import { firstValue, knownTextOf } from "./meaning/datum.ts";
import { noteDelete, noteWrite } from "./meaning/effects.ts";
import { evaluate } from "./meaning/evaluate.ts";
import { modelTable, moves, reads, runWords } from "./meaning/models.ts";
import type { Library, Model } from "./meaning/run.ts";
import { createRun } from "./meaning/run.ts";
import { expandTilde } from "./meaning/tilde.ts";
import type { Source } from "./source.ts";
import { C_ESCAPES } from "./syntax/escapes.ts";
import { PLAIN_HOOKS, readExpression } from "./syntax/expressions.ts";
import type { Grammar } from "./syntax/grammar.ts";
import { augments, level } from "./syntax/grammar.ts";
import { createReader, peek } from "./syntax/reader.ts";
import { readQuoted } from "./syntax/strings.ts";
import type { Lexicon } from "./syntax/tokens.ts";
import { tokenise } from "./syntax/tokens.ts";
import type { Node } from "./syntax/tree.ts";

const LEXICON: Lexicon = {
  lineComments: [],
  blockComments: [],
  marks: ["..", ".=", "==", "!=", "=~", "&&", "||", "->"],
  nameCharacters: ":#$&",
  hasBackslashContinuation: false,
  readSpecial: scan => {
    const character = scan.source.charAt(scan.at);
    if (character !== '"' && character !== "'") return undefined;
    scan.at += 1;
    const isRaw = character === "'";
    const pieces = readQuoted(scan, {
      close: character,
      escapes: isRaw ? undefined : C_ESCAPES,
      isVerbatim: isRaw,
      doubles: isRaw,
    });
    return { kind: "text", text: "", pieces };
  },
};

const GRAMMAR: Grammar = {
  ...PLAIN_HOOKS,
  infix: new Map([
    ...level(1, "assign", "="),
    ...augments(1, "join", ".="),
    ...level(2, "ternary", "?"),
    ...level(3, "choice", "|| &&"),
    ...level(4, "other", "== != =~ < >"),
    ...level(5, "join", ". .."),
    ...level(6, "other", "+ - * / %"),
  ]),
  prefixes: new Set(),
  negations: new Set(["!", "-", "+"]),
  memberMarks: new Set(["->"]),
  spreads: new Set(),
  endsAtLine: false,
  allowsSpacedCall: true,
  parenthesesAreList: false,
  bracesAreRecord: true,
};

/** `delete(path, "rf")` */
const removes: Model = (call, run) => {
  const [path, flags] = call.positional;
  if (path !== undefined) noteDelete(run, call, path, (knownTextOf(flags) ?? "").includes("r"));
  return undefined;
};

const writes: Model = (call, run) => {
  const [, path, flags] = call.positional;
  if (path !== undefined) noteWrite(run, call, path, (knownTextOf(flags) ?? "").includes("a"));
  return undefined;
};

const runs: Model = (call, run) => {
  const [command] = call.positional;
  return command === undefined ? undefined : runWords(run, call, command);
};

const VIM: Library = {
  language: "vim",
  parse: () => [],
  models: modelTable([
    ["system systemlist job_start jobstart term_start termopen", runs],
    ["delete", removes],
    ["writefile", writes],
    ["readfile readblob", reads()],
    ["rename", moves("move")],
    [
      "expand fnamemodify",
      (call, run) => (call.positional[0] === undefined ? undefined : expandTilde(run, call.positional[0])),
    ],
  ]),
  methods: new Map(),
  constants: new Map([
    [
      "$HOME",
      run =>
        expandTilde(run, {
          kind: "text",
          type: "text",
          value: { pieces: [{ kind: "text", text: "~" }], origins: [] },
        }),
    ],
  ]),
  properties: new Map(),
  canonical: path => path,
  environments: new Set(),
  returnsLast: false,
};

/** Follow one Vim script expression; gives the value of its last part and the calls in it. */
export function readVimExpression(
  expression: string,
  source: Source,
  context: CodeContext,
  invocation: number,
  effort: Effort,
): { value: Value | undefined; calls: readonly CodeCall[] } {
  const reader = createReader(tokenise(expression, LEXICON, effort), GRAMMAR, effort);
  const nodes: Node[] = [];
  while (peek(reader).kind !== "end" && step(effort)) {
    const before = reader.at;
    nodes.push(readExpression(reader));
    if (reader.at === before) reader.at += 1;
  }
  const run = createRun(VIM, source, context, invocation, effort);
  const data = nodes.map(node => evaluate(run, run.globals, node));
  const last = data.at(-1);
  return { value: last === undefined ? undefined : firstValue(last), calls: run.calls };
}
