import type { CodeCall, CodeContext, CodeReading } from "../../shell/code-calls.ts";
import { joinPath } from "../../shell/paths.ts";
import { concatenate, knownText, type Piece, text, unknown, type Value } from "../../shell/value.ts";
import { createReadingBudget, type ReadingBudget, step } from "../syntax/reading-budget.ts";
import { literalValue, type Source, sourceOf } from "../syntax/source.ts";

interface EvaluationContext {
  readonly source: Source;
  readonly inputs: CodeContext;
  readonly budget: ReadingBudget;
  readonly calls: CodeCall[];
  readonly variables: Map<string, Value>;
  directory: Value | undefined;
}

interface Command {
  readonly words: readonly string[];
  readonly redirections: readonly {
    readonly path: string;
    readonly isAppend: boolean;
    readonly isInput: boolean;
  }[];
  readonly at: number;
}

/** Read the command text of cmd.exe: what `cmd /c` is given, or a batch file. */
export function readCmd(code: Value, inputs: CodeContext): CodeReading {
  const source = sourceOf(code);
  const budget = createReadingBudget(source.text.length, inputs.budget);
  const context: EvaluationContext = {
    source,
    inputs,
    budget,
    calls: [],
    variables: new Map(),
    directory: undefined,
  };
  for (const command of commandsOf(source.text, budget)) runCommand(context, command.words, command);
  return { calls: context.calls, isComplete: !budget.isCutShort };
}

