import type { Datum } from "../meaning/datum.ts";
import { firstValue, joined, knownTextOf, reference, textDatum } from "../meaning/datum.ts";
import { noteDelete, noteMode, noteMove, noteRead, noteWrite } from "../meaning/effects.ts";
import { invoke } from "../meaning/invoke.ts";
import { contentOf, isTrue, moves, removes, standardInput, writes } from "../meaning/models.ts";
import { anyName, patternOf } from "../meaning/path-values.ts";
import type { Call, Model, Run } from "../meaning/run.ts";
import { optionOf } from "./process-models.ts";

type Rows = readonly (readonly [string, Model])[];

/** `rm(path, { recursive: true })`; options nobody knows may well say so. */
const removesByOptions: Model = (call, run) => {
  const [path, options] = call.positional;
  if (path === undefined) return undefined;
  const isUnknown = options?.kind === "reference";
  noteDelete(run, call, path, isUnknown || isTrue(optionOf(call, "recursive")));
  return undefined;
};

/** `rimraf("build/**")`: patterns and trees. */
const removesPatterns: Model = (call, run) => {
  const [path] = call.positional;
  if (path !== undefined) noteDelete(run, call, path.kind === "list" ? path : patternOf(path, "text"), true);
  return undefined;
};

const readsFile: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  const known = knownTextOf(path);
  if (known === "0" || known === "/dev/stdin") return standardInput(run);
  noteRead(run, call, path);
  const content = contentOf(path);
  handOver(run, call, content);
  return content;
};

/** Callbacks get `(error, content)`. */
function handOver(run: Run, call: Call, content: Datum): void {
  const callback = call.positional.find(datum => datum.kind === "function");
  if (callback === undefined) return;
  invoke(run, callback, { ...call, positional: [reference("error"), content], named: new Map() });
}

const opens: Model = (call, run) => {
  const [path, flags] = call.positional;
  if (path === undefined) return undefined;
  const letters = flags === undefined ? "r" : (knownTextOf(flags) ?? "r+");
  if (/[wax+]/.test(letters)) noteWrite(run, call, path, letters.includes("a"));
  if (/^[^wax]*$/.test(letters)) noteRead(run, call, path);
  return reference("file", [{ kind: "file", path: firstValue(path) }], path);
};

const opensForReading: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(run, call, path);
  return reference("stream", [{ kind: "file", path: firstValue(path) }], path);
};

const opensForWriting: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteWrite(run, call, path, /^a/.test(knownTextOf(optionOf(call, "flags")) ?? ""));
  return reference("file", [], path);
};

const writesToFile: Model = (call, run) => {
  const file = call.receiver;
  const path = file?.kind === "reference" ? file.receiver : undefined;
  if (path !== undefined) noteWrite(run, call, path, true, call.positional[0]);
  return undefined;
};

/** `Bun.file(path)` is lazy: what is done with it counts. */
const namesFile: Model = call => {
  const [path] = call.positional;
  return path === undefined ? undefined : textDatum(firstValue(path), "bun-file");
};

const readsReceiver: Model = (call, run) => {
  if (call.receiver === undefined) return undefined;
  noteRead(run, call, call.receiver);
  return contentOf(call.receiver);
};

const removesReceiver: Model = (call, run) => {
  if (call.receiver !== undefined) noteDelete(run, call, call.receiver, false);
  return undefined;
};

function changesMode(isRecursive: boolean): Model {
  return (call, run) => {
    const [path] = call.positional;
    if (path !== undefined) noteMode(run, call, path, isRecursive);
    return undefined;
  };
}

const links: Model = (call, run) => {
  const [from, to] = call.positional;
  if (from !== undefined && to !== undefined) noteMove(run, call, from, to, "copy");
  return undefined;
};

/** Names without directory; entries when file types are asked for. */
const listsDirectory: Model = (call, run) => {
  const names = anyName(isTrue(optionOf(call, "withFileTypes")) ? "entry" : "matches");
  handOver(run, call, names);
  return names;
};

const makesTemporary: Model = call => {
  const [prefix] = call.positional;
  if (prefix === undefined) return undefined;
  const token = { kind: "unknown", shape: "token", label: "temporary", mayBeMany: false } as const;
  return joined([prefix, textDatum({ pieces: [token], origins: [] })]);
};

const globs: Model = call => {
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
