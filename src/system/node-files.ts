import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { sleepMs } from "./node-wait.ts";
import { dirname } from "./paths.ts";
import { type FileFacts, type FileKind, type Files, hasErrorCode, SystemError } from "./system.ts";

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } = constants;
/** A named pipe is waited for this long in all, never for ever. */
const PIPE_PATIENCE_MS = 2_000;
const PIPE_RETRY_MS = 5;
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
          unlinkSync(path);
          throw error;
        }
      });
    },
    append: (path, bytes, mode) =>
      withFile("append to", path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, mode, fd =>
        writeAll(fd, bytes),
      ),
    rename: (from, to) => attempt("rename", from, () => renameSync(from, to)),
    link: (from, to) => attempt("link", to, () => linkSync(from, to)),
    symlink: (target, path) => attempt("symlink", path, () => symlinkSync(target, path)),
    readLink: path => attempt("read link", path, () => readlinkSync(path)),
    remove: path => attempt("remove", path, () => unlinkSync(path)),
    removeDirectory: path => attempt("remove directory", path, () => rmdirSync(path)),
    makeDirectory: (path, mode) => makeDirectories(path, mode),
    list: path => attempt("list", path, () => readdirSync(path).sort()),
    inspect: path => look(path, lstatSync),
    follow: path => look(path, statSync),
    realPath: path => attempt("resolve", path, () => realpathSync.native(path)),
    changeMode: (path, mode) => attempt("change mode of", path, () => chmodSync(path, mode)),
    syncDirectory(path) {
      try {
        withFile("sync", path, O_RDONLY | O_DIRECTORY, 0, fsyncSync);
      } catch {
        // Best effort by contract: some file systems refuse to sync a directory.
      }
    },
    workingDirectory() {
      try {
        return process.cwd();
      } catch {
        return undefined;
      }
    },
  };
}

/** The errno name of a Node error; a path or argument Node refused to pass on is `EINVAL`. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "EINVAL";
}

export function toSystemError(error: unknown, operation: string, path?: string): SystemError {
  return error instanceof SystemError ? error : new SystemError(errorCode(error), operation, path);
}

function attempt<T>(operation: string, path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toSystemError(error, operation, path);
  }
}

function withFile<T>(
  operation: string,
  path: string,
  flags: number,
  mode: number,
  use: (fd: number) => T,
): T {
  return attempt(operation, path, () => {
    const descriptor = openSync(path, flags, mode);
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
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

/** Reads until the buffer is full or the file ends; the count says which. */
function fill(fd: number, bytes: Uint8Array, offset: number | null): number {
  let length = 0;
  let waitedMs = 0;
  while (length < bytes.length) {
    try {
      const position = offset === null ? null : offset + length;
      const count = readSync(fd, bytes, length, bytes.length - length, position);
      if (count === 0) break;
      length += count;
    } catch (error) {
      if (errorCode(error) !== "EAGAIN" || waitedMs >= PIPE_PATIENCE_MS) throw error;
      sleepMs(PIPE_RETRY_MS);
      waitedMs += PIPE_RETRY_MS;
    }
  }
  return length;
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
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
    attempt("make directory", path, () => mkdirSync(path, mode));
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST") || !isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

type Stat = (path: string, options: { bigint: true; throwIfNoEntry: false }) => BigIntStats | undefined;

function look(path: string, stat: Stat): FileFacts | undefined {
  try {
    // What is not there is the ordinary case, and an exception costs more than the look.
    const stats = attempt("inspect", path, () => stat(path, { bigint: true, throwIfNoEntry: false }));
    return stats === undefined ? undefined : toFacts(stats);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

function toFacts(stats: BigIntStats): FileFacts {
  const mode = Number(stats.mode);
  return {
    kind: KINDS.get(mode & S_IFMT) ?? "other",
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
