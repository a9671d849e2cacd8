import { LIMITS } from "../limits.ts";
import { type Content, scalar } from "../state.ts";
import type { ParameterOperation, Word } from "../syntax.ts";
import { knownText, text, unknown, type Value } from "../value.ts";
import { assign, lookUp } from "../variables.ts";
import { evaluateArithmetic } from "./arithmetic.ts";
import { type Alternatives, type Expansion, expandJoined, expandParts, wrap } from "./expand.ts";
import { type Fragment, joinFragments, joinValues } from "./fragments.ts";
import { changeCase, removePattern, replacePattern, sliceText, transform } from "./operators.ts";
import { partsOf } from "./parts.ts";
import { compilePattern, type Pattern } from "./patterns.ts";

/** A use of a parameter: `$x`, `${!x[2]:-y}`. */
export interface ParameterUse {
  readonly parameter: string;
  readonly prefix?: "!" | "#" | undefined;
  readonly index?: Word | undefined;
  readonly operation?: ParameterOperation | undefined;
  readonly label: string;
}

/** One alternative of what the parameter holds: a value, a list (`$@`), or nothing. */
type Held =
  | { readonly kind: "value"; readonly value: Value }
  | {
      readonly kind: "list";
      readonly values: readonly Value[];
      readonly isOpenEnded: boolean;
      readonly isJoined: boolean;
    }
  | { readonly kind: "unset" };

export function expandParameter(use: ParameterUse, expansion: Expansion, isQuoted: boolean): Alternatives {
  if (use.operation?.type === "Names") return [[listVariableNames(use.parameter, expansion, isQuoted)]];
  const held = hold(use, expansion);
  if (use.prefix === "#") return held.map(one => [wrap(measure(one, use.label), isQuoted)]);
  const { operation } = use;
  if (operation === undefined) return held.map(one => [toFragment(one, isQuoted, expansion)]);
  if (operation.type === "Default") return expandDefault(use, operation, held, expansion, isQuoted);
  return held
    .flatMap(one => apply(operation, one, use.label, expansion))
    .map(one => [toFragment(one, isQuoted, expansion)]);
}

function hold(use: ParameterUse, expansion: Expansion): readonly Held[] {
  const { scope } = expansion;
  if (use.parameter === "@" || use.parameter === "*") {
    const { values, isOpenEnded } = scope.state.positionals;
    return [{ kind: "list", values, isOpenEnded, isJoined: use.parameter === "*" }];
  }
  const keys =
    use.index === undefined ? [] : expandWordText(use.index, expansion).map(value => knownText(value));
  const contents = lookUp(use.parameter, scope);
  if (use.prefix === "!") {
    const isList = keys[0] === "@" || keys[0] === "*";
    return contents.flatMap(content => (isList ? [keysOf(content)] : followName(content, use, expansion)));
  }
  if (keys.length === 0) return contents.map(content => elementOf(content, "0", use.label));
  return contents.flatMap(content => keys.flatMap(key => select(content, key, use, expansion)));
}

function select(
  content: Content,
  key: string | undefined,
  use: ParameterUse,
  expansion: Expansion,
): readonly Held[] {
  if (key === "@" || key === "*") {
    if (content.kind === "unset")
      return [{ kind: "list", values: [], isOpenEnded: false, isJoined: key === "*" }];
    const values = content.kind === "scalar" ? [content.value] : [...content.elements.values()];
    return [
      {
        kind: "list",
        values,
        isOpenEnded: content.kind === "array" && content.isOpenEnded,
        isJoined: key === "*",
      },
    ];
  }
  if (key !== undefined) return [elementOf(content, resolveKey(content, key, expansion), use.label)];
  if (content.kind !== "array" || content.elements.size > LIMITS.alternatives)
    return [unknownHeld(use.label)];
  return [...content.elements.values()].map(value => ({ kind: "value", value }));
}

/** The key as written when there is such an element, else the number it computes to. */
function resolveKey(content: Content, key: string, expansion: Expansion): string {
  if (content.kind === "array" && content.elements.has(key)) return key;
  const number = computeNumber(key, expansion);
  if (number === undefined) return key;
  if (number >= 0 || content.kind !== "array") return String(number);
  return [...content.elements.keys()].at(number) ?? key;
}

export function computeNumber(written: string, expansion: Expansion): number | undefined {
  if (/^-?\d{1,15}$/.test(written)) return Number(written);
  const word = { type: "ArithmeticWord", pos: 0, end: 0, value: written } as const;
  return evaluateArithmetic(word, expansion.scope, parts => expandJoined(parts, expansion));
}

function elementOf(content: Content, key: string, label: string): Held {
  if (content.kind === "unset") return content;
  if (content.kind === "scalar")
    return key === "0" ? { kind: "value", value: content.value } : unsetOr(content.value, label);
  const value = content.elements.get(key);
  if (value !== undefined) return { kind: "value", value };
  return content.isOpenEnded ? unknownHeld(label) : { kind: "unset" };
}

