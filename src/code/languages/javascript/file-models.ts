import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { firstValue, joined, knownTextOf, reference, textDatum } from "../../meaning/datum.ts";
import { noteDelete, noteMode, noteMove, noteRead, noteWrite } from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { contentOf, isTrue, moves, removes, standardInput, writes } from "../../meaning/models.ts";
import { anyName, patternOf } from "../../meaning/path-values.ts";
import { optionOf } from "./process-models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** `rm(path, { recursive: true })`; options nobody knows may well say so. */
const removesByOptions: LibraryFunction = (call, context) => {
  const [path, options] = call.positional;
  if (path === undefined) return undefined;
  const isUnknown = options?.kind === "reference";
  noteDelete(context, call, path, isUnknown || isTrue(optionOf(call, "recursive")));
  return undefined;
};

/** `rimraf("build/**")`: patterns and trees. */
const removesPatterns: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path !== undefined)
    noteDelete(context, call, path.kind === "list" ? path : patternOf(path, "text"), true);
  return undefined;
};

const readsFile: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  const known = knownTextOf(path);
  if (known === "0" || known === "/dev/stdin") return standardInput(context);
  noteRead(context, call, path);
  const content = contentOf(path);
  handOver(context, call, content);
  return content;
};

/** Callbacks get `(error, content)`. */
function handOver(context: EvaluationContext, call: FunctionCall, content: Datum): void {
  const callback = call.positional.find(datum => datum.kind === "function");
  if (callback === undefined) return;
  invoke(context, callback, { ...call, positional: [reference("error"), content], named: new Map() });
}

const opens: LibraryFunction = (call, context) => {
  const [path, flags] = call.positional;
  if (path === undefined) return undefined;
  const letters = flags === undefined ? "r" : (knownTextOf(flags) ?? "r+");
  if (/[wax+]/.test(letters)) noteWrite(context, call, path, letters.includes("a"));
  if (/^[^wax]*$/.test(letters)) noteRead(context, call, path);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
};

const opensForReading: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(context, call, path);
  return reference("stream", [{ kind: "file", path: firstValue(path) }], path);
};

const opensForWriting: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteWrite(context, call, path, /^a/.test(knownTextOf(optionOf(call, "flags")) ?? ""));
  return reference("file", [], path);
};

const writesToFile: LibraryFunction = (call, context) => {
  const file = call.receiver;
  const path = file?.kind === "reference" ? file.receiver : undefined;
  if (path !== undefined) noteWrite(context, call, path, true, call.positional[0]);
  return undefined;
};

/** `Bun.file(path)` is lazy: what is done with it counts. */
const namesFile: LibraryFunction = call => {
  const [path] = call.positional;
  return path === undefined ? undefined : textDatum(firstValue(path), "bun-file");
};

const readsReceiver: LibraryFunction = (call, context) => {
  if (call.receiver === undefined) return undefined;
  noteRead(context, call, call.receiver);
  return contentOf(call.receiver);
};

const removesReceiver: LibraryFunction = (call, context) => {
  if (call.receiver !== undefined) noteDelete(context, call, call.receiver, false);
  return undefined;
};

function changesMode(isRecursive: boolean): LibraryFunction {
  return (call, context) => {
    const [path] = call.positional;
    if (path !== undefined) noteMode(context, call, path, isRecursive);
    return undefined;
  };
}

const links: LibraryFunction = (call, context) => {
  const [from, to] = call.positional;
  if (from !== undefined && to !== undefined) noteMove(context, call, from, to, "copy");
  return undefined;
};

/** Names without directory; entries when file types are asked for. */
const listsDirectory: LibraryFunction = (call, context) => {
  const names = anyName(isTrue(optionOf(call, "withFileTypes")) ? "entry" : "matches");
  handOver(context, call, names);
  return names;
};

const makesTemporary: LibraryFunction = call => {
  const [prefix] = call.positional;
  if (prefix === undefined) return undefined;
  const token = { kind: "unknown", shape: "token", label: "temporary", mayBeMany: false } as const;
  return joined([prefix, textDatum({ pieces: [token], origins: [] })]);
};

const globs: LibraryFunction = call => {
  const [pattern] = call.positional;
  return pattern === undefined || pattern.kind === "list" ? pattern : patternOf(pattern);
};

function both(names: string, road = "fs"): string {
  return names
    .split(" ")
    .flatMap(name => [`${road}.${name}`, `${road}.${name}Sync`])
    .join(" ");
}

export const FILE_MODELS: Rows = [
  [both("rm rmdir"), removesByOptions],
  [both("remove", "Deno"), removesByOptions],
  [both("unlink"), removes(false)],
  [both("remove emptyDir"), removes(true)],
  [
    "rimraf rimraf.sync rimraf.rimraf rimraf.rimrafSync rimraf.native rimraf.manual del del.deleteAsync del.deleteSync del.sync",
    removesPatterns,
  ],
  [`${both("rename move")} ${both("rename", "Deno")}`, moves("move")],
  [`${both("copyFile cp copy")} ${both("copyFile", "Deno")}`, moves("copy")],
  [`${both("link symlink")} ${both("link symlink", "Deno")}`, links],
  [
    `${both("writeFile outputFile writeJson writeJSON outputJson truncate")} ${both("writeFile writeTextFile truncate", "Deno")} Bun.write`,
    writes(false),
  ],
  [both("appendFile"), writes(true)],
  ["fs.createWriteStream", opensForWriting],
  [`${both("readFile readJson readJSON")} ${both("readFile readTextFile", "Deno")}`, readsFile],
  ["fs.createReadStream", opensForReading],
  [`${both("open")} ${both("open", "Deno")}`, opens],
  ["file.write file.end file.writeFile file.appendFile", writesToFile],
  ["file.readFile", readsReceiver],
  ["Bun.file", namesFile],
  ["bun-file.text bun-file.json bun-file.bytes bun-file.arrayBuffer bun-file.stream", readsReceiver],
  ["bun-file.delete bun-file.unlink", removesReceiver],
  [`${both("chmod chown lchmod lchown")} ${both("chmod chown", "Deno")}`, changesMode(false)],
  [`${both("readdir")} ${both("readDir", "Deno")}`, listsDirectory],
  [`${both("mkdtemp")}`, makesTemporary],
  [
    `${both("glob")} glob glob.sync glob.glob glob.globSync fast-glob fast-glob.sync globby globby.sync`,
    globs,
  ],
];

/** Names that mean the same on whatever object they are found. */
export const FILE_METHODS: Rows = [
  ["rmSync rmdirSync", removesByOptions],
  ["unlinkSync", removes(false)],
  ["removeSync emptyDirSync", removes(true)],
  ["writeFileSync", writes(false)],
  ["appendFileSync", writes(true)],
  ["readFileSync", readsFile],
];
