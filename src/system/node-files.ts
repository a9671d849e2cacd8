import { Buffer } from "node:buffer";
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  type Dirent,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  type PathLike,
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
import { components, dirname } from "./paths.ts";
import {
  type ExactFacts,
  type FileFacts,
  type FileKind,
  type Files,
  hasErrorCode,
  type NamedFacts,
  type NamedKind,
  SystemError,
} from "./system.ts";
import { decodeName, encodeRawName, joinStamps } from "./utf8.ts";

/** The errno name of a Node error; a path or argument Node refused to pass on is `EINVAL`. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : "EINVAL";
}

export function toSystemError(error: unknown, operation: string, path?: string): SystemError {
  return error instanceof SystemError ? error : new SystemError(errorCode(error), operation, path);
}

export function attempt<T>(operation: string, path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toSystemError(error, operation, path);
  }
}

/** A path as Node takes it: text, or bytes for a name that is not UTF-8. */
function toNodePath(path: string): string | Buffer {
  const bytes = encodeRawName(path);
  return bytes === undefined ? path : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Built-in modules, loaded at the moment they are needed. Most hook runs start no process and ask no terminal,
 * and then do not pay for the code behind it. Works in ES modules and in the CommonJS bundles alike.
 */
export function loadChildProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

export function loadTerminal(): typeof import("node:tty") {
  return process.getBuiltinModule("node:tty");
}

export function loadOperatingSystem(): typeof import("node:os") {
  return process.getBuiltinModule("node:os");
}

function loadCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

const idle = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread without using the processor. */
export function sleepMs(ms: number): void {
  if (ms > 0) Atomics.wait(idle, 0, 0, ms);
}

const { S_IFDIR, S_IFLNK, S_IFMT, S_IFREG } = constants;
const ALLOCATION_UNIT = 512;
const REPLACEMENT = "\ufffd";

type Stat = (path: PathLike, options: { bigint: true; throwIfNoEntry: false }) => BigIntStats | undefined;

function look(path: string, stat: Stat): FileFacts | undefined {
  const stats = readStats(path, stat);
  return stats === undefined ? undefined : toFacts(stats);
}

function readStats(path: string, stat: Stat): BigIntStats | undefined {
  try {
    // What is not there is the ordinary case, and an exception costs more than the look.
    return attempt("inspect", path, () => stat(toNodePath(path), { bigint: true, throwIfNoEntry: false }));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

function lookExactly(path: string): ExactFacts | undefined {
  const stats = readStats(path, lstatSync);
  return stats === undefined ? undefined : toExactFacts(stats);
}

function listFacts(path: string): readonly NamedFacts[] {
  const found: NamedFacts[] = [];
  for (const name of listNames(path)) {
    const stats = readStats(`${path}/${name}`, lstatSync);
    if (stats !== undefined) found.push({ name, ...toExactFacts(stats) });
  }
  return found;
}

function listKinds(path: string): readonly NamedKind[] {
  const at = toNodePath(path);
  const entries = attempt("list", path, () => readdirSync(at, { withFileTypes: true }));
  const found = entries.some(({ name }) => name.includes(REPLACEMENT))
    ? attempt("list", path, () => readdirSync(at, { withFileTypes: true, encoding: "buffer" }))
    : entries;
  return found
    .map(entry => ({
      name: typeof entry.name === "string" ? entry.name : decodeName(entry.name),
      kind: kindOfEntry(entry),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function kindOfEntry(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

/** In order. Node replaces what is not UTF-8, so that a name with a replacement is read again. */
function listNames(path: string): readonly string[] {
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
    kind: fileKind(mode),
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
    kind: fileKind(mode),
    size: Number(stats.size),
    mode: mode & 0o7777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    modifiedMs: Number(stats.mtimeMs),
    identity: `${stats.dev}:${stats.ino}`,
  };
}

const KINDS: ReadonlyMap<number, FileKind> = new Map([
  [S_IFREG, "file"],
  [S_IFDIR, "directory"],
  [S_IFLNK, "symlink"],
]);

function fileKind(mode: number): FileKind {
  return KINDS.get(mode & S_IFMT) ?? "other";
}

/** A named pipe is waited for this long in all, never for ever. */
const PIPE_PATIENCE_MS = 2_000;
const PIPE_RETRY_MS = 5;

function withFile<T>(
  operation: string,
  path: string,
  flags: number,
  mode: number,
  use: (fd: number) => T,
): T {
  return attempt(operation, path, () => {
    const descriptor = openSync(toNodePath(path), flags, mode);
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
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

function writeAll(fd: number, bytes: Uint8Array, offset?: number): void {
  for (let written = 0; written < bytes.length; ) {
    const position = offset === undefined ? null : offset + written;
    written += writeSync(fd, bytes, written, bytes.length - written, position);
  }
}

const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;
const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const CHUNK = 64 * 1024;

function copyFile(from: string, to: string, mode: number): void {
  withFile("copy", from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, source => {
    const stats = fstatSync(source);
    if (!stats.isFile()) throw new SystemError("EINVAL", "copy", from);
    const hasHoles = stats.blocks * ALLOCATION_UNIT + CHUNK <= stats.size;
    if (stats.size <= CHUNK || hasHoles) copyData(source, to, mode);
    else copyBlocks(from, to, mode);
  });
}

/** The kernel copies, or lets both files share what they have in common. */
function copyBlocks(from: string, to: string, mode: number): void {
  copyFileSync(toNodePath(from), toNodePath(to), COPYFILE_EXCL | COPYFILE_FICLONE);
  removingOnFailure(to, () => chmodSync(toNodePath(to), mode));
}

/** What is all zero becomes a hole. */
function copyData(source: number, to: string, mode: number): void {
  withFile("copy", to, O_WRONLY | O_CREAT | O_EXCL, mode, target =>
    removingOnFailure(to, () => {
      const chunk = Buffer.allocUnsafe(CHUNK);
      let zeros: Buffer | undefined;
      let length = 0;
      for (let count = CHUNK; count === CHUNK; length += count) {
        count = fill(source, chunk, null);
        zeros ??= count === CHUNK ? Buffer.alloc(CHUNK) : undefined;
        if (zeros === undefined || !chunk.subarray(0, count).equals(zeros))
          writeAll(target, chunk.subarray(0, count), length);
      }
      ftruncateSync(target, length);
      // Last, since writing takes the set-user-id bit away.
      fchmodSync(target, mode);
    }),
  );
}

function overwriteFile(from: string, to: string): void {
  withFile("overwrite", from, O_RDONLY | O_NOFOLLOW, 0, source =>
    withFile("overwrite", to, O_WRONLY | O_NOFOLLOW, 0, target => {
      const chunk = Buffer.allocUnsafe(CHUNK);
      let length = 0;
      for (let count = CHUNK; count === CHUNK; length += count) {
        count = fill(source, chunk, null);
        writeAll(target, chunk.subarray(0, count), length);
      }
      ftruncateSync(target, length);
    }),
  );
}

function removingOnFailure(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    unlinkSync(toNodePath(path));
    throw error;
  }
}

function digestFile(path: string): string {
  return withFile("digest", path, O_RDONLY | O_NONBLOCK, 0, file => {
    digested ??= Buffer.allocUnsafe(CHUNK);
    const chunk = digested;
    let count = fill(file, chunk, null);
    if (count < CHUNK) return loadCrypto().hash("sha256", chunk.subarray(0, count), "hex");
    const hash = loadCrypto().createHash("sha256");
    for (; count === CHUNK; count = fill(file, chunk, null)) hash.update(chunk);
    return hash.update(chunk.subarray(0, count)).digest("hex");
  });
}

/** Thousands of small files are digested one after the other. */
let digested: Buffer | undefined;

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
    listKinds: path => listKinds(path),
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

/** Not among Node's constants: a handle for looking up names only, which needs no right to read. */
const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Linux looks up names in an open directory below `/proc/self/fd`; other systems have no such path. */
function holdDirectoryOnLinux(): Pick<Files, "holdDirectory"> {
  if (process.platform !== "linux" || !existsSync("/proc/self/fd")) return {};
  return {
    holdDirectory: path =>
      attempt("open", path, () => {
        let fd = openSync("/", FLAGS);
        try {
          for (const name of components(path)) {
            const below = openSync(toNodePath(`/proc/self/fd/${fd}/${name}`), FLAGS);
            closeSync(fd);
            fd = below;
          }
        } catch (error) {
          closeSync(fd);
          throw error;
        }
        const { dev, ino } = fstatSync(fd, { bigint: true });
        return { path: `/proc/self/fd/${fd}`, identity: `${dev}:${ino}`, release: () => closeSync(fd) };
      }),
  };
}
