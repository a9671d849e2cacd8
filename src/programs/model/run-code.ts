import {
  type CodeCall,
  type CodeContext,
  type CodeSource,
  concatenate,
  describe,
  directoryName,
  dropKnown,
  execute,
  filesMeant,
  findEnvironmentValue,
  homeAt,
  isKnown,
  joinPath,
  knownPrefix,
  knownText,
  type Language,
  LIMITS,
  leaveUnexamined,
  NO_OUTPUT,
  type Output,
  type ParsedOptions,
  type ProgramCall,
  readContents,
  readOwnScript,
  readScript,
  runInNewShell,
  text,
  unknown,
  unknownOutput,
  type Value,
  withOrigins,
  wordAt,
  words,
  writtenEntry,
} from "../../shell/index.ts";
import { recordCodeEffect, save } from "../records/file-access.ts";
import { readPythonModule } from "../records/python-modules.ts";
import { requestLosses } from "../records/requests.ts";
import { sqlLosses } from "../records/sql.ts";
import { placeNames } from "./operations.ts";
import type { ParsedCall } from "./program.ts";
import { operationsOfMember } from "./vocabulary.ts";

/** How an interpreter takes its program text. Names of options stand with blanks between. */
export interface CodeOptions {
  readonly language: Language;
  /** Options whose value is code; several are lines of one program. */
  readonly code: string;
  /** The option whose code is an expression that is printed. */
  readonly printed?: string;
  /** Options whose value is a file of code. */
  readonly files?: string;
  /** The option that runs an installed module instead of a script. */
  readonly module?: string;
  /** The first operand is the program text itself, as in awk. */
  readonly isOperandCode?: boolean;
  /** The option whose value is `name=text`, a variable of the program. */
  readonly variable?: string;
}

/** Runs an interpreter: its code may be an argument, a file of this command, or stdin. */
export function runInterpreter(given: CodeOptions, call: ParsedCall): Output {
  const { language, isOperandCode } = given;
  const { options, operands } = call;
  // What stands behind the module is the module's: `python -m zipfile -c a.zip src`.
  const isModule = given.module !== undefined && options.options[0]?.name === given.module;
  const codes = isModule ? [] : options.valuesOf(...words(given.code));
  const [first, ...rest] = operands;
  const isFirst = codes.length === 0 && isOperandCode === true;
  const files = options.valuesOf(...words(given.files ?? ""));
  if (codes.length > 0 || (isFirst && files.length === 0 && first !== undefined)) {
    const written = isFirst && first !== undefined ? first : joinLines(codes);
    const code = given.printed !== undefined && options.has(given.printed) ? printedBy(written) : written;
    const others = isFirst ? rest : operands;
    runInterpreterCode(language, code, others, call, { from: "argument" }, listVariables(given, options));
    const imported = importedFiles(language, code, joinPath(call.cwd, text("argument")));
    if (imported.length > 0) runFiles(language, imported, [], deeper(call));
    return codeOutput(isOperandCode === true && others.length > 0, call);
  }
  if (files.length > 0) return runFiles(language, files, operands, call);
  if (given.module !== undefined && options.has(given.module)) return runModule(given.module, call);
  if (isOperandCode === true) return [unknownOutput(call)];
  if (first !== undefined && knownText(first) !== "-") return runFiles(language, [first], rest, call);
  if (call.stdin === undefined) return NO_OUTPUT;
  return runInterpreterCode(language, call.stdin, rest, call, { from: "stdin" });
}

/** `node -p process.env.X` */
function printedBy(code: Value): Value {
  return /[;\n]/.test(describe(code)) ? code : concatenate([text("console.log("), code, text(")")]);
}

function listVariables(
  { variable }: CodeOptions,
  options: ParsedOptions,
): ReadonlyMap<string, Value> | undefined {
  if (variable === undefined) return undefined;
  return new Map(
    options.valuesOf(variable).flatMap(value => {
      const name = /^([A-Za-z_]\w*)=/.exec(knownPrefix(value))?.[1];
      return name === undefined ? [] : [[name, dropKnown(value, name.length + 1)] as const];
    }),
  );
}

/** Text that a one-liner makes by itself, or of literal text, may spell anything: it counts as decoded. */
function codeOutput(readsFiles: boolean, call: ProgramCall): Output {
  const output = unknownOutput(call);
  const isSpelled = !readsFiles && (call.stdin === undefined || isKnown(call.stdin));
  return [isSpelled ? withOrigins(output, [{ kind: "decoded", invocation: call.id }]) : output];
}

/** Modules that are programs, or whose operands are code or files; others are programs that nothing is known of. */
function runModule(name: string, call: ParsedCall): Output {
  const option = call.options.options.find(one => one.name === name);
  const module = option?.value === undefined ? undefined : knownText(option.value);
  if (option === undefined || module === undefined) return [unknownOutput(call)];
  const isGlued = knownText(wordAt(call.argv, option.index))?.endsWith(module) === true;
  const argv = call.argv.slice(option.index + (isGlued ? 1 : 2));
  const inner: ProgramCall = { ...call, scope: { ...call.scope, depth: call.scope.depth + 1 } };
  for (const found of readPythonModule(module, argv)) follow(found, argv, inner);
  const place = module.replaceAll(".", "/");
  runFiles("python", [text(`${place}.py`), text(`${place}/__main__.py`)], argv, inner);
  return [unknownOutput(call)];
}

