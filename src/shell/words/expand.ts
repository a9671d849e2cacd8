import { writeContents } from "../state/file-contents.ts";
import { spanOf, takeNumber } from "../state/session.ts";
import type { Scope } from "../state/types.ts";
import type { ParsedScript, ProcessSubstitutionPart, WordPart } from "../syntax/syntax.ts";
import { blend, combine, concatenate, text, unknown, type Value } from "../value.ts";
import { evaluateArithmetic } from "./arithmetic.ts";
import { decodeEscapes } from "./escapes.ts";
import { type Alternatives, type Expansion, expandJoined, type ParameterUse, wrap } from "./expansion.ts";
import { type Fragment, joinFragments } from "./fragments.ts";
import { expandParameter } from "./parameters.ts";
import { expandTilde } from "./tilde.ts";

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
    if (!expansion.scope.session.budget.take(10)) return [[unknownText("…")]];
    const expanded = expandPart(part, expansion, isQuoted, index === 0, index === parts.length - 1);
    return expanded.length === 0 ? [[unknownText("…")]] : expanded;
  });
  return (combine(lists) ?? combine(lists.map(collapse)) ?? []).map(chosen => chosen.flat());
}

/** Too many alternatives: one unknown in their place. */
function collapse(alternatives: Alternatives): Alternatives {
  if (alternatives.length <= 1) return alternatives;
  const values = alternatives.map(fragments => joinFragments(fragments, false));
  return [[{ kind: "expansion", value: blend(values, `${values.length} values`) }]];
}

function unknownText(label: string): Fragment {
  return { kind: "expansion", value: unknown("any", label) };
}

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
      return outputsOf(part.script, part, expansion).map(value => [wrap(value, isQuoted)]);
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
    values.push(text(content.slice(start, index)), isQuoted ? hidden : mayBeMany(hidden));
    start = index + 1;
  }
  return concatenate([...values, text(content.slice(start))]);
}

function mayBeMany(value: Value): Value {
  return {
    ...value,
    pieces: value.pieces.map(piece => (piece.kind === "unknown" ? { ...piece, mayBeMany: true } : piece)),
  };
}

function outputsOf(script: ParsedScript | undefined, node: WordPart, expansion: Expansion): readonly Value[] {
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
  const place = { cwd: text("/"), scope, invocation, span: spanOf(scope.source, part) };
  writeContents(text(path), contents, false, place);
  return text(path);
}

function isReplaced(decoded: string): boolean {
  return decoded.includes("\ufffd");
}
