import type { EvaluationContext } from "./context.ts";
import { type Datum, type FunctionDatum, originsOf } from "./datum.ts";

const MAX_KEY_LENGTH = 2_000;
const MAX_KEY_DEPTH = 4;
const MAX_PARTS = 32;

/**
 * What a call of a function of the program depends on: the texts, the library functions, the shape of the rest.
 * Calls with the same key need to be followed once. Undefined when that would take too long to tell.
 */
export function callKey(
  context: EvaluationContext,
  callee: FunctionDatum,
  positional: readonly Datum[],
  named: ReadonlyMap<string, Datum>,
): string | undefined {
  const parts = [callee.self, ...positional, ...named.values()];
  if (parts.length > MAX_PARTS) return undefined;
  const keys = parts.map(part => (part === undefined ? "" : datumKey(context, part, 0)));
  if (keys.some(key => key === undefined)) return undefined;
  const key = [...keys, ...named.keys()].join("\n");
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

function datumKey(context: EvaluationContext, datum: Datum, depth: number): string | undefined {
  switch (datum.kind) {
    case "text":
      return `${datum.type} ${JSON.stringify(datum.value.pieces).slice(0, MAX_KEY_LENGTH + 1)} ${originKinds(datum)}`;
    case "reference":
      return context.language.functions.has(datum.name) ? datum.name : `? ${originKinds(datum)}`;
    case "function":
      return `function ${functionNumber(context, datum)}`;
    case "list":
      return partsKey(context, datum.items, depth, datum.isOpenEnded ? "open" : "closed");
    case "record":
      return partsKey(context, [...datum.fields.values()], depth, [...datum.fields.keys()].join());
    case "choice":
      return partsKey(context, datum.options, depth, "any");
  }
}

function partsKey(
  context: EvaluationContext,
  parts: readonly Datum[],
  depth: number,
  name: string,
): string | undefined {
  if (depth >= MAX_KEY_DEPTH || parts.length > MAX_PARTS) return undefined;
  const keys = parts.map(part => datumKey(context, part, depth + 1));
  return keys.some(key => key === undefined) ? undefined : `${name}(${keys.join()})`;
}

function originKinds(datum: Datum): string {
  return originsOf(datum)
    .map(origin => origin.kind)
    .join();
}

/** Functions are told apart by the order in which they were first passed on. */
function functionNumber(context: EvaluationContext, datum: FunctionDatum): number {
  const known = context.numbers.get(datum.definition);
  if (known !== undefined) return known;
  context.numbers.set(datum.definition, context.numbers.size);
  return context.numbers.size - 1;
}
