import { changesOfGit, handsOnWords, namesFrom, searchesWithoutLinks } from "../programs/index.ts";
import { type Invocation, joinPath, knownText, type ShellFacts, text, type Value } from "../shell/index.ts";
import { basename, compileGlob, isInside, join, matchesGlob } from "../system/index.ts";
import { type Disk, findRepository, resolveTargets, trackedFiles } from "../workspace/index.ts";
import type { CommandEffect, EffectOf } from "./rule-context.ts";

// Which files an archive, a patch or a search names. What is unusual there is not known: undefined.

const MAX_ENTRIES = 2_000;
/** Names that programs in between take apart, or take for options. */
const ODD = /[\s'"\\]|^-/;

/**
 * Every file below a folder, and the folders themselves where they are found too; undefined where there are too many, or
 * links, or names that a list would take apart, but for whoever wants everything by its name.
 */
export function namesBelow(
  disk: Disk,
  folder: string,
  wanted?: "folders" | "everything",
): readonly string[] | undefined {
  const found: string[] = [];
  const open = [folder];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const names = disk.names(at, MAX_ENTRIES);
    if (names === undefined || found.length + open.length + names.length > MAX_ENTRIES) return undefined;
    if (wanted === "folders") found.push(at);
    for (const name of names) {
      const path = join(at, name);
      const kind = disk.kind(path);
      const isPlain = !ODD.test(name) && (kind === "file" || kind === "directory");
      if (!isPlain && wanted !== "everything") return undefined;
      (kind === "directory" ? open : found).push(path);
    }
  }
  return found;
}

/** The facts of one text, with what all texts of the call do. */
export interface CallFacts extends ShellFacts {
  readonly allEffects: readonly CommandEffect[];
}

/**
 * The call itself, but for one of its programs, changes what lies at a path or, for `below`, makes or takes away something
 * there: what is on the disk now says nothing.
 */
function isMade(
  path: string,
  except: Invocation,
  { allEffects, writtenFiles, redirections }: CallFacts,
  disk: Disk,
  below?: "below",
): boolean {
  const written = pathsWritten(writtenFiles, redirections);
  const isThere = (at: string | undefined) =>
    at === undefined || isInside(at, path) || (below !== undefined && isInside(path, at));
  return (
    written.some(isThere) ||
    allEffects.some(effect => {
      const { by } = effect;
      if (by.invocation === except) return false;
      if (effect.kind === "git") return changesOfGit(effect.run).files;
      return changedBy(effect, below).some(word =>
        resolveTargets(disk, word, by.cwd, by.place, { followsLast: true }).some(target =>
          isThere(target.path),
        ),
      );
    })
  );
}

/** The call may put something of such a name into a folder. */
export function mayAppear(
  folder: string,
  isMeant: (name: string) => boolean,
  { allEffects }: CallFacts,
  disk: Disk,
): boolean {
  const isThere = (at: string | undefined) =>
    at === undefined ||
    isInside(at, folder) ||
    (isInside(folder, at) && isMeant(at.slice(folder.length + 1).split("/")[0] ?? ""));
  return allEffects.some(effect => {
    const { by } = effect;
    if (effect.kind === "git") return changesOfGit(effect.run).files;
    return madeBy(effect).some(word =>
      resolveTargets(disk, word, by.cwd, by.place, { followsLast: true }).some(({ path }) => isThere(path)),
    );
  });
}

/** What the call itself makes below a folder; undefined where a name is not known. */
export function filesMadeBelow(
  folder: string,
  { allEffects, writtenFiles, redirections }: CallFacts,
  disk: Disk,
): readonly string[] | undefined {
  const changed = allEffects.flatMap(effect => {
    const { by } = effect;
    if (effect.kind === "git") return changesOfGit(effect.run).files ? [undefined] : [];
    return madeBy(effect).flatMap(word =>
      resolveTargets(disk, word, by.cwd, by.place, { followsLast: true }).map(({ path }) => path),
    );
  });
  const all = [...pathsWritten(writtenFiles, redirections), ...changed];
  return all.every(path => path !== undefined)
    ? all.filter(path => isInside(folder, path) && path !== folder)
    : undefined;
}

function pathsWritten(
  writtenFiles: ShellFacts["writtenFiles"],
  redirections: ShellFacts["redirections"],
): readonly (string | undefined)[] {
  return [
    ...writtenFiles.map(file => file.path),
    ...redirections.flatMap(({ operation, target, cwd }) =>
      operation === "read" ? [] : [joinPath(cwd, target)],
    ),
  ].map(word => knownText(word));
}