/** An element of something that is not an array here but may be one outside. */
function unsetOr(value: Value, label: string): Held {
  return knownText(value) === undefined
    ? { kind: "value", value: unknown("any", label, value.origins) }
    : { kind: "unset" };
}

function unknownHeld(label: string): Held {
  return { kind: "value", value: unknown("any", label) };
}

function keysOf(content: Content): Held {
  const values = content.kind === "array" ? [...content.elements.keys()].map(key => text(key)) : [text("0")];
  return {
    kind: "list",
    values,
    isOpenEnded: content.kind === "array" && content.isOpenEnded,
    isJoined: false,
  };
}

/** `${!x}`: the value of x is the name to look up, possibly with a subscript. */
function followName(content: Content, use: ParameterUse, expansion: Expansion): readonly Held[] {
  const written = content.kind === "scalar" ? knownText(content.value) : undefined;
  const match = written === undefined ? null : /^([A-Za-z_]\w*|\d+|[@*#?])(?:\[([^\]]*)\])?$/.exec(written);
  if (match === null) return [unknownHeld(use.label)];
  const [, parameter = "", key] = match;
  if (parameter === "@" || parameter === "*") return hold({ parameter, label: use.label }, expansion);
  const contents = lookUp(parameter, expansion.scope);
  return contents.flatMap(found => select(found, key ?? "0", use, expansion));
}

function listVariableNames(prefix: string, { scope }: Expansion, isQuoted: boolean): Fragment {
  const values = [...scope.state.variables.keys()]
    .filter(name => name.startsWith(prefix))
    .map(name => text(name));
  return { kind: "list", values, isOpenEnded: true, isQuoted };
}

function measure(held: Held, label: string): Value {
  if (held.kind === "unset") return text("0");
  if (held.kind === "list")
    return held.isOpenEnded ? unknown("token", label) : text(String(held.values.length));
  const known = knownText(held.value);
  return known === undefined ? unknown("token", label) : text(String(known.length));
}

function toFragment(held: Held, isQuoted: boolean, { scope }: Expansion): Fragment {
  if (held.kind === "unset") return wrap(text(""), isQuoted);
  if (held.kind === "value") return wrap(held.value, isQuoted);
  if (held.isJoined && isQuoted) return wrap(joinValues(held.values, separatorsOf(scope)[0] ?? ""), true);
  return { kind: "list", values: held.values, isOpenEnded: held.isOpenEnded, isQuoted };
}

/** IFS as it is now. */
export function separatorsOf(scope: Expansion["scope"]): string {
  const [content] = lookUp("IFS", scope);
  return (content?.kind === "scalar" ? knownText(content.value) : undefined) ?? " \t\n";
}

function expandDefault(
  use: ParameterUse,
  operation: Extract<ParameterOperation, { type: "Default" }>,
  held: readonly Held[],
  expansion: Expansion,
  isQuoted: boolean,
): Alternatives {
  const { scope } = expansion;
  const operand = expandOperand(operation.operand, expansion, isQuoted);
  const isNullTested = operation.operator.startsWith(":");
  const kind = operation.operator.at(-1);
  const isOutside = !scope.state.variables.has(use.parameter) && use.parameter !== "OLDPWD";
  const results = held.flatMap((one): Alternatives => {
    const presence = presenceOf(one, isNullTested);
    const itself: Alternatives = [
      [toFragment(presence === "maybe" ? filled(one) : one, isQuoted, expansion)],
    ];
    if (kind === "+") {
      const none: Alternatives = [[wrap(text(""), isQuoted)]];
      return presence === "yes" ? operand : presence === "no" ? none : [...none, ...operand];
    }
    if (kind === "?") return presence === "no" ? [[wrap(unknown("nonempty", use.label), isQuoted)]] : itself;
    if (presence === "yes") return itself;
    // A variable of the process that the text gives a default for is taken to be unset: the usual case.
    return presence === "no" || isOutside ? operand : [...itself, ...operand];
  });
  if (kind === "=" && /^[A-Za-z_]\w*$/.test(use.parameter)) {
    assign(
      use.parameter,
      results.map(fragments => scalar(joinFragments(fragments, false))),
      scope,
    );
  }
  return results;
}

function presenceOf(held: Held, isNullTested: boolean): "yes" | "no" | "maybe" {
  if (held.kind === "unset") return "no";
  if (held.kind === "list") return held.values.length > 0 ? "yes" : held.isOpenEnded ? "maybe" : "no";
  const known = knownText(held.value);
  if (known !== undefined) return known === "" && isNullTested ? "no" : "yes";
  return held.value.pieces.some(piece => piece.kind !== "unknown" || piece.shape !== "any") ? "yes" : "maybe";
}

/** After a test for emptiness the unknown is known to hold something. */
function filled(held: Held): Held {
  if (held.kind !== "value") return held;
  const [only] = held.value.pieces;
  if (held.value.pieces.length !== 1 || only?.kind !== "unknown") return held;
  return {
    kind: "value",
    value: { ...held.value, pieces: [{ ...only, shape: only.shape === "any" ? "nonempty" : only.shape }] },
  };
}

/** The word after an operator. Outside quotes its plain text is split like any expansion. */
function expandOperand(word: Word, expansion: Expansion, isQuoted: boolean): Alternatives {
  const alternatives = expandParts(partsOf(word), expansion, isQuoted);
  if (isQuoted)
    return alternatives.map(fragments => (fragments.length === 0 ? [wrap(text(""), true)] : fragments));
  return alternatives.map(fragments =>
    fragments.map(fragment =>
      fragment.kind === "text" && !fragment.isQuoted ? wrap(fragment.value, false) : fragment,
    ),
  );
}

export function expandWordText(word: Word, expansion: Expansion): readonly Value[] {
  return expandParts(partsOf(word), expansion, false).map(fragments => joinFragments(fragments, false));
}

function apply(
  operation: ParameterOperation,
  held: Held,
  label: string,
  expansion: Expansion,
): readonly Held[] {
  const { scope } = expansion;
  const { budget } = scope.session;
  const each = (change: (value: Value) => Value): readonly Held[] => {
    if (held.kind === "list") return [{ ...held, values: held.values.map(change) }];
    return [{ kind: "value", value: change(held.kind === "unset" ? text("") : held.value) }];
  };
  const blurAll = () => each(value => unknown("any", label, value.origins));
  switch (operation.type) {
    case "Remove":
      return expandPattern(operation.operand, expansion).flatMap(pattern =>
        pattern === undefined
          ? blurAll()
          : each(value => removePattern(value, operation.operator, pattern, label, budget)),
      );
    case "Replace": {
      const replacements = expandWordText(operation.replacement, expansion);
      return expandPattern(operation.pattern, expansion).flatMap(pattern =>
        replacements.flatMap(replacement =>
          pattern === undefined
            ? blurAll()
            : each(value => replacePattern(value, operation.operator, pattern, replacement, label, budget)),
        ),
      );
    }
    case "Slice": {
      const offset = wordNumber(operation.offset, expansion);
      const length = operation.length === undefined ? "rest" : wordNumber(operation.length, expansion);
      if (held.kind !== "list") return each(value => sliceText(value, offset, length, label));
      return [sliceList(held, offset, length, label, expansion)];
    }
    case "CaseModification": {
      const patterns =
        operation.operand === undefined ? [undefined] : expandPattern(operation.operand, expansion);
      return patterns.flatMap(pattern =>
        each(value => changeCase(value, operation.operator, pattern, label, budget)),
      );
    }
    case "Transform": {
      const operator = operation.operand.value;
      if (operator === "P") each(value => runPrompt(value, expansion));
      return each(value => transform(value, operator, label, budget));
    }
    default:
      return blurAll();
  }
}

/** `${x@P}` expands its value like a prompt, substitutions included. */
function runPrompt(value: Value, { scope }: Expansion): Value {
  const known = knownText(value);
  if (known !== undefined && /\$\(|`/.test(known))
    scope.session.walker.runInside(`: "${known.replaceAll('"', '\\"')}"`, scope);
  return value;
}

function sliceList(
  held: Extract<Held, { kind: "list" }>,
  offset: number | undefined,
  length: number | undefined | "rest",
  label: string,
  { scope }: Expansion,
): Held {
  if (offset === undefined || length === undefined)
    return { ...held, values: [unknown("any", label)], isOpenEnded: true };
  const isPositional = held.values === scope.state.positionals.values;
  const all = isPositional ? [scope.state.positionals.zero, ...held.values] : held.values;
  const start = offset < 0 ? all.length + offset : offset;
  const end = length === "rest" ? undefined : start + length;
  return { ...held, values: all.slice(isPositional && offset === 0 ? 0 : start, end) };
}

function wordNumber(word: Word, expansion: Expansion): number | undefined {
  const [value, ...others] = expandWordText(word, expansion);
  const known = value === undefined || others.length > 0 ? undefined : knownText(value);
  return known === undefined ? undefined : computeNumber(known.trim(), expansion);
}

/** The alternatives of a pattern word; undefined where it is not known. */
function expandPattern(word: Word, expansion: Expansion): readonly (Pattern | undefined)[] {
  return expandParts(partsOf(word), expansion, false).map(fragments => {
    const matchers = fragments.map(fragment => {
      if (fragment.kind === "glob") return compilePattern(fragment.pattern);
      if (fragment.kind === "list") return undefined;
      const known = knownText(fragment.value);
      return known === undefined ? undefined : compilePattern(known, fragment.kind === "text");
    });
    return matchers.every(matcher => matcher !== undefined) ? matchers.flat() : undefined;
  });
}
