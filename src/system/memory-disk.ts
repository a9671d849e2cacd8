import { isInside } from "./paths.ts";
import { type ExactFacts, type FileFacts, type Files, SystemError } from "./system.ts";
import { utf8 } from "./utf8.ts";

/** Why an operation cannot be; `perform` makes the error of it, with what was asked and of which path. */
export class Refusal {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }
}

export function fail(code: string): never {
  throw new Refusal(code);
}

export type DiskNode = FileNode | DirectoryNode | SymlinkNode | OtherNode;
interface NodeBase {
  readonly id: number;
  mode: number;
  uid: number;
  /** the owner's own group where it is absent */
  gid?: number;
  modifiedNs: bigint;
  /** grows with every change of the file or of what is known about it, as the time of change does on a real disk */
  changed: number;
  /** names that lead to it */
  links: number;
}
export interface FileNode extends NodeBase {
  readonly kind: "file";
  bytes: Uint8Array;
}
export interface DirectoryNode extends NodeBase {
  readonly kind: "directory";
  readonly entries: Map<string, DiskNode>;
}
interface SymlinkNode extends NodeBase {
  readonly kind: "symlink";
  readonly target: string;
}
/** A pipe, socket or device: there, and holding nothing. */
interface OtherNode extends NodeBase {
  readonly kind: "other";
}

/** Where a path leads. `name` is undefined when it ends in the root, `.` or `..`. */
export interface PathLookup {
  readonly directory: DirectoryNode;
  readonly name: string | undefined;
  readonly node: DiskNode | undefined;
  /** the directories from the root down to `directory` */
  readonly chain: readonly DirectoryNode[];
}

type LookupFailure = "ENOENT" | "ENOTDIR" | "ELOOP" | "ENAMETOOLONG";

const LINK_LIMIT = 40;
const NAME_BYTES = 255;
const PATH_BYTES = 4095;

/** A file tree that several processes may share, with the rules of path lookup that Linux has. */
export class MemoryDisk {
  readonly root: DirectoryNode;
  private lastId: number;
  private changes: number;

  constructor(original?: MemoryDisk) {
    const root = {
      kind: "directory",
      id: 1,
      mode: 0o755,
      uid: 0,
      modifiedNs: 0n,
      changed: 0,
      links: 1,
      entries: new Map(),
    } as const;
    this.root = original === undefined ? root : copyDirectory(original.root);
    this.lastId = original?.lastId ?? root.id;
    this.changes = original?.changes ?? 0;
  }

  /** Another disk with all that is on this one. A file with two names becomes two files. */
  copy(): MemoryDisk {
    return new MemoryDisk(this);
  }

  nextId(): number {
    return ++this.lastId;
  }

  nextChange(): number {
    return ++this.changes;
  }

  /** Throws ENOENT, ENOTDIR, ELOOP and ENAMETOOLONG for the directories on the way; the last part may be absent. */
  walk(path: string, follow: boolean): PathLookup {
    const place = this.find(path, follow);
    if (typeof place === "string") throw failure(place, path);
    return place;
  }

  /** As `walk`, with the code of a failure as its result: most lookups that fail are only questions. */
  find(path: string, follow: boolean): PathLookup | LookupFailure {
    if (path === "") return "ENOENT";
    if (isLonger(path, PATH_BYTES)) return "ENAMETOOLONG";
    const endsInSlash = path.endsWith("/");
    let chain: DirectoryNode[] = [this.root];
    let parts = splitPath(path);
    let links = 0;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as string;
      const directory = chain.at(-1) ?? this.root;
      if (part === ".") continue;
      if (part === "..") {
        if (chain.length > 1) chain.pop();
        continue;
      }
      if (isLonger(part, NAME_BYTES)) return "ENAMETOOLONG";
      const node = directory.entries.get(part);
      const isLast = index === parts.length - 1;
      if (node?.kind === "symlink" && (!isLast || follow || endsInSlash)) {
        if (++links > LINK_LIMIT) return "ELOOP";
        if (node.target.startsWith("/")) chain = [this.root];
        parts = [...splitPath(node.target), ...parts.slice(index + 1)];
        index = -1;
      } else if (isLast) {
        if (endsInSlash && node !== undefined && node.kind !== "directory") return "ENOTDIR";
        return { directory, name: part, node, chain };
      } else if (node === undefined) {
        return "ENOENT";
      } else if (node.kind === "directory") {
        chain.push(node);
      } else {
        return "ENOTDIR";
      }
    }
    const directory = chain.at(-1) ?? this.root;
    return { directory, name: undefined, node: directory, chain };
  }

  /** The path without links, `.` and `..`; throws ENOENT when it leads nowhere. */
  realPath(path: string): string {
    const { chain, name, node } = this.walk(path, true);
    if (node === undefined) throw failure("ENOENT", path);
    const names = chain.slice(1).map((directory, index) => nameIn(chain[index] ?? this.root, directory));
    return `/${(name === undefined ? names : [...names, name]).join("/")}`;
  }
}

