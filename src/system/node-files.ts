import {
  chmodSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { decodeName } from "./file-names.ts";
import { copyFile, digestFile, overwriteFile } from "./node-copy.ts";
import { attempt, toNodePath } from "./node-errors.ts";
import { listFacts, listNames, look, lookExactly } from "./node-facts.ts";
import { holdDirectoryOnLinux } from "./node-held-directory.ts";
import { fill, withFile, writeAll } from "./node-open-file.ts";
import { dirname } from "./paths.ts";
import { joinStamps } from "./stamps.ts";
import { type Files, hasErrorCode, SystemError } from "./system.ts";

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const UNKNOWN_SIZE_CHUNK = 64 * 1024;

export function createNodeFiles(): Files {
  return {
    read: (path, limitBytes) =>
      withFile("read", path, O_RDONLY | O_NONBLOCK, 0, fd => readWhole(fd, path, limitBytes)),
    readRange: (path, offset, length) =>
      withFile("read", path, O_RDONLY | O_NONBLOCK, 0, fd => {
        const bytes = new Uint8Array(length);
        return bytes.subarray(0, fill(fd, bytes, offset));
      }),
    createExclusive(path, bytes, mode) {
      withFile("create", path, O_WRONLY | O_CREAT | O_EXCL, mode, fd => {
        try {
          writeAll(fd, bytes);
          fsyncSync(fd);
        } catch (error) {
          unlinkSync(toNodePath(path));
          throw error;
        }
      });
    },
    append: (path, bytes, mode) =>
      withFile("append to", path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, mode, fd =>
        writeAll(fd, bytes),
      ),
    copy: (from, to, mode) => copyFile(from, to, mode),
    overwrite: (from, to) => overwriteFile(from, to),
    digest: path => digestFile(path),
    rename: (from, to) => attempt("rename", from, () => renameSync(toNodePath(from), toNodePath(to))),
    link: (from, to) => attempt("link", to, () => linkSync(toNodePath(from), toNodePath(to))),
    symlink: (target, path) =>
      attempt("symlink", path, () => symlinkSync(toNodePath(target), toNodePath(path))),
    readLink: path => attempt("read link", path, () => decodeName(readlinkSync(toNodePath(path), "buffer"))),
    remove: path => attempt("remove", path, () => unlinkSync(toNodePath(path))),
    removeDirectory: path => attempt("remove directory", path, () => rmdirSync(toNodePath(path))),
    makeDirectory: (path, mode) => makeDirectories(path, mode),
    list: path => listNames(path),
    inspect: path => look(path, lstatSync),
    follow: path => look(path, statSync),
    exactFacts: path => lookExactly(path),
    listFacts: path => listFacts(path),
    stampsOf: paths => joinStamps(paths, lookExactly),
    realPath: path =>
      attempt("resolve", path, () => decodeName(realpathSync.native(toNodePath(path), "buffer"))),
    changeMode: (path, mode) => attempt("change mode of", path, () => chmodSync(toNodePath(path), mode)),
    setModified: (path, modifiedNs) =>
      attempt("set the time of", path, () =>
        lutimesSync(toNodePath(path), Date.now() / 1000, toSeconds(modifiedNs)),
      ),
    syncDirectory(path) {
      try {
        withFile("sync", path, O_RDONLY | O_DIRECTORY, 0, fsyncSync);
      } catch {
        // Best effort by contract: some file systems refuse to sync a directory.
      }
    },
    ...holdDirectoryOnLinux(),
    workingDirectory() {
      try {
        return process.cwd();
      } catch {
        return undefined;
      }
    },
  };
}

function readWhole(fd: number, path: string, limitBytes: number): Uint8Array {
  const stats = fstatSync(fd);
  const size = stats.isFile() ? stats.size : 0;
  if (size > limitBytes) throw new SystemError("EFBIG", "read", path);
  // One byte more than expected tells a file that is still growing, or says no size, from its end.
  let bytes = new Uint8Array(Math.min(size > 0 ? size : UNKNOWN_SIZE_CHUNK, limitBytes) + 1);
  let length = 0;
  for (;;) {
    length += fill(fd, bytes.subarray(length), null);
    if (length > limitBytes) throw new SystemError("EFBIG", "read", path);
    if (length < bytes.length) return bytes.subarray(0, length);
    const grown = new Uint8Array(Math.min(bytes.length * 2, limitBytes + 1));
    grown.set(bytes);
    bytes = grown;
  }
}

function makeDirectories(path: string, mode: number): void {
  try {
    makeOneDirectory(path, mode);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT") || dirname(path) === path) throw error;
    makeDirectories(dirname(path), mode);
    makeOneDirectory(path, mode);
  }
}

/** Fine when it is there already, also when another process made it at the same moment. */
function makeOneDirectory(path: string, mode: number): void {
  try {
    attempt("make directory", path, () => mkdirSync(toNodePath(path), mode));
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST") || !isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(toNodePath(path)).isDirectory();
  } catch {
    return false;
  }
}

/** A quarter of a microsecond more: some versions of Node cut off what is below a microsecond. */
function toSeconds(nanoseconds: string): number {
  return (Number(BigInt(nanoseconds) / 1000n) + 0.25) / 1e6;
}
