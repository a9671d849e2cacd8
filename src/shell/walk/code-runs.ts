import { environmentOf } from "../state/call.ts";
import {
  adoptFiles,
  NO_POSITIONALS,
  type Positionals,
  type ShellState,
  scalar,
  type Variable,
} from "../state/state.ts";
import type { CodeSource, Output, ProgramCall, Scope } from "../state/types.ts";
import { concatenate, text, uniteOrigins, unknown, type Value } from "../value.ts";
import { readScript } from "./script-files.ts";
import { runShellText } from "./shell-text.ts";
import { runHandlers } from "./subshell.ts";

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
  for (const { name, value } of environmentOf(call)) {
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
  const read = readFileOf(given, call);
  const code = read ?? given;
  const scripts = scope.scripts + (read === undefined ? 0 : 1);
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
function readFileOf(code: Value, call: ProgramCall): Value | undefined {
  const [piece] = code.pieces;
  const [origin] = code.origins;
  const isOneFile = code.pieces.length === 1 && piece?.kind === "unknown" && code.origins.length === 1;
  return isOneFile && origin?.kind === "file" ? readScript(origin.path, call) : undefined;
}

/** What a child shell starts with: exported variables and functions, nothing else. */
function newShellState(call: ProgramCall, positionals: Positionals): ShellState {
  const parent = call.scope.state;
  const isHere = call.place.kind === call.scope.place.kind;
  const variables = new Map<string, Variable>();
  for (const { name, value } of environmentOf(call)) {
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