/** Where something may lie afterwards that did not before. */
function madeBy(effect: CommandEffect): readonly Value[] {
  if (effect.kind === "move") return effect.to === undefined ? [] : [effect.to];
  return effect.kind === "delete" ? [] : changedBy(effect, undefined);
}

/** Editing a file makes no new name. */
function changedBy(effect: CommandEffect, below: "below" | undefined): readonly Value[] {
  if (effect.kind === "move") return effect.to === undefined ? [effect.from] : [effect.from, effect.to];
  const isEdit = below !== undefined && effect.kind === "write" && effect.how === "edit";
  return (effect.kind === "write" && !isEdit) || effect.kind === "delete" || effect.kind === "alter"
    ? [effect.path]
    : [];
}

const MAX_PROGRAMS = 6;

/** Every file that a search may have printed the name of, through programs that only choose. */
function filesPrinted(
  id: number,
  facts: CallFacts,
  disk: Disk,
  reader: Invocation,
  depth: number,
): readonly string[] | undefined {
  const printer = facts.invocations[id];
  const printed = printer === undefined || depth > MAX_PROGRAMS ? undefined : namesFrom(printer);
  if (printer === undefined || printed === undefined || printer.place.kind !== "local") return undefined;
  if (printed === "chosen") return listedFiles(printer.stdin, facts, disk, reader, depth + 1);
  const { starts, names, isTracked, hasFolders } = printed;
  const files = starts.map(start => {
    const written = knownText(joinPath(printer.cwd, start));
    if (written === undefined) return undefined;
    const folder = disk.resolve(written, true);
    if (isTracked === true)
      return isMade(folder, reader, facts, disk, "below") ? undefined : trackedBelow(disk, folder);
    const patterns = names?.map(name => compileGlob(name.toLowerCase(), "fnmatch"));
    const isMeant = (file: string) =>
      patterns === undefined || patterns.some(one => matchesGlob(one, basename(file).toLowerCase()));
    const kinds = hasFolders === true ? "folders" : undefined;
    return filesSearched(folder, reader, facts, disk, kinds)?.filter(isMeant);
  });
  return files.every(list => list !== undefined) ? files.flat() : undefined;
}

function trackedBelow(disk: Disk, folder: string): readonly string[] | undefined {
  const repository = findRepository(disk, folder);
  const tracked = repository === undefined ? undefined : trackedFiles(disk, repository);
  if (repository?.top === undefined || tracked === undefined || tracked.size > MAX_ENTRIES) return undefined;
  const { top } = repository;
  const files = [...tracked.keys()].map(name => join(top, name)).filter(path => isInside(folder, path));
  const isPlain = (path: string) =>
    disk.kind(path) === "file" &&
    !path
      .slice(folder.length + 1)
      .split("/")
      .some(name => ODD.test(name));
  return files.every(isPlain) ? files : undefined;
}

/** All of a list must come from programs that are known: what was written into it would be lost on the way. */
function listedFiles(
  list: Value | undefined,
  facts: CallFacts,
  disk: Disk,
  reader: Invocation,
  depth: number,
): readonly string[] | undefined {
  if (list === undefined || list.origins.length === 0 || list.pieces.some(({ kind }) => kind !== "unknown"))
    return undefined;
  const files = list.origins.map(origin =>
    origin.kind === "program" ? filesPrinted(origin.invocation, facts, disk, reader, depth) : undefined,
  );
  return files.every(one => one !== undefined) ? [...new Set(files.flat())] : undefined;
}

/** The files among which the words are that `xargs` gives to a program. */
export function filesGiven(reader: Invocation, facts: CallFacts, disk: Disk): readonly string[] | undefined {
  const { parent } = reader;
  const starter = parent === undefined ? undefined : facts.invocations[parent.invocation];
  return starter !== undefined && parent?.via === "wrapper" && handsOnWords(starter)
    ? listedFiles(starter.stdin, facts, disk, reader, 0)
    : undefined;
}

