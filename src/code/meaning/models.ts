import type { Origin } from "../../shell/value.ts";
import { knownText, unknown } from "../../shell/value.ts";
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
import type { Call, Model, ModelTable, Run } from "./run.ts";
import { fromDecoder, fromNetwork } from "./run.ts";

/**
 * A table of models: names separated by blanks, then what they do. It is filled when first asked, because
 * most commands hold no code, or code of one language only.
 */
export function modelTable(rows: readonly (readonly [names: string, model: Model])[]): ModelTable {
  let filled: Map<string, Model> | undefined;
  const table = (): Map<string, Model> => {
    filled ??= fill(rows);
    return filled;
  };
  return { get: name => table().get(name), has: name => table().has(name), keys: () => table().keys() };
}

function fill(rows: readonly (readonly [names: string, model: Model])[]): Map<string, Model> {
  const table = new Map<string, Model>();
  for (const [names, model] of rows) for (const name of names.split(" ")) table.set(name, model);
  return table;
}

/** An argument by place or by one of its names. */
export function argument(call: Call, index: number, ...names: readonly string[]): Datum | undefined {
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
  const word = datum.kind === "reference" ? datum.path : knownTextOf(datum);
  return !["False", "false", "None", "null", "nil", "undefined", "0", ""].includes(word ?? "?");
}

/** Deletes its first argument. */
export function removes(isRecursive: boolean, ...names: readonly string[]): Model {
  return (call, run) => {
    const target = argument(call, 0, ...names);
    if (target !== undefined) noteDelete(run, call, target, isRecursive);
    return undefined;
  };
}

