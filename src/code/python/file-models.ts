import type { Datum } from "../meaning/datum.ts";
import { appendItem, firstValue, knownTextOf, listDatum, reference } from "../meaning/datum.ts";
import { noteDelete, noteDirectory, noteMode, noteMove, noteRead, noteWrite } from "../meaning/effects.ts";
import { argument, contentOf, moves, reads, removes, removesReceiver, writes } from "../meaning/models.ts";
import type { Call, Model, Run } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** `open(path, mode)`; the file object remembers its path so that `.write(x)` can tell what went where. */
const opens: Model = (call, run) =>
  openFile(run, call, argument(call, 0, "file", "filename"), call.positional[1]);

const opensReceiver: Model = (call, run) => openFile(run, call, call.receiver, call.positional[0]);

function openFile(
  run: Run,
  call: Call,
  path: Datum | undefined,
  positionalMode: Datum | undefined,
): Datum | undefined {
  if (path === undefined) return undefined;
  const mode = positionalMode ?? call.named.get("mode");
  const letters = mode === undefined ? "r" : (knownTextOf(mode) ?? "r+");
  if (/[wax+]/.test(letters)) noteWrite(run, call, path, letters.includes("a"));
  if (/^[^wax]*$/.test(letters)) noteRead(run, call, path);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
}

/** Several lines go out at once, or one text. */
const writesToFile: Model = (call, run) => {
  const file = call.receiver;
  const path = file?.kind === "reference" ? file.receiver : undefined;
  if (path !== undefined) noteWrite(run, call, path, true, call.positional[0]);
  return undefined;
};

const writesReceiver: Model = (call, run) => {
  if (call.receiver !== undefined) noteWrite(run, call, call.receiver, false, call.positional[0]);
  return undefined;
};

const readsReceiver: Model = (call, run) => {
  if (call.receiver === undefined) return undefined;
  noteRead(run, call, call.receiver);
  return contentOf(call.receiver);
};

function movesReceiver(kind: "move" | "copy"): Model {
  return (call, run) => {
    const to = argument(call, 0, "target");
    if (call.receiver !== undefined && to !== undefined) noteMove(run, call, call.receiver, to, kind);
    return to;
  };
}

/** A link's new name is the second argument for `os`, the receiver for `Path`. */
const links: Model = (call, run) => {
  const [from, to] = call.positional;
  if (from !== undefined && to !== undefined) noteMove(run, call, from, to, "copy");
  return undefined;
};

function changesMode(isRecursive: boolean): Model {
  return (call, run) => {
    const path = argument(call, 0, "path");
    if (path !== undefined) noteMode(run, call, path, isRecursive);
    return undefined;
  };
}

const changesModeOfReceiver: Model = (call, run) => {
  if (call.receiver !== undefined) noteMode(run, call, call.receiver, false);
  return undefined;
};

const changesDirectory: Model = (call, run) => {
  const path = argument(call, 0, "path");
  if (path !== undefined) noteDirectory(run, call, path);
  return undefined;
};

/** `os.open(path, flags)`: anything but a plain O_RDONLY may write. */
const opensDescriptor: Model = (call, run) => {
  const [path, flags] = call.positional;
  if (path === undefined) return undefined;
  if (flags?.kind === "reference" && flags.path === "os.O_RDONLY") noteRead(run, call, path);
  else noteWrite(run, call, path, true);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
};

const unpacks: Model = (call, run) => {
  const [archive, target] = [argument(call, 0, "filename"), argument(call, 1, "extract_dir", "path")];
  if (archive !== undefined && target !== undefined) noteMove(run, call, archive, target, "copy");
  return undefined;
};

/** `archive.extractall(path)` */
const unpacksReceiver: Model = (call, run) => {
  const file = call.receiver;
  const archive = file?.kind === "reference" ? file.receiver : undefined;
  const target = argument(call, 0, "path", "members");
  if (archive !== undefined && target !== undefined) noteMove(run, call, archive, target, "copy");
  return undefined;
};

const readsLines: Model = (call, run) => {
  const result = reads("filename")(call, run);
  return result === undefined ? undefined : listDatum([result], true);
};

const appends: Model = call => {
  const item = call.positional.at(-1);
  if (call.receiver?.kind === "list" && item !== undefined) appendItem(call.receiver, item);
  return undefined;
};

const extendsList: Model = call => {
  const [more] = call.positional;
  if (call.receiver?.kind !== "list" || more === undefined) return undefined;
  for (const item of more.kind === "list" ? more.items : [more]) appendItem(call.receiver, item);
  if (more.kind !== "list" || more.isOpenEnded) call.receiver.isOpenEnded = true;
  return undefined;
};

const removesTree: Model = (call, run) => {
  const path = argument(call, 0, "path") ?? call.receiver;
  if (path !== undefined) noteDelete(run, call, path, true);
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