/** Commands between `&`, `|`, newlines and parentheses; quotes hold blanks, a caret escapes. */
function commandsOf(script: string, budget: ReadingBudget): Command[] {
  const commands: Command[] = [];
  let words: string[] = [];
  let redirections: { path: string; isAppend: boolean; isInput: boolean }[] = [];
  let word: string | undefined;
  let isQuoted = false;
  let pending: { isAppend: boolean; isInput: boolean } | undefined;
  let start = 0;
  const endWord = (): void => {
    if (word === undefined) return;
    if (pending === undefined) words.push(word);
    else redirections.push({ path: word, ...pending });
    pending = undefined;
    word = undefined;
  };
  const endCommand = (at: number): void => {
    endWord();
    if (words.length > 0 || redirections.length > 0) commands.push({ words, redirections, at: start });
    words = [];
    redirections = [];
    pending = undefined;
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
      const isAppend = character === ">" && script.charAt(at + 1) === ">";
      if (isAppend) at += 1;
      if (script.charAt(at + 1) === "&") at += 2;
      else pending = { isAppend, isInput: character === "<" };
    } else if (
      character === "(" &&
      /^@?for$/i.test(words[0] ?? "") &&
      !words.some(each => /^do$/i.test(each))
    ) {
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

function runCommand(context: EvaluationContext, words: readonly string[], command: Command): void {
  for (const { path, isAppend, isInput } of command.redirections)
    noteRedirection(context, path, isAppend, isInput, command.at);
  const [first, ...rest] = words;
  if (first === undefined) return;
  const name = first
    .replace(/^@/, "")
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "")
    .replace(/^echo[.:/\\(].*$/, "echo");
  const handle = COMMANDS.get(name);
  if (handle !== undefined) handle(context, rest, command);
  else if (
    !/^(?:rem|::|echo|title|color|pause|setlocal|endlocal|goto|exit|cls)$/.test(name) &&
    !name.startsWith(":")
  ) {
    const argv = [first.replace(/^@/, ""), ...rest].map(word => valueOfWord(context, word));
    context.calls.push({ kind: "spawn", argv, isOpenEnded: false, cwd: context.directory, at: command.at });
  }
}

type Handle = (context: EvaluationContext, words: readonly string[], command: Command) => void;

const COMMANDS: ReadonlyMap<string, Handle> = new Map<string, Handle>([
  ["rd", removesDirectory],
  ["rmdir", removesDirectory],
  ["del", removesFiles],
  ["erase", removesFiles],
  ["type", readsFiles],
  ["move", moves("move")],
  ["ren", moves("move")],
  ["rename", moves("move")],
  ["copy", moves("copy")],
  ["xcopy", moves("copy")],
  ["cd", changesDirectory],
  ["chdir", changesDirectory],
  ["pushd", changesDirectory],
  ["set", setsVariable],
  ["call", (context, words, command) => runCommand(context, words, { ...command, redirections: [] })],
  ["start", startsProgram],
  ["if", runsAfterCondition],
  ["else", (context, words, command) => runCommand(context, words, { ...command, redirections: [] })],
  ["for", runsLoop],
  ["cmd", runsNested],
]);

const OPTION = /^(?:\/[A-Za-z?](?::[^/]*)?)+$/;

/** `start "" /wait program …`: what follows the program is the program's, options too. */
function startsProgram(context: EvaluationContext, words: readonly string[], command: Command): void {
  const at = words.findIndex(
    (word, index) => word !== "" && !isStartOption(word) && !/^\/d$/i.test(words[index - 1] ?? ""),
  );
  if (at >= 0) runCommand(context, words.slice(at), { ...command, redirections: [] });
}

function isStartOption(word: string): boolean {
  return OPTION.test(word) || /^\/[a-z]+$/i.test(word);
}

function operandsOf(words: readonly string[]): string[] {
  return words.filter(word => !OPTION.test(word));
}

function hasFlag(words: readonly string[], letter: string): boolean {
  return words.some(word => new RegExp(`^(?:/[a-z])*/${letter}(?:/[a-z])*$`, "i").test(word));
}

function removesDirectory(context: EvaluationContext, words: readonly string[], command: Command): void {
  const isRecursive = hasFlag(words, "s");
  for (const word of operandsOf(words)) {
    context.calls.push({ kind: "delete", path: pathOf(context, word, false), isRecursive, at: command.at });
  }
}

function removesFiles(context: EvaluationContext, words: readonly string[], command: Command): void {
  const isRecursive = hasFlag(words, "s");
  for (const word of operandsOf(words)) {
    context.calls.push({ kind: "delete", path: pathOf(context, word, true), isRecursive, at: command.at });
  }
}

function readsFiles(context: EvaluationContext, words: readonly string[], command: Command): void {
  for (const word of operandsOf(words))
    context.calls.push({ kind: "read", path: pathOf(context, word, true), at: command.at });
}

function moves(kind: "move" | "copy"): Handle {
  return (context, words, command) => {
    const [from, to] = operandsOf(words);
    if (from === undefined || to === undefined) return;
    context.calls.push({
      kind,
      from: pathOf(context, from, true),
      to: pathOf(context, to, false),
      at: command.at,
    });
  };
}

function changesDirectory(context: EvaluationContext, words: readonly string[], command: Command): void {
  const [target] = operandsOf(words);
  if (target === undefined) return;
  context.directory = pathOf(context, target, false);
  context.calls.push({ kind: "directory", path: context.directory, at: command.at });
}

function setsVariable(context: EvaluationContext, words: readonly string[]): void {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(words.join(" ")) ?? [];
  if (name !== undefined) context.variables.set(name.toUpperCase(), valueOfWord(context, value ?? ""));
}

/** `if exist x del x`, `if not defined y …`: the command starts at the first word that can be one. */
function runsAfterCondition(context: EvaluationContext, words: readonly string[], command: Command): void {
  const at = words.findIndex(word => COMMANDS.has(word.toLowerCase()));
  if (at >= 0) runCommand(context, words.slice(at), { ...command, redirections: [] });
}

/** `cmd /c …` */
function runsNested(context: EvaluationContext, words: readonly string[], command: Command): void {
  const at = words.findIndex(word => /^\/[ck]$/i.test(word));
  if (at >= 0) runCommand(context, words.slice(at + 1), { ...command, redirections: [] });
}

/** `for %i in (a b) do …`: the variable is any of the set. */
function runsLoop(context: EvaluationContext, words: readonly string[], command: Command): void {
  const doAt = words.findIndex(word => word.toLowerCase() === "do");
  if (doAt < 0) return;
  const name = words
    .find(word => /^%%?[A-Za-z]$/.test(word))
    ?.replace(/^%+/, "")
    .toUpperCase();
  const set = words[doAt - 1]?.trim().split(/[\s,]+/) ?? [];
  const items =
    words.some(word => /^\/f$/i.test(word)) || set.length === 0 ? [undefined] : set.slice(0, MAX_ITEMS);
  for (const item of items) {
    if (name !== undefined)
      context.variables.set(
        name,
        item === undefined ? unknown("any", `%${name}`) : pathOf(context, item, true),
      );
    runCommand(context, words.slice(doAt + 1), { ...command, redirections: [] });
  }
}

const MAX_ITEMS = 16;

function noteRedirection(
  context: EvaluationContext,
  path: string,
  isAppend: boolean,
  isInput: boolean,
  at: number,
): void {
  if (/^(?:nul|con)$/i.test(path)) return;
  const target = pathOf(context, path, false);
  if (isInput) context.calls.push({ kind: "read", path: target, at });
  else context.calls.push({ kind: "write", path: target, isAppend, content: undefined, at });
}

const VARIABLE = /%(?:~\w*)?([A-Za-z_]\w*)%|%%?(?:~\w*)?([A-Za-z])\b|!([A-Za-z_]\w*)!/g;

/** A word with its `%NAME%` variables replaced. */
function valueOfWord(context: EvaluationContext, word: string): Value {
  const values: Value[] = [];
  let start = 0;
  for (const match of word.matchAll(VARIABLE)) {
    values.push(
      literalValue(word.slice(start, match.index), context.source),
      variable(context, match[1] ?? match[3] ?? match[2] ?? ""),
    );
    start = match.index + match[0].length;
  }
  return concatenate([...values, literalValue(word.slice(start), context.source)]);
}

function variable(context: EvaluationContext, name: string): Value {
  const upper = name.toUpperCase();
  const own = context.variables.get(upper) ?? context.inputs.environment(upper);
  if (own !== undefined) return own;
  switch (upper) {
    case "USERPROFILE":
    case "HOMEPATH":
    case "HOME":
      return text(context.inputs.home);
    case "HOMEDRIVE":
      return text("");
    case "SYSTEMDRIVE":
      return text("C:");
    case "SYSTEMROOT":
    case "WINDIR":
      return text("C:/Windows");
    case "TEMP":
    case "TMP":
      return text(context.inputs.tmpdir);
    case "CD":
      return context.directory ?? context.inputs.cwd;
    default:
      return unknown("any", `%${name}%`, [{ kind: "environment", name }]);
  }
}

/** Slashes forward, wildcards active where the command takes them, seen from where `cd` went. */
function pathOf(context: EvaluationContext, word: string, hasWildcards: boolean): Value {
  const value = valueOfWord(context, word);
  const pieces = value.pieces.flatMap(piece =>
    piece.kind === "text" ? pathPieces(piece.text, hasWildcards) : [piece],
  );
  const path: Value = { pieces, origins: value.origins };
  const isOnDrive = /^[A-Za-z]:/.test(knownText(path) ?? "");
  return context.directory === undefined || isOnDrive ? path : joinPath(context.directory, path);
}

function pathPieces(written: string, hasWildcards: boolean): Piece[] {
  const forward = written.replaceAll("\\", "/");
  if (!hasWildcards) return forward === "" ? [] : [{ kind: "text", text: forward }];
  return forward
    .split(/([*?]+)/)
    .filter(part => part !== "")
    .map(
      (part): Piece => (/^[*?]/.test(part) ? { kind: "glob", pattern: part } : { kind: "text", text: part }),
    );
}
