import { compileGlob, createGlob, type Glob, type GlobToken } from "../../system/index.ts";
import { partsOf } from "../syntax/parts.ts";
import type { ParameterOperation, Word } from "../syntax/syntax.ts";
import { knownText, text, unknown, type Value } from "../value.ts";
import type { Expansion } from "./expansion.ts";
import { computeNumber, expandWordText, type Held } from "./held.ts";
import { changeCase, removePattern, replacePattern, sliceText, transform } from "./operators.ts";

/** Applies every operator but the defaults. Gives all alternatives, since operands have some, too. */
export function applyOperation(
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
      if (/\$\(|`|[<>]\(/.test(operation.pattern.text)) {
        runPatternWhole(operation, expansion);
        return blurAll();
      }
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

/**
 * The parser ends the pattern at the first slash, also at one inside a substitution. The commands in it are
 * found by reading pattern and replacement as one word; what they make of the value stays open.
 */
function runPatternWhole(operation: ParameterOperation, { scope }: Expansion): void {
  const written = scope.source.text.slice(operation.operatorEnd, operation.end);
  scope.session.walker.runInside(`: ${written}`, scope);
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
function expandPattern(word: Word, expansion: Expansion): readonly (Glob | undefined)[] {
  // Whether `+(…)` is a group or these characters depends on an option that a script may switch anywhere.
  if (/[?*+@!]\(/.test(word.text)) return [undefined];
  return expansion.expandParts(partsOf(word), false).map(fragments => {
    const tokens = fragments.map((fragment): readonly GlobToken[] | undefined => {
      if (fragment.kind === "glob") return compileGlob(fragment.pattern, "shell").tokens;
      if (fragment.kind === "list") return undefined;
      const known = knownText(fragment.value);
      if (known === undefined) return undefined;
      return fragment.kind === "text" ? [{ kind: "text", text: known }] : compileGlob(known, "shell").tokens;
    });
    return tokens.every(list => list !== undefined) ? createGlob(tokens.flat()) : undefined;
  });
}
