import { LIMITS } from "./limits.ts";
import { type OptionGrammar, type ParsedOptions, parseOptions } from "./options.ts";
import { writtenEntry } from "./state/files.ts";
import {
  type Builtin,
  type Content,
  forkState,
  NO_OUTPUT,
  type Output,
  type ProgramCall,
  scalar,
  type Typing,
  uniteValues,
} from "./state/state.ts";
import { assign, lookUp, scalarValues } from "./state/variables.ts";
import {
  concatenate,
  dropKnown,
  joinPath,
  knownPrefix,
  knownText,
  leaveProcess,
  text,
  unknown,
  type Value,
  wordAt,
} from "./value.ts";
import { runHandlers, runInSameShell, runScript, runSubscript, unknownOutput } from "./walk/code-runs.ts";
import { runInner, withEnvironment } from "./walk/execute.ts";
import { asQuotedWord, storeDeclaration } from "./walk/simple-command.ts";
import { readSeparators } from "./words/expand.ts";
import { joinValues } from "./words/fragments.ts";

const evaluate: Builtin = call => {
  const words = call.argv.slice(knownText(wordAt(call.argv, 1)) === "--" ? 2 : 1);
  const code = joinValues(words, " ");
  return withEnvironment(call, () => runInSameShell(code, call, { from: "argument", via: "eval" }));
};

const source: Builtin = call => {
  const [path, ...rest] = parseOptions(call.argv, { stopsAtOperand: true }).operands.map(
    operand => operand.value,
  );
  if (path === undefined) return NO_OUTPUT;
  return withEnvironment(call, () => runScript({ path, arguments: rest, by: "source" }, call));
};

const trap: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-lpP", stopsAtOperand: true });
  const [code, ...signals] = parsed.operandValues;
  if (code === undefined || parsed.has("l", "p", "P")) return NO_OUTPUT;
  const { traps } = call.scope.state;
  for (const signal of signals.length === 0 ? [text("EXIT")] : signals) {
    const name = knownText(signal) ?? "?";
    if (knownText(code) === "-") traps.delete(name);
    else traps.set(name, { code, span: call.span, invocation: call.id });
  }
  return NO_OUTPUT;
};

/** The handlers run now; the text behind `exit` is looked at all the same. */
const exit: Builtin = call => {
  if (call.scope.state.traps.size === 0) return NO_OUTPUT;
  return runHandlers({ ...call.scope, state: forkState(call.scope) });
};

const alias: Builtin = call => {
  for (const word of call.argv.slice(1)) {
    const known = knownText(word) ?? "";
    const equals = known.indexOf("=");
    if (equals > 0) call.scope.state.aliases.set(known.slice(0, equals), known.slice(equals + 1));
  }
  return NO_OUTPUT;
};

const unalias: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-a" });
  if (parsed.has("a")) call.scope.state.aliases.clear();
  for (const { value } of parsed.operands) call.scope.state.aliases.delete(knownText(value) ?? "");
  return NO_OUTPUT;
};

/** `hash -p /bin/rm x` makes x another name of rm. */
const hash: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-lrdt", values: "-p" });
  const path = knownText(parsed.valueOf("p") ?? text(""));
  const name = knownText(parsed.operands[0]?.value ?? text(""));
  if (path !== undefined && path !== "" && name !== undefined && name !== "")
    call.scope.state.aliases.set(name, path);
  return NO_OUTPUT;
};

