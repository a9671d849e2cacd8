import { baseName, directoryName } from "../../../shell/paths.ts";
import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import { currentDirectory } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import {
  firstValue,
  joined,
  knownTextOf,
  listDatum,
  literal,
  reference,
  textDatum,
} from "../../meaning/datum.ts";
import {
  noteDelete,
  noteDirectory,
  noteMode,
  noteNetwork,
  noteRead,
  noteShell,
  noteSpawn,
  noteWrite,
} from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { changes, contentOf, moves, removesAll, removesReceiver, writes } from "../../meaning/models.ts";
import { formatted } from "../../meaning/operate.ts";
import { absolute, anyName, joinsPath, patternOf, temporaryPath } from "../../meaning/path-values.ts";
import { assign } from "../../meaning/scope.ts";
import { expandTilde } from "../../meaning/tilde.ts";
import { duplicatesSocket } from "./process-models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** `open(my $h, MODE, path)` and the old form with mode and path in one text; bars start programs. */
const opens: LibraryFunction = (call, context) => {
  const [handle, mode, target, ...rest] = call.positional;
  const word = knownTextOf(mode)?.trim();
  if (mode === undefined) return undefined;
  if (target !== undefined) {
    if (word === "|-" || word === "-|") {
      if (rest.length > 0) noteSpawn(context, call, [target, ...rest], call.isOpenEnded);
      else noteShell(context, call, target);
      if (word === "|-") namePipe(context, handle, rest.length === 0 ? target : listDatum([target, ...rest]));
      return undefined;
    }
    if (word?.includes("&") === true) {
      if (isStandardInput(handle) && duplicatesSocket(target)) context.standardInput = firstValue(target);
      return undefined;
    }
    openAs(context, call, word ?? "+<", target);
    return undefined;
  }
  if (word === undefined) {
    noteRead(context, call, mode);
    return undefined;
  }
  openOld(context, call, handle, word);
  return undefined;
};

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
    const socket = context.globals.names.get(word.replace(/^[<>]{1,2}&=?/, ""));
    if (isStandardInput(handle) && duplicatesSocket(socket) && socket !== undefined) {
      context.standardInput = firstValue(socket);
    }
  } else {
    const [, mode, path] = /^(\+?[<>]{0,2})\s*(.*)$/s.exec(word) ?? [];
    openAs(context, call, mode ?? "", literal(path ?? ""));
  }
}

/** Later prints to the handle are what the program reads. */
function namePipe(context: EvaluationContext, handle: Datum | undefined, command: Datum): void {
  const name = handle?.kind === "reference" ? handle.name : knownTextOf(handle);
  if (name !== undefined) assign(context.globals, name, reference("pipe", [], command), false);
}

/** `print HANDLE …`: to a program, a file or a connection. */
const printsTo: LibraryFunction = (call, context) => {
  const [handle, ...items] = call.positional;
  if (handle?.kind !== "reference" || handle.receiver === undefined) return undefined;
  const printed = call.name.startsWith("printf")
    ? formatted(items[0] ?? literal(""), items.slice(1))
    : joined(items);
  if (handle.name === "file") noteWrite(context, call, handle.receiver, true, printed);
  else if (handle.name === "connection") noteNetwork(context, call, handle.receiver, items);
  else if (handle.name === "pipe") {
    const command = handle.receiver;
    const argv = command.kind === "list" ? command.items : [literal("sh"), literal("-c"), command];
    noteSpawn(context, call, argv, false, undefined, printed);
  }
  return undefined;
};

function isStandardInput(handle: Datum | undefined): boolean {
  return handle?.kind === "text" || (handle?.kind === "reference" && handle.name === "STDIN");
}

function openAs(context: EvaluationContext, call: FunctionCall, mode: string, path: Datum): void {
  if (/[>+]/.test(mode)) noteWrite(context, call, path, mode.includes(">>"));
  if (!mode.includes(">")) noteRead(context, call, path);
  const [handle] = call.positional;
  if (handle?.kind !== "reference") return;
  assign(
    context.globals,
    handle.name,
    reference("file", [{ kind: "file", path: firstValue(path) }], path),
    false,
  );
}

/** Paths, and an options record that says nothing about them. */
const removesTrees: LibraryFunction = (call, context) => {
  const paths = call.positional.filter(datum => datum.kind !== "record");
  noteDelete(context, call, listDatum(paths, call.isOpenEnded), true);
  return undefined;
};

const changesMode: LibraryFunction = (call, context) => {
  const skipped = call.name.endsWith("chown") ? 2 : 1;
  noteMode(context, call, listDatum(call.positional.slice(skipped), call.isOpenEnded), false);
  return undefined;
};

