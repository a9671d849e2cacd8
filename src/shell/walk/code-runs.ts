import { globMatches } from "../../system/index.ts";
import { LIMITS } from "../limits.ts";
import { readContents, writtenEntry } from "../state/files.ts";
import {
  adoptFiles,
  appendOutput,
  type CodeSource,
  eitherOutput,
  forkState,
  type Located,
  leaveUnexamined,
  NO_OUTPUT,
  NO_POSITIONALS,
  type Output,
  type Positionals,
  type ProgramCall,
  type Scope,
  type ShellState,
  scalar,
  toSpan,
  type Variable,
} from "../state/state.ts";
import { callEnvironment } from "../state/variables.ts";
import { parseAnyShell } from "../syntax/recover.ts";
import type { AndOr, CompoundList, PipelineNode, TestExpression, Word } from "../syntax/syntax.ts";
import {
  baseName,
  concatenate,
  couldBe,
  describe,
  directoryName,
  hasGlob,
  isAbsolute,
  isKnown,
  joinPath,
  knownPrefix,
  knownText,
  type Piece,
  type Span,
  text,
  uniteOrigins,
  unknown,
  type Value,
} from "../value.ts";
import { resolveSingle } from "../words/resolve.ts";

/**
 * Walks text as shell code in the given scope, one level deeper; everything found is reported at `span`.
 * Unknown parts of the text become unknown words. `isExamined` is false when there was nothing to read.
 */
export function runShellText(
  code: Value,
  scope: Scope,
  span: Span,
  isHalf = false,
): { readonly output: Output; readonly isExamined: boolean } {
  const { session } = scope;
  if (!code.pieces.some(piece => piece.kind !== "unknown" && pieceText(piece).trim() !== "")) {
    return { output: NO_OUTPUT, isExamined: code.pieces.length === 0 };
  }
  const { content, placeholders } = writeSource(code);
  if (scope.depth >= LIMITS.nesting) {
    leaveUnexamined(session, "nesting", `code nested more than ${LIMITS.nesting} deep`, describe(code), span);
    return { output: NO_OUTPUT, isExamined: false };
  }
  if (!session.budget.take(Math.ceil(content.length / 32))) {
    leaveUnexamined(session, "steps", "the command is too long to be analysed", content, span);
    return { output: NO_OUTPUT, isExamined: false };
  }
  const isOfFile = code.origins.some(({ kind }) => kind === "file");
  const parsed = parseAnyShell(content, isOfFile ? LIMITS.tokens : LIMITS.commandTokens);
  for (const problem of parsed.problems) {
    if (isHalf && problem.reason === "incomplete") continue;
    leaveUnexamined(
      session,
      problem.reason,
      problem.message,
      content.slice(problem.start, problem.end),
      span,
    );
  }
  const inner: Scope = {
    ...scope,
    source: {
      text: parsed.repaired ?? content,
      base: span,
      placeholders: new Map([...placeholders, ...parsed.placeholders]),
    },
    depth: scope.depth + 1,
  };
  const output = session.walker.runStatements(parsed.statements, inner);
  if (!isHalf) runHalves(content, parsed.openQuote, { ...inner, depth: scope.depth }, span);
  return { output, isExamined: true };
}

/**
 * A shell that stays open waits for the end of a quote: what follows may lengthen its last word. A quote that begins a
 * line may end one of an earlier call: then the text behind it is code.
 */
export function runHalves(source: string, openQuote: number | undefined, scope: Scope, span: Span): void {
  if (openQuote === undefined) return;
  const lengthened = concatenate([text(source), unknown("any", "what follows")]);
  const beginsLine = openQuote === 0 || source[openQuote - 1] === "\n";
  for (const half of beginsLine ? [lengthened, text(source.slice(openQuote + 1))] : [lengthened])
    runShellText(half, { ...scope, state: forkState(scope) }, span, true);
}

function pieceText(piece: Piece): string {
  return piece.kind === "text" ? piece.text : piece.kind === "glob" ? piece.pattern : "";
}

/** Unknown parts are written as characters of the private use area that the text itself does not use. */
function writeSource(code: Value): {
  readonly content: string;
  readonly placeholders: ReadonlyMap<string, Value>;
} {
  const placeholders = new Map<string, Value>();
  const known = code.pieces.map(pieceText).join("");
  let next = 0xe000;
  const content = code.pieces.map(piece => {
    if (piece.kind !== "unknown") return pieceText(piece);
    while (known.includes(String.fromCharCode(next))) next += 1;
    const character = String.fromCharCode(next);
    next = Math.min(next + 1, 0xf8ff);
    placeholders.set(character, { pieces: [{ ...piece, mayBeMany: false }], origins: code.origins });
    return character;
  });
  return { content: content.join(""), placeholders };
}

