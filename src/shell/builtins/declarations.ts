import { type OptionGrammar, type ParsedOptions, parseOptions } from "../options.ts";
import { NO_OUTPUT } from "../state/output.ts";
import { type Content, scalar, type Typing } from "../state/state.ts";
import type { Builtin, Output, ProgramCall } from "../state/types.ts";
import { assign, lookUp } from "../state/variables.ts";
import { dropKnown, knownPrefix, knownText, text, type Value, wordAt } from "../value.ts";
import { storeDeclaration } from "../walk/assignments.ts";
import { unknownOutput } from "../walk/code-runs.ts";
import { runHiddenSubstitutions } from "../walk/test-expressions.ts";

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
  const attributes = { isExported, isReference, typing: typingOf(parsed) };
  for (const { name, contents } of namedContents(call, parsed)) {
    if (kind.isLocal) hide(name, call);
    if (contents === undefined) {
      const before =
        kind.isLocal && !scope.state.variables.has(name) ? [{ kind: "unset" } as const] : lookUp(name, scope);
      assign(name, before, scope, attributes);
    } else storeDeclaration({ name, contents, span: call.span }, scope, attributes);
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

function typingOf(parsed: ParsedOptions): Typing | undefined {
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
    runHiddenSubstitutions(name, call.scope);
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
    if (/o$/.test(word)) index += 1;
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

export const declarationBuiltins: readonly (readonly [string, Builtin])[] = [
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