/**
 * Scripts that this command or this session wrote are read; of the project's own, that which is certain to happen: what its
 * programs read, compute and tell databases is everyday. A file of tasks runs only in part, so it is read by its tasks.
 */
export function runFiles(
  language: Language,
  files: readonly Value[],
  operands: readonly Value[],
  call: ProgramCall,
  isOfTasks = false,
): Output {
  for (const path of files.flatMap(file => filesMeant(file, call) ?? [file])) {
    if (knownText(path) === "-" && call.stdin !== undefined)
      runInterpreterCode(language, call.stdin, operands, call, { from: "stdin" });
    const isKnown =
      writtenEntry(path, call.cwd, call.scope) !== undefined ||
      /^\/dev\/(?:stdin|fd\/\d+)$/.test(knownPrefix(path));
    const own = isKnown ? undefined : readOwnScript(path, call);
    const contents = isKnown
      ? readContents(path, call.cwd, call.stdin, call.scope)
      : [own].flatMap(one => one ?? []);
    const projects = isOfTasks || isKnown || own !== undefined ? undefined : readScript(path, call);
    if (projects !== undefined) runProjectsCode(language, projects, operands, path, call);
    for (const content of contents) {
      runInterpreterCode(language, content, operands, call, { from: "file", path });
      const imported = importedFiles(language, content, joinPath(call.cwd, path));
      if (imported.length > 0) runFiles(language, imported, [], deeper(call));
    }
  }
  return [unknownOutput(call)];
}

/** Code that is as it was committed. What of it cannot be read is no reason for a question. */
function runProjectsCode(
  language: Language,
  code: Value,
  operands: readonly Value[],
  path: Value,
  call: ProgramCall,
): void {
  const { scope } = call;
  const { session } = scope;
  if (scope.depth >= LIMITS.nesting) return;
  const reading = session.readCode(language, code, createCodeContext(operands, call, undefined), call.id);
  session.codeRuns.push({
    language,
    code,
    from: "file",
    path: joinPath(call.cwd, path),
    invocation: call.id,
    isExamined: true,
    span: call.span,
  });
  const inner = { ...call, scope: { ...scope, depth: scope.depth + 1, scripts: scope.scripts + 1 } };
  for (const found of reading.calls.filter(isCertain)) follow(found, operands, inner);
}

function isCertain(found: CodeCall): boolean {
  switch (found.kind) {
    case "shell":
      return isKnown(found.command) && isKnown(found.cwd ?? text(""));
    case "spawn":
      return !found.isOpenEnded && [...found.argv, found.cwd ?? text("")].every(isKnown);
    case "delete":
    case "write":
      return isKnown(found.path);
    case "copy":
    case "move":
      return isKnown(found.from) && isKnown(found.to);
    // A file that is sent; requests by themselves are what programs are for.
    case "network":
      return found.sends.some(sent => sent.origins.some(({ kind }) => kind === "file"));
    default:
      return false;
  }
}

function deeper(call: ProgramCall): ProgramCall {
  return { ...call, scope: { ...call.scope, depth: call.scope.depth + 1 } };
}

function joinLines(values: readonly Value[]): Value {
  return concatenate(values.flatMap((value, index) => (index === 0 ? [value] : [text("\n"), value])));
}

/** Reads program text and follows what it starts. */
export function runInterpreterCode(
  language: Language,
  code: Value,
  operands: readonly Value[],
  call: ProgramCall,
  source: Pick<CodeSource, "from" | "path">,
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
    return [unknownOutput(call)];
  }
  const stdin = source.from === "stdin" ? undefined : call.stdin;
  const context = { ...createCodeContext(operands, call, stdin), variables };
  const reading = session.readCode(language, code, context, call.id);
  const hasText = code.pieces.some(piece => piece.kind === "text");
  session.codeRuns.push({
    language,
    code,
    from: source.from,
    path: source.path,
    invocation: call.id,
    isExamined: reading.isComplete && hasText,
    span: call.span,
  });
  if (!reading.isComplete && hasText) {
    leaveUnexamined(session, "syntax", `${language} code that could not be read`, describe(code), call.span);
  }
  const inner: ProgramCall = { ...call, scope: { ...scope, depth: scope.depth + 1 } };
  for (const found of reading.calls) {
    // In a file it is the project's own way to do so.
    if (found.kind === "member" && source.from !== "file") noteMember(found, inner);
    else follow(found, operands, inner);
  }
  return [unknownOutput(call, [code])];
}

/** The name of a function is read by the same words as the command of a program that nobody knows. */
function noteMember(
  { name, options, values, at }: CodeCall & { readonly kind: "member" },
  call: ProgramCall,
): void {
  for (const { rule, what, verdict } of operationsOfMember(name, options, values)) {
    const effect = { kind: "operation", rule, what, target: name, names: [name, ...values] } as const;
    recordCodeEffect(
      { kind: "operation", effect: verdict === undefined ? effect : { ...effect, verdict }, at },
      call,
    );
  }
}

