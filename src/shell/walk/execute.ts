import type { Parent } from "../facts.ts";
import { LIMITS } from "../limits.ts";
import {
  type ActiveFunction,
  eitherOutput,
  type FunctionDefinition,
  leaveUnexamined,
  NO_OUTPUT,
  type Output,
  type PendingCall,
  type Positionals,
  type ProgramCall,
  type Scope,
  type Session,
  scalar,
  toSpan,
} from "../state/state.ts";
import { programName, recordInvocation } from "../state/variables.ts";
import { forEachNode } from "../syntax/parse.ts";
import type { FunctionNode, SyntaxNode } from "../syntax/syntax.ts";
import {
  baseName,
  components,
  couldBe,
  describe,
  hasGlob,
  isAbsolute,
  isKnown,
  joinPath,
  knownText,
  text,
  type Value,
  withOrigins,
  wordAt,
} from "../value.ts";
import { positionalsFrom, runProgramFile, runShellText, runTextsBehind, unknownOutput } from "./code-runs.ts";
import { runLoadedFiles } from "./loaded-files.ts";

/** Records a program start and follows what it leads to. `alias`: the text the command word stands for. */
export function execute(call: PendingCall, alias?: string): Output {
  const [word] = call.argv;
  if (word === undefined) return NO_OUTPUT;
  if (call.wrappers > LIMITS.wrappers) {
    const words = call.argv.map(describe).join(" ");
    leaveUnexamined(
      call.scope.session,
      "nesting",
      `more than ${LIMITS.wrappers} programs in one chain`,
      words,
      call.span,
    );
  }
  if (call.isInShell && !call.skipsFunctions) {
    if (alias !== undefined) return runAlias(alias, call);
    const definition = call.scope.state.functions.get(knownText(word) ?? "");
    if (definition !== undefined) {
      const positionals = positionalsFrom(
        call.scope.state.positionals.zero,
        call.argv.slice(1),
        call.isOpenEnded,
      );
      return withEnvironment(call, () => callFunction(definition, positionals, call.scope));
    }
  }
  const candidates = isKnown(word)
    ? []
    : hasGlob(word)
      ? matchPrograms(word, call)
      : withoutUnset(word, call.scope.session);
  if (candidates.length === 0) return start(call);
  return eitherOutput(
    ...candidates.map(path => start({ ...call, argv: [text(path), ...call.argv.slice(1)] })),
  );
}

/** `r${x}m`: a variable that is not set is empty, and what remains may be a program. */
function withoutUnset(word: Value, session: Session): readonly string[] {
  const isOutside = word.origins.length > 0 && word.origins.every(origin => origin.kind === "environment");
  const rest = word.pieces.map(piece => (piece.kind === "text" ? piece.text : "")).join("");
  return isOutside && programName(word) === undefined && isProgram(baseName(rest), session) ? [rest] : [];
}

/** A name that is worth guessing at. */
function isProgram(name: string, { programs, walker }: Session): boolean {
  return programs.isKnown(name) || walker.findBuiltin(name) !== undefined;
}

/** The alias text with the other words behind it. An alias inside its own text is not expanded again. */
function runAlias(alias: string, call: PendingCall): Output {
  const { session, state } = call.scope;
  const name = knownText(wordAt(call.argv, 0)) ?? "";
  const outer = state.positionals;
  state.aliases.delete(name);
  state.positionals = positionalsFrom(outer.zero, call.argv.slice(1), call.isOpenEnded);
  const code = text(`${alias} "$@"`);
  const { output, isExamined } = runShellText(code, call.scope, call.span);
  session.codeRuns.push({
    language: "shell",
    code,
    from: "handler",
    path: undefined,
    invocation: undefined,
    isExamined,
    span: call.span,
  });
  state.positionals = outer;
  state.aliases.set(name, alias);
  return output;
}

