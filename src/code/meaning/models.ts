import type { Origin } from "../../shell/value.ts";
import { knownText, unknown } from "../../shell/value.ts";
import type { EvaluationContext, FunctionCall, FunctionTable, LibraryFunction } from "./context.ts";
import { fromDecoder, fromNetwork } from "./context.ts";
import type { Datum } from "./datum.ts";
import {
  choiceOf,
  firstValue,
  knownTextOf,
  listDatum,
  literal,
  mapped,
  optionsOf,
  reference,
  tainted,
  textDatum,
} from "./datum.ts";
import {
  isForeignCode,
  noteDelete,
  noteEvaluate,
  noteMove,
  noteNetwork,
  noteRead,
  noteShell,
  noteSpawn,
  noteWrite,
} from "./effects.ts";
import { evaluateAll } from "./evaluate.ts";
import { invoke } from "./invoke.ts";
import { elementOf } from "./members.ts";

/**
 * A table of models: names separated by blanks, then what they do. It is filled when first asked, because
 * most commands hold no code, or code of one language only.
 */
export function functionTable(
  rows: readonly (readonly [names: string, libraryFunction: LibraryFunction])[],
): FunctionTable {
  let filled: Map<string, LibraryFunction> | undefined;
  const table = (): Map<string, LibraryFunction> => {
    filled ??= fill(rows);
    return filled;
  };
  return { get: name => table().get(name), has: name => table().has(name), keys: () => table().keys() };
}

function fill(
  rows: readonly (readonly [names: string, libraryFunction: LibraryFunction])[],
): Map<string, LibraryFunction> {
  const table = new Map<string, LibraryFunction>();
  for (const [names, libraryFunction] of rows)
    for (const name of names.split(" ")) table.set(name, libraryFunction);
  return table;
}

