import { networkOnly, openFile } from "../../meaning/actions.ts";
import { select, withArgument } from "../../meaning/arguments.ts";
import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import {
  firstValue,
  joined,
  knownTextOf,
  listDatum,
  literal,
  mapText,
  reference,
} from "../../meaning/datum.ts";
import { runsLineOrWords } from "../../meaning/effect-kinds.ts";
import { noteDelete, noteNetwork, noteRead, noteShell, noteSpawn, noteWrite } from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { elementOf } from "../../meaning/members.ts";
import { formatted } from "../../meaning/operate.ts";
import { descendantsOf, expandTilde, joinPaths, patternOf } from "../../meaning/path-values.ts";
import { assign } from "../../meaning/scope.ts";

/** `open(my $h, MODE, path)` and the old form with mode and path in one text; bars start programs. */
export const opens = withArgument("1", (mode, call, context) => {
  const [handle, , target, ...rest] = call.positional;
  const word = knownTextOf(mode)?.trim();
  if (target === undefined) {
    if (word === undefined) noteRead(context, call, mode);
    else openOld(context, call, handle, word);
  } else if (word === "|-" || word === "-|") {
    if (rest.length > 0) noteSpawn(context, call, [target, ...rest], call.isOpenEnded);
    else noteShell(context, call, target);
    if (word === "|-") namePipe(context, handle, rest.length === 0 ? target : listDatum([target, ...rest]));
  } else if (word?.includes("&") === true) duplicate(context, handle, target);
  else openAs(context, call, word ?? "+<", target);
  return undefined;
});

function openOld(
  context: EvaluationContext,
  call: FunctionCall,
  handle: Datum | undefined,
  word: string,
): void {
  if (word.startsWith("|")) {
    const command = literal(word.slice(1).trim());
    noteShell(context, call, command);
    namePipe(context, handle, command);
  } else if (word.endsWith("|")) noteShell(context, call, literal(word.slice(0, -1).trim()));
  else if (/^[<>]{1,2}&/.test(word)) {
    duplicate(context, handle, context.globals.names.get(word.replace(/^[<>]{1,2}&=?/, "")));
  } else {
    const [, mode = "", path = ""] = /^(\+?[<>]{0,2})\s*(.*)$/s.exec(word) ?? [];
    openAs(context, call, mode, literal(path));
  }
}

/** `open(STDIN, ">&", $socket)` puts a socket in the place of stdin. */
function duplicate(context: EvaluationContext, handle: Datum | undefined, source: Datum | undefined): void {
  const isInput = handle?.kind === "text" || (handle?.kind === "reference" && handle.name === "STDIN");
  const socket = networkOnly(source);
  if (isInput && socket !== undefined) context.standardInput = firstValue(socket);
}

/** Later prints to the handle are what the program reads. */
function namePipe(context: EvaluationContext, handle: Datum | undefined, command: Datum): void {
  const name = handle?.kind === "reference" ? handle.name : knownTextOf(handle);
  if (name !== undefined) assign(context.globals, name, reference("pipe", [], command), false);
}

/** Modes are `<`, `>`, `>>` and `+<`. */
function openAs(context: EvaluationContext, call: FunctionCall, mode: string, path: Datum): void {
  const letters = mode.includes(">>") ? "a" : mode.includes(">") ? "w" : mode.includes("+") ? "r+" : "r";
  const file = openFile(context, call, path, letters);
  const [handle] = call.positional;
  if (handle?.kind === "reference") assign(context.globals, handle.name, file, false);
}

export const opensDescriptor: LibraryFunction = (call, context) => {
  const [handle = literal("F"), path = literal("")] = call.positional;
  return opens({ ...call, positional: [handle, literal("+<"), path] }, context);
};

