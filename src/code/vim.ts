import type { CodeCall, CodeContext, CodeReading, Language } from "../shell/code-calls.ts";
import type { Value } from "../shell/value.ts";
import { knownText, unknown } from "../shell/value.ts";
import { type Effort, effortFor, step } from "./effort.ts";
import { literalValue, type Source, sourceOf } from "./source.ts";
import { readVimExpression } from "./vim-expression.ts";

interface Run {
  readonly source: Source;
  readonly context: CodeContext;
  readonly invocation: number;
  readonly effort: Effort;
  readonly calls: CodeCall[];
  depth: number;
}

const DEEPEST = 8;

/** Read ex commands: what `vim -c`, `+` and a script on the stdin of `ex` say. */
export function readVim(code: Value, context: CodeContext, invocation: number): CodeReading {
  const source = sourceOf(code);
  const effort = effortFor(source.text.length, context.budget);
  const run: Run = { source, context, invocation, effort, calls: [], depth: 0 };
  let at = 0;
  for (const line of source.text.split("\n")) {
    readLine(run, line, at);
    at += line.length + 1;
  }
  return { calls: run.calls, isComplete: !effort.isCutShort };
}

/** Ranges, marks and patterns in front of a command: `%`, `1,$`, `'<,'>`, `/x/`. */
const RANGE = /^[\s:]*(?:(?:[%$.]|\d+|'[a-z<>]|\/(?:[^/\\]|\\.){0,200}\/)[+\-\d]*[,;]?)*\s*/;
const PREFIXES =
  /^(?:sil(?:ent)?!?|noa(?:utocmd)?|verb(?:ose)?|keepa(?:lt)?|keepj(?:umps)?|lockm(?:arks)?|unsil(?:ent)?|vert(?:ical)?|tab|bo(?:tright)?)\s+/;

function readLine(run: Run, line: string, at: number): void {
  if (!step(run.effort)) return;
  if (run.depth >= DEEPEST) {
    run.effort.isCutShort = true;
    return;
  }
  run.depth += 1;
  const range = RANGE.exec(line)?.[0] ?? "";
  let rest = line.slice(range.length);
  for (let prefix = PREFIXES.exec(rest); prefix !== null; prefix = PREFIXES.exec(rest)) {
    rest = rest.slice(prefix[0].length).replace(RANGE, "");
  }
  readCommand(run, rest, at + (line.length - rest.length));
  run.depth -= 1;
}

/** A bar ends most commands; those that run a program take the whole line. */
function readCommand(run: Run, command: string, at: number): void {
  if (command === "" || command.startsWith('"')) return;
  if (command.startsWith("!")) {
    noteShell(run, command.slice(1), at);
    return;
  }
  const [, word = "", bang = "", rest = ""] = /^(py(?:thon)?3|[A-Za-z]+)(!?)\s*(.*)$/s.exec(command) ?? [];
  // `:w !cmd` and `:r!cmd` run a program; `:w! file` writes whatever stands in the way.
  const runsProgram = /^(?:w|wr|wri|writ|write)$/.test(word)
    ? bang === "" && rest.startsWith("!")
    : /^(?:r|re|rea|read)$/.test(word) && (bang === "!" || rest.startsWith("!"));
  if (runsProgram) {
    noteShell(run, rest.replace(/^!/, ""), at);
    return;
  }
  const handle = HANDLERS.find(([pattern]) => pattern.test(word))?.[1];
  if (WHOLE_LINE.test(word)) {
    handle?.(run, rest, at, word);
    return;
  }
  const [own, next] = cutAtBar(rest);
  handle?.(run, own, at, word);
  if (next !== undefined) readLine(run, next, at + command.length - next.length);
}

/** These take bars as part of their argument. */
const WHOLE_LINE =
  /^(?:au|autocmd|ter|term|terminal|py|py3|python|python3|pythonx|pyx|lua|ruby|rub|perl|pe|com|command|norm|normal|g|global|v|vglobal|bufdo|argdo|windo|tabdo|map|nnoremap|nmap|exe|exec|execute|cal|call|let|ec|echo|echom|if|eval)$/;

function cutAtBar(rest: string): readonly [string, string | undefined] {
  const bar = /(?<!\\)\|/.exec(rest);
  return bar === null ? [rest, undefined] : [rest.slice(0, bar.index).trim(), rest.slice(bar.index + 1)];
}

type Handle = (run: Run, rest: string, at: number, word: string) => void;

const HANDLERS: readonly (readonly [RegExp, Handle])[] = [
  [
    /^(?:w|wr|wri|writ|write|wq|wn|wa|wall|wqa|wqall|x|xi|xit|exi|exit|xa|xall|sav|saveas|up|update|mks|mksession|mkv|mkvimrc)$/,
    noteWrite,
  ],
  [/^(?:r|re|rea|read|e|ed|edit|sp|split|vs|vsplit|vi|vie|view|tabe|tabedit|new|so|source)$/, noteRead],
  [/^(?:ter|term|terminal)$/, (run, rest, at) => noteShell(run, rest.replace(/^(?:\+\+\S+\s+)+/, ""), at)],
  [/^(?:py|py3|python|python3|pythonx|pyx)$/, evaluatesIn("python")],
  [/^lua$/, evaluatesIn("lua")],
  [/^(?:rub|ruby)$/, evaluatesIn("ruby")],
  [/^(?:pe|perl)$/, evaluatesIn("perl")],
  [
    /^(?:au|autocmd)$/,
    (run, rest, at) => readLine(run, rest.replace(/^(?:\S+\s+){2}(?:\+\+\S+\s+)*/, ""), at),
  ],
  [
    /^(?:g|global|v|vglobal)$/,
    (run, rest, at) => readLine(run, rest.replace(/^(\W)(?:\\.|(?!\1).){0,200}\1/, ""), at),
  ],
  [/^(?:bufdo|argdo|windo|tabdo)$/, readLine],
  [/^(?:com|command)$/, (run, rest, at) => readLine(run, rest.replace(/^(?:-\S+\s+)*\S+\s+/, ""), at)],
  [/^(?:norm|normal)$/, readKeys],
  [/^(?:exe|exec|execute)$/, readExecute],
  [
    /^(?:cal|call|let|ec|echo|echom|if|eval|ret|return|wh|while)$/,
    (run, rest, at) => readExpression(run, rest, at),
  ],
];

function noteShell(run: Run, command: string, at: number): void {
  // `%` and `#` stand for file names that only the editor knows.
  const parts = literalValue(command.trim(), run.source);
  if (parts.pieces.length > 0) run.calls.push({ kind: "shell", command: parts, at });
}

function noteWrite(run: Run, rest: string, at: number): void {
  const path = rest.replace(/^!?\s*(?:\+\+\S+\s+)*(?:>>\s*)?/, "").trim();
  if (path === "") {
    for (const file of run.context.arguments)
      run.calls.push({ kind: "write", path: file, isAppend: false, content: undefined, at });
    return;
  }
  const isAppend = rest.trimStart().startsWith(">>");
  run.calls.push({ kind: "write", path: literalValue(path, run.source), isAppend, content: undefined, at });
}

function noteRead(run: Run, rest: string, at: number, word: string): void {
  const path = rest.replace(/^!?\s*(?:\+\+?\S+\s+)*/, "").trim();
  if (path === "") return;
  const value = literalValue(path, run.source);
  run.calls.push({ kind: "read", path: value, at });
  if (!/^so/.test(word)) return;
  const code = unknown("any", path, [{ kind: "file", path: value }]);
  run.calls.push({ kind: "evaluate", language: "vim", code, at });
}

function evaluatesIn(language: Language): Handle {
  return (run, rest, at) => {
    const code = literalValue(rest.replace(/^<<.*$/, ""), run.source);
    if (code.pieces.length > 0) run.calls.push({ kind: "evaluate", language, code, at });
  };
}

/** Typed keys: a colon starts a command. */
function readKeys(run: Run, rest: string, at: number): void {
  const colon = rest.indexOf(":");
  if (colon !== -1) readLine(run, rest.slice(colon + 1).replace(/(?:\r|<CR>|\^M).*$/i, ""), at);
}

/** `execute "…"`: a known text is a command line of its own. */
function readExecute(run: Run, rest: string, at: number): void {
  const value = readExpression(run, rest, at);
  const command = value === undefined ? undefined : knownText(value);
  if (command !== undefined) readLine(run, command, at);
  else if (value !== undefined) run.calls.push({ kind: "evaluate", language: "vim", code: value, at });
}

function readExpression(run: Run, expression: string, at: number): Value | undefined {
  const result = readVimExpression(expression, run.source, run.context, run.invocation, run.effort);
  for (const call of result.calls) run.calls.push({ ...call, at: at + call.at });
  return result.value;
}