/** Deletes all its arguments. */
export function removesAll(isRecursive: boolean): Model {
  return (call, run) => {
    const targets = listDatum(call.positional, call.isOpenEnded);
    noteDelete(run, call, flattened(targets), isRecursive);
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
export function removesReceiver(isRecursive: boolean): Model {
  return (call, run) => {
    if (call.receiver !== undefined) noteDelete(run, call, call.receiver, isRecursive);
    return undefined;
  };
}

/** Reads the file named by its first argument; the result is its content. */
export function reads(...names: readonly string[]): Model {
  return (call, run) => {
    const target = argument(call, 0, ...names);
    if (target === undefined) return undefined;
    noteRead(run, call, target);
    return contentOf(target);
  };
}

export function contentOf(path: Datum): Datum {
  const origin: Origin = { kind: "file", path: firstValue(path) };
  return textDatum(unknown("any", "…", [origin]));
}

/** Writes the file named by its first argument; the content stands second. */
export function writes(isAppend: boolean): Model {
  return (call, run) => {
    const target = call.positional[0];
    if (target !== undefined) noteWrite(run, call, target, isAppend, call.positional[1]);
    return undefined;
  };
}

/** From the first argument to the second. */
export function moves(kind: "move" | "copy"): Model {
  return (call, run) => {
    const from = argument(call, 0, "src");
    const to = argument(call, 1, "dst");
    if (from !== undefined && to !== undefined) noteMove(run, call, from, to, kind);
    return to;
  };
}

/** Hands its first argument to a shell; the result is what the command prints. */
export function runsShell(...names: readonly string[]): Model {
  return (call, run) => {
    const command = argument(call, 0, ...names);
    if (command === undefined) return undefined;
    return reference(`${call.path}()`, noteShell(run, call, command, call.named.get("cwd")));
  };
}

/** Start a program given as a list (words) or as a text (for a shell). */
export function runWords(run: Run, call: Call, words: Datum, cwd?: Datum, stdin?: Datum): Datum {
  const origins = optionsOf(words).flatMap(option => {
    if (option.kind === "list") return noteSpawn(run, call, option.items, option.isOpenEnded, cwd, stdin);
    if (option.kind === "text") return noteShell(run, call, option, cwd);
    return noteSpawn(run, call, [option], true, cwd, stdin);
  });
  return reference(`${call.path}()`, origins);
}

/** Speaks to the address in its first argument; everything else leaves with it. The result is the answer. */
export function sends(...names: readonly string[]): Model {
  return (call, run) => {
    const target = argument(call, 0, ...names) ?? call.receiver ?? reference("address");
    const rest = [...call.positional.slice(1), ...call.named.values()];
    // A literal address tells nothing; one put together from something may carry it away.
    const isPlain = optionsOf(target).every(option => option.kind === "text" && !isForeignCode(option.value));
    noteNetwork(run, call, target, isPlain ? rest : [target, ...rest]);
    return reference(`${call.path}()`, [fromNetwork(run)]);
  };
}

/** Sends its arguments to whatever the receiver is connected with. */
export const sendsToReceiver: Model = (call, run) => {
  const target = call.receiver ?? reference("connection");
  noteNetwork(run, call, target, [...call.positional, ...call.named.values()]);
  return reference(`${call.path}()`, [fromNetwork(run)]);
};

/** Turns an encoded text back; not computable is still known to be decoded. */
export function decodes(decode: (encoded: string) => string | undefined, index = 0): Model {
  return (call, run) => {
    const encoded = call.positional[index] ?? call.receiver;
    return encoded === undefined ? undefined : decoded(run, encoded, decode);
  };
}

export function decoded(run: Run, encoded: Datum, decode: (encoded: string) => string | undefined): Datum {
  const plain = mapped(encoded, decode, "text");
  const tag = [fromDecoder(run)];
  return choiceOf(optionsOf(plain).map(option => tainted(option, tag)));
}

const DEEPEST_EVAL = 6;

/** Runs its first argument as code of the same language: read on the spot if known, told if foreign. */
export const evaluates: Model = (call, run) => {
  const code = call.positional[0] ?? call.receiver;
  return code === undefined ? undefined : evaluateText(run, call, code);
};

export function evaluateText(run: Run, call: Call, code: Datum): Datum | undefined {
  let result: Datum | undefined;
  for (const option of optionsOf(code)) {
    const value = firstValue(option);
    const known = knownText(value);
    if (known !== undefined) result = evaluateKnown(run, call, known);
    if (isForeignCode(value)) noteEvaluate(run, call, run.library.language, textDatum(value));
  }
  return result;
}

function evaluateKnown(run: Run, call: Call, code: string): Datum | undefined {
  if (run.evaluations >= DEEPEST_EVAL) {
    run.effort.isCutShort = true;
    return undefined;
  }
  const outer = run.evaluatedAt;
  run.evaluatedAt = outer ?? call.at;
  run.evaluations += 1;
  const result = evaluateAll(run, run.globals, run.library.parse(code, run.effort));
  run.evaluations -= 1;
  run.evaluatedAt = outer;
  return result;
}

/** Gives back its argument: `str(x)`, `Promise.resolve(x)`. */
export function passes(index = 0): Model {
  return call => call.positional[index] ?? call.receiver;
}

/** Gives back what it is called on. */
export const passesReceiver: Model = call => call.receiver;

/** A function of the known text. */
export function changes(change: (known: string) => string | undefined, index = 0): Model {
  return call => {
    const subject = call.positional[index] ?? call.receiver;
    return subject === undefined ? undefined : mapped(subject, change);
  };
}

/** Calls its first argument with the rest: `Thread(target=f)`, `submit(f, x)`, `partial(f, x)`. */
export function callsLater(index: number, ...names: readonly string[]): Model {
  return (call, run) => {
    const callee = argument(call, index, ...names);
    if (callee === undefined) return undefined;
    const passed = call.named.get("args");
    const positional = passed?.kind === "list" ? passed.items : call.positional.slice(index + 1);
    invoke(run, callee, { ...call, positional, named: new Map() });
    return callee;
  };
}

/** `map(f, xs)` */
export const callsForEach: Model = (call, run) => {
  const [callee, list] = call.positional;
  if (callee === undefined || list === undefined) return undefined;
  const result = invoke(run, callee, { ...call, positional: [elementOf(list)], named: new Map() });
  return listDatum([result], true);
};

/** What a program says on its standard input, when that is known. */
export function standardInput(run: Run): Datum {
  const known = run.context.stdin;
  return textDatum(known ?? unknown("any", "stdin", [{ kind: "input" }]), "text");
}

/** The program's own arguments, behind the words its language puts in front. */
export function argumentList(run: Run, before: readonly string[]): Datum {
  const words = run.context.arguments.map(value => textDatum(value));
  return listDatum([...before.map(literal), ...words]);
}