/** The files among which a word is that only the run decides: one that `xargs` gives, or that `find -exec` found. */
export function filesNamed(
  word: Value,
  by: Invocation | undefined,
  facts: CallFacts,
  disk: Disk,
): readonly string[] | undefined {
  const last = word.pieces.at(-1);
  if (by === undefined || last?.kind !== "unknown") return undefined;
  if (last.label === "words from stdin" && word.pieces.length === 1) return filesGiven(by, facts, disk);
  const [origin, other] = word.origins;
  const isFound = last.label === "{}" && word.pieces.slice(0, -1).every(({ kind }) => kind === "text");
  if (!isFound || origin?.kind !== "program" || other !== undefined) return undefined;
  const finder = facts.invocations[origin.invocation];
  const prefix = word.pieces.slice(0, -1).map(piece => (piece.kind === "text" ? piece.text : ""));
  const folder = finder === undefined ? undefined : knownText(joinPath(finder.cwd, text(prefix.join(""))));
  const isSearched = finder !== undefined && searchesWithoutLinks(finder);
  if (!isSearched || folder === undefined || !prefix.join("").endsWith("/")) return undefined;
  return filesSearched(disk.resolve(folder.replace(/\/+$/, ""), true), by, facts, disk, "folders");
}

/** All files that are below a folder while a program works there; with it and the folders below where these count. */
export function filesSearched(
  folder: string,
  reader: Invocation,
  facts: CallFacts,
  disk: Disk,
  folders?: "folders",
): readonly string[] | undefined {
  return isMade(folder, reader, facts, disk, "below") ? undefined : namesBelow(disk, folder, folders);
}

/** What is unpacked, by the archive itself, with the folder in front; undefined when it cannot be read. */
export function filesUnpacked(
  { archive, path, by }: EffectOf<"write">,
  facts: CallFacts,
  disk: Disk,
): readonly string[] | undefined {
  const { invocation } = by;
  if (archive === undefined || invocation === undefined) return undefined;
  const at = (word: Value) =>
    resolveTargets(disk, word, by.cwd, by.place, { followsLast: true, isReading: true })[0]?.path;
  const [file, folder] = [at(archive), at(path)];
  const size = file === undefined ? undefined : disk.state(file)?.size;
  if (file === undefined || folder === undefined || size === undefined || size > MAX_PACKED) return undefined;
  if (isMade(file, invocation, facts, disk)) return undefined;
  const bytes = disk.bytes(file, MAX_PACKED);
  return (bytes === undefined ? undefined : namesInArchive(bytes))?.map(name => join(folder, name));
}

/** The file that `patch` is told to read: by `-i`, or as its input. */
export function patchFile({ argv, redirections }: Invocation): Value | undefined {
  const at = argv.findIndex(word => /^(?:-i|--input)$/.test(knownText(word) ?? ""));
  const glued = argv.flatMap(word => /^(?:-i|--input=)(.+)$/.exec(knownText(word) ?? "")?.[1] ?? []);
  const named = at < 0 ? glued.map(name => text(name)) : argv.slice(at + 1, at + 2);
  return named[0] ?? redirections.find(({ operation }) => operation === "read")?.target;
}

/** The text of a patch: of the file, or what comes in; undefined when it is not known beforehand. */
export function readPatch(
  file: Value | undefined,
  reader: Invocation,
  facts: CallFacts,
  disk: Disk,
): string | undefined {
  const { cwd, place, stdin } = reader;
  if (place.kind !== "local") return undefined;
  if (file === undefined)
    return stdin?.origins.some(({ kind }) => kind === "file") === true
      ? undefined
      : knownText(stdin ?? text(""));
  const [target] = resolveTargets(disk, file, cwd, place, { followsLast: true, isReading: true });
  return target?.path === undefined || isMade(target.path, reader, facts, disk)
    ? undefined
    : disk.text(target.path, MAX_PATCH);
}

const MAX_PATCH = 256 * 1024;
const MAX_PACKED = 8 * 1024 * 1024;
const MAX_LINES = 20_000;
/** Lines in front of a difference that name no file, and make none but a plain one. */
const HEADER =
  /^(?:|diff -\w+ [\w./@+=, -]+|index [\da-f]+\.\.[\da-f]+(?: 100\d+)?|(?:new file|deleted file) mode 100\d+|\\ .*)$/;

