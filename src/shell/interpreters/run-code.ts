import type { CodeCall, CodeContext, Language } from "../code-calls.ts";
import { LIMITS } from "../limits.ts";
import { type ParsedOptions, parseOptions } from "../options.ts";
import { sedOutput } from "../outputs/filters.ts";
import { baseName } from "../paths.ts";
import {
  concatenate,
  describe,
  dropKnown,
  isKnown,
  knownPrefix,
  knownText,
  text,
  unknown,
  type Value,
  withOrigins,
  wordAt,
} from "../value.ts";
import { type Call, environmentValueOf, type Model } from "../walk/call.ts";
import { type CodeSource, runInNewShell, unknownOutput } from "../walk/code-runs.ts";
import { execute } from "../walk/execute.ts";
import { readContents, writeContents, writtenEntry } from "../walk/file-contents.ts";
import { NO_OUTPUT, type Output } from "../walk/output.ts";
import { leaveUnexamined } from "../walk/session.ts";
import { type LanguageSpec, languageOptions } from "./languages.ts";
import { readPythonModule } from "./python-modules.ts";

/** Runs an interpreter: its code may be an argument, a file of this command, or stdin. */
function runInterpreter(spec: LanguageSpec, call: Call, id: number): Output {
  const start = spec.subcommands === undefined ? 1 : skipSubcommand(spec.subcommands, call);
  const parsed = parseOptions(call.argv.map(unbundle), spec.options, start);
  const operands = operandsOf(spec, parsed);
  const codes = parsed.valuesOf(...spec.code);
  const variables = variablesOf(spec, parsed);
  if (codes.length > 0) {
    const code = joinLines(codes);
    runInterpreterCode(
      spec.language,
      code,
      operands,
      call,
      id,
      { from: "argument", road: "code" },
      variables,
    );
    return codeOutput(spec, operands, call, id);
  }
  const files = parsed.valuesOf(...(spec.files ?? []));
  if (files.length > 0) return runFiles(spec, files, operands, call, id);
  const [first, ...rest] = operands;
  if (spec.isOperandCode && first !== undefined) {
    runInterpreterCode(spec.language, first, rest, call, id, { from: "argument", road: "code" }, variables);
    return codeOutput(spec, rest, call, id);
  }
  if (hasModule(spec, parsed)) return runModule(spec, parsed, call, id);
  if (spec.isOperandCode) return [unknownOutput(call, id)];
  if (first !== undefined && knownText(first) !== "-") return runFiles(spec, [first], rest, call, id);
  if (call.stdin === undefined) return NO_OUTPUT;
  return runInterpreterCode(spec.language, call.stdin, rest, call, id, { from: "stdin", road: "code" });
}

function variablesOf(spec: LanguageSpec, parsed: ParsedOptions): ReadonlyMap<string, Value> | undefined {
  if (spec.variables === undefined) return undefined;
  return new Map(
    parsed.valuesOf(...spec.variables).flatMap(value => {
      const name = /^([A-Za-z_]\w*)=/.exec(knownPrefix(value))?.[1];
      return name === undefined ? [] : [[name, dropKnown(value, name.length + 1)] as const];
    }),
  );
}

/** Text that a one-liner makes by itself, or of literal text, may spell anything: it counts as decoded. */
function codeOutput(spec: LanguageSpec, operands: readonly Value[], call: Call, id: number): Output {
  if (spec.language === "sed") return sedOutput(call, id);
  const output = unknownOutput(call, id);
  const readsFiles = spec.isOperandCode === true && operands.length > 0;
  const isSpelled = !readsFiles && (call.stdin === undefined || isKnown(call.stdin));
  return [isSpelled ? withOrigins(output, [{ kind: "decoded", invocation: id }]) : output];
}

/** node reads `-pe` as one option with the code in the next word. */
function unbundle(word: Value): Value {
  return knownText(word) === "-pe" ? text("-e") : word;
}

/** BSD sed has the suffix of `-i` in a word of its own, mostly an empty one. */
function operandsOf(spec: LanguageSpec, parsed: ParsedOptions): readonly Value[] {
  const operands = parsed.operands.map(operand => operand.value);
  const isEmptySuffix = spec.language === "sed" && parsed.has("i") && operands[0]?.pieces.length === 0;
  return isEmptySuffix ? operands.slice(1) : operands;
}

function hasModule(spec: LanguageSpec, parsed: ParsedOptions): boolean {
  return spec.modules !== undefined && parsed.has(...spec.modules);
}

/** Modules that are programs, or whose operands are code or files; others are programs nobody reads. */
function runModule(spec: LanguageSpec, parsed: ParsedOptions, call: Call, id: number): Output {
  const option = parsed.options.find(({ name }) => spec.modules?.includes(name) === true);
  const module = option?.value === undefined ? undefined : knownText(option.value);
  if (option === undefined || module === undefined) return [unknownOutput(call, id)];
  const isGlued = knownText(wordAt(call.argv, option.index))?.endsWith(module) === true;
  const words = call.argv.slice(option.index + (isGlued ? 1 : 2));
  const inner: Call = { ...call, scope: { ...call.scope, depth: call.scope.depth + 1 } };
  for (const found of readPythonModule(module, words)) follow(found, words, inner, id);
  return [unknownOutput(call, id)];
}