/** A copy of the shell; only the files it writes outlive it. */
export function runSubshell(scope: Scope, run: (inner: Scope) => Output): Output {
  const state = forkState(scope);
  state.traps.clear();
  const inner: Scope = { ...scope, state };
  const output = appendOutput(run(inner), runHandlers(inner));
  adoptFiles(scope.state, state);
  return output;
}

/** The work allowed for the whole is done; what starts with `next` stays unexamined. */
export function isUsedUp(next: Located, { session, source }: Scope): boolean {
  if (!session.words.isSpent && !session.budget.isSpent) return false;
  // The rest of a text is searched once, from where the work ended.
  if (session.cutTexts.has(source.text)) return true;
  session.cutTexts.add(source.text);
  const reason = session.words.isSpent ? "words" : "steps";
  const region = source.text.slice(next.pos);
  leaveUnexamined(session, reason, "the command is too long to be analysed", region, toSpan(source, next));
  return true;
}

const ENDINGS = new Set(["exit", "return", "break", "continue"]);

/** The branch does not come back: `cd x || exit`. */
export function endsShell(node: PipelineNode | CompoundList | AndOr): boolean {
  if (node.type === "Command") return node.name !== undefined && ENDINGS.has(node.name.value);
  const list = node.type === "BraceGroup" ? node.body : node.type === "CompoundList" ? node : undefined;
  const last = list?.commands.at(-1)?.command;
  return last !== undefined && endsShell(last);
}

/** Runs what `trap` left for the end of this shell; also where `exit` stands, with the state of that place. */
export function runHandlers(scope: Scope): Output {
  const handlers = [...scope.state.traps.values()];
  if (handlers.length === 0) return NO_OUTPUT;
  scope.state.traps.clear();
  let output: Output = NO_OUTPUT;
  for (const { code, span, invocation } of handlers) {
    const inner: Scope = { ...scope, parent: { invocation, via: "trap" } };
    const run = runShellText(code, inner, span);
    scope.session.codeRuns.push({
      language: "shell",
      code,
      from: "handler",
      path: undefined,
      invocation,
      isExamined: run.isExamined,
      span,
    });
    output = appendOutput(output, run.output);
  }
  return output;
}

/**
 * The text of a script on disk: a small one of the project, one level deep, so that scripts that start scripts end
 * there; and whatever the session itself wrote, at any depth.
 */
export function readScript(path: Value, call: ProgramCall): Value | undefined {
  const { scope } = call;
  const name = localName(path, call);
  if (name === undefined) return undefined;
  const isReadable = scope.scripts === 0 && isTrustedPlace(name, scope);
  const content = isReadable ? scope.session.context.files?.readText(name, LIMITS.scriptBytes) : undefined;
  if (content === undefined) return readOwnScript(path, call);
  return content.includes("\u0000") ? undefined : fileText(content, name);
}

/** What comes in, with the text of the one file that it is, as far as that may be read. */
export function inputText(call: ProgramCall): Value | undefined {
  const [origin, other] = call.stdin?.origins ?? [];
  const isFile = call.stdin?.pieces.length === 1 && call.stdin.pieces[0]?.kind === "unknown";
  return isFile && origin?.kind === "file" && other === undefined
    ? (readScript(origin.path, call) ?? call.stdin)
    : call.stdin;
}

/** The text of a file that the session wrote, or that lies in a temporary directory; what is too large is left open. */
export function readOwnScript(path: Value, call: ProgramCall): Value | undefined {
  const { session } = call.scope;
  const { files } = session.context;
  const name = localName(path, call);
  if (name === undefined || files === undefined || files.kind(name) !== "file") return undefined;
  if (!isOwnFile(name, call.scope) || files.isBinary?.(name) === true) return undefined;
  const runs = session.ownScripts.get(name) ?? 0;
  if (runs >= LIMITS.ownScriptRuns) return undefined;
  session.ownScripts.set(name, runs + 1);
  const content =
    session.ownScripts.size > LIMITS.ownScripts ? undefined : files.readText(name, LIMITS.ownScriptBytes);
  if (content !== undefined) return fileText(content, name);
  leaveUnexamined(session, "input-size", `the script ${name} is too large or cannot be read`, "", call.span);
  return undefined;
}

function fileText(content: string, name: string): Value {
  return text(content, [{ kind: "file", path: text(name) }]);
}

function localName(path: Value, { cwd, place }: ProgramCall): string | undefined {
  const name = place.kind === "local" ? knownText(joinPath(cwd, path)) : undefined;
  return name === undefined || isValueFile(name) ? undefined : name;
}