/** The names in a patch that is a plain difference of texts, one of them for a file that is made or taken away. */
export function namesInDiff(content: string): readonly string[] | undefined {
  const lines = content.split("\n");
  const names = new Set<string>();
  if (lines.length > MAX_LINES) return undefined;
  let [before, after] = [0, 0];
  for (const line of lines) {
    if (before > 0 || after > 0) {
      const sign = line.slice(0, 1);
      if (!/^[ +\\-]?$/.test(sign)) return undefined;
      if (sign !== "+" && sign !== "\\") before -= 1;
      if (sign !== "-" && sign !== "\\") after -= 1;
      continue;
    }
    const [, removed = "1", added = "1"] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
    if (line.startsWith("@@ ")) [before, after] = [Number(removed), Number(added)];
    else if (/^(?:---|\+\+\+) /.test(line)) {
      const name = line.slice(4).replace(/\t.*$/, "");
      if (!/^[\w./@+=,-]+$/.test(name) || name.split("/").includes("..")) return undefined;
      if (name !== "/dev/null") names.add(name);
    } else if (line.startsWith("diff --git ")) {
      const [, one = "", other = ""] = /^diff --git ([\w./@+=,-]+) ([\w./@+=,-]+)$/.exec(line) ?? [];
      if (one === "" || `${one}/${other}`.split("/").includes("..")) return undefined;
      names.add(one).add(other);
    } else if (!HEADER.test(line)) return undefined;
  }
  return before > 0 || after > 0 || names.size === 0 ? undefined : [...names];
}

/** Names that are plain and stay below the folder into which they are unpacked. */
const PACKED_NAME = /^(?:\.\/)?[\w@+=,][\w.@+=,-]*(?:\/[\w.@+=,-]+)*\/?$/;

function plainNames(all: readonly string[]): readonly string[] | undefined {
  const names = all.filter(name => name !== "./");
  const isPlain = (name: string) => PACKED_NAME.test(name) && !name.split("/").includes("..");
  return names.length > 0 && names.length <= MAX_ENTRIES && names.every(isPlain) ? names : undefined;
}

/** What an archive brings: files and folders, nothing else. */
export function namesInArchive(bytes: Uint8Array): readonly string[] | undefined {
  return bytes[0] === 0x50 && bytes[1] === 0x4b ? namesInZip(bytes) : namesInTar(bytes);
}

function textAt(bytes: Uint8Array, start: number, length: number): string {
  const part = bytes.subarray(start, start + length);
  const end = part.indexOf(0);
  // Other letters could be read in another way: such a name is not plain.
  return Array.from(end < 0 ? part : part.subarray(0, end), code =>
    code < 0x80 ? String.fromCharCode(code) : "\0",
  ).join("");
}

const BLOCK = 512;

function namesInTar(bytes: Uint8Array): readonly string[] | undefined {
  const names: string[] = [];
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    if (bytes.subarray(at, at + BLOCK).every(byte => byte === 0)) return plainNames(names);
    const size = Number.parseInt(textAt(bytes, at + 124, 12).trim() || "0", 8);
    const type = textAt(bytes, at + 156, 1);
    const mode = Number.parseInt(textAt(bytes, at + 100, 8).trim() || "0", 8);
    const isTar = textAt(bytes, at + 257, 5) === "ustar";
    if (!isTar || Number.isNaN(size) || !/^(?:|0|5)$/.test(type) || (mode & 0o6000) !== 0) return undefined;
    // The older form of GNU has other fields in the place of a prefix.
    const isOld = bytes[at + 263] !== 0x30;
    const prefix = isOld ? "" : textAt(bytes, at + 345, 155);
    names.push(`${prefix}${prefix === "" ? "" : "/"}${textAt(bytes, at, 100)}`);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
}

const CENTRAL = 0x02014b50;
const END_LENGTH = 22;
const SYMLINK = 0o120000;

function namesInZip(bytes: Uint8Array): readonly string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - END_LENGTH;
  // Without a comment the list of contents is described at the very end.
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) return undefined;
  const count = view.getUint16(end + 10, true);
  const names: string[] = [];
  for (let at = view.getUint32(end + 16, true); names.length < count; ) {
    if (at + 46 > end || view.getUint32(at, true) !== CENTRAL) return undefined;
    const [nameLength, extra, comment] = [28, 30, 32].map(offset => view.getUint16(at + offset, true));
    const mode = view.getUint32(at + 38, true) >>> 16;
    if ((mode & 0o170000) === SYMLINK || (mode & 0o6000) !== 0) return undefined;
    // A second name in Unicode may stand among the extra fields.
    if (hasOtherName(view, at + 46 + (nameLength ?? 0), extra ?? 0)) return undefined;
    names.push(textAt(bytes, at + 46, nameLength ?? 0));
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return plainNames(names);
}

function hasOtherName(view: DataView, start: number, length: number): boolean {
  for (let at = start; at + 4 <= start + length; at += 4 + view.getUint16(at + 2, true))
    if (view.getUint16(at, true) === 0x7075) return true;
  return false;
}
