import type { EvaluationContext, FunctionCall, LibraryFunction } from "./context.ts";
import { type Datum, knownTextOf, listDatum } from "./datum.ts";

/**
 * The argument of a call that a selector names, the first alternative that is there: `0` and `-1` are places,
 * `path` is a named argument, `{cwd}` a field of a record among the arguments, `1..` the list of all arguments
 * from there on, `this` what the function is called on, `handle` the file or address that `this` was opened for.
 */
export function select(call: FunctionCall, selector: string): Datum | undefined {
  for (const part of selector.split(" ")) {
    const found = selectPart(call, part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function selectPart(call: FunctionCall, part: string): Datum | undefined {
  if (part === "this") return call.receiver;
  if (part === "handle") return call.receiver?.kind === "reference" ? call.receiver.receiver : undefined;
  if (part.startsWith("{")) return fieldOf(call, part.slice(1, -1));
  if (part.endsWith(".."))
    return listDatum(call.positional.slice(Number(part.slice(0, -2))), call.isOpenEnded);
  return /^-?\d+$/.test(part) ? call.positional.at(Number(part)) : call.named.get(part);
}

/** The options record of a call may stand anywhere. */
function fieldOf(call: FunctionCall, name: string): Datum | undefined {
  for (const datum of call.positional) {
    const found = datum.kind === "record" ? datum.fields.get(name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const FALSE_WORDS = new Set(["False", "false", "$false", "None", "null", "nil", "undefined", "0", ""]);

/** A flag such as `shell=True`: everything but a written "no" counts as yes. */
export function isTrue(datum: Datum | undefined): boolean {
  if (datum === undefined) return false;
  const word = datum.kind === "reference" ? datum.name : knownTextOf(datum);
  return !FALSE_WORDS.has(word ?? "?");
}

type Act = (datum: Datum, call: FunctionCall, context: EvaluationContext) => Datum | undefined;

/** Does something with an argument, where the call has it. */
export function withArgument(selector: string, act: Act): LibraryFunction {
  return (call, context) => {
    const datum = select(call, selector);
    return datum === undefined ? undefined : act(datum, call, context);
  };
}
