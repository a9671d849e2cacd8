import { baseName, directoryName } from "../../shell/paths.ts";
import { knownPrefix } from "../../shell/value.ts";
import type { Datum } from "../meaning/datum.ts";
import {
  firstValue,
  joined,
  knownTextOf,
  listDatum,
  literal,
  optionsOf,
  reference,
  textDatum,
} from "../meaning/datum.ts";
import { noteDelete, noteDirectory, noteMode, noteRead, noteShell, noteWrite } from "../meaning/effects.ts";
import { invokeCallbacks } from "../meaning/invoke.ts";
import {
  changes,
  contentOf,
  flattened,
  moves,
  removesAll,
  removesReceiver,
  sends,
  writes,
} from "../meaning/models.ts";
import {
  absolute,
  anyName,
  childrenOf,
  joinsPath,
  patternOf,
  temporaryPath,
} from "../meaning/path-values.ts";
import type { Call, Model, Run } from "../meaning/run.ts";
import { currentDirectory, environmentDatum } from "../meaning/run.ts";
import { expandTilde } from "../meaning/tilde.ts";
import { pipeOf } from "./process-models.ts";

type Rows = readonly (readonly [string, Model])[];

/** `File.open(path, "w") { |f| … }`; with open-uri also an address, with a bar a program. */
const opens: Model = (call, run) => {
  const path = call.positional[0];
  if (path === undefined) return undefined;
  const command = pipeOf(path);
  if (command !== undefined) return reference("`()", noteShell(run, call, literal(command)));
  if (/^(?:https?|ftp):/.test(knownPrefix(firstValue(path)))) return sends()(call, run);
  const mode = call.positional[1] ?? call.named.get("mode");
  const letters = mode === undefined || mode.kind === "function" ? "r" : (knownTextOf(mode) ?? "r+");
  if (/[wa+]/.test(letters)) noteWrite(run, call, path, letters.includes("a"));
  else noteRead(run, call, path);
  const file = reference("file", [{ kind: "file", path: firstValue(path) }], path);
  invokeCallbacks(run, { ...call, receiver: listDatum([file]) }, call.positional);
  return file;
};

const reads: Model = (call, run) => {
  const path = call.positional[0];
  if (path === undefined) return undefined;
  const command = pipeOf(path);
  if (command !== undefined) return reference("`()", noteShell(run, call, literal(command)));
  noteRead(run, call, path);
  const content = contentOf(path);
  invokeCallbacks(run, { ...call, receiver: listDatum([content]) }, call.positional);
  return content;
};

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

/** `FileUtils.rm_r(list, force: true)` */
function removesFirst(isRecursive: boolean): Model {
  return (call, run) => {
    const [target] = call.positional;
    if (target !== undefined) noteDelete(run, call, target, isRecursive);
    return undefined;
  };
}

/** `chmod(mode, list)`: the paths stand last. */
function changesMode(isRecursive: boolean): Model {
  return (call, run) => {
    const [, ...paths] = call.positional;
    noteMode(run, call, flattened(listDatum(paths)), isRecursive);
    return undefined;
  };
}

/** With a block the old directory comes back; without one it does not. */
const changesDirectory: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined || path.kind === "function") return undefined;
  const outer = run.directory;
  noteDirectory(run, call, path);
  if (invokeCallbacks(run, call, call.positional) !== undefined) run.directory = outer;
  return undefined;
};

const makesPath: Model = call => (call.positional[0] === undefined ? undefined : asPath(call.positional[0]));

function asPath(datum: Datum): Datum {
  return textDatum(firstValue(datum), "path");
}

const joinsReceiver: Model = (call, run) => {
  if (call.receiver === undefined) return undefined;
  return joinsPath("path")({ ...call, positional: [call.receiver, ...call.positional] }, run);
};

/** `File.expand_path("~/x", dir)` */
const expands: Model = (call: Call, run: Run) => {
  const [path, base] = call.positional;
  if (path === undefined) return undefined;
  const plain = expandTilde(run, path);
  const isRooted = optionsOf(plain).every(
    option => firstValue(option).pieces[0]?.kind === "text" && /^\//.test(knownStart(option)),
  );
  return absolute(run, base === undefined || isRooted ? plain : joined([base, literal("/"), plain]));
};