/** `.env` and its kin hold values, mostly secret ones: what they set stays unknown. */
function isValueFile(name: string): boolean {
  return /\/\.env(?:\.[^/]*)?$/.test(name);
}

function isTrustedPlace(name: string, scope: Scope): boolean {
  return isInProject(name, scope) || isTemporary(name, scope);
}

/** A project in a temporary directory is a project like any other. */
function isOwnFile(name: string, scope: Scope): boolean {
  if (isTemporary(name, scope) && !isInProject(name, scope)) return true;
  return scope.session.context.ownFiles?.has(name) === true;
}

function isInProject(name: string, { session: { context } }: Scope): boolean {
  return isBelow(context.projectRoot?.() ?? context.cwd, name);
}

function isTemporary(name: string, { session }: Scope): boolean {
  return [session.tmpdir, "/tmp", "/var/tmp", "/private/tmp", "/dev/shm"].some(root => isBelow(root, name));
}

function isBelow(root: string, name: string): boolean {
  return name.startsWith(root.endsWith("/") ? root : `${root}/`);
}

/** A script to run: by a shell, by `source` in the same shell, or as a program by its first line. */
interface ScriptUse {
  readonly path: Value;
  readonly arguments: readonly Value[];
  readonly by: "shell" | "source" | "itself";
}

/** Runs a script whose text is known: written in this command, or small and inside project or temp. */
export function runScript(use: ScriptUse, call: ProgramCall): Output {
  const { scope } = call;
  const meant = filesMeant(use.path, call);
  if (meant !== undefined) return eitherOutput(...meant.map(path => runScript({ ...use, path }, call)));
  const written = writtenEntry(use.path, call.cwd, scope);
  if (written !== undefined || isPipe(use.path)) {
    const contents = readContents(use.path, call.cwd, call.stdin, scope);
    return eitherOutput(...contents.map(content => runScriptText(content, use, call, scope.scripts)));
  }
  const content = readScript(use.path, call);
  const code = content ?? readContents(use.path, call.cwd, call.stdin, scope)[0];
  return code === undefined ? [unknownOutput(call)] : runScriptText(code, use, call, scope.scripts + 1);
}

const MAX_MEANT = 16;

/**
 * The files of this command or session that a pattern or the results of a search may stand for: `sh ./*.sh`,
 * `find -name "*.sh" -exec sh {} +`. Undefined for a path that is known, or of which nothing is.
 */
export function filesMeant(path: Value, call: ProgramCall): readonly Value[] | undefined {
  const { scope, cwd } = call;
  const { context, listings } = scope.session;
  const absolute = joinPath(cwd, path);
  if (knownText(absolute) !== undefined || call.place.kind !== "local") return undefined;
  const found = path.origins.flatMap(origin =>
    origin.kind === "program" ? (listings.get(origin.invocation) ?? []) : [],
  );
  const isMeant = (name: string): boolean =>
    hasGlob(path)
      ? couldBe(absolute, name)
      : found.some(({ names }) => names.length === 0 || names.some(one => globMatches(one, baseName(name))));
  if (!hasGlob(path) && found.length === 0) return undefined;
  const folders = hasGlob(path)
    ? [directoryName(`${knownPrefix(absolute)}x`)]
    : found.flatMap(({ starts }) => starts.flatMap(start => knownText(joinPath(cwd, start)) ?? []));
  const listed = folders.flatMap(folder =>
    (context.files?.list(folder, LIMITS.directoryEntries) ?? []).map(name => joinedName(folder, name)),
  );
  const own = listed.filter(name => isMeant(name) && isOwnFile(name, scope));
  const written = [...scope.state.files].flatMap(([name, { isDirectory }]) =>
    isDirectory !== true && isMeant(name) ? [name] : [],
  );
  return [...new Set([...written, ...own])].slice(0, MAX_MEANT).map(name => text(name));
}

function joinedName(folder: string, name: string): string {
  return folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;
}

function isPipe(path: Value): boolean {
  return /^\/dev\/(?:fd\/\d+|stdin)$|^\/proc\/self\/fd\/\d+$/.test(knownText(path) ?? "");
}

