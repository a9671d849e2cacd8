import { baseName, directoryName } from "../../shell/paths.ts";
import type { Datum } from "../meaning/datum.ts";
import {
  firstValue,
  joined,
  knownTextOf,
  listDatum,
  literal,
  reference,
  textDatum,
} from "../meaning/datum.ts";
import {
  noteDelete,
  noteDirectory,
  noteMode,
  noteNetwork,
  noteRead,
  noteShell,
  noteSpawn,
  noteWrite,
} from "../meaning/effects.ts";
import { invoke } from "../meaning/invoke.ts";
import { changes, contentOf, moves, removesAll, removesReceiver, writes } from "../meaning/models.ts";
import { formatted } from "../meaning/operate.ts";
import { absolute, anyName, joinsPath, patternOf, temporaryPath } from "../meaning/path-values.ts";
import type { Call, Model, Run } from "../meaning/run.ts";
import { currentDirectory } from "../meaning/run.ts";
import { assign } from "../meaning/scope.ts";
import { expandTilde } from "../meaning/tilde.ts";
import { duplicatesSocket } from "./process-models.ts";

type Rows = readonly (readonly [string, Model])[];

/** `open(my $h, MODE, path)` and the old form with mode and path in one text; bars start programs. */
const opens: Model = (call, run) => {
  const [handle, mode, target, ...rest] = call.positional;
  const word = knownTextOf(mode)?.trim();
  if (mode === undefined) return undefined;
  if (target !== undefined) {
    if (word === "|-" || word === "-|") {
      if (rest.length > 0) noteSpawn(run, call, [target, ...rest], call.isOpenEnded);
      else noteShell(run, call, target);
      if (word === "|-") namePipe(run, handle, rest.length === 0 ? target : listDatum([target, ...rest]));
      return undefined;
    }
    if (word?.includes("&") === true) {
      if (isStandardInput(handle) && duplicatesSocket(target)) run.standardInput = firstValue(target);
      return undefined;
    }
    openAs(run, call, word ?? "+<", target);
    return undefined;
  }
  if (word === undefined) {
    noteRead(run, call, mode);
    return undefined;
  }
  openOld(run, call, handle, word);
  return undefined;
};

function openOld(run: Run, call: Call, handle: Datum | undefined, word: string): void {
  if (word.startsWith("|")) {
    const command = literal(word.slice(1).trim());
    noteShell(run, call, command);
    namePipe(run, handle, command);
  } else if (word.endsWith("|")) noteShell(run, call, literal(word.slice(0, -1).trim()));
  else if (/^[<>]{1,2}&/.test(word)) {
    const socket = run.globals.names.get(word.replace(/^[<>]{1,2}&=?/, ""));
    if (isStandardInput(handle) && duplicatesSocket(socket) && socket !== undefined) {
      run.standardInput = firstValue(socket);
    }
  } else {
    const [, mode, path] = /^(\+?[<>]{0,2})\s*(.*)$/s.exec(word) ?? [];
    openAs(run, call, mode ?? "", literal(path ?? ""));
  }
}

/** Later prints to the handle are what the program reads. */
function namePipe(run: Run, handle: Datum | undefined, command: Datum): void {
  const name = handle?.kind === "reference" ? handle.path : knownTextOf(handle);
  if (name !== undefined) assign(run.globals, name, reference("pipe", [], command), false);
}

/** `print HANDLE …`: to a program, a file or a connection. */
const printsTo: Model = (call, run) => {
  const [handle, ...items] = call.positional;
  if (handle?.kind !== "reference" || handle.receiver === undefined) return undefined;
  const printed = call.path.startsWith("printf")
    ? formatted(items[0] ?? literal(""), items.slice(1))
    : joined(items);
  if (handle.path === "file") noteWrite(run, call, handle.receiver, true, printed);
  else if (handle.path === "connection") noteNetwork(run, call, handle.receiver, items);
  else if (handle.path === "pipe") {
    const command = handle.receiver;
    const argv = command.kind === "list" ? command.items : [literal("sh"), literal("-c"), command];
    noteSpawn(run, call, argv, false, undefined, printed);
  }
  return undefined;
};

function isStandardInput(handle: Datum | undefined): boolean {
  return handle?.kind === "text" || (handle?.kind === "reference" && handle.path === "STDIN");
}