function knownStart(datum: Datum): string {
  const [first] = firstValue(datum).pieces;
  return first?.kind === "text" ? first.text : "";
}

const globs: Model = (call, run) => {
  const [pattern] = call.positional;
  if (pattern === undefined) return undefined;
  const found =
    pattern.kind === "list" ? listDatum(pattern.items.map(item => patternOf(item))) : patternOf(pattern);
  invokeCallbacks(run, { ...call, receiver: found }, call.positional);
  return found;
};

const lists: Model = (call, run) => {
  const names = anyName("matches");
  invokeCallbacks(run, { ...call, receiver: names }, call.positional);
  return names;
};

const makesTemporary: Model = (call, run) => {
  const path = temporaryPath(run);
  invokeCallbacks(run, { ...call, receiver: listDatum([path]) }, call.positional);
  return path;
};

const readsVariable: Model = (call, run) => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : environmentDatum(run, name);
};

const fileUtils = (names: string): string =>
  names
    .split(" ")
    .flatMap(name => [`FileUtils.${name}`, name])
    .join(" ");

export const FILE_MODELS: Rows = [
  [fileUtils("rm_r rm_rf rmtree remove_dir remove_entry remove_entry_secure"), removesFirst(true)],
  [fileUtils("rm rm_f remove safe_unlink rmdir"), removesFirst(false)],
  [fileUtils("mv move"), moves("move")],
  [fileUtils("cp cp_r copy copy_entry install cp_lr ln ln_s ln_sf"), moves("copy")],
  [fileUtils("chmod chown"), changesMode(false)],
  [fileUtils("chmod_R chown_R"), changesMode(true)],
  ["FileUtils.cd FileUtils.chdir Dir.chdir", changesDirectory],
  ["File.delete File.unlink Dir.delete Dir.rmdir Dir.unlink", removesAll(false)],
  ["File.rename", moves("move")],
  ["File.symlink File.link", moves("copy")],
  ["File.open open IO.open File.new Kernel.open", opens],
  [
    "File.read File.binread File.readlines File.foreach IO.read IO.readlines IO.binread IO.foreach YAML.load_file JSON.load_file",
    reads,
  ],
  ["File.write File.binwrite IO.write IO.binwrite File.truncate", writes(false)],
  ["file.write file.puts file.print file.<< file.syswrite", writesToFile],
  ["File.chmod File.chown", changesMode(false)],
  ["File.join", joinsPath("text", false)],
  ["File.expand_path File.absolute_path File.realpath", expands],
  ["File.dirname", changes(directoryName)],
  ["File.basename", changes(baseName)],
  ["Dir.glob Dir.[]", globs],
  ["Dir.children Dir.entries Dir.each_child Dir.foreach", lists],
  ["Dir.mktmpdir", makesTemporary],
  ["Dir.home Etc.getpwuid().dir", (_call, run) => literal(run.context.home)],
  ["Dir.tmpdir", (_call, run) => literal(run.context.tmpdir)],
  ["Pathname.pwd Pathname.getwd", (_call, run) => textDatum(currentDirectory(run), "path")],
  ["Dir.pwd Dir.getwd", (_call, run) => textDatum(currentDirectory(run))],
  ["Tempfile.new Tempfile.create", makesTemporary],
  ["ENV.fetch ENV.[]", readsVariable],
  ["Pathname.new Pathname", makesPath],
  ["path.rmtree", removesReceiver(true)],
  ["path.delete path.unlink path.rmdir", removesReceiver(false)],
  ["path.write path.binwrite", writesReceiver],
  ["path.read path.binread path.readlines", readsReceiver],
  ["path.join path.+", joinsReceiver],
  [
    "path.children path.each_child",
    (call): Datum | undefined =>
      call.receiver === undefined ? undefined : childrenOf(call.receiver, "path"),
  ],
  [
    "path.expand_path path.realpath",
    (call, run) => (call.receiver === undefined ? undefined : absolute(run, expandTilde(run, call.receiver))),
  ],
];

export const FILE_METHODS: Rows = [
  ["rm_rf rm_r remove_entry_secure", removesFirst(true)],
  ["rmtree", removesReceiver(true)],
];