const changesDirectory: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path !== undefined) noteDirectory(context, call, path);
  return undefined;
};

/** `find(sub { unlink $_ }, ".")`: the function meets everything below. */
const finds: LibraryFunction = (call, context) => {
  const [wanted, ...directories] = call.positional;
  const callee = wanted?.kind === "record" ? wanted.fields.get("wanted") : wanted;
  if (callee === undefined) return undefined;
  for (const directory of directories) {
    const found = joined([directory, patternOf(literal("/**"))]);
    context.globals.names.set("$_", found);
    context.globals.names.set("$File::Find::name", found);
    invoke(context, callee, { ...call, positional: [found], named: new Map(), isOpenEnded: false });
  }
  return undefined;
};

const globs: LibraryFunction = (call, context) =>
  call.positional[0] === undefined ? undefined : globWords(context, call.positional[0]);

/** `glob("*.o *.a")` is two patterns. */
function globWords(context: EvaluationContext, pattern: Datum): Datum {
  const known = knownTextOf(pattern);
  if (known === undefined || !known.includes(" ")) return patternOf(expandTilde(context, pattern));
  return listDatum(
    known
      .trim()
      .split(/\s+/)
      .map(word => patternOf(expandTilde(context, literal(word)))),
  );
}

const writesToHandle: LibraryFunction = (call, context) => {
  const file = call.receiver;
  const path = file?.kind === "reference" && file.name === "file" ? file.receiver : undefined;
  if (path !== undefined) noteWrite(context, call, path, true, call.positional[0]);
  return undefined;
};

const reads: LibraryFunction = (call, context) => {
  const path = call.positional[0] ?? call.receiver;
  if (path === undefined) return undefined;
  noteRead(context, call, path);
  return contentOf(path);
};

/** `path("~/x")` of Path::Tiny */
const makesPath: LibraryFunction = (call, context) => {
  const whole = joinsPath("path", false)(call, context);
  return whole === undefined ? undefined : textDatum(firstValue(expandTilde(context, whole)), "path");
};

const writesReceiver: LibraryFunction = (call, context) => {
  if (call.receiver !== undefined) noteWrite(context, call, call.receiver, false, call.positional[0]);
  return undefined;
};

export const FILE_MODELS: Rows = [
  ["unlink", removesAll(false)],
  ["rmdir", removesAll(false)],
  ["rmtree remove_tree File.Remove.remove File.Slurp.remove", removesTrees],
  ["rename move mv", moves("move")],
  ["copy cp link symlink File.Copy.Recursive.dircopy", moves("copy")],
  ["chmod chown", changesMode],
  ["chdir", changesDirectory],
  ["truncate", writes(true)],
  ["open", opens],
  [
    "sysopen",
    (call, context) =>
      opens(
        {
          ...call,
          positional: [call.positional[0] ?? literal("F"), literal("+<"), call.positional[1] ?? literal("")],
        },
        context,
      ),
  ],
  ["file.print file.printf file.write", writesToHandle],
  ["print> printf> say>", printsTo],
  ["read_file File.Slurp.read_file slurp", reads],
  ["write_file File.Slurp.write_file", writes(false)],
  ["glob File.Glob.bsd_glob", globs],
  ["readdir", () => anyName("matches")],
  ["find finddepth File.Find.find File.Find.finddepth", finds],
  ["tempdir File.Temp.tempdir File.Temp.newdir", (_call, context) => temporaryPath(context)],
  ["tempfile File.Temp.tempfile", (_call, context) => listDatum([reference("file"), temporaryPath(context)])],
  ["cwd getcwd", (_call, context) => textDatum(currentDirectory(context))],
  ["File.Spec.catfile File.Spec.catdir catfile catdir", joinsPath("text", false)],
  ["File.Spec.tmpdir", (_call, context) => literal(context.inputs.tmpdir)],
  ["File.HomeDir.my_home File.HomeDir.home", (_call, context) => literal(context.inputs.home)],
  [
    "File.Spec.rel2abs abs_path realpath",
    (call, context) => (call.positional[0] === undefined ? undefined : absolute(context, call.positional[0])),
  ],
  ["dirname File.Basename.dirname", changes(directoryName)],
  ["basename File.Basename.basename", changes(baseName)],
  ["path Path.Tiny.path", makesPath],
  ["path.remove_tree", removesReceiver(true)],
  ["path.remove", removesReceiver(false)],
  ["path.slurp path.slurp_utf8 path.lines", reads],
  ["path.spew path.spew_utf8 path.append", writesReceiver],
];

export const FILE_METHODS: Rows = [["remove_tree rmtree", removesReceiver(true)]];