function runScriptText(code: Value, use: ScriptUse, call: ProgramCall, scripts: number): Output {
  const source = { from: "file", path: joinPath(call.cwd, use.path), via: "script" } as const;
  const interpreter = use.by === "itself" ? findInterpreter(code) : undefined;
  const interpreted =
    interpreter === undefined
      ? undefined
      : call.scope.session.programs.interpret(interpreter, code, use.arguments, call, source);
  if (interpreted !== undefined) return interpreted;
  const positionals = positionalsFrom(use.path, use.arguments, call.isOpenEnded);
  if (use.by !== "source")
    return runInNewShell(code, call, source, { positionals, stdin: call.stdin, scripts });
  const { state } = call.scope;
  const outer = state.positionals;
  if (use.arguments.length > 0) state.positionals = positionals;
  const output = runInSameShell(code, call, source, { scripts });
  if (use.arguments.length > 0) state.positionals = outer;
  return output;
}

/** The program that the first line names, with `env` looked through. */
export function findInterpreter(code: Value): string | undefined {
  const match = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(knownPrefix(code));
  return match?.[1] === undefined ? undefined : baseName(match[1]);
}

/** `./deploy.sh`: a file of the project that starts with `#!`, or one that this command or this session wrote. */
export function runProgramFile(call: ProgramCall): Output | undefined {
  const [word] = call.argv;
  const written = word === undefined ? undefined : knownText(word);
  if (word === undefined || written === undefined) return undefined;
  const path = written.includes("/") ? word : ownProgram(written, call);
  if (path === undefined) return undefined;
  const use: ScriptUse = { path, arguments: call.argv.slice(1), by: "itself" };
  if (writtenEntry(path, call.cwd, call.scope) !== undefined) return runScript(use, call);
  if (!isAbsolute(joinPath(call.cwd, path))) return undefined;
  const content = readScript(path, call);
  if (content === undefined) return undefined;
  // Without such a line a shell runs it, if it can be run at all.
  const isRun = knownText(content)?.startsWith("#!") === true || /\.(?:sh|bash|zsh)$/.test(written);
  return isRun ? runScriptText(content, use, call, call.scope.scripts + 1) : undefined;
}

/** A program without a directory in front, which the session put where programs are looked for. */
function ownProgram(name: string, { scope }: ProgramCall): Value | undefined {
  const { context, programs } = scope.session;
  const [path] = context.ownFiles === undefined || programs.isKnown(name) ? [] : context.ownFiles.named(name);
  return path === undefined ? undefined : text(path);
}

/** Runs text in a shell of its own, as `sh -c` does; `stdin` is what that shell's commands read. */
export function runInNewShell(
  code: Value,
  call: ProgramCall,
  source: CodeSource,
  options: {
    readonly positionals?: Positionals;
    readonly stdin?: Value | undefined;
    readonly scripts?: number;
  } = {},
): Output {
  const state = newShellState(call, options.positionals ?? NO_POSITIONALS);
  const scope: Scope = {
    ...call.scope,
    state,
    stdin: options.stdin,
    place: call.place,
    isElevated: call.isElevated,
    parent: { invocation: call.id, via: source.via },
    hidden: undefined,
    activeFunctions: [],
    scripts: options.scripts ?? call.scope.scripts,
  };
  for (const { name, value } of callEnvironment(call)) {
    const inherited = /^BASH_FUNC_(.+)%%$/.exec(name)?.[1];
    if (inherited !== undefined && value !== undefined)
      runShellText(concatenate([text(`${inherited} `), value]), scope, call.span);
  }
  const output = runCodeIn(code, call, source, scope);
  runHandlers(scope);
  if (call.place.kind === call.scope.place.kind) adoptFiles(call.scope.state, state);
  return output;
}

/** Runs text in the shell that is already there, as `eval` and `source` do. */
export function runInSameShell(
  code: Value,
  call: ProgramCall,
  source: CodeSource,
  changes: Partial<Scope> = {},
): Output {
  return runCodeIn(code, call, source, {
    ...call.scope,
    ...changes,
    parent: { invocation: call.id, via: source.via },
  });
}

function runCodeIn(given: Value, call: ProgramCall, source: CodeSource, scope: Scope): Output {
  const read = findReadFile(given, call);
  const code = read ?? given;
  const scripts = scope.scripts + (read === undefined ? 0 : 1);
  if (read === undefined) runTextsBehind(code, call);
  const run = runShellText(code, { ...scope, scripts }, call.span);
  scope.session.codeRuns.push({
    language: "shell",
    code,
    from: source.from,
    path: source.path,
    invocation: call.id,
    isExamined: run.isExamined,
    span: call.span,
  });
  return run.isExamined ? run.output : [unknownOutput(call, [code])];
}

/** `bash -c "$(cat script.sh)"`: text that is exactly one file is read like a script. */
function findReadFile(code: Value, call: ProgramCall): Value | undefined {
  const [piece] = code.pieces;
  const [origin] = code.origins;
  const isOneFile = code.pieces.length === 1 && piece?.kind === "unknown" && code.origins.length === 1;
  return isOneFile && origin?.kind === "file" ? readScript(origin.path, call) : undefined;
}