function start(pending: PendingCall): Output {
  const [word = text("")] = pending.argv;
  const { session } = pending.scope;
  const program = withoutCase(actualProgram(word, pending), session);
  const call = startedCall(pending, recordInvocation(pending, program));
  const isBare = knownText(word) === program;
  const isFollowed = call.wrappers <= LIMITS.wrappers && !session.budget.isSpent;
  const builtin =
    call.isInShell && isBare && program !== undefined ? session.walker.findBuiltin(program) : undefined;
  if (builtin !== undefined && isFollowed) return builtin(call);
  if (isFollowed) runLoadedFiles(call);
  const followed = session.programs.follow(program, call, isFollowed);
  session.effects[call.id] = followed.effects;
  if (followed.output !== undefined) return followed.output;
  if (program === undefined && isFollowed) runTextsBehind(word, call);
  if (program === undefined || !isFollowed) return [unknownOutput(call)];
  return runProgramFile(call) ?? [defaultOutput(call)];
}

/** Every member by its name: copies of objects are slow, and this one is made for each program. */
function startedCall(pending: PendingCall, id: number): ProgramCall {
  return {
    argv: pending.argv,
    isOpenEnded: pending.isOpenEnded,
    cwd: pending.cwd,
    stdin: pending.stdin,
    environment: pending.environment,
    isCleared: pending.isCleared,
    redirections: pending.redirections,
    declarations: pending.declarations,
    place: pending.place,
    isElevated: pending.isElevated,
    parent: pending.parent,
    isInShell: pending.isInShell,
    skipsFunctions: pending.skipsFunctions,
    wrappers: pending.wrappers,
    span: pending.span,
    scope: pending.scope,
    id,
  };
}

/** Literal text that went through a program that is not computed may have become any other text. */
function defaultOutput(call: ProgramCall): Value {
  const output = unknownOutput(call);
  const isLiteral = call.stdin !== undefined && call.stdin.pieces.length > 0 && isKnown(call.stdin);
  return isLiteral ? withOrigins(output, [{ kind: "decoded", invocation: call.id }]) : output;
}

/** `RM` starts rm where the file system knows no case, and nothing elsewhere. */
function withoutCase(name: string | undefined, { programs }: Session): string | undefined {
  const lower = name?.toLowerCase();
  if (name === undefined || lower === undefined || lower === name || programs.isKnown(name)) return name;
  return programs.isKnown(lower) ? lower : name;
}

/** A copy of a program, or a link to it, made by this command is that program. */
function actualProgram(word: Value, call: PendingCall): string | undefined {
  const path =
    isKnown(word) && knownText(word)?.includes("/") ? knownText(joinPath(call.cwd, word)) : undefined;
  const original = path === undefined ? undefined : call.scope.state.files.get(path)?.sameAs;
  return original === undefined ? programName(word) : baseName(original);
}