/** `print HANDLE …`: to a program, a file or a connection. */
export const printsTo = withArgument("0", (handle, call, context) => {
  if (handle.kind !== "reference" || handle.receiver === undefined) return undefined;
  const [template = literal(""), ...items] = call.positional.slice(1);
  const printed = call.name.startsWith("printf") ? formatted(template, items) : joined([template, ...items]);
  const { name, receiver: target } = handle;
  if (name === "file") noteWrite(context, call, target, true, printed);
  else if (name === "connection") noteNetwork(context, call, target, call.positional.slice(1));
  else if (name === "pipe") {
    const argv = target.kind === "list" ? target.items : [literal("sh"), literal("-c"), target];
    noteSpawn(context, call, argv, false, undefined, printed);
  }
  return undefined;
});

/** Paths, and an options record that says nothing about them. */
export const removesTrees: LibraryFunction = (call, context) => {
  const paths = call.positional.filter(datum => datum.kind !== "record");
  return noteDelete(context, call, listDatum(paths, call.isOpenEnded), true);
};

/** `find(sub { unlink $_ }, ".")`: the function meets everything below. */
export const finds = withArgument("0", (wanted, call, context) => {
  const callee = wanted.kind === "record" ? wanted.fields.get("wanted") : wanted;
  for (const directory of callee === undefined ? [] : call.positional.slice(1)) {
    const found = descendantsOf(directory, "text");
    context.globals.names.set("$File::Find::name", found);
    visit(context, call, callee ?? wanted, found);
  }
  return undefined;
});

/** Calls a function whose `$_` is the item. */
function visit(context: EvaluationContext, call: FunctionCall, callee: Datum, item: Datum): Datum {
  context.globals.names.set("$_", item);
  return invoke(context, callee, { ...call, positional: [item], named: new Map(), isOpenEnded: false });
}

/** `map { … } @list`, `grep { … } @list` */
export const mapsTopics = withArgument("0", (callee, call, context) => {
  const items = call.positional.slice(1);
  if (callee.kind !== "function") return listDatum(items, call.isOpenEnded);
  const topics =
    items.length === 0
      ? [reference("item")]
      : items.map(item => (item.kind === "list" ? elementOf(item) : item));
  const results = topics.map(topic => visit(context, call, callee, topic));
  return listDatum(call.name === "grep" ? topics : results, call.isOpenEnded);
});

/** `glob("*.o *.a")` is two patterns. */
export const globs = withArgument("0", (pattern, _call, context) => {
  const words = knownTextOf(pattern)?.trim().split(/\s+/) ?? [];
  if (words.length < 2) return patternOf(expandTilde(pattern, context));
  return listDatum(words.map(word => patternOf(expandTilde(literal(word), context))));
});

/** `path("~/x")` of Path::Tiny */
export const makesPath: LibraryFunction = (call, context) =>
  expandTilde(joinPaths(call.positional, "path", false, call.isOpenEnded), context);

/** `socket(S, …)` gives its first argument a meaning: the handle is the network. */
export const opensSocket = withArgument("0", (handle, _call, context) => {
  if (handle.kind === "reference")
    context.globals.names.set(handle.name, reference("connection", [fromNetwork(context)]));
  return undefined;
});

export const connectsSocket: LibraryFunction = (call, context) =>
  noteNetwork(context, call, select(call, "1") ?? reference("address"), []);

export const runsText: LibraryFunction = (call, context) =>
  call.positional[0]?.kind === "text" ? runsLineOrWords("0..")(call, context) : undefined;

/** One text is turned around, several items change their order. */
export const reversesItems: LibraryFunction = call => {
  const [only] = call.positional;
  if (call.positional.length === 1 && only?.kind === "text")
    return mapText(only, known => [...known].reverse().join(""));
  return listDatum([...call.positional].reverse(), call.isOpenEnded);
};

/** `shift`: the first of the list leaves it. */
export const shifts = withArgument("this", (list, call) => {
  if (list.kind !== "list") return undefined;
  const item = call.name.endsWith("pop") ? list.items.pop() : list.items.shift();
  return item ?? reference("argument", list.origins);
});
