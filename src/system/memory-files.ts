import type { DirectoryNode, DiskNode, FileNode, MemoryDisk, PathLookup } from "./memory-disk.ts";
import { type Faults, type FileOperation, ProcessDied } from "./memory-faults.ts";
import { dirname } from "./paths.ts";
import { type FileFacts, type Files, SystemError } from "./system.ts";
import { utf8 } from "./utf8.ts";

export interface MemoryFilesOptions {
  readonly disk: MemoryDisk;
  readonly faults: Faults;
  readonly nowMs: () => number;
  readonly uid: number;
  readonly umask: number;
  readonly cwd: string;
  readonly onCall: (operation: FileOperation, path: string) => void;
}

/** Names used in error messages; the same as the Node adapter's. */
const DESCRIPTIONS: Partial<Record<FileOperation, string>> = {
  readRange: "read",
  createExclusive: "create",
  append: "append to",
  readLink: "read link",
  removeDirectory: "remove directory",
  makeDirectory: "make directory",
  realPath: "resolve",
  changeMode: "change mode of",
  follow: "inspect",
  syncDirectory: "sync",
};

/** The files of one process on a memory disk. Permission bits are kept but not enforced: the faults do that. */
export class MemoryFiles implements Files {
  private readonly options: MemoryFilesOptions;
  private readonly disk: MemoryDisk;

  constructor(options: MemoryFilesOptions) {
    this.options = options;
    this.disk = options.disk;
  }

  read(path: string, limitBytes: number): Uint8Array {
    return this.perform("read", [path], () => {
      const bytes = this.contentOf(path);
      if (bytes.length > limitBytes) fail("EFBIG");
      return bytes.slice();
    });
  }

  readRange(path: string, offset: number, length: number): Uint8Array {
    return this.perform("readRange", [path], () => this.contentOf(path).slice(offset, offset + length));
  }

  createExclusive(path: string, bytes: Uint8Array, mode: number): void {
    const create = (written: Uint8Array) => {
      const place = this.walk(path, false);
      if (place.node !== undefined) fail("EEXIST");
      this.enter(place, this.newFile(written, mode));
    };
    this.perform(
      "createExclusive",
      [path],
      () => create(bytes),
      () => create(bytes.subarray(0, bytes.length >> 1)),
    );
  }

  append(path: string, bytes: Uint8Array, mode: number): void {
    const append = (written: Uint8Array) => {
      const place = this.walk(path, true);
      const { node } = place;
      if (node === undefined) {
        this.enter(place, this.newFile(written, mode));
      } else if (node.kind === "directory") {
        fail("EISDIR");
      } else if (node.kind === "file") {
        const joined = new Uint8Array(node.bytes.length + written.length);
        joined.set(node.bytes);
        joined.set(written, node.bytes.length);
        node.bytes = joined;
        node.modifiedMs = this.options.nowMs();
      }
    };
    this.perform(
      "append",
      [path],
      () => append(bytes),
      () => append(bytes.subarray(0, bytes.length >> 1)),
    );
  }

  rename(from: string, to: string): void {
    this.perform("rename", [from, to], () => {
      const source = this.walk(from, false);
      const target = this.walk(to, false);
      if (source.name === undefined || target.name === undefined) fail("EBUSY");
      const { node } = source;
      if (node === undefined) fail("ENOENT");
      if (node.kind === "directory" && target.chain.includes(node)) fail("EINVAL");
      if (target.node?.kind === "directory" && source.chain.includes(target.node)) fail("ENOTEMPTY");
      if (target.node === node) return;
      if (target.node !== undefined) checkReplaceable(node, target.node);
      source.directory.entries.delete(source.name);
      this.touch(source.directory);
      this.enter(target, node);
    });
  }

  link(from: string, to: string): void {
    this.perform("link", [to, from], () => {
      const { node } = this.walk(from, false);
      if (node === undefined) fail("ENOENT");
      const target = this.vacantPlace(to);
      if (node.kind === "directory") fail("EPERM");
      this.enter(target, node);
    });
  }

  symlink(target: string, path: string): void {
    this.perform("symlink", [path], () => {
      if (target === "") fail("ENOENT");
      const place = this.vacantPlace(path);
      this.enter(place, { ...this.newBase(0o777), mode: 0o777, kind: "symlink", target });
    });
  }

  readLink(path: string): string {
    return this.perform("readLink", [path], () => {
      const { node } = this.walk(path, false);
      if (node === undefined) fail("ENOENT");
      return node.kind === "symlink" ? node.target : fail("EINVAL");
    });
  }

  remove(path: string): void {
    this.perform("remove", [path], () => {
      const { node, name, directory } = this.walk(path, false);
      if (node === undefined) fail("ENOENT");
      if (node.kind === "directory" || name === undefined) fail("EISDIR");
      directory.entries.delete(name);
      this.touch(directory);
    });
  }

  removeDirectory(path: string): void {
    this.perform("removeDirectory", [path], () => {
      const { node, name, directory } = this.walk(path, false);
      if (node === undefined) fail("ENOENT");
      if (node.kind !== "directory") fail("ENOTDIR");
      if (name === undefined) fail("EBUSY");
      if (node.entries.size > 0) fail("ENOTEMPTY");
      directory.entries.delete(name);
      this.touch(directory);
    });
  }