const FOLDERS = ["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

/** `/bin/r?`: the known programs that the pattern could match, if they are there. */
function matchPrograms(word: Value, call: PendingCall): readonly string[] {
  const { programs, context } = call.scope.session;
  const { files } = context;
  if (!isAbsolute(word)) return [];
  const parts = components(word).map(pieces => ({ pieces, origins: [] }));
  const last = parts.at(-1);
  const folders = FOLDERS.filter(folder => {
    const names = folder.split("/");
    return (
      names.length === parts.length - 1 && names.every((name, index) => couldBe(parts[index] ?? word, name))
    );
  });
  call.scope.session.budget.take(1 + folders.length * 64);
  const names =
    folders.length === 0 || last === undefined ? [] : [...programs.names].filter(name => couldBe(last, name));
  const matching = folders.flatMap(folder => names.map(name => `${folder}/${name}`));
  const existing = files === undefined ? matching : matching.filter(path => files.kind(path) !== undefined);
  return (existing.length === 0 ? matching : existing).slice(0, LIMITS.variants);
}

/** Runs the program that a wrapper was given. Functions and builtins of the shell are out of reach for it. */
export function runInner(
  argv: readonly Value[],
  call: ProgramCall,
  changes: Partial<ProgramCall> = {},
  via: Parent["via"] = "wrapper",
): Output {
  if (argv.length === 0) return NO_OUTPUT;
  return call.scope.session.walker.execute({
    ...call,
    declarations: [],
    isInShell: false,
    wrappers: call.wrappers + 1,
    parent: { invocation: call.id, via },
    ...changes,
    argv,
  });
}

/** Variables in front of `eval`, `source` and functions are seen by the code they run. */
export function withEnvironment(call: PendingCall, run: () => Output): Output {
  const { variables } = call.scope.state;
  const before = call.environment.map(({ name }) => [name, variables.get(name)] as const);
  for (const { name, value } of call.environment) {
    variables.set(name, {
      contents: value === undefined ? [{ kind: "unset" }] : [scalar(value)],
      isExported: true,
      isReference: false,
    });
  }
  const output = run();
  for (const [name, variable] of before) {
    if (variable === undefined) variables.delete(name);
    else variables.set(name, variable);
  }
  return output;
}

export function defineFunction(node: FunctionNode, scope: Scope): void {
  const name = node.name.value;
  const { functions } = scope.session;
  scope.state.functions.set(name, { node, source: scope.source, isExported: false });
  const isCalled = functions.get(name)?.isCalled ?? false;
  functions.set(name, { name, isForkBomb: isForkBomb(node), isCalled, span: toSpan(scope.source, node) });
}

/** Walks the body with these arguments in the shell of the caller. */
export function callFunction(definition: FunctionDefinition, positionals: Positionals, scope: Scope): Output {
  const { session, state } = scope;
  const name = definition.node.name.value;
  const fact = session.functions.get(name);
  if (fact !== undefined) session.functions.set(name, { ...fact, isCalled: true });
  if (!isWorthEntering(definition, positionals, scope.activeFunctions)) return NO_OUTPUT;
  const outer = state.positionals;
  const hidden: Scope["hidden"] = new Map();
  state.positionals = positionals;
  const output = session.walker.runNode(definition.node.body, {
    ...scope,
    source: definition.source,
    hidden,
    activeFunctions: [...scope.activeFunctions, { node: definition.node, positionals }],
  });
  state.positionals = outer;
  for (const [variable, before] of hidden) {
    if (before === undefined) state.variables.delete(variable);
    else state.variables.set(variable, before);
  }
  return output;
}

/**
 * A function inside itself is entered once more, for what its first round left in variables, and then only while it
 * hands on a rest of its own arguments: `run() { "$@"; }; run run rm -rf /`. Every such step has fewer of them.
 */
function isWorthEntering(
  { node }: FunctionDefinition,
  { values }: Positionals,
  active: readonly ActiveFunction[],
): boolean {
  if (active.length >= LIMITS.nesting) return false;
  const rounds = active.filter(call => call.node === node);
  const given = rounds.at(-1)?.positionals.values;
  if (given === undefined || rounds.length < 2) return true;
  const start = given.length - values.length;
  return (
    start > 0 && values.every((value, index) => describe(value) === describe(wordAt(given, start + index)))
  );
}

/** Starts itself more than once without waiting: in a pipeline with itself, or in the background. */
function isForkBomb(node: FunctionNode): boolean {
  const name = node.name.value;
  let isFound = false;
  const visit = (child: SyntaxNode) => {
    if (isFound) return;
    if (child.type === "Pipeline")
      isFound = child.commands.filter(command => calls(command, name)).length > 1;
    else if (child.type === "Statement" && child.background === true) isFound = calls(child.command, name);
    if (!isFound) forEachNode(child, visit);
  };
  forEachNode(node, visit);
  return isFound;
}

function calls(node: SyntaxNode, name: string): boolean {
  if (node.type === "Command" && node.name?.value === name) return true;
  let isFound = false;
  forEachNode(node, child => {
    isFound ||= calls(child, name);
  });
  return isFound;
}