function skipSubcommand(names: readonly string[], call: Call): number {
  const word = call.argv[1];
  return word !== undefined && names.includes(knownText(word) ?? "") ? 2 : 1;
}

/** Only a script that this command itself wrote is read; what lies in the project is the project's own. */
function runFiles(
  spec: LanguageSpec,
  files: readonly Value[],
  operands: readonly Value[],
  call: Call,
  id: number,
): Output {
  for (const path of files) {
    const isKnown =
      writtenEntry(path, call.cwd, call.scope) !== undefined ||
      /^\/dev\/(?:stdin|fd\/\d+)$/.test(knownPrefix(path));
    if (!isKnown) continue;
    for (const content of readContents(path, call.cwd, call.stdin, call.scope)) {
      runInterpreterCode(spec.language, content, operands, call, id, { from: "file", path, road: "code" });
    }
  }
  return [unknownOutput(call, id)];
}

function joinLines(values: readonly Value[]): Value {
  return concatenate(values.flatMap((value, index) => (index === 0 ? [value] : [text("\n"), value])));
}

/** Reads program text and follows what it starts. */
export function runInterpreterCode(
  language: Language,
  code: Value,
  operands: readonly Value[],
  call: Call,
  id: number,
  source: CodeSource,
  variables?: ReadonlyMap<string, Value>,
): Output {
  const { scope } = call;
  const { session } = scope;
  if (scope.depth >= LIMITS.nesting) {
    leaveUnexamined(
      session,
      "nesting",
      `code nested more than ${LIMITS.nesting} deep`,
      describe(code),
      call.span,
    );
    return [unknownOutput(call, id)];
  }
  const context: CodeContext = {
    cwd: call.cwd,
    home: session.context.home,
    tmpdir: session.tmpdir,
    user: session.context.user,
    arguments: operands,
    stdin: source.from === "stdin" ? undefined : call.stdin,
    environment: name => environmentValueOf(call, name),
    variables,
    budget: session.budget,
  };
  const reading = session.readCode(language, code, context, id);
  const hasText = code.pieces.some(piece => piece.kind === "text");
  session.codeRuns.push({
    language,
    code,
    from: source.from,
    path: source.path,
    invocation: id,
    isExamined: reading.isComplete && hasText,
    span: call.span,
  });
  if (!reading.isComplete && hasText) {
    leaveUnexamined(session, "syntax", `${language} code that could not be read`, describe(code), call.span);
  }
  const inner: Call = { ...call, scope: { ...scope, depth: scope.depth + 1 } };
  for (const found of reading.calls) follow(found, operands, inner, id);
  return [unknownOutput(call, id, [code])];
}

/** A process goes back to the shell analysis; everything else is a fact of its own. */
function follow(found: CodeCall, operands: readonly Value[], call: Call, id: number): void {
  const { scope } = call;
  const { session } = scope;
  switch (found.kind) {
    case "shell":
      runInNewShell(found.command, { ...call, cwd: found.cwd ?? call.cwd }, id, {
        from: "argument",
        road: "code",
      });
      break;
    case "spawn":
      if (found.argv.length === 0) break;
      execute({
        ...call,
        argv: found.argv,
        isOpenEnded: found.isOpenEnded,
        cwd: found.cwd ?? call.cwd,
        stdin: found.stdin,
        redirections: [],
        declarations: [],
        isInShell: false,
        wrappers: call.wrappers + 1,
        parent: { invocation: id, road: "code" },
      });
      break;
    case "evaluate":
      if (found.language === "shell") runInNewShell(found.code, call, id, { from: "argument", road: "code" });
      else
        runInterpreterCode(found.language, found.code, operands, call, id, {
          from: "argument",
          road: "code",
        });
      break;
    case "write": {
      session.codeEffects.push({ call: found, invocation: id, span: call.span });
      const content =
        found.content ?? unknown("any", "what the program writes", [{ kind: "program", invocation: id }]);
      writeContents(found.path, [content], found.isAppend, {
        cwd: call.cwd,
        scope,
        invocation: id,
        span: call.span,
      });
      break;
    }
    case "copy":
      session.codeEffects.push({ call: found, invocation: id, span: call.span });
      if (found.from.origins.some(origin => origin.kind === "network"))
        writeContents(found.to, [found.from], false, {
          cwd: call.cwd,
          scope,
          invocation: id,
          span: call.span,
        });
      break;
    default:
      session.codeEffects.push({ call: found, invocation: id, span: call.span });
  }
}

/** The language of a program file by its first line; undefined for shells and for what is not known. */
export function languageOfShebang(code: Value): Language | undefined {
  const match = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(knownPrefix(code));
  if (match === null) return undefined;
  const program = baseName(match[1] ?? "");
  return languageOptions(program === "env" ? baseName(match[2] ?? "") : program)?.language;
}

export function interpreterModel(program: string): Model | undefined {
  const spec = languageOptions(program);
  return spec === undefined ? undefined : (call, id) => runInterpreter(spec, call, id);
}
