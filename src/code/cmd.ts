import type { CodeCall, CodeContext, CodeReading } from "../shell/code-calls.ts";
import { joinPath } from "../shell/paths.ts";
import type { Piece, Value } from "../shell/value.ts";
import { concatenate, knownText, text, unknown } from "../shell/value.ts";
import { type Effort, effortFor, step } from "./effort.ts";
import { literalValue, type Source, sourceOf } from "./source.ts";

interface Run {
  readonly source: Source;
  readonly context: CodeContext;
  readonly effort: Effort;
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
export function readCmd(code: Value, context: CodeContext): CodeReading {
  const source = sourceOf(code);
  const effort = effortFor(source.text.length, context.budget);
  const run: Run = { source, context, effort, calls: [], variables: new Map(), directory: undefined };
  for (const command of commandsOf(source.text, effort)) runCommand(run, command.words, command);
  return { calls: run.calls, isComplete: !effort.isCutShort };
}

/** Commands between `&`, `|`, newlines and parentheses; quotes hold blanks, a caret escapes. */
function commandsOf(script: string, effort: Effort): Command[] {
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
  for (let at = 0; at < script.length && step(effort); at += 1) {
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

function runCommand(run: Run, words: readonly string[], command: Command): void {
  for (const { path, isAppend, isInput } of command.redirections)
    noteRedirection(run, path, isAppend, isInput, command.at);
  const [first, ...rest] = words;
  if (first === undefined) return;
  const name = first
    .replace(/^@/, "")
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "")
    .replace(/^echo[.:/\\(].*$/, "echo");
  const handle = COMMANDS.get(name);
  if (handle !== undefined) handle(run, rest, command);
  else if (
    !/^(?:rem|::|echo|title|color|pause|setlocal|endlocal|goto|exit|cls)$/.test(name) &&
    !name.startsWith(":")
  ) {
    const argv = [first.replace(/^@/, ""), ...rest].map(word => valueOfWord(run, word));
    run.calls.push({ kind: "spawn", argv, isOpenEnded: false, cwd: run.directory, at: command.at });
  }
}

type Handle = (run: Run, words: readonly string[], command: Command) => void;

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
  ["call", (run, words, command) => runCommand(run, words, { ...command, redirections: [] })],
  ["start", startsProgram],
  ["if", runsAfterCondition],
  ["else", (run, words, command) => runCommand(run, words, { ...command, redirections: [] })],
  ["for", runsLoop],
  ["cmd", runsNested],
]);

const OPTION = /^(?:\/[A-Za-z?](?::[^/]*)?)+$/;

/** `start "" /wait program …`: what follows the program is the program's, options too. */
function startsProgram(run: Run, words: readonly string[], command: Command): void {
  const at = words.findIndex(
    (word, index) => word !== "" && !isStartOption(word) && !/^\/d$/i.test(words[index - 1] ?? ""),
  );
  if (at >= 0) runCommand(run, words.slice(at), { ...command, redirections: [] });
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

function removesDirectory(run: Run, words: readonly string[], command: Command): void {
  const isRecursive = hasFlag(words, "s");
  for (const word of operandsOf(words)) {
    run.calls.push({ kind: "delete", path: pathOf(run, word, false), isRecursive, at: command.at });
  }
}

function removesFiles(run: Run, words: readonly string[], command: Command): void {
  const isRecursive = hasFlag(words, "s");
  for (const word of operandsOf(words)) {
    run.calls.push({ kind: "delete", path: pathOf(run, word, true), isRecursive, at: command.at });
  }
}

function readsFiles(run: Run, words: readonly string[], command: Command): void {
  for (const word of operandsOf(words))
    run.calls.push({ kind: "read", path: pathOf(run, word, true), at: command.at });
}

function moves(kind: "move" | "copy"): Handle {
  return (run, words, command) => {
    const [from, to] = operandsOf(words);
    if (from === undefined || to === undefined) return;
    run.calls.push({ kind, from: pathOf(run, from, true), to: pathOf(run, to, false), at: command.at });
  };
}

function changesDirectory(run: Run, words: readonly string[], command: Command): void {
  const [target] = operandsOf(words);
  if (target === undefined) return;
  run.directory = pathOf(run, target, false);
  run.calls.push({ kind: "directory", path: run.directory, at: command.at });
}

function setsVariable(run: Run, words: readonly string[]): void {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(words.join(" ")) ?? [];
  if (name !== undefined) run.variables.set(name.toUpperCase(), valueOfWord(run, value ?? ""));
}

/** `if exist x del x`, `if not defined y …`: the command starts at the first word that can be one. */
function runsAfterCondition(run: Run, words: readonly string[], command: Command): void {
  const at = words.findIndex(word => COMMANDS.has(word.toLowerCase()));
  if (at >= 0) runCommand(run, words.slice(at), { ...command, redirections: [] });
}

/** `cmd /c …` */
function runsNested(run: Run, words: readonly string[], command: Command): void {
  const at = words.findIndex(word => /^\/[ck]$/i.test(word));
  if (at >= 0) runCommand(run, words.slice(at + 1), { ...command, redirections: [] });
}

/** `for %i in (a b) do …`: the variable is any of the set. */
function runsLoop(run: Run, words: readonly string[], command: Command): void {
  const doAt = words.findIndex(word => word.toLowerCase() === "do");
  if (doAt < 0) return;
  const name = words
    .find(word => /^%%?[A-Za-z]$/.test(word))
    ?.replace(/^%+/, "")
    .toUpperCase();
  const set = words[doAt - 1]?.trim().split(/[\s,]+/) ?? [];
  const items =
    words.some(word => /^\/f$/i.test(word)) || set.length === 0 ? [undefined] : set.slice(0, MOST_ITEMS);
  for (const item of items) {
    if (name !== undefined)
      run.variables.set(name, item === undefined ? unknown("any", `%${name}`) : pathOf(run, item, true));
    runCommand(run, words.slice(doAt + 1), { ...command, redirections: [] });
  }
}

const MOST_ITEMS = 16;

function noteRedirection(run: Run, path: string, isAppend: boolean, isInput: boolean, at: number): void {
  if (/^(?:nul|con)$/i.test(path)) return;
  const target = pathOf(run, path, false);
  if (isInput) run.calls.push({ kind: "read", path: target, at });
  else run.calls.push({ kind: "write", path: target, isAppend, content: undefined, at });
}

const VARIABLE = /%(?:~\w*)?([A-Za-z_]\w*)%|%%?(?:~\w*)?([A-Za-z])\b|!([A-Za-z_]\w*)!/g;

/** A word with its `%NAME%` variables replaced. */
function valueOfWord(run: Run, word: string): Value {
  const values: Value[] = [];
  let start = 0;
  for (const match of word.matchAll(VARIABLE)) {
    values.push(
      literalValue(word.slice(start, match.index), run.source),
      variable(run, match[1] ?? match[3] ?? match[2] ?? ""),
    );
    start = match.index + match[0].length;
  }
  return concatenate([...values, literalValue(word.slice(start), run.source)]);
}

function variable(run: Run, name: string): Value {
  const upper = name.toUpperCase();
  const own = run.variables.get(upper) ?? run.context.environment(upper);
  if (own !== undefined) return own;
  switch (upper) {
    case "USERPROFILE":
    case "HOMEPATH":
    case "HOME":
      return text(run.context.home);
    case "HOMEDRIVE":
      return text("");
    case "SYSTEMDRIVE":
      return text("C:");
    case "SYSTEMROOT":
    case "WINDIR":
      return text("C:/Windows");
    case "TEMP":
    case "TMP":
      return text(run.context.tmpdir);
    case "CD":
      return run.directory ?? run.context.cwd;
    default:
      return unknown("any", `%${name}%`, [{ kind: "environment", name }]);
  }
}

/** Slashes forward, wildcards active where the command takes them, seen from where `cd` went. */
function pathOf(run: Run, word: string, hasWildcards: boolean): Value {
  const value = valueOfWord(run, word);
  const pieces = value.pieces.flatMap(piece =>
    piece.kind === "text" ? pathPieces(piece.text, hasWildcards) : [piece],
  );
  const path: Value = { pieces, origins: value.origins };
  const isOnDrive = /^[A-Za-z]:/.test(knownText(path) ?? "");
  return run.directory === undefined || isOnDrive ? path : joinPath(run.directory, path);
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
