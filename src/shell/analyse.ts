import { findBuiltin } from "./builtins.ts";
import type { EnvironmentEntry, ShellContext, ShellFacts } from "./facts.ts";
import { LIMITS } from "./limits.ts";
import {
  collectFacts,
  createSession,
  type Knowledge,
  leaveUnexamined,
  NO_POSITIONALS,
  type Output,
  type Scope,
  type Session,
  type ShellState,
  toSpan,
  type Walker,
} from "./state/state.ts";
import { judgeErrors } from "./syntax/parse.ts";
import { parseAnyShell } from "./syntax/recover.ts";
import { knownText, text, unknown } from "./value.ts";
import { runHalves, runHandlers, runShellText, runSubshell } from "./walk/code-runs.ts";
import { callFunction, execute } from "./walk/execute.ts";
import { runNode, runStatements } from "./walk/structure.ts";
import { noteUncomputed } from "./words/arithmetic.ts";
import { evaluateExpression } from "./words/resolve.ts";

/** Shell text to facts. Never throws; what could not be looked into is in `unexamined`. */
export function analyse(command: string, context: ShellContext, knowledge: Knowledge): ShellFacts {
  return guarded(command, context, knowledge, (session, scope) => {
    if (isTooLong(command, session)) return;
    const parsed = parseAnyShell(command, LIMITS.commandTokens);
    for (const { reason, message, start, end } of parsed.problems) {
      leaveUnexamined(session, reason, message, command.slice(start, end), { start, end });
    }
    const { repaired, placeholders } = parsed;
    const source =
      repaired === undefined
        ? { text: command, base: undefined, placeholders }
        : { text: repaired, base: { start: 0, end: command.length }, placeholders };
    const isAsWritten = repaired === undefined && placeholders.size === 0;
    runStatements(parsed.statements, isAsWritten ? scope : { ...scope, source });
    runHalves(command, parsed.openQuote, scope, { start: 0, end: command.length });
    runHandlers(scope);
    runExportedFunctions(scope);
  });
}

/** A program that is about to start with exactly these words. Spans are empty: there is no text. */
export function analyseArgv(
  argv: readonly string[],
  context: ShellContext,
  knowledge: Knowledge,
): ShellFacts {
  const command = argv.join(" ");
  return guarded(command, context, knowledge, (session, scope) => {
    if (!isTooLong(command, session)) start(argv, scope);
  });
}

function isTooLong(command: string, session: Session): boolean {
  if (command.length <= LIMITS.inputCharacters) return false;
  const message = `longer than ${LIMITS.inputCharacters} characters`;
  leaveUnexamined(session, "input-size", message, command, { start: 0, end: command.length });
  return true;
}

/** What the text of a file would do if a program loaded it: its name and its first line tell the language. */
export function analyseFile(
  path: string,
  content: string,
  context: ShellContext,
  knowledge: Knowledge,
): ShellFacts {
  return guarded(content, context, knowledge, (_, scope) => {
    scope.state.files.set(path, { contents: [text(content)] });
    start(["true"], scope, [{ name: "LOADED", value: text(path) }]);
  });
}

function start(argv: readonly string[], scope: Scope, environment: readonly EnvironmentEntry[] = []): void {
  execute({
    argv: argv.map(word => text(word)),
    isOpenEnded: false,
    cwd: text(scope.session.context.cwd),
    stdin: undefined,
    environment,
    isCleared: false,
    redirections: [],
    declarations: [],
    place: scope.place,
    isElevated: false,
    parent: undefined,
    isInShell: false,
    skipsFunctions: true,
    wrappers: 0,
    span: { start: 0, end: 0 },
    scope,
  });
}

function guarded(
  command: string,
  context: ShellContext,
  knowledge: Knowledge,
  run: (session: Session, scope: Scope) => void,
): ShellFacts {
  const session = createSession(context, knowledge, walker);
  try {
    run(session, topScope(session, command));
  } catch (error) {
    // A fault of ours, or a stack that text nested too deeply used up: the rules must know that facts are missing.
    const message = error instanceof Error ? error.message : "the analysis failed";
    leaveUnexamined(session, "failure", message, command, { start: 0, end: command.length });
  }
  if (session.budget.isSpent) {
    leaveUnexamined(session, "steps", "the command needs too much work", command, {
      start: 0,
      end: command.length,
    });
  }
  return collectFacts(session);
}

const walker: Walker = {
  runSubstitution(script, node, scope): Output {
    const { session } = scope;
    const span = toSpan(scope.source, node);
    if (scope.depth >= LIMITS.nesting) {
      const region = scope.source.text.slice(node.pos, node.end);
      leaveUnexamined(session, "nesting", `code nested more than ${LIMITS.nesting} deep`, region, span);
      return [unknown("any", "$(…)")];
    }
    const source =
      script.source === undefined ? scope.source : { ...scope.source, text: script.source, base: span };
    const end = script.source === undefined ? node.end : script.source.length;
    const { statements, problems } = judgeErrors(script, source.text, end, true);
    for (const problem of problems) {
      leaveUnexamined(
        session,
        problem.reason,
        problem.message,
        source.text.slice(problem.start, problem.end),
        span,
      );
    }
    return runSubshell(
      { ...scope, source, isCaptured: true, pipeline: undefined, depth: scope.depth + 1 },
      inner => runStatements(statements, inner),
    );
  },
  runInside(code, scope) {
    const span = scope.source.base ?? { start: 0, end: scope.source.text.length };
    runShellText(text(code), scope, span);
  },
  compute(written, scope) {
    const value = knownText(written);
    if (value === undefined) noteUncomputed(written, scope);
    return value === undefined
      ? undefined
      : evaluateExpression({ type: "ArithmeticWord", pos: 0, end: 0, value }, scope);
  },
  runStatements,
  runNode,
  execute,
  findBuiltin,
};

/** Functions that a shell calls by itself. */
const CALLED_BY_SHELL = /^(command_not_found_handler?|precmd|preexec|chpwd|periodic|zshexit|TRAP[A-Z]+)$/;

/** A function that was only exported may be called by any child, with any arguments. */
function runExportedFunctions(scope: Scope): void {
  for (const [name, definition] of scope.state.functions) {
    const isStarted = definition.isExported || CALLED_BY_SHELL.test(name);
    if (!isStarted || scope.session.functions.get(name)?.isCalled === true) continue;
    callFunction(definition, { ...NO_POSITIONALS, isOpenEnded: true }, scope);
  }
}

function topScope(session: Session, command: string): Scope {
  const { context } = session;
  const { previousCwd } = context;
  const state: ShellState = {
    cwds: [text(context.cwd)],
    previousCwds: [
      previousCwd === undefined
        ? unknown("any", "$OLDPWD", [{ kind: "environment", name: "OLDPWD" }])
        : text(previousCwd),
    ],
    fallbackCwds: undefined,
    directoryStack: [],
    variables: new Map(),
    functions: new Map(),
    aliases: new Map(),
    files: new Map(),
    traps: new Map(),
    descriptors: new Map(),
    sinks: new Map(),
    positionals: { ...NO_POSITIONALS, isOpenEnded: context.hasArguments === true },
  };
  return {
    session,
    state,
    source: { text: command, base: undefined, placeholders: new Map() },
    stdin: undefined,
    place: { kind: "local" },
    isElevated: false,
    pipeline: undefined,
    isBackground: false,
    isCaptured: false,
    parent: undefined,
    depth: 0,
    loops: 0,
    rounds: 1,
    hidden: undefined,
    scripts: 0,
    activeFunctions: [],
  };
}
