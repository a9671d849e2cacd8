import { baseName, directoryName } from "../../shell/paths.ts";
import { knownPrefix } from "../../shell/value.ts";
import { firstValue, joined, knownTextOf, literal, reference, textDatum } from "../meaning/datum.ts";
import { noteDirectory, noteMode, noteRead, noteWrite } from "../meaning/effects.ts";
import { changes, contentOf, moves, removes, sends, standardInput } from "../meaning/models.ts";
import { absolute, anyName, childrenOf, patternOf, temporaryPath } from "../meaning/path-values.ts";
import type { Model } from "../meaning/run.ts";
import { currentDirectory, environmentDatum, wholeEnvironment } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** Addresses and `php://input` are read like files. */
const reads: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  const known = knownPrefix(firstValue(path));
  if (/^(?:https?|ftp):/.test(known)) return sends()(call, run);
  if (known === "php://stdin" || known === "php://input") return standardInput(run);
  noteRead(run, call, path);
  return contentOf(path);
};

const writesContents: Model = (call, run) => {
  const [path, content, flags] = call.positional;
  if (path === undefined) return undefined;
  const isAppend = flags?.kind === "reference" && flags.path.includes("append");
  noteWrite(run, call, path, isAppend, content);
  return undefined;
};

const opens: Model = (call, run) => {
  const [path, mode] = call.positional;
  if (path === undefined) return undefined;
  const known = knownPrefix(firstValue(path));
  if (/^(?:https?|ftp):/.test(known)) return sends()(call, run);
  if (known.startsWith("php://")) return standardInput(run);
  const letters = knownTextOf(mode) ?? "r+";
  if (/[waxc+]/.test(letters)) noteWrite(run, call, path, letters.includes("a"));
  if (!/[waxc]/.test(letters)) noteRead(run, call, path);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
};

const changesMode: Model = (call, run) => {
  const [path] = call.positional;
  if (path !== undefined) noteMode(run, call, path, false);
  return undefined;
};

const changesDirectory: Model = (call, run) => {
  const [path] = call.positional;
  if (path !== undefined) noteDirectory(run, call, path);
  return undefined;
};

/** Without a name it is the whole environment. */
const readsVariable: Model = (call, run) => {
  const [name] = call.positional;
  if (name === undefined) return wholeEnvironment("$_env");
  const known = knownTextOf(name);
  return known === undefined ? undefined : environmentDatum(run, known);
};

/** Iterators over a directory give everything in it, the recursive ones everything below. */
const iterates: Model = call => {
  const [directory] = call.positional;
  if (directory === undefined) return undefined;
  if (!call.path.includes("recursive")) return childrenOf(directory, "matches");
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
  ["getcwd", (_call, run) => textDatum(currentDirectory(run))],
  ["sys_get_temp_dir", (_call, run) => literal(run.context.tmpdir)],
  ["tempnam tmpfile", (_call, run) => temporaryPath(run)],
  ["dirname", changes(directoryName)],
  ["basename", changes(baseName)],
  [
    "realpath",
    (call, run) => (call.positional[0] === undefined ? undefined : absolute(run, call.positional[0])),
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