function copyDirectory(original: DirectoryNode): DirectoryNode {
  const entries = new Map<string, DiskNode>();
  for (const [name, node] of original.entries)
    entries.set(name, node.kind === "directory" ? copyDirectory(node) : { ...node, links: 1 });
  return { ...original, entries };
}

function splitPath(path: string): string[] {
  const parts = (path.startsWith("/") ? path.slice(1) : path).split("/");
  return parts.includes("") ? parts.filter(part => part !== "") : parts;
}

function isLonger(name: string, bytes: number): boolean {
  return name.length * 3 > bytes && utf8.encode(name).length > bytes;
}

function nameIn(parent: DirectoryNode, child: DiskNode): string {
  for (const [name, node] of parent.entries) if (node === child) return name;
  throw failure("ENOENT", "a removed directory");
}

/** Operation and path are filled in by the caller, who knows what was asked. */
function failure(code: string, path: string): SystemError {
  return new SystemError(code, "look up", path);
}

const BLOCK_BYTES = 4096;
/** in a millisecond */
const NANOSECONDS = 1_000_000n;

export function toNanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms)) * NANOSECONDS;
}

function nodeIdentity(node: DiskNode): string {
  return `1:${node.id}`;
}

/** As `inspect` and `follow` tell them. */
export function fileFacts(node: DiskNode): FileFacts {
  const { kind, mode, uid, gid = uid } = node;
  const modifiedMs = Number(node.modifiedNs / NANOSECONDS);
  return { kind, size: nodeSize(node), mode, uid, gid, modifiedMs, identity: nodeIdentity(node) };
}

export function exactFileFacts(node: DiskNode): ExactFacts {
  const { kind, mode, links } = node;
  const size = nodeSize(node);
  const modifiedNs = String(node.modifiedNs);
  const identity = nodeIdentity(node);
  return {
    kind,
    size,
    allocatedBytes: Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES,
    mode,
    modifiedNs,
    identity,
    links,
    stamp: `${identity}:${size}:${modifiedNs}:${node.changed}`,
  };
}

function nodeSize(node: DiskNode): number {
  if (node.kind === "file") return node.bytes.length;
  return node.kind === "symlink" ? utf8.encode(node.target).length : 0;
}

export type FileOperation = keyof Files;

/** Thrown by the operation during which a process is made to die, and by all that follow. Nothing catches it. */
export class ProcessDied extends Error {
  override readonly name = "ProcessDied";
}

interface PathFault {
  readonly path: string;
  readonly code: string;
  readonly operations: readonly FileOperation[] | undefined;
}

/** Things that go wrong with files, on request. Operations count from 1 at the moment of the request. */
export class Faults {
  /** how many file operations there have been */
  count = 0;
  private readonly failing = new Map<number, string>();
  private readonly paths: PathFault[] = [];
  private dyingAt = Number.POSITIVE_INFINITY;

  /** The n-th operation from now fails and does nothing, save that a full disk takes half of what is appended. */
  failAt(n: number, code: string): void {
    this.failing.set(this.count + n, code);
  }

  /** Operations on `path` and all below it fail, or only those named. */
  failUnder(path: string, code: string, operations?: readonly FileOperation[]): void {
    this.paths.push({ path, code, operations });
  }

  /** The process dies during the n-th operation from now: a write gets half-way, anything else does not happen. */
  dieAt(n: number): void {
    this.dyingAt = this.count + n;
  }

  clear(): void {
    this.failing.clear();
    this.paths.length = 0;
    this.dyingAt = Number.POSITIVE_INFINITY;
  }

  /**
   * Called before every operation. `true` when the process is to die in the middle of it; `onFailure` is told the code
   * of one that is to fail.
   */
  check(
    operation: FileOperation,
    description: string,
    touched: readonly string[],
    onFailure: (code: string) => void,
  ): boolean {
    this.count++;
    if (this.count > this.dyingAt) throw new ProcessDied(`${operation} after death`);
    if (this.count === this.dyingAt) return true;
    const code = this.failing.get(this.count) ?? this.codeFor(operation, touched);
    if (code === undefined) return false;
    onFailure(code);
    throw new SystemError(code, description, touched[0]);
  }

  private codeFor(operation: FileOperation, touched: readonly string[]): string | undefined {
    return this.paths.find(
      fault =>
        (fault.operations === undefined || fault.operations.includes(operation)) &&
        touched.some(path => isInside(fault.path, path)),
    )?.code;
  }
}
