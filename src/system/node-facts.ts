import { type BigIntStats, constants, lstatSync, type PathLike, readdirSync } from "node:fs";
import { decodeName } from "./file-names.ts";
import { attempt, toNodePath } from "./node-errors.ts";
import { type ExactFacts, type FileFacts, type FileKind, hasErrorCode, type NamedFacts } from "./system.ts";

const { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } = constants;
const ALLOCATION_UNIT = 512;
const REPLACEMENT = "\ufffd";

type Stat = (path: PathLike, options: { bigint: true; throwIfNoEntry: false }) => BigIntStats | undefined;

export function look(path: string, stat: Stat): FileFacts | undefined {
  const stats = statsOf(path, stat);
  return stats === undefined ? undefined : toFacts(stats);
}

function statsOf(path: string, stat: Stat): BigIntStats | undefined {
  try {
    // What is not there is the ordinary case, and an exception costs more than the look.
    return attempt("inspect", path, () => stat(toNodePath(path), { bigint: true, throwIfNoEntry: false }));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

export function lookExactly(path: string): ExactFacts | undefined {
  const stats = statsOf(path, lstatSync);
  return stats === undefined ? undefined : toExactFacts(stats);
}

export function listFacts(path: string): readonly NamedFacts[] {
  const found: NamedFacts[] = [];
  for (const name of listNames(path)) {
    const stats = statsOf(`${path}/${name}`, lstatSync);
    if (stats !== undefined) found.push({ name, ...toExactFacts(stats) });
  }
  return found;
}

/** In order. Node replaces what is not UTF-8, so that a name with a replacement is read again. */
export function listNames(path: string): readonly string[] {
  const at = toNodePath(path);
  const names = attempt("list", path, () => readdirSync(at));
  if (!names.some(name => name.includes(REPLACEMENT))) return names.sort();
  return attempt("list", path, () => readdirSync(at, "buffer"))
    .map(decodeName)
    .sort();
}

function toExactFacts(stats: BigIntStats): ExactFacts {
  const mode = Number(stats.mode);
  const identity = `${stats.dev}:${stats.ino}`;
  return {
    kind: kindOf(mode),
    size: Number(stats.size),
    allocatedBytes: Number(stats.blocks) * ALLOCATION_UNIT,
    mode: mode & 0o7777,
    modifiedNs: String(stats.mtimeNs),
    identity,
    links: Number(stats.nlink),
    stamp: `${identity}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`,
  };
}

function toFacts(stats: BigIntStats): FileFacts {
  const mode = Number(stats.mode);
  return {
    kind: kindOf(mode),
    size: Number(stats.size),
    mode: mode & 0o7777,
    uid: Number(stats.uid),
    modifiedMs: Number(stats.mtimeMs),
    identity: `${stats.dev}:${stats.ino}`,
  };
}

const KINDS: ReadonlyMap<number, FileKind> = new Map([
  [S_IFREG, "file"],
  [S_IFDIR, "directory"],
  [S_IFLNK, "symlink"],
]);

function kindOf(mode: number): FileKind {
  return KINDS.get(mode & S_IFMT) ?? "other";
}
