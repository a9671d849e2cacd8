import { scalar } from "../state/state.ts";
import { assign, lookUp } from "../state/variables.ts";
import { partsOf } from "../syntax/parts.ts";
import type { ParameterOperation, Word } from "../syntax/syntax.ts";
import { knownText, text, unknown } from "../value.ts";
import { type Alternatives, type Expansion, type ParameterUse, wrap } from "./expansion.ts";
import { type Fragment, joinFragments, joinValues } from "./fragments.ts";
import { type Held, hold, measure } from "./held.ts";
import { applyOperation } from "./operations.ts";

export function expandParameter(use: ParameterUse, expansion: Expansion, isQuoted: boolean): Alternatives {
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
  const alternatives = expansion.expandParts(partsOf(word), isQuoted);
  if (isQuoted)
    return alternatives.map(fragments => (fragments.length === 0 ? [wrap(text(""), true)] : fragments));
  return alternatives.map(fragments =>
    fragments.map(fragment =>
      fragment.kind === "text" && !fragment.isQuoted ? wrap(fragment.value, false) : fragment,
    ),
  );
}