function createCodeContext(
  operands: readonly Value[],
  call: ProgramCall,
  stdin: Value | undefined,
): CodeContext {
  const { session } = call.scope;
  return {
    cwd: call.cwd,
    home: homeAt(call.place, session.context.home),
    tmpdir: temporaryDirectory(call),
    user: session.context.user,
    arguments: operands,
    stdin,
    environment: name => findEnvironmentValue(call, name),
    variables: undefined,
    budget: session.budget,
  };
}

/** As the command sets it for the program; a value that is not known may be any directory, the home among them. */
export function temporaryDirectory(call: ProgramCall): string {
  const { session } = call.scope;
  const set = ["TMPDIR", "TMP", "TEMP"]
    .map(name => findEnvironmentValue(call, name))
    .find(one => one !== undefined);
  return set === undefined ? session.tmpdir : (knownText(set) ?? homeAt(call.place, session.context.home));
}

const CODE_ARGUMENT = { from: "argument", via: "code" } as const;

/** A process goes back to the shell analysis; everything else is a fact of its own. */
function follow(found: CodeCall, operands: readonly Value[], call: ProgramCall): void {
  switch (found.kind) {
    case "shell":
      runInNewShell(found.command, { ...call, cwd: found.cwd ?? call.cwd }, CODE_ARGUMENT);
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
        parent: { invocation: call.id, via: "code" },
      });
      break;
    case "evaluate":
      if (found.language === "shell") runInNewShell(found.code, call, CODE_ARGUMENT);
      else runInterpreterCode(found.language, found.code, operands, call, { from: "argument" });
      break;
    case "write": {
      recordCodeEffect(found, call);
      const content =
        found.content ??
        unknown("any", "what the program writes", [{ kind: "program", invocation: call.id }]);
      save(found.path, [content], call, found.isAppend);
      break;
    }
    case "network": {
      recordCodeEffect(found, call);
      const { method, bodies = [], at } = found;
      for (const effect of requestLosses({ method, address: describe(found.target), headers: [], bodies }))
        recordCodeEffect({ kind: "operation", effect, at }, call);
      break;
    }
    case "sql":
      for (const effect of sqlLosses(found.statement, placeNames(call), found.file, ""))
        recordCodeEffect({ kind: "operation", effect, at: found.at }, call);
      break;
    case "member":
      break;
    case "copy":
      recordCodeEffect(found, call);
      if (found.from.origins.some(origin => origin.kind === "network")) save(found.to, [found.from], call);
      break;
    default:
      recordCodeEffect(found, call);
  }
}

interface Imports {
  /** the first group that is there names what is imported */
  readonly pattern: RegExp;
  /** what a name may stand for on the disk */
  readonly endings: readonly string[];
  /** dots between the parts of a name are directories */
  readonly isDotted?: boolean;
}

const IMPORTS: Partial<Record<Language, Imports>> = {
  python: {
    pattern: /(?:^|;)[ \t]*(?:from[ \t]+\.*([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+))/gm,
    endings: [".py", "/__init__.py"],
    isDotted: true,
  },
  javascript: {
    pattern: /\b(?:require|import|from)\b\s*(?:\(\s*)?["'](\.{1,2}\/[^"'\n]{1,300})["']/g,
    endings: ["", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"],
  },
  ruby: {
    pattern: /\b(?:require_relative|load)\b\s*(?:\(\s*)?["']([^"'\n]{1,300})["']/g,
    endings: ["", ".rb"],
  },
  perl: { pattern: /\b(?:require|do)\b\s*(?:\(\s*)?["']([^"'\n]{1,300})["']/g, endings: [""] },
  php: {
    pattern: /\b(?:include|require)(?:_once)?\b\s*(?:\(\s*)?(?:__DIR__\s*\.\s*)?["']\/?([^"'\n]{1,300})["']/g,
    endings: [""],
  },
  lua: { pattern: /\b(?:require|dofile)\b\s*(?:\(\s*)?["']([^"'\n]{1,300})["']/g, endings: ["", ".lua"] },
};
const MAX_IMPORTS = 32;

/** Files beside a program text that it takes in, as far as they are written there by name. */
export function importedFiles(language: Language, content: Value, path: Value): readonly Value[] {
  const imports = IMPORTS[language];
  const [known, place] = [knownText(content), knownText(path)];
  if (imports === undefined || known === undefined || place === undefined) return [];
  const names = [...known.matchAll(imports.pattern)].map(([, one, other]) => one ?? other ?? "");
  const folder = directoryName(place);
  return [...new Set(names)].slice(0, MAX_IMPORTS).flatMap(name => {
    const file = imports.isDotted === true ? name.replaceAll(".", "/") : name;
    // A module in TypeScript is imported by the name that it has when it is compiled.
    const typed = language === "javascript" ? file.replace(/js$/, "ts") : file;
    const named = imports.endings.map(ending => text(`${folder}/${file}${ending}`));
    return typed === file ? named : [...named, text(`${folder}/${typed}`)];
  });
}
