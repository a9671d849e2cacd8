import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { appendItem, firstValue, knownTextOf, listDatum, reference } from "../../meaning/datum.ts";
import { noteDelete, noteDirectory, noteMode, noteMove, noteRead, noteWrite } from "../../meaning/effects.ts";
import { argument, contentOf, moves, reads, removes, removesReceiver, writes } from "../../meaning/models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** `open(path, mode)`; the file object remembers its path so that `.write(x)` can tell what went where. */
const opens: LibraryFunction = (call, context) =>
  openFile(context, call, argument(call, 0, "file", "filename"), call.positional[1]);

const opensReceiver: LibraryFunction = (call, context) =>
  openFile(context, call, call.receiver, call.positional[0]);

function openFile(
  context: EvaluationContext,
  call: FunctionCall,
  path: Datum | undefined,
  positionalMode: Datum | undefined,
): Datum | undefined {
  if (path === undefined) return undefined;
  const mode = positionalMode ?? call.named.get("mode");
  const letters = mode === undefined ? "r" : (knownTextOf(mode) ?? "r+");
  if (/[wax+]/.test(letters)) noteWrite(context, call, path, letters.includes("a"));
  if (/^[^wax]*$/.test(letters)) noteRead(context, call, path);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
}

/** Several lines go out at once, or one text. */
const writesToFile: LibraryFunction = (call, context) => {
  const file = call.receiver;
  const path = file?.kind === "reference" ? file.receiver : undefined;
  if (path !== undefined) noteWrite(context, call, path, true, call.positional[0]);
  return undefined;
};

const writesReceiver: LibraryFunction = (call, context) => {
  if (call.receiver !== undefined) noteWrite(context, call, call.receiver, false, call.positional[0]);
  return undefined;
};

const readsReceiver: LibraryFunction = (call, context) => {
  if (call.receiver === undefined) return undefined;
  noteRead(context, call, call.receiver);
  return contentOf(call.receiver);
};

function movesReceiver(kind: "move" | "copy"): LibraryFunction {
  return (call, context) => {
    const to = argument(call, 0, "target");
    if (call.receiver !== undefined && to !== undefined) noteMove(context, call, call.receiver, to, kind);
    return to;
  };
}

/** A link's new name is the second argument for `os`, the receiver for `Path`. */
const links: LibraryFunction = (call, context) => {
  const [from, to] = call.positional;
  if (from !== undefined && to !== undefined) noteMove(context, call, from, to, "copy");
  return undefined;
};

function changesMode(isRecursive: boolean): LibraryFunction {
  return (call, context) => {
    const path = argument(call, 0, "path");
    if (path !== undefined) noteMode(context, call, path, isRecursive);
    return undefined;
  };
}

const changesModeOfReceiver: LibraryFunction = (call, context) => {
  if (call.receiver !== undefined) noteMode(context, call, call.receiver, false);
  return undefined;
};

const changesDirectory: LibraryFunction = (call, context) => {
  const path = argument(call, 0, "path");
  if (path !== undefined) noteDirectory(context, call, path);
  return undefined;
};

/** `os.open(path, flags)`: anything but a plain O_RDONLY may write. */
const opensDescriptor: LibraryFunction = (call, context) => {
  const [path, flags] = call.positional;
  if (path === undefined) return undefined;
  if (flags?.kind === "reference" && flags.name === "os.O_RDONLY") noteRead(context, call, path);
  else noteWrite(context, call, path, true);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
};

const unpacks: LibraryFunction = (call, context) => {
  const [archive, target] = [argument(call, 0, "filename"), argument(call, 1, "extract_dir", "path")];
  if (archive !== undefined && target !== undefined) noteMove(context, call, archive, target, "copy");
  return undefined;
};

/** `archive.extractall(path)` */
const unpacksReceiver: LibraryFunction = (call, context) => {
  const file = call.receiver;
  const archive = file?.kind === "reference" ? file.receiver : undefined;
  const target = argument(call, 0, "path", "members");
  if (archive !== undefined && target !== undefined) noteMove(context, call, archive, target, "copy");
  return undefined;
};

const readsLines: LibraryFunction = (call, context) => {
  const result = reads("filename")(call, context);
  return result === undefined ? undefined : listDatum([result], true);
};

const appends: LibraryFunction = call => {
  const item = call.positional.at(-1);
  if (call.receiver?.kind === "list" && item !== undefined) appendItem(call.receiver, item);
  return undefined;
};

const extendsList: LibraryFunction = call => {
  const [more] = call.positional;
  if (call.receiver?.kind !== "list" || more === undefined) return undefined;
  for (const item of more.kind === "list" ? more.items : [more]) appendItem(call.receiver, item);
  if (more.kind !== "list" || more.isOpenEnded) call.receiver.isOpenEnded = true;
  return undefined;
};

const removesTree: LibraryFunction = (call, context) => {
  const path = argument(call, 0, "path") ?? call.receiver;
  if (path !== undefined) noteDelete(context, call, path, true);
  return undefined;
};

export const FILE_MODELS: Rows = [
  ["open io.open codecs.open gzip.open bz2.open lzma.open os.fdopen tarfile.open zipfile.ZipFile", opens],
  ["os.open", opensDescriptor],
  ["path.open", opensReceiver],
  ["file.write file.writelines", writesToFile],
  ["os.remove os.unlink os.rmdir os.removedirs", removes(false, "path", "name")],
  ["shutil.rmtree distutils.dir_util.remove_tree", removesTree],
  ["path.unlink path.rmdir", removesReceiver(false)],
  ["path.rmtree path.remove_tree", removesReceiver(true)],
  ["os.rename os.replace os.renames shutil.move", moves("move")],
  ["shutil.copy shutil.copy2 shutil.copyfile shutil.copytree", moves("copy")],
  ["path.rename path.replace path.move", movesReceiver("move")],
  ["path.copy path.copy_into", movesReceiver("copy")],
  ["os.link os.symlink", links],
  ["os.truncate", writes(true)],
  ["path.write_text path.write_bytes path.touch", writesReceiver],
  ["path.read_text path.read_bytes", readsReceiver],
  ["linecache.getlines linecache.getline fileinput.input", readsLines],
  ["dotenv.dotenv_values pandas.read_csv pandas.read_json numpy.loadtxt numpy.fromfile", reads("filename")],
  ["os.chmod os.chown os.lchown os.lchmod shutil.chown", changesMode(false)],
  ["path.chmod path.lchmod", changesModeOfReceiver],
  ["os.chdir contextlib.chdir", changesDirectory],
  ["shutil.unpack_archive", unpacks],
  ["file.extractall file.extract", unpacksReceiver],
  ["list.append list.add list.insert list.appendleft", appends],
  ["list.extend list.update", extendsList],
];

/** For things whose type nobody knows: names that hardly mean anything else. */
export const FILE_METHODS: Rows = [
  ["unlink", removesReceiver(false)],
  ["rmtree", removesTree],
  ["write_text write_bytes", writesReceiver],
  ["read_text read_bytes", readsReceiver],
];
