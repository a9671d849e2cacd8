import { LIMITS } from "../limits.ts";
import { spanOf } from "../state/session.ts";
import { type Content, scalar } from "../state/state.ts";
import type { Declaration, Scope } from "../state/types.ts";
import { type Attributes, assign, assignElement, lookUp, scalarValues } from "../state/variables.ts";
import type { ArrayValue, Assignment, Word } from "../syntax/syntax.ts";
import { combine, concatenate, knownText, type Span, text, type Value } from "../value.ts";
import { resolveSingle, resolveWords } from "../words/resolve.ts";
import { expandTilde } from "../words/tilde.ts";
import { runShellText } from "./shell-text.ts";
import { runHiddenSubstitutions } from "./test-expressions.ts";

/** What an assignment puts into its variable, all alternatives; nothing is changed yet. */
export function evaluateAssignment(node: Assignment, scope: Scope): readonly Content[] {
  if (node.value.type === "ArrayValue") {
    const before =
      node.append === true && scope.state.variables.has(node.name) ? lookUp(node.name, scope) : [];
    const arrays = evaluateArray(node.value, scope);
    return before.length === 0 ? arrays : before.flatMap(old => arrays.map(added => extendArray(old, added)));
  }
  const values = resolveSingle(node.value, scope).map(value => expandLaterTildes(value, node.value, scope));
  if (node.append !== true) return values.map(scalar);
  const before = scalarValues(lookUp(node.name, scope));
  const chosen = combine([before, values], LIMITS.alternatives) ?? [
    [...before.slice(0, 1), ...values.slice(0, 1)],
  ];
  const isSum = scope.state.variables.get(node.name)?.typing === "integer";
  return chosen.map(pair => scalar(isSum ? sumOf(pair) : concatenate(pair)));
}

/** `n+=2` of a number, as an expression that is computed when it is kept. */
function sumOf(terms: readonly Value[]): Value {
  return concatenate(
    terms.flatMap((term, index) => [
      text(index === 0 ? "(" : "+("),
      term.pieces.length === 0 ? text("0") : term,
      text(")"),
    ]),
  );
}

/** Makes the assignment in the current shell and records it. */
export function runAssignment(node: Assignment, scope: Scope): void {
  const contents = evaluateAssignment(node, scope);
  const span = spanOf(scope.source, node);
  if (node.index === undefined) storeDeclaration({ name: node.name, contents, span }, scope, undefined);
  else {
    const keys = resolveSingle(node.index, scope).map(key => knownText(key));
    for (const key of keys) {
      runHiddenSubstitutions(key, scope);
      for (const value of scalarValues(contents)) assignElement(node.name, key, value, scope);
    }
    recordAssignment(node.name, contents, false, span, scope);
  }
}

export function storeDeclaration(
  declaration: Declaration,
  scope: Scope,
  attributes: Attributes | undefined,
): void {
  const { name, span } = declaration;
  const contents = assign(name, declaration.contents, scope, attributes);
  recordAssignment(name, contents, scope.state.variables.get(name)?.isExported ?? false, span, scope);
  for (const value of scalarValues(contents)) runPromptVariable(name, value, scope, span);
}

function recordAssignment(
  name: string,
  contents: readonly Content[],
  isExported: boolean,
  span: Declaration["span"],
  scope: Scope,
): void {
  for (const content of contents) {
    const values =
      content.kind === "scalar"
        ? [content.value]
        : content.kind === "array"
          ? [...content.elements.values()]
          : [];
    for (const value of values) scope.session.assignments.push({ name, value, isExported, span });
  }
}

/** `PATH=a:~/b`: a tilde after a colon is expanded, too. Only for a value written without quotes. */
function expandLaterTildes(value: Value, word: Word | ArrayValue, scope: Scope): Value {
  const known = knownText(value);
  if (known === undefined || word.type !== "Word" || word.parts !== undefined || !known.includes(":~"))
    return value;
  return concatenate(
    known.split(":").flatMap((part, index) => {
      const [first = []] = index === 0 ? [] : expandTilde(part, true, scope);
      return [
        ...(index === 0 ? [] : [{ pieces: [{ kind: "text" as const, text: ":" }], origins: [] }]),
        ...(index === 0 ? [{ pieces: [{ kind: "text" as const, text: part }], origins: [] }] : first),
      ];
    }),
  );
}

function evaluateArray(node: ArrayValue, scope: Scope): readonly Content[] {
  const lists = node.elements.map((element): readonly (readonly Entry[])[] => {
    const keyed = /^\[([^\]]*)\]\+?=/.exec(element.text);
    if (keyed === null) {
      return resolveWords([element], scope).map(({ values, isOpenEnded }) => [
        ...values.map((value): Entry => ({ key: undefined, value, isOpenEnded })),
      ]);
    }
    return resolveSingle(element, scope).map(value => [splitKeyed(value, keyed[1] ?? "")]);
  });
  const chosen = combine(lists, LIMITS.alternatives) ?? [lists.flatMap(list => list.slice(0, 1))];
  return chosen.map(entries => makeArray(entries.flat()));
}

interface Entry {
  readonly key: string | undefined;
  readonly value: Value;
  readonly isOpenEnded: boolean;
}

/** `[key]=value` as one resolved text. */
function splitKeyed(value: Value, written: string): Entry {
  const [first, ...rest] = value.pieces;
  const content = first?.kind === "text" ? first.text : "";
  const close = content.indexOf("]=");
  if (close < 0) return { key: written.replace(/^["']|["']$/g, ""), value, isOpenEnded: false };
  const tail = content.slice(close + 2);
  const pieces = tail === "" ? rest : [{ kind: "text" as const, text: tail }, ...rest];
  return { key: content.slice(1, close), value: { pieces, origins: value.origins }, isOpenEnded: false };
}

function makeArray(entries: readonly Entry[], elements = new Map<string, Value>()): Content {
  let next = elements.size;
  for (const { key, value } of entries) {
    const index = key ?? String(next);
    elements.set(index, value);
    if (/^\d{1,9}$/.test(index)) next = Number(index) + 1;
  }
  return { kind: "array", elements, isOpenEnded: entries.some(entry => entry.isOpenEnded) };
}

function extendArray(old: Content, added: Content): Content {
  const before = new Map(
    old.kind === "array" ? old.elements : old.kind === "scalar" ? [["0", old.value]] : [],
  );
  if (added.kind !== "array") return added;
  const entries = [...added.elements].map(
    ([key, value]): Entry => ({
      key: /^\d+$/.test(key) ? undefined : key,
      value,
      isOpenEnded: added.isOpenEnded,
    }),
  );
  return makeArray(entries, before);
}

const PROMPTS = new Set(["PS0", "PS1", "PS2", "PS4"]);

/** Prompts expand substitutions when they are shown, and PROMPT_COMMAND is run before each of them. */
function runPromptVariable(name: string, value: Value, scope: Scope, span: Span): void {
  if (name === "PROMPT_COMMAND") runShellText(value, scope, span);
  else if (PROMPTS.has(name)) {
    const known = knownText(value);
    if (known !== undefined && /\$\(|`/.test(known)) runShellText(asQuotedWord(known), scope, span);
  }
}

/** A command that only expands this text as inside double quotes. */
export function asQuotedWord(content: string): Value {
  return text(`: "${content.replaceAll('"', '\\"')}"`);
}