/**
 * What a text that is not known was made of: `grep -v x a.sh | sh`, `while read l; do $l; done < a.sh`. Files of this command
 * or session among them are read as if they ran whole.
 */
export function runTextsBehind(code: Value, call: ProgramCall): void {
  if (code.pieces.length !== 1 || code.pieces[0]?.kind !== "unknown" || call.place.kind !== "local") return;
  const { session } = call.scope;
  const paths = code.origins.slice(0, MAX_MEANT).flatMap(origin => {
    if (origin.kind === "file") return [origin.path];
    if (origin.kind !== "program") return [];
    const { argv = [], cwd = call.cwd } = session.invocations[origin.invocation] ?? {};
    return argv.slice(1, MAX_MEANT).map(word => joinPath(cwd, word));
  });
  for (const path of paths) {
    const entry = writtenEntry(path, call.cwd, call.scope);
    if (entry !== undefined && (entry.isDirectory === true || session.loadedFiles.has(entry))) continue;
    if (entry !== undefined) session.loadedFiles.add(entry);
    const own = entry?.contents ?? [readOwnScript(path, call)];
    const source = { from: "file", path, via: "script" } as const;
    for (const text of own) if (text !== undefined && isKnown(text)) runInNewShell(text, call, source);
  }
}

/** What a child shell starts with: exported variables and functions, nothing else. */
function newShellState(call: ProgramCall, positionals: Positionals): ShellState {
  const parent = call.scope.state;
  const isHere = call.place.kind === call.scope.place.kind;
  const variables = new Map<string, Variable>();
  for (const { name, value } of callEnvironment(call)) {
    variables.set(name, {
      contents: [value === undefined ? { kind: "unset" } : scalar(value)],
      isExported: true,
      isReference: false,
    });
  }
  return {
    cwds: [call.cwd],
    previousCwds: parent.previousCwds,
    fallbackCwds: undefined,
    directoryStack: [],
    variables: isHere ? variables : new Map(),
    functions: new Map([...parent.functions].filter(([, definition]) => definition.isExported)),
    aliases: new Map(),
    files: isHere ? new Map(parent.files) : new Map(),
    traps: new Map(),
    descriptors: new Map(parent.descriptors),
    sinks: new Map(),
    positionals,
  };
}

/** The output of a program that is not computed: unknown, but it comes from that program and what it was fed. */
export function unknownOutput(call: ProgramCall, sources: readonly Value[] = []): Value {
  const name = call.argv
    .slice(0, 3)
    .map(word => word.pieces.map(piece => (piece.kind === "text" ? piece.text : "…")).join(""));
  const origins = uniteOrigins([
    [{ kind: "program", invocation: call.id }],
    call.stdin?.origins ?? [],
    ...sources.map(value => value.origins),
  ]);
  return unknown("any", `$(${name.join(" ").slice(0, 60)})`, origins);
}

/** `$0` and the rest for code that was started with arguments. */
export function positionalsFrom(
  zero: Value | undefined,
  values: readonly Value[],
  isOpenEnded: boolean,
): Positionals {
  return { zero: zero ?? text("bash"), values, isOpenEnded };
}

const ARITHMETIC = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/** Nothing is decided here; the words of `[[ … ]]` are walked for the commands inside them. */
export function runTest(expression: TestExpression, scope: Scope): void {
  switch (expression.type) {
    case "TestUnary":
      resolveOperand(expression.operand, expression.operator === "-v" || expression.operator === "-R", scope);
      break;
    case "TestBinary":
      resolveOperand(expression.left, ARITHMETIC.has(expression.operator), scope);
      resolveOperand(expression.right, ARITHMETIC.has(expression.operator), scope);
      break;
    case "TestLogical":
      for (const operand of expression.operands) runTest(operand, scope);
      break;
    case "TestNot":
      runTest(expression.operand, scope);
      break;
    case "TestGroup":
      runTest(expression.expression, scope);
      break;
  }
}

/** An operand that the shell computes: substitutions in its value run although they were quoted. */
function resolveOperand(word: Word, isComputed: boolean, scope: Scope): void {
  for (const value of resolveSingle(word, scope)) if (isComputed) scope.session.walker.compute(value, scope);
}

/** `a[$(cmd)]` as the name of a variable: subscripts are computed when the name is used. */
export function runSubscript(name: Value, scope: Scope): void {
  if (!/^[A-Za-z_]\w*$/.test(knownText(name) ?? "")) scope.session.walker.compute(name, scope);
}