/** An argument by place or by one of its names. */
export function argument(call: FunctionCall, index: number, ...names: readonly string[]): Datum | undefined {
  const positional = call.positional[index];
  if (positional !== undefined) return positional;
  for (const name of names) {
    const named = call.named.get(name);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** A flag such as `shell=True`: everything but a written "no" counts as yes. */
export function isTrue(datum: Datum | undefined): boolean {
  if (datum === undefined) return false;
  const word = datum.kind === "reference" ? datum.name : knownTextOf(datum);
  return !["False", "false", "None", "null", "nil", "undefined", "0", ""].includes(word ?? "?");
}

/** Deletes its first argument. */
export function removes(isRecursive: boolean, ...names: readonly string[]): LibraryFunction {
  return (call, context) => {
    const target = argument(call, 0, ...names);
    if (target !== undefined) noteDelete(context, call, target, isRecursive);
    return undefined;
  };
}

/** Deletes all its arguments. */
export function removesAll(isRecursive: boolean): LibraryFunction {
  return (call, context) => {
    const targets = listDatum(call.positional, call.isOpenEnded);
    noteDelete(context, call, flattened(targets), isRecursive);
    return undefined;
  };
}

/** A list of lists as one list. */
export function flattened(list: Datum): Datum {
  if (list.kind !== "list") return list;
  const items = list.items.flatMap(item => (item.kind === "list" ? item.items : [item]));
  return listDatum(
    items,
    list.isOpenEnded || list.items.some(item => item.kind === "list" && item.isOpenEnded),
  );
}

/** Deletes what it is called on. */
export function removesReceiver(isRecursive: boolean): LibraryFunction {
  return (call, context) => {
    if (call.receiver !== undefined) noteDelete(context, call, call.receiver, isRecursive);
    return undefined;
  };
}

/** Reads the file named by its first argument; the result is its content. */
export function reads(...names: readonly string[]): LibraryFunction {
  return (call, context) => {
    const target = argument(call, 0, ...names);
    if (target === undefined) return undefined;
    noteRead(context, call, target);
    return contentOf(target);
  };
}

export function contentOf(path: Datum): Datum {
  const origin: Origin = { kind: "file", path: firstValue(path) };
  return textDatum(unknown("any", "…", [origin]));
}

/** Writes the file named by its first argument; the content stands second. */
export function writes(isAppend: boolean): LibraryFunction {
  return (call, context) => {
    const target = call.positional[0];
    if (target !== undefined) noteWrite(context, call, target, isAppend, call.positional[1]);
    return undefined;
  };
}

/** From the first argument to the second. */
export function moves(kind: "move" | "copy"): LibraryFunction {
  return (call, context) => {
    const from = argument(call, 0, "src");
    const to = argument(call, 1, "dst");
    if (from !== undefined && to !== undefined) noteMove(context, call, from, to, kind);
    return to;
  };
}

/** Hands its first argument to a shell; the result is what the command prints. */
export function runsShell(...names: readonly string[]): LibraryFunction {
  return (call, context) => {
    const command = argument(call, 0, ...names);
    if (command === undefined) return undefined;
    return reference(`${call.name}()`, noteShell(context, call, command, call.named.get("cwd")));
  };
}

/** Start a program given as a list (words) or as a text (for a shell). */
export function runWords(
  context: EvaluationContext,
  call: FunctionCall,
  words: Datum,
  cwd?: Datum,
  stdin?: Datum,
): Datum {
  const origins = optionsOf(words).flatMap(option => {
    if (option.kind === "list") return noteSpawn(context, call, option.items, option.isOpenEnded, cwd, stdin);
    if (option.kind === "text") return noteShell(context, call, option, cwd);
    return noteSpawn(context, call, [option], true, cwd, stdin);
  });
  return reference(`${call.name}()`, origins);
}

/** Speaks to the address in its first argument; everything else leaves with it. The result is the answer. */
export function sends(...names: readonly string[]): LibraryFunction {
  return (call, context) => {
    const target = argument(call, 0, ...names) ?? call.receiver ?? reference("address");
    const rest = [...call.positional.slice(1), ...call.named.values()];
    // A literal address tells nothing; one put together from something may carry it away.
    const isPlain = optionsOf(target).every(option => option.kind === "text" && !isForeignCode(option.value));
    noteNetwork(context, call, target, isPlain ? rest : [target, ...rest]);
    return reference(`${call.name}()`, [fromNetwork(context)]);
  };
}

/** Sends its arguments to whatever the receiver is connected with. */
export const sendsToReceiver: LibraryFunction = (call, context) => {
  const target = call.receiver ?? reference("connection");
  noteNetwork(context, call, target, [...call.positional, ...call.named.values()]);
  return reference(`${call.name}()`, [fromNetwork(context)]);
};

/** Turns an encoded text back; not computable is still known to be decoded. */
export function decodes(decode: (encoded: string) => string | undefined, index = 0): LibraryFunction {
  return (call, context) => {
    const encoded = call.positional[index] ?? call.receiver;
    return encoded === undefined ? undefined : decoded(context, encoded, decode);
  };
}

export function decoded(
  context: EvaluationContext,
  encoded: Datum,
  decode: (encoded: string) => string | undefined,
): Datum {
  const plain = mapped(encoded, decode, "text");
  const tag = [fromDecoder(context)];
  return choiceOf(optionsOf(plain).map(option => tainted(option, tag)));
}

const MAX_EVAL_DEPTH = 6;

/** Runs its first argument as code of the same language: read on the spot if known, told if foreign. */
export const evaluates: LibraryFunction = (call, context) => {
  const code = call.positional[0] ?? call.receiver;
  return code === undefined ? undefined : evaluateText(context, call, code);
};

export function evaluateText(context: EvaluationContext, call: FunctionCall, code: Datum): Datum | undefined {
  let result: Datum | undefined;
  for (const option of optionsOf(code)) {
    const value = firstValue(option);
    const known = knownText(value);
    if (known !== undefined) result = evaluateKnown(context, call, known);
    if (isForeignCode(value)) noteEvaluate(context, call, context.language.id, textDatum(value));
  }
  return result;
}

function evaluateKnown(context: EvaluationContext, call: FunctionCall, code: string): Datum | undefined {
  if (context.evaluations >= MAX_EVAL_DEPTH) {
    context.budget.isCutShort = true;
    return undefined;
  }
  const outer = context.evaluatedAt;
  context.evaluatedAt = outer ?? call.at;
  context.evaluations += 1;
  const result = evaluateAll(context, context.globals, context.language.parse(code, context.budget));
  context.evaluations -= 1;
  context.evaluatedAt = outer;
  return result;
}

/** Gives back its argument: `str(x)`, `Promise.resolve(x)`. */
export function passes(index = 0): LibraryFunction {
  return call => call.positional[index] ?? call.receiver;
}

/** Gives back what it is called on. */
export const passesReceiver: LibraryFunction = call => call.receiver;

/** A function of the known text. */
export function changes(change: (known: string) => string | undefined, index = 0): LibraryFunction {
  return call => {
    const subject = call.positional[index] ?? call.receiver;
    return subject === undefined ? undefined : mapped(subject, change);
  };
}

/** Calls its first argument with the rest: `Thread(target=f)`, `submit(f, x)`, `partial(f, x)`. */
export function callsLater(index: number, ...names: readonly string[]): LibraryFunction {
  return (call, context) => {
    const callee = argument(call, index, ...names);
    if (callee === undefined) return undefined;
    const passed = call.named.get("args");
    const positional = passed?.kind === "list" ? passed.items : call.positional.slice(index + 1);
    invoke(context, callee, { ...call, positional, named: new Map() });
    return callee;
  };
}

/** `map(f, xs)` */
export const callsForEach: LibraryFunction = (call, context) => {
  const [callee, list] = call.positional;
  if (callee === undefined || list === undefined) return undefined;
  const result = invoke(context, callee, { ...call, positional: [elementOf(list)], named: new Map() });
  return listDatum([result], true);
};

/** What a program says on its standard input, when that is known. */
export function standardInput(context: EvaluationContext): Datum {
  const known = context.inputs.stdin;
  return textDatum(known ?? unknown("any", "stdin", [{ kind: "input" }]), "text");
}

/** The program's own arguments, behind the words its language puts in front. */
export function argumentList(context: EvaluationContext, before: readonly string[]): Datum {
  const words = context.inputs.arguments.map(value => textDatum(value));
  return listDatum([...before.map(literal), ...words]);
}
