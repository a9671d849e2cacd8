import { decodeEscapes } from "../decode.ts";
import { homeAt } from "../facts.ts";
import { writeContents } from "../state/files.ts";
import { type Scope, scalar, takeNumber, toSpan } from "../state/state.ts";
import { assign, lookUp, scalarValues } from "../state/variables.ts";
import { wordParts } from "../syntax/parse.ts";
import type {
  ParameterOperation,
  ParsedScript,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from "../syntax/syntax.ts";
import {
  asMany,
  blend,
  combine,
  concatenate,
  directoryName,
  knownText,
  text,
  unknown,
  type Value,
} from "../value.ts";
import { evaluateArithmetic } from "./arithmetic.ts";
import {
  type Alternatives,
  type Expansion,
  expandJoined,
  type Fragment,
  type Held,
  hold,
  joinFragments,
  joinValues,
  measure,
  type ParameterUse,
  wrap,
} from "./fragments.ts";
import { applyOperation } from "./operators.ts";
/** The expansion of one word, from its beginning. */
export function createExpansion(scope: Scope): Expansion {
  const expansion: Expansion = {
    scope,
    outputs: new Map(),
    expandParts: (parts, isQuoted) => expandParts(parts, expansion, isQuoted),
  };
  return expansion;
}

export function expandParts(
  parts: readonly (WordPart | string)[],
  expansion: Expansion,
  isQuoted: boolean,
): Alternatives {
  const lists = parts.map((part, index) => {
    if (!expansion.scope.session.budget.take(10)) return [[UNKNOWN_TEXT]];
    const expanded = expandPart(part, expansion, isQuoted, index === 0, index === parts.length - 1);
    return expanded.length === 0 ? [[UNKNOWN_TEXT]] : expanded;
  });
  if (lists.every(list => list.length === 1)) return [lists.flatMap(([only]) => only ?? [])];
  return (combine(lists) ?? combine(lists.map(collapse)) ?? []).map(chosen => chosen.flat());
}

/** Too many alternatives: one unknown in their place. */
function collapse(alternatives: Alternatives): Alternatives {
  if (alternatives.length <= 1) return alternatives;
  const values = alternatives.map(fragments => joinFragments(fragments, false));
  return [[{ kind: "expansion", value: blend(values, `${values.length} values`) }]];
}

const UNKNOWN_TEXT: Fragment = { kind: "expansion", value: unknown("any", "…") };

function expandPart(
  part: WordPart | string,
  expansion: Expansion,
  isQuoted: boolean,
  isFirst: boolean,
  isLast: boolean,
): Alternatives {
  const { scope } = expansion;
  const plain = (content: string, quoted: boolean): Alternatives => [
    [{ kind: "text", value: reveal(content, scope, quoted), isQuoted: quoted }],
  ];
  if (typeof part === "string") return expandLiteral(part, part, expansion, isQuoted, isFirst, isLast);
  switch (part.type) {
    case "Literal":
      return expandLiteral(part.value, part.text, expansion, isQuoted, isFirst, isLast);
    case "SingleQuoted":
      return plain(part.value, true);
    case "AnsiCQuoted":
      // The parser replaces bytes that are not UTF-8, which a name of a file may have.
      return plain(
        isReplaced(part.value) ? decodeEscapes(part.text.slice(2, -1), "ansi").text : part.value,
        true,
      );
    case "DoubleQuoted":
    case "LocaleString":
      if (part.parts.length === 0) return plain("", true);
      return expandParts(part.parts, expansion, true);
    case "Glob":
    case "ExtendedGlob":
      if (part.parts !== undefined) expandParts(part.parts, expansion, true);
      return [[{ kind: "glob", pattern: part.text }]];
    case "BraceExpansion":
      if (part.parts === undefined) return plain(part.text, isQuoted);
      return expandParts(["{", ...part.parts, "}"], expansion, isQuoted);
    case "SimpleExpansion":
      return expandParameter({ parameter: part.text.slice(1), label: part.text }, expansion, isQuoted);
    case "ParameterExpansion": {
      const use: ParameterUse = { ...pickUse(part), label: part.text };
      return expandParameter(use, expansion, isQuoted);
    }
    case "CommandExpansion":
      return substitutedOutputs(part.script, part, expansion).map(value => [wrap(value, isQuoted)]);
    case "ArithmeticExpansion": {
      const result = evaluateArithmetic(part.expression, scope, parts => expandJoined(parts, expansion));
      return [[wrap(result === undefined ? unknown("token", part.text) : text(String(result)), isQuoted)]];
    }
    case "ProcessSubstitution":
      return [[wrap(openPipe(part, expansion), true)]];
  }
}

function pickUse(part: Omit<ParameterUse, "label">): Omit<ParameterUse, "label"> {
  return { parameter: part.parameter, prefix: part.prefix, index: part.index, operation: part.operation };
}

/** The alternatives of parts as plain text, for subscripts and arithmetic. */

function expandLiteral(
  value: string,
  written: string,
  { scope }: Expansion,
  isQuoted: boolean,
  isFirst: boolean,
  isLast: boolean,
): Alternatives {
  // Bash expands it in a word like an assignment, too: `dd of=~/x`.
  const [front = ""] = /^[A-Za-z_]\w*=(?=~)/.exec(written) ?? [];
  if (isQuoted || !isFirst || !written.startsWith("~", front.length)) {
    return [[{ kind: "text", value: reveal(value, scope, isQuoted), isQuoted }]];
  }
  return expandTilde(value.slice(front.length), isLast, scope).map(values => [
    { kind: "text", value: concatenate([text(front), ...values]), isQuoted: false } as const,
  ]);
}

/** Puts the unknown parts of nested code back in the place of the characters that stand for them. */
export function reveal(content: string, scope: Scope, isQuoted: boolean): Value {
  const { placeholders } = scope.source;
  if (placeholders.size === 0) return text(content);
  const values: Value[] = [];
  let start = 0;
  for (let index = 0; index < content.length; index += 1) {
    const hidden = placeholders.get(content[index] ?? "");
    if (hidden === undefined) continue;
    values.push(text(content.slice(start, index)), isQuoted ? hidden : asMany(hidden));
    start = index + 1;
  }
  return concatenate([...values, text(content.slice(start))]);
}

function substitutedOutputs(
  script: ParsedScript | undefined,
  node: WordPart,
  expansion: Expansion,
): readonly Value[] {
  const known = expansion.outputs.get(node);
  if (known !== undefined) return known;
  const { scope } = expansion;
  const outputs =
    script === undefined ? [text("")] : scope.session.walker.runSubstitution(script, node, scope);
  const trimmed = outputs.map(dropNuls).map(trimNewlines);
  expansion.outputs.set(node, trimmed);
  return trimmed;
}

/** No variable and no word can hold a NUL; shells leave it out of what a substitution gives. */
function dropNuls(value: Value): Value {
  if (!value.pieces.some(piece => piece.kind === "text" && piece.text.includes("\0"))) return value;
  const pieces = value.pieces.map(piece =>
    piece.kind === "text" ? { ...piece, text: piece.text.replaceAll("\0", "") } : piece,
  );
  return { pieces, origins: value.origins };
}

function trimNewlines(value: Value): Value {
  const last = value.pieces.at(-1);
  if (last?.kind !== "text" || !last.text.endsWith("\n")) return value;
  let end = last.text.length;
  while (last.text[end - 1] === "\n") end -= 1;
  const kept = value.pieces.slice(0, -1);
  return {
    pieces: end === 0 ? kept : [...kept, { kind: "text", text: last.text.slice(0, end) }],
    origins: value.origins,
  };
}

/** `<(…)` becomes a file that holds the output; `>(…)` one whose content the script will read. */
function openPipe(part: ProcessSubstitutionPart, expansion: Expansion): Value {
  const { scope } = expansion;
  const path = `/dev/fd/${63 + takeNumber(scope.session)}`;
  if (part.script === undefined) return text(path);
  if (part.operator === ">") {
    scope.state.sinks.set(path, { script: part.script, node: part });
    return text(path);
  }
  const contents = scope.session.walker.runSubstitution(part.script, part, scope);
  const invocation = Math.max(0, scope.session.invocations.length - 1);
  const place = { cwd: text("/"), scope, invocation, span: toSpan(scope.source, part) };
  writeContents(text(path), contents, false, place);
  return text(path);
}

function isReplaced(decoded: string): boolean {
  return decoded.includes("\ufffd");
}

function expandParameter(use: ParameterUse, expansion: Expansion, isQuoted: boolean): Alternatives {
  if (use.operation?.type === "Names") return [[listVariableNames(use.parameter, expansion, isQuoted)]];
  const held = hold(use, expansion);
  if (use.prefix === "#") return held.map(one => [wrap(measure(one, use.label), isQuoted)]);
  const { operation } = use;
  if (operation === undefined) return held.map(one => [toFragment(one, isQuoted, expansion)]);
  if (operation.type === "Default") return expandDefault(use, operation, held, expansion, isQuoted);
  return held
    .flatMap(one => applyOperation(operation, one, use.label, expansion))
    .map(one => [toFragment(one, isQuoted, expansion)]);
}

function listVariableNames(prefix: string, { scope }: Expansion, isQuoted: boolean): Fragment {
  const values = [...scope.state.variables.keys()]
    .filter(name => name.startsWith(prefix))
    .map(name => text(name));
  return { kind: "list", values, isOpenEnded: true, isQuoted };
}

function toFragment(held: Held, isQuoted: boolean, { scope }: Expansion): Fragment {
  if (held.kind === "unset") return wrap(text(""), isQuoted);
  if (held.kind === "value") return wrap(held.value, isQuoted);
  if (held.isJoined && isQuoted) return wrap(joinValues(held.values, readSeparators(scope)[0] ?? ""), true);
  return { kind: "list", values: held.values, isOpenEnded: held.isOpenEnded, isQuoted };
}

/** IFS as it is now. */
export function readSeparators(scope: Expansion["scope"]): string {
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
    const presence = testPresence(one, isNullTested);
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

function testPresence(held: Held, isNullTested: boolean): "yes" | "no" | "maybe" {
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
  const alternatives = expansion.expandParts(wordParts(word), isQuoted);
  if (isQuoted)
    return alternatives.map(fragments => (fragments.length === 0 ? [wrap(text(""), true)] : fragments));
  return alternatives.map(fragments =>
    fragments.map(fragment =>
      fragment.kind === "text" && !fragment.isQuoted ? wrap(fragment.value, false) : fragment,
    ),
  );
}

/**
 * Expands `~`, `~/…`, `~+`, `~-` and `~user` at the start of unquoted text. `endsWord`: nothing follows this
 * text in the word, so that a name without a slash is complete.
 */
export function expandTilde(written: string, endsWord: boolean, scope: Scope): readonly (readonly Value[])[] {
  const slash = written.indexOf("/");
  if (!written.startsWith("~") || (slash < 0 && !endsWord)) return [[text(written)]];
  const name = written.slice(1, slash < 0 ? undefined : slash);
  const rest = slash < 0 ? [] : [text(written.slice(slash))];
  const homes = findHomes(name, scope);
  return homes === undefined ? [[text(written)]] : homes.map(home => [home, ...rest]);
}

function findHomes(name: string, scope: Scope): readonly Value[] | undefined {
  const { context } = scope.session;
  if (name === "" || name === context.user) return scalarValues(lookUp("HOME", scope));
  if (name === "+") return scope.state.cwds;
  if (name === "-") return scope.state.previousCwds;
  if (name === "root") return [text("/root")];
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) return undefined;
  return [text(`${directoryName(homeAt(scope.place, context.home))}/${name}`)];
}
