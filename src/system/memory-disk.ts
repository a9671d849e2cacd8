import { SystemError } from "./system.ts";
import { utf8 } from "./utf8.ts";

export type DiskNode = FileNode | DirectoryNode | SymlinkNode | OtherNode;
interface NodeBase {
  readonly id: number;
  mode: number;
  uid: number;
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
export interface SymlinkNode extends NodeBase {
  readonly kind: "symlink";
  readonly target: string;
}
/** A pipe, socket or device: there, and holding nothing. */
export interface OtherNode extends NodeBase {
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

export type LookupFailure = "ENOENT" | "ENOTDIR" | "ELOOP" | "ENAMETOOLONG";

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
    let parts = partsOf(path);
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
        parts = [...partsOf(node.target), ...parts.slice(index + 1)];
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

function partsOf(path: string): string[] {
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