  makeDirectory(path: string, mode: number): void {
    this.perform("makeDirectory", [path], () => this.makeDirectories(path, mode));
  }

  list(path: string): readonly string[] {
    return this.perform("list", [path], () => {
      const { node } = this.walk(path, true);
      if (node === undefined) fail("ENOENT");
      return node.kind === "directory" ? [...node.entries.keys()].sort() : fail("ENOTDIR");
    });
  }

  inspect(path: string): FileFacts | undefined {
    return this.perform("inspect", [path], () => this.factsOf(path, false));
  }

  follow(path: string): FileFacts | undefined {
    return this.perform("follow", [path], () => this.factsOf(path, true));
  }

  realPath(path: string): string {
    return this.perform("realPath", [path], () => this.disk.realPath(path));
  }

  changeMode(path: string, mode: number): void {
    this.perform("changeMode", [path], () => {
      const { node } = this.walk(path, true);
      if (node === undefined) fail("ENOENT");
      node.mode = mode;
    });
  }

  syncDirectory(path: string): void {
    try {
      this.perform("syncDirectory", [path], () => {});
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
    }
  }

  workingDirectory(): string | undefined {
    return this.isDirectory(this.options.cwd) ? this.options.cwd : undefined;
  }

  /** Counts the call, applies faults, and names operation and path in whatever goes wrong. */
  private perform<T>(
    operation: FileOperation,
    paths: readonly [string, ...string[]],
    action: () => T,
    dyingAction?: () => void,
  ): T {
    const description = DESCRIPTIONS[operation] ?? operation;
    this.options.onCall(operation, paths[0]);
    const isDying = this.options.faults.check(operation, description, paths);
    if (isDying) {
      try {
        dyingAction?.();
      } catch {
        // It would have failed anyway; dying is what the caller asked to see.
      }
      throw new ProcessDied(`during ${operation} ${paths[0]}`);
    }
    try {
      if (paths.some(path => path.includes("\0"))) fail("EINVAL");
      return action();
    } catch (error) {
      const isRefused = error instanceof Refusal || error instanceof SystemError;
      throw isRefused ? new SystemError(error.code, description, paths[0]) : error;
    }
  }

  private makeDirectories(path: string, mode: number): void {
    if (this.disk.find(path, false) === "ENOENT" && dirname(path) !== path)
      this.makeDirectories(dirname(path), mode);
    const place = this.walk(path, false);
    if (place.node === undefined) {
      this.enter(place, { ...this.newBase(mode), kind: "directory", entries: new Map() });
    } else if (!this.isDirectory(path)) {
      fail("EEXIST");
    }
  }

  private walk(path: string, follow: boolean): PathLookup {
    const place = this.disk.find(path, follow);
    return typeof place === "string" ? fail(place) : place;
  }

  private isDirectory(path: string): boolean {
    const place = this.disk.find(path, true);
    return typeof place !== "string" && place.node?.kind === "directory";
  }

  private vacantPlace(path: string): PathLookup {
    const place = this.walk(path, false);
    if (place.node !== undefined) fail("EEXIST");
    return place;
  }

  private contentOf(path: string): Uint8Array {
    const { node } = this.walk(path, true);
    if (node === undefined) fail("ENOENT");
    if (node.kind === "directory") fail("EISDIR");
    return node.kind === "file" ? node.bytes : new Uint8Array(0);
  }

  private factsOf(path: string, follow: boolean): FileFacts | undefined {
    const place = this.disk.find(path, follow);
    if (place === "ENOENT" || place === "ENOTDIR") return undefined;
    if (typeof place === "string") fail(place);
    const { node } = place;
    if (node === undefined) return undefined;
    const { kind, mode, uid, modifiedMs } = node;
    return { kind, size: sizeOf(node), mode, uid, modifiedMs, identity: `1:${node.id}` };
  }

  private newBase(mode: number) {
    const { uid, umask } = this.options;
    return { id: this.disk.nextId(), mode: mode & ~umask, uid, modifiedMs: this.options.nowMs() };
  }

  private newFile(bytes: Uint8Array, mode: number): FileNode {
    return { ...this.newBase(mode), kind: "file", bytes: bytes.slice() };
  }

  private enter(place: PathLookup, node: DiskNode): void {
    if (place.name === undefined) fail("EEXIST");
    place.directory.entries.set(place.name, node);
    this.touch(place.directory);
  }

  private touch(directory: DirectoryNode): void {
    directory.modifiedMs = this.options.nowMs();
  }
}

function checkReplaceable(node: DiskNode, victim: DiskNode): void {
  if (node.kind === "directory") {
    if (victim.kind !== "directory") fail("ENOTDIR");
    if (victim.entries.size > 0) fail("ENOTEMPTY");
  } else if (victim.kind === "directory") {
    fail("EISDIR");
  }
}

function sizeOf(node: DiskNode): number {
  if (node.kind === "file") return node.bytes.length;
  return node.kind === "symlink" ? utf8.encode(node.target).length : 0;
}

/** Why an operation cannot be; `perform` makes the error of it, with what was asked and of which path. */
class Refusal {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }
}

function fail(code: string): never {
  throw new Refusal(code);
}
