import { baseName, directoryName } from "../../../shell/paths.ts";
import { knownPrefix } from "../../../shell/value.ts";
import type { LibraryFunction } from "../../meaning/context.ts";
import { currentDirectory, environmentDatum, wholeEnvironment } from "../../meaning/context.ts";
import { firstValue, joined, knownTextOf, literal, reference, textDatum } from "../../meaning/datum.ts";
import { noteDirectory, noteMode, noteRead, noteWrite } from "../../meaning/effects.ts";
import { changes, contentOf, moves, removes, sends, standardInput } from "../../meaning/models.ts";
import { absolute, anyName, childrenOf, patternOf, temporaryPath } from "../../meaning/path-values.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** Addresses and `php://input` are read like files. */
const reads: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  const known = knownPrefix(firstValue(path));
  if (/^(?:https?|ftp):/.test(known)) return sends()(call, context);
  if (known === "php://stdin" || known === "php://input") return standardInput(context);
  noteRead(context, call, path);
  return contentOf(path);
};

const writesContents: LibraryFunction = (call, context) => {
  const [path, content, flags] = call.positional;
  if (path === undefined) return undefined;
  const isAppend = flags?.kind === "reference" && flags.name.includes("append");
  noteWrite(context, call, path, isAppend, content);
  return undefined;
};

const opens: LibraryFunction = (call, context) => {
  const [path, mode] = call.positional;
  if (path === undefined) return undefined;
  const known = knownPrefix(firstValue(path));
  if (/^(?:https?|ftp):/.test(known)) return sends()(call, context);
  if (known.startsWith("php://")) return standardInput(context);
  const letters = knownTextOf(mode) ?? "r+";
  if (/[waxc+]/.test(letters)) noteWrite(context, call, path, letters.includes("a"));
  if (!/[waxc]/.test(letters)) noteRead(context, call, path);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
};

const changesMode: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path !== undefined) noteMode(context, call, path, false);
  return undefined;
};

const changesDirectory: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path !== undefined) noteDirectory(context, call, path);
  return undefined;
};

/** Without a name it is the whole environment. */
const readsVariable: LibraryFunction = (call, context) => {
  const [name] = call.positional;
  if (name === undefined) return wholeEnvironment("$_env");
  const known = knownTextOf(name);
  return known === undefined ? undefined : environmentDatum(context, known);
};

/** Iterators over a directory give everything in it, the recursive ones everything below. */
const iterates: LibraryFunction = call => {
  const [directory] = call.positional;
  if (directory === undefined) return undefined;
  if (!call.name.includes("recursive")) return childrenOf(directory, "matches");
  return textDatum(firstValue(joined([directory, patternOf(literal("/**"))])), "matches");
};

export const FILE_MODELS: Rows = [
  ["unlink rmdir", removes(false)],
  ["rename move_uploaded_file", moves("move")],
  ["copy symlink link", moves("copy")],
  ["file_get_contents file readfile parse_ini_file simplexml_load_file highlight_file show_source", reads],
  ["file_put_contents touch", writesContents],
  ["fopen gzopen splfileobject", opens],
  ["chmod chown chgrp", changesMode],
  ["chdir", changesDirectory],
  ["getenv", readsVariable],
  ["getcwd", (_call, context) => textDatum(currentDirectory(context))],
  ["sys_get_temp_dir", (_call, context) => literal(context.inputs.tmpdir)],
  ["tempnam tmpfile", (_call, context) => temporaryPath(context)],
  ["dirname", changes(directoryName)],
  ["basename", changes(baseName)],
  [
    "realpath",
    (call, context) => (call.positional[0] === undefined ? undefined : absolute(context, call.positional[0])),
  ],
  ["glob", call => (call.positional[0] === undefined ? undefined : patternOf(call.positional[0]))],
  ["scandir readdir", () => anyName("matches")],
  ["recursivedirectoryiterator recursiveiteratoriterator directoryiterator filesystemiterator", iterates],
  ["fgets fread stream_get_contents fgetc", call => call.positional[0]],
  ["matches.getpathname matches.getrealpath", call => call.receiver],
];

export const FILE_METHODS: Rows = [
  ["deletedirectory deletedir rmdirrecursive removedirectory cleandirectory", removes(true)],
];
