import type { Datum, FunctionDatum } from "./datum.ts";
import { originsOf } from "./datum.ts";
import type { Run } from "./run.ts";

const LONGEST_KEY = 2_000;
const DEEPEST_KEY = 4;
const MOST_PARTS = 32;

/**
 * What a call of a function of the program depends on: the texts, the library functions, the shape of the rest.
 * Calls with the same key need to be followed once. Undefined when that would take too long to tell.
 */
export function callKey(
  run: Run,
  callee: FunctionDatum,
  positional: readonly Datum[],
  named: ReadonlyMap<string, Datum>,
): string | undefined {
  const parts = [callee.self, ...positional, ...named.values()];
  if (parts.length > MOST_PARTS) return undefined;
  const keys = parts.map(part => (part === undefined ? "" : datumKey(run, part, 0)));
  if (keys.some(key => key === undefined)) return undefined;
  const key = [...keys, ...named.keys()].join("\n");
  return key.length > LONGEST_KEY ? undefined : key;
}

function datumKey(run: Run, datum: Datum, depth: number): string | undefined {
  switch (datum.kind) {
    case "text":
      return `${datum.type} ${JSON.stringify(datum.value.pieces).slice(0, LONGEST_KEY + 1)} ${originKinds(datum)}`;
    case "reference":
      return run.library.models.has(datum.path) ? datum.path : `? ${originKinds(datum)}`;
    case "function":
      return `function ${functionNumber(run, datum)}`;
    case "list":
      return partsKey(run, datum.items, depth, datum.isOpenEnded ? "open" : "closed");
    case "record":
      return partsKey(run, [...datum.fields.values()], depth, [...datum.fields.keys()].join());
    case "choice":
      return partsKey(run, datum.options, depth, "any");
  }
}

function partsKey(run: Run, parts: readonly Datum[], depth: number, name: string): string | undefined {
  if (depth >= DEEPEST_KEY || parts.length > MOST_PARTS) return undefined;
  const keys = parts.map(part => datumKey(run, part, depth + 1));
  return keys.some(key => key === undefined) ? undefined : `${name}(${keys.join()})`;
}

function originKinds(datum: Datum): string {
  return originsOf(datum)
    .map(origin => origin.kind)
    .join();
}

/** Functions are told apart by the order in which they were first handed to somebody. */
function functionNumber(run: Run, datum: FunctionDatum): number {
  const known = run.numbers.get(datum.definition);
  if (known !== undefined) return known;
  run.numbers.set(datum.definition, run.numbers.size);
  return run.numbers.size - 1;
}