/** `compgen -W` expands its word list, `-C` runs a command; `complete` and `bind -x` do so later. */
const complete: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-abcdefgjkprsuvDEI", values: "-oAGWFCXPSx" });
  for (const words of parsed.valuesOf("W")) {
    const known = knownText(words);
    if (known !== undefined && /\$\(|`/.test(known))
      runInSameShell(asQuotedWord(known), call, { from: "handler", via: "eval" });
  }
  for (const code of parsed.valuesOf("C")) runInSameShell(code, call, { from: "handler", via: "eval" });
  return [unknownOutput(call)];
};

const test: Builtin = call => {
  call.argv.forEach((word, index) => {
    if (knownText(wordAt(call.argv, index - 1)) === "-v") runSubscript(word, call.scope);
  });
  return NO_OUTPUT;
};

const nothing: Builtin = () => NO_OUTPUT;

const codeBuiltins: readonly (readonly [string, Builtin])[] = [
  ["eval", evaluate],
  ["source", source],
  [".", source],
  ["trap", trap],
  ["exit", exit],
  ["logout", exit],
  ["alias", alias],
  ["unalias", unalias],
  ["hash", hash],
  ["compgen", complete],
  ["complete", complete],
  ["test", test],
  ["[", test],
  ...[
    "true",
    "false",
    ":",
    "return",
    "break",
    "continue",
    "shopt",
    "wait",
    "umask",
    "ulimit",
    "bg",
    "fg",
    "disown",
    "enable",
    "setopt",
    "unsetopt",
  ].map(name => [name, nothing] as const),
];

const DECLARE: OptionGrammar = { flags: "-aAfFgiIlnrtuxp", stopsAtOperand: true };

const declare: Builtin = call => runDeclaration(call, { isExported: undefined, isLocal: false });
const exportNames: Builtin = call => runDeclaration(call, { isExported: true, isLocal: false });
const declareLocal: Builtin = call => runDeclaration(call, { isExported: undefined, isLocal: true });

function runDeclaration(
  call: ProgramCall,
  kind: { readonly isExported: boolean | undefined; readonly isLocal: boolean },
): Output {
  const { scope } = call;
  const parsed = parseOptions(call.argv, DECLARE);
  const isExport = kind.isExported === true;
  if (parsed.has("f") && isExport) exportFunctions(parsed, call);
  if (parsed.has("f", "F")) return NO_OUTPUT;
  // Without names, or with `-p`, variables are printed with their values.
  if (parsed.has("p") || (parsed.operands.length === 0 && call.declarations.length === 0))
    return [unknownOutput(call)];
  const isExported = isExport ? !parsed.has("n") : parsed.has("x") ? true : undefined;
  const isReference = !isExport && parsed.has("n") ? true : undefined;
  const attributes = { isExported, isReference, typing: readTyping(parsed) };
  for (const { name, contents } of namedContents(call, parsed)) {
    if (kind.isLocal) hide(name, call);
    if (contents === undefined) {
      const before =
        kind.isLocal && !scope.state.variables.has(name) ? [{ kind: "unset" } as const] : lookUp(name, scope);
      assign(name, before, scope, attributes);
    } else storeDeclaration({ name, contents, span: call.span }, scope, attributes);
    if (isReference === true) for (const target of scalarValues(contents ?? [])) runSubscript(target, scope);
  }
  return NO_OUTPUT;
}

/** The assignments the parser saw, then words like `A=1` that only became ones by expansion, then bare names. */
function namedContents(
  call: ProgramCall,
  parsed: ParsedOptions,
): readonly { readonly name: string; readonly contents: readonly Content[] | undefined }[] {
  const declared = call.declarations.map(({ name, contents }) => ({ name, contents }));
  const names = new Set(declared.map(({ name }) => name));
  const others = parsed.operands.flatMap(({ value }) => {
    const entry = splitAssignment(value);
    const [, element] = /^(\w+\[.*?\])\+?=/s.exec(knownPrefix(value)) ?? [];
    if (element !== undefined) runSubscript(text(element), call.scope);
    else if (entry === undefined && knownText(value) === undefined) runSubscript(value, call.scope);
    return entry === undefined || names.has(entry.name)
      ? []
      : [{ name: entry.name, contents: entry.value === undefined ? undefined : [scalar(entry.value)] }];
  });
  return [...declared, ...others];
}

/** `NAME=value` or `NAME`; undefined for anything else. */
export function splitAssignment(
  word: Value,
): { readonly name: string; readonly value: Value | undefined } | undefined {
  const match = /^([A-Za-z_]\w*)(=)?/.exec(knownPrefix(word));
  if (match === null) return undefined;
  const name = match[1] ?? "";
  if (match[2] !== undefined) return { name, value: dropKnown(word, name.length + 1) };
  return knownText(word) === name ? { name, value: undefined } : undefined;
}

function readTyping(parsed: ParsedOptions): Typing | undefined {
  if (parsed.has("i")) return "integer";
  return parsed.has("l") ? "lower" : parsed.has("u") ? "upper" : undefined;
}

function hide(name: string, { scope }: ProgramCall): void {
  if (scope.hidden !== undefined && !scope.hidden.has(name))
    scope.hidden.set(name, scope.state.variables.get(name));
}

function exportFunctions(parsed: ParsedOptions, { scope }: ProgramCall): void {
  for (const { value } of parsed.operands) {
    const name = knownText(value) ?? "";
    const definition = scope.state.functions.get(name);
    if (definition !== undefined) scope.state.functions.set(name, { ...definition, isExported: true });
  }
}

const unset: Builtin = call => {
  const { state } = call.scope;
  const parsed = parseOptions(call.argv, { flags: "-fvn" });
  for (const { value } of parsed.operands) {
    const name = knownText(value);
    runSubscript(value, call.scope);
    if (name === undefined) continue;
    if (parsed.has("f")) state.functions.delete(name);
    else
      state.variables.set(name, {
        contents: [{ kind: "unset" }],
        isExported: state.variables.get(name)?.isExported ?? false,
        isReference: false,
      });
  }
  return NO_OUTPUT;
};

const setPositionals: Builtin = call => {
  if (call.argv.length === 1) return [unknownOutput(call)];
  const { state } = call.scope;
  let index = 1;
  let isExplicit = false;
  for (; index < call.argv.length; index += 1) {
    const word = knownText(wordAt(call.argv, index));
    if (word === "--" || word === "-") {
      index += 1;
      isExplicit = true;
      break;
    }
    if (word === undefined || !/^[-+][A-Za-z]/.test(word)) break;
    const isLong = /o$/.test(word);
    if (isLong) index += 1;
    if (/^.[a-z]*a/.test(word) || (isLong && knownText(wordAt(call.argv, index)) === "allexport"))
      state.exportsAll = word.startsWith("-");
  }
  const values = call.argv.slice(index);
  if (isExplicit || values.length > 0) {
    state.positionals = { zero: state.positionals.zero, values, isOpenEnded: call.isOpenEnded };
  }
  return NO_OUTPUT;
};

const shift: Builtin = call => {
  const { positionals } = call.scope.state;
  const count = Number(knownText(call.argv[1] ?? text("1")) ?? "1");
  call.scope.state.positionals = {
    ...positionals,
    values: positionals.values.slice(Number.isInteger(count) ? Math.max(0, count) : 1),
  };
  return NO_OUTPUT;
};

const letNumbers: Builtin = call => {
  for (const word of call.argv.slice(1)) {
    const known = knownText(word);
    if (known !== undefined) call.scope.session.walker.runInside(`((${known}))`, call.scope);
  }
  return NO_OUTPUT;
};

const declarationBuiltins: readonly (readonly [string, Builtin])[] = [
  ["declare", declare],
  ["typeset", declare],
  ["readonly", declare],
  ["local", declareLocal],
  ["export", exportNames],
  ["unset", unset],
  ["set", setPositionals],
  ["shift", shift],
  ["let", letNumbers],
];

const CD = { flags: "-LPe@q", stopsAtOperand: true } as const;

const changeDirectory: Builtin = call => {
  const [target] = parseOptions(call.argv, CD).operands;
  const { scope } = call;
  if (target === undefined) enter(scalarValues(lookUp("HOME", scope)), call);
  else if (knownText(target.value) === "-") enter(scope.state.previousCwds, call);
  else enter([joinPath(call.cwd, leaveProcess(call.cwd, target.value))], call);
  return NO_OUTPUT;
};

const pushDirectory: Builtin = call => {
  const [target] = parseOptions(call.argv, { flags: "-n", stopsAtOperand: true }).operands;
  const { state } = call.scope;
  const written = target === undefined ? undefined : knownText(target.value);
  if (target !== undefined && (written === undefined || !/^\+\d+$/.test(written))) {
    state.directoryStack = [state.cwds, ...state.directoryStack];
    enter([joinPath(call.cwd, leaveProcess(call.cwd, target.value))], call);
    return NO_OUTPUT;
  }
  const [top, ...rest] = state.directoryStack;
  if (top === undefined) return NO_OUTPUT;
  state.directoryStack = [state.cwds, ...rest];
  enter(top, call);
  return NO_OUTPUT;
};

const popDirectory: Builtin = call => {
  const { state } = call.scope;
  const [top, ...rest] = state.directoryStack;
  state.directoryStack = rest;
  if (top !== undefined) enter(top, call);
  return NO_OUTPUT;
};

function enter(directories: readonly Value[], call: ProgramCall): void {
  const { state } = call.scope;
  state.fallbackCwds = directories.some(directory => isMissing(directory, call))
    ? uniteValues([state.cwds, state.fallbackCwds ?? []], "the current directory")
    : undefined;
  state.previousCwds = state.cwds;
  state.cwds = directories.map(directory => followLink(directory, call));
}

/** `ln -s / x; cd x` in one command. */
function followLink(directory: Value, call: ProgramCall): Value {
  const link =
    knownText(directory) === undefined ? undefined : call.scope.state.files.get(knownText(directory) ?? "");
  return link?.sameAs === undefined || link.isLink !== true ? directory : text(link.sameAs);
}

/** Certainly not there, as far as a look can tell; if even the start is not there, looking tells nothing. */
function isMissing(directory: Value, call: ProgramCall): boolean {
  const { files, cwd } = call.scope.session.context;
  const path = knownText(directory);
  if (files === undefined || path === undefined || call.place.kind !== "local") return false;
  if (writtenEntry(directory, call.cwd, call.scope) !== undefined || isMadeAbove(path, call)) return false;
  return files.kind(path) === undefined && files.kind(cwd) === "directory";
}

/** Below a directory that this command makes or fetches, anything may be. */
function isMadeAbove(path: string, call: ProgramCall): boolean {
  for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
    if (call.scope.state.files.has(path.slice(0, slash))) return true;
  }
  return false;
}

const directoryBuiltins: readonly (readonly [string, Builtin])[] = [
  ["cd", changeDirectory],
  ["chdir", changeDirectory],
  ["pushd", pushDirectory],
  ["popd", popDirectory],
];

const READ: OptionGrammar = { flags: "-ersE", values: "-adinNptu", stopsAtOperand: true };

/** Each line of a known text is one value the variable may have; otherwise it is unknown, origins kept. */
const read: Builtin = call => {
  const parsed = parseOptions(call.argv, READ);
  const input = readInput(call, parsed);
  const lines = inputLines(input, parsed);
  const array = parsed.valueOf("a");
  const separators = fieldSeparators(call);
  if (array !== undefined) {
    store(
      array,
      lines?.map(line => toArray(splitFields(line, separators), input)),
      input,
      call,
    );
    return NO_OUTPUT;
  }
  const names = parsed.operandValues;
  const targets = names.length === 0 ? [text("REPLY")] : names;
  targets.forEach((name, index) => {
    runSubscript(name, call.scope);
    const isLast = index === targets.length - 1;
    const values = lines?.map(line => scalar(text(fieldAt(line, separators, index, isLast), input.origins)));
    store(name, values, input, call);
  });
  return NO_OUTPUT;
};

function readInput(call: ProgramCall, parsed: ParsedOptions): Value {
  const descriptor = Number(knownText(parsed.valueOf("u") ?? text("0")) ?? "0");
  const source = descriptor === 0 ? call.stdin : call.scope.state.descriptors.get(descriptor)?.content;
  return source ?? unknown("any", "input", [{ kind: "input" }]);
}

function inputLines(input: Value, parsed: ParsedOptions): readonly string[] | undefined {
  const known = knownText(input);
  if (known === undefined) return undefined;
  const delimiter = knownText(parsed.valueOf("d") ?? text("\n")) || "\u0000";
  const lines = known.split(delimiter);
  if (lines.at(-1) === "") lines.pop();
  return lines.length > LIMITS.loopItems ? undefined : lines;
}

function fieldSeparators(call: ProgramCall): string {
  const own = call.environment.find(entry => entry.name === "IFS")?.value;
  return own === undefined ? readSeparators(call.scope) : (knownText(own) ?? " \t\n");
}

function splitFields(line: string, separators: string): readonly string[] {
  const fields: string[] = [];
  let current = "";
  for (const character of line) {
    if (!separators.includes(character)) current += character;
    else if (current !== "" || !/\s/.test(character)) {
      fields.push(current);
      current = "";
    }
  }
  return current === "" ? fields : [...fields, current];
}

/** The last name gets the rest of the line. */
function fieldAt(line: string, separators: string, index: number, isLast: boolean): string {
  if (separators === "") return index === 0 ? line : "";
  if (index === 0 && isLast) return line.trim();
  const fields = splitFields(line, separators);
  return isLast ? fields.slice(index).join(separators[0]) : (fields[index] ?? "");
}

function toArray(fields: readonly string[], input: Value): Content {
  const elements = new Map(
    fields.map((field, index) => [String(index), text(field, input.origins)] as const),
  );
  return { kind: "array", elements, isOpenEnded: false };
}

function store(name: Value, contents: readonly Content[] | undefined, input: Value, call: ProgramCall): void {
  const known = /^[A-Za-z_]\w*/.exec(knownText(name) ?? "")?.[0];
  if (known === undefined) return;
  const values =
    contents === undefined || contents.length === 0
      ? [scalar(unknown("any", `$${known}`, input.origins))]
      : contents;
  assign(known, values, call.scope);
}

const MAPFILE: OptionGrammar = { flags: "-t", values: "-dnOsuCc", stopsAtOperand: true };

const mapfile: Builtin = call => {
  const parsed = parseOptions(call.argv, MAPFILE);
  const callback = parsed.valueOf("C");
  if (callback !== undefined) runInSameShell(callback, call, { from: "handler", via: "eval" });
  const input = readInput(call, parsed);
  const lines = inputLines(input, parsed);
  const name = parsed.operands[0]?.value ?? text("MAPFILE");
  const open: Content = {
    kind: "array",
    elements: new Map([["0", unknown("any", "a line", input.origins)]]),
    isOpenEnded: true,
  };
  store(name, [lines === undefined ? open : toArray(lines, input)], input, call);
  return NO_OUTPUT;
};

const getopts: Builtin = call => {
  for (const name of [knownText(wordAt(call.argv, 2)), "OPTARG"]) {
    if (name !== undefined && name !== "") assign(name, [scalar(unknown("any", `$${name}`))], call.scope);
  }
  return NO_OUTPUT;
};

const inputBuiltins: readonly (readonly [string, Builtin])[] = [
  ["read", read],
  ["mapfile", mapfile],
  ["readarray", mapfile],
  ["getopts", getopts],
];

/** `command` and `builtin` stay in the shell, so `command cd x` moves it. */
const command: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-pvV", stopsAtOperand: true });
  if (parsed.has("v", "V")) return printPaths(parsed);
  const argv = parsed.operandValues;
  return runInner(argv, call, { isInShell: call.isInShell, skipsFunctions: true });
};

/** The name itself is as good as the path: rules look at base names. */
export function printPaths({ operands }: ParsedOptions): Output {
  const lines = operands.flatMap(({ value }) => {
    const known = knownText(value);
    const path =
      known === undefined || known.includes("/") ? value : text(`/usr/bin/${known}`, value.origins);
    return [path, text("\n")];
  });
  return [concatenate(lines)];
}

const builtin: Builtin = call => {
  const argv = parseOptions(call.argv, { stopsAtOperand: true }).operandValues;
  return runInner(argv, call, { isInShell: call.isInShell, skipsFunctions: true });
};

const exec: Builtin = call => {
  const parsed = parseOptions(call.argv, { flags: "-cl", values: "-a", stopsAtOperand: true });
  const argv = parsed.operandValues;
  return runInner(argv, call, { isCleared: call.isCleared || parsed.has("c") });
};

const wrapperBuiltins: readonly (readonly [string, Builtin])[] = [
  ["command", command],
  ["builtin", builtin],
  ["exec", exec],
  ["noglob", builtin],
  ["nocorrect", builtin],
];

let builtins: ReadonlyMap<string, Builtin> | undefined;

/** Commands of the shell itself; they exist only inside one. */
export function findBuiltin(name: string): Builtin | undefined {
  builtins ??= new Map([
    ...codeBuiltins,
    ...declarationBuiltins,
    ...directoryBuiltins,
    ...inputBuiltins,
    ...wrapperBuiltins,
  ]);
  return builtins.get(name);
}