function openAs(run: Run, call: Call, mode: string, path: Datum): void {
  if (/[>+]/.test(mode)) noteWrite(run, call, path, mode.includes(">>"));
  if (!mode.includes(">")) noteRead(run, call, path);
  const [handle] = call.positional;
  if (handle?.kind !== "reference") return;
  assign(
    run.globals,
    handle.path,
    reference("file", [{ kind: "file", path: firstValue(path) }], path),
    false,
  );
}

/** Paths, and an options record that says nothing about them. */
const removesTrees: Model = (call, run) => {
  const paths = call.positional.filter(datum => datum.kind !== "record");
  noteDelete(run, call, listDatum(paths, call.isOpenEnded), true);
  return undefined;
};

const changesMode: Model = (call, run) => {
  const skipped = call.path.endsWith("chown") ? 2 : 1;
  noteMode(run, call, listDatum(call.positional.slice(skipped), call.isOpenEnded), false);
  return undefined;
};

const changesDirectory: Model = (call, run) => {
  const [path] = call.positional;
  if (path !== undefined) noteDirectory(run, call, path);
  return undefined;
};

/** `find(sub { unlink $_ }, ".")`: the function meets everything below. */
const finds: Model = (call, run) => {
  const [wanted, ...directories] = call.positional;
  const callee = wanted?.kind === "record" ? wanted.fields.get("wanted") : wanted;
  if (callee === undefined) return undefined;
  for (const directory of directories) {
    const found = joined([directory, patternOf(literal("/**"))]);
    run.globals.names.set("$_", found);
    run.globals.names.set("$File::Find::name", found);
    invoke(run, callee, { ...call, positional: [found], named: new Map(), isOpenEnded: false });
  }
  return undefined;
};

const globs: Model = (call, run) =>
  call.positional[0] === undefined ? undefined : globWords(run, call.positional[0]);

/** `glob("*.o *.a")` is two patterns. */
function globWords(run: Run, pattern: Datum): Datum {
  const known = knownTextOf(pattern);
  if (known === undefined || !known.includes(" ")) return patternOf(expandTilde(run, pattern));
  return listDatum(
    known
      .trim()
      .split(/\s+/)
      .map(word => patternOf(expandTilde(run, literal(word)))),
  );
}

const writesToHandle: Model = (call, run) => {
  const file = call.receiver;
  const path = file?.kind === "reference" && file.path === "file" ? file.receiver : undefined;
  if (path !== undefined) noteWrite(run, call, path, true, call.positional[0]);
  return undefined;
};

const reads: Model = (call, run) => {
  const path = call.positional[0] ?? call.receiver;
  if (path === undefined) return undefined;
  noteRead(run, call, path);
  return contentOf(path);
};

/** `path("~/x")` of Path::Tiny */
const makesPath: Model = (call, run) => {
  const whole = joinsPath("path", false)(call, run);
  return whole === undefined ? undefined : textDatum(firstValue(expandTilde(run, whole)), "path");
};

const writesReceiver: Model = (call, run) => {
  if (call.receiver !== undefined) noteWrite(run, call, call.receiver, false, call.positional[0]);
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
    (call, run) =>
      opens(
        {
          ...call,
          positional: [call.positional[0] ?? literal("F"), literal("+<"), call.positional[1] ?? literal("")],
        },
        run,
      ),
  ],
  ["file.print file.printf file.write", writesToHandle],
  ["print> printf> say>", printsTo],
  ["read_file File.Slurp.read_file slurp", reads],
  ["write_file File.Slurp.write_file", writes(false)],
  ["glob File.Glob.bsd_glob", globs],
  ["readdir", () => anyName("matches")],
  ["find finddepth File.Find.find File.Find.finddepth", finds],
  ["tempdir File.Temp.tempdir File.Temp.newdir", (_call, run) => temporaryPath(run)],
  ["tempfile File.Temp.tempfile", (_call, run) => listDatum([reference("file"), temporaryPath(run)])],
  ["cwd getcwd", (_call, run) => textDatum(currentDirectory(run))],
  ["File.Spec.catfile File.Spec.catdir catfile catdir", joinsPath("text", false)],
  ["File.Spec.tmpdir", (_call, run) => literal(run.context.tmpdir)],
  ["File.HomeDir.my_home File.HomeDir.home", (_call, run) => literal(run.context.home)],
  [
    "File.Spec.rel2abs abs_path realpath",
    (call, run) => (call.positional[0] === undefined ? undefined : absolute(run, call.positional[0])),
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
