import type { DirectoryNode, DiskNode, FileNode, MemoryDisk, PathLookup } from "./memory-disk.ts";
import {
  exactFileFacts,
  type Faults,
  type FileOperation,
  fail,
  fileFacts,
  ProcessDied,
  Refusal,
  toNanoseconds,
} from "./memory-disk.ts";
import { dirname } from "./paths.ts";
import { sha256Hex } from "./sha256.ts";
import { type ExactFacts, type FileFacts, type Files, type NamedFacts, SystemError } from "./system.ts";
import { joinStamps } from "./utf8.ts";

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
  setModified: "set the time of",
  follow: "inspect",
  exactFacts: "inspect",
  listFacts: "list",
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
      const bytes = this.findContent(path);
      if (bytes.length > limitBytes) fail("EFBIG");
      return bytes.slice();
    });
  }

  readRange(path: string, offset: number, length: number): Uint8Array {
    return this.perform("readRange", [path], () => this.findContent(path).slice(offset, offset + length));
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
        this.modify(node);
      }
    };
    this.perform(
      "append",
      [path],
      () => append(bytes),
      () => append(bytes.subarray(0, bytes.length >> 1)),
    );
  }

  copy(from: string, to: string, mode: number): void {
    const copy = (take: (bytes: Uint8Array) => Uint8Array) => {
      const { node } = this.walk(from, false);
      if (node === undefined) fail("ENOENT");
      if (node.kind === "symlink") fail("ELOOP");
      if (node.kind !== "file") fail("EINVAL");
      this.enter(this.vacantPlace(to), { ...this.newFile(take(node.bytes), mode), mode });
    };
    this.perform(
      "copy",
      [from, to],
      () => copy(bytes => bytes),
      () => copy(bytes => bytes.subarray(0, bytes.length >> 1)),
    );
  }

  overwrite(from: string, to: string): void {
    const overwrite = (take: (bytes: Uint8Array) => Uint8Array) => {
      const bytes = take(this.findContent(from)).slice();
      const { node } = this.walk(to, false);
      if (node === undefined) fail("ENOENT");
      if (node.kind !== "file") fail(node.kind === "symlink" ? "ELOOP" : "EISDIR");
      node.bytes = bytes;
      this.modify(node);
    };
    this.perform(
      "overwrite",
      [to, from],
      () => overwrite(bytes => bytes),
      () => overwrite(bytes => bytes.subarray(0, bytes.length >> 1)),
    );
  }

  digest(path: string): string {
    return this.perform("digest", [path], () => sha256Hex(this.findContent(path)));
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
      this.leave(source.directory, source.name, node);
      if (target.node !== undefined) this.leave(target.directory, target.name, target.node);
      this.enter(target, node);
    });
  }

  link(from: string, to: string): void {
    this.perform("link", [to, from], () => {
      const { node } = this.walk(from, false);
      if (node === undefined) fail("ENOENT");
      const target = this.vacantPlace(to);
      if (node.kind === "directory") fail("EPERM");
      this.touch(node);
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
      this.leave(directory, name, node);
    });
  }

  removeDirectory(path: string): void {
    this.perform("removeDirectory", [path], () => {
      const { node, name, directory } = this.walk(path, false);
      if (node === undefined) fail("ENOENT");
      if (node.kind !== "directory") fail("ENOTDIR");
      if (name === undefined) fail("EBUSY");
      if (node.entries.size > 0) fail("ENOTEMPTY");
      this.leave(directory, name, node);
    });
  }

  makeDirectory(path: string, mode: number): void {
    this.perform("makeDirectory", [path], () => this.makeDirectories(path, mode));
  }

  list(path: string): readonly string[] {
    return this.perform("list", [path], () => [...this.directoryAt(path).entries.keys()].sort());
  }

  inspect(path: string): FileFacts | undefined {
    return this.perform("inspect", [path], () => this.factsAt(path, false, fileFacts));
  }

  follow(path: string): FileFacts | undefined {
    return this.perform("follow", [path], () => this.factsAt(path, true, fileFacts));
  }

  exactFacts(path: string): ExactFacts | undefined {
    return this.perform("exactFacts", [path], () => this.factsAt(path, false, exactFileFacts));
  }

  listFacts(path: string): readonly NamedFacts[] {
    return this.perform("listFacts", [path], () => {
      const { entries } = this.directoryAt(path);
      return [...entries.keys()]
        .sort()
        .map(name => ({ name, ...exactFileFacts(entries.get(name) as DiskNode) }));
    });
  }

  stampsOf(paths: string): string {
    return joinStamps(paths, path => this.exactFacts(path));
  }

  realPath(path: string): string {
    return this.perform("realPath", [path], () => this.disk.realPath(path));
  }

  changeMode(path: string, mode: number): void {
    this.perform("changeMode", [path], () => {
      const { node } = this.walk(path, true);
      if (node === undefined) fail("ENOENT");
      node.mode = mode;
      this.touch(node);
    });
  }

  setModified(path: string, modifiedNs: string): void {
    this.perform("setModified", [path], () => {
      if (!/^-?\d+$/.test(modifiedNs)) fail("EINVAL");
      const { node } = this.walk(path, false);
      if (node === undefined) fail("ENOENT");
      node.modifiedNs = BigInt(modifiedNs);
      this.touch(node);
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
    const stopHalfWay = () => {
      try {
        dyingAction?.();
      } catch {
        // It would have failed anyway; the failure that was asked for is what the caller sees.
      }
    };
    const isDying = this.options.faults.check(operation, description, paths, code => {
      // What `append` made stays, as on a real disk; the others remove what they made.
      if (code === "ENOSPC" && operation === "append") stopHalfWay();
    });
    if (isDying) {
      stopHalfWay();
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

  private findContent(path: string): Uint8Array {
    const { node } = this.walk(path, true);
    if (node === undefined) fail("ENOENT");
    if (node.kind === "directory") fail("EISDIR");
    return node.kind === "file" ? node.bytes : new Uint8Array(0);
  }

  private directoryAt(path: string): DirectoryNode {
    const { node } = this.walk(path, true);
    if (node === undefined) fail("ENOENT");
    return node.kind === "directory" ? node : fail("ENOTDIR");
  }

  /** Undefined when nothing is there, or there is no way to it. */
  private factsAt<T>(path: string, follow: boolean, fileFacts: (node: DiskNode) => T): T | undefined {
    const place = this.disk.find(path, follow);
    if (place === "ENOENT" || place === "ENOTDIR") return undefined;
    const { node } = typeof place === "string" ? fail(place) : place;
    return node === undefined ? undefined : fileFacts(node);
  }

  private newBase(mode: number) {
    const { uid, umask, nowMs } = this.options;
    const id = this.disk.nextId();
    const modifiedNs = toNanoseconds(nowMs());
    return { id, mode: mode & ~umask, uid, modifiedNs, changed: this.disk.nextChange(), links: 0 };
  }

  private newFile(bytes: Uint8Array, mode: number): FileNode {
    return { ...this.newBase(mode), kind: "file", bytes: bytes.slice() };
  }

  private enter(place: PathLookup, node: DiskNode): void {
    if (place.name === undefined) fail("EEXIST");
    place.directory.entries.set(place.name, node);
    node.links += 1;
    this.modify(place.directory);
  }

  private leave(directory: DirectoryNode, name: string, node: DiskNode): void {
    directory.entries.delete(name);
    node.links -= 1;
    this.touch(node);
    this.modify(directory);
  }

  private modify(node: DiskNode): void {
    node.modifiedNs = toNanoseconds(this.options.nowMs());
    this.touch(node);
  }

  /** Something about the file is different, though not its content. */
  private touch(node: DiskNode): void {
    node.changed = this.disk.nextChange();
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
