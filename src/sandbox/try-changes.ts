import { spawnSync } from "node:child_process";
import {
  ABSENT,
  type AdoptedPath,
  type ContentSource,
  compareStates,
  type FileState,
  factsAt,
  findMoves,
  type PathChange,
  type PathState,
  toState,
} from "../history/index.ts";
import { findProgram, Problem, programPath } from "../state/index.ts";
import {
  basename,
  decodeName,
  dirname,
  type ExactFacts,
  join,
  type System,
  SystemError,
} from "../system/index.ts";
import type { Overlay } from "./policy.ts";
import type { TriedFolder, TryRecord } from "./try-store.ts";

/** What a tried command would change. */
export interface TriedChanges {
  /** by path */
  readonly files: readonly PathChange[];
  readonly adopted: readonly AdoptedPath[];
  /** what cannot be made real: sockets and pipes */
  readonly left: readonly string[];
  readonly folders: readonly TriedFolder[];
  /** the bytes of a state of one of the files */
  readContent(path: string, state: FileState, limitBytes: number): Promise<Uint8Array | undefined>;
}

/** Files that are digested to find out what was moved. */
const MAX_COMPARED = 2000;

/** Reads what was caught and compares it with what is there now. Nothing is written. */
export function collectChanges(system: System, program: string, record: TryRecord): TriedChanges {
  const collector = new Collector(system.files);
  for (const overlay of record.caught) collector.add(overlay, readLayer(program, overlay.upper));
  return collector.result();
}

class Collector {
  private readonly files: System["files"];
  private readonly changes = new Map<string, PathChange>();
  private readonly adopted: AdoptedPath[] = [];
  private readonly left: string[] = [];
  private readonly folders: TriedFolder[] = [];
  /** where the bytes of a state are */
  private readonly places = new Map<string, string>();
  /** the first path of a file that has several names in the layer */
  private readonly names = new Map<string, string>();

  constructor(files: System["files"]) {
    this.files = files;
  }

  add({ path: root, upper }: Overlay, entries: readonly LayerEntry[]): void {
    const known = new Set(entries.map(({ path }) => join(root, path)));
    this.pass(root);
    for (const { kind, path } of entries) {
      const place = join(root, path);
      if (kind === "directory" || kind === "emptied") this.pass(place);
      if (kind === "other") this.left.push(place);
      else if (kind === "deleted") this.deleteAll(place, () => true);
      else this.compare(place, join(upper, path));
      if (kind === "emptied") this.deleteBelow(place, inner => !known.has(inner));
    }
  }

  result(): TriedChanges {
    const found = [...this.changes.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    return {
      files: findMoves(this.withDigests(found), new Map()),
      adopted: this.adopted,
      left: this.left,
      folders: this.folders,
      readContent: async (path, { content }, limitBytes) => {
        const place = this.places.get("id" in content ? content.id : "") ?? path;
        try {
          return this.files.read(place, limitBytes);
        } catch (error) {
          if (error instanceof SystemError) return undefined;
          throw error;
        }
      },
    };
  }

  private pass(path: string): void {
    const facts = factsAt(this.files, path);
    this.folders.push({ path, identity: facts?.kind === "directory" ? facts.identity : undefined });
  }

  private deleteAll(path: string, isGone: (path: string) => boolean): void {
    const facts = factsAt(this.files, path);
    if (facts === undefined) return;
    if (facts.kind === "directory") this.deleteBelow(path, isGone);
    this.delete(path, facts);
  }

  private deleteBelow(folder: string, isGone: (path: string) => boolean): void {
    if (factsAt(this.files, folder)?.kind !== "directory") return;
    for (const facts of this.files.listFacts(folder)) {
      const path = join(folder, facts.name);
      if (facts.kind === "directory") this.deleteBelow(path, isGone);
      if (isGone(path)) this.delete(path, facts);
    }
  }

  private delete(path: string, facts: ExactFacts): void {
    if (facts.kind === "directory") this.folders.push({ path, identity: facts.identity });
    const before = this.state(path, path, facts);
    this.changes.set(path, { path, what: "deleted", before, after: ABSENT });
    this.adopted.push({ path, target: ABSENT });
  }

  private compare(path: string, caught: string): void {
    const [was, is] = [factsAt(this.files, path), factsAt(this.files, caught)];
    if (is === undefined) return;
    // A folder takes the place of a file or the other way round: what was below goes.
    if (was?.kind === "directory" && is.kind !== "directory") this.deleteBelow(path, () => true);
    const isRead = was?.kind === "file" && is.kind === "file" && was.size === is.size;
    const before = was === undefined ? ABSENT : this.state(path, path, was, isRead);
    const after = this.state(path, caught, is, isRead);
    const change = compareStates(path, before, after);
    if (change === undefined) return;
    this.changes.set(path, change);
    const first = is.kind === "file" && is.links > 1 ? this.names.get(is.identity) : undefined;
    if (is.kind === "file" && is.links > 1 && first === undefined) this.names.set(is.identity, path);
    this.adopted.push({
      path,
      target: after,
      ...(is.kind === "file" ? { copyFrom: caught } : {}),
      ...(first === undefined ? {} : { linkTo: first }),
    });
  }

  /** Content that need not be read to be told apart has an id that no other has. */
  private state(path: string, place: string, facts: ExactFacts, isRead = false): PathState {
    return toState(this.files, place, facts, (): ContentSource => {
      const id = isRead ? this.files.digest(place) : `${place === path ? "before" : "after"}:${path}`;
      this.places.set(id, place);
      return { in: "digest", id };
    });
  }

  /** Of deleted and created files with one size and one name, or few of one size, a move may have been made. */
  private withDigests(changes: readonly PathChange[]): readonly PathChange[] {
    const sizeOf = ({ before, after, what }: PathChange) => {
      const state = what === "deleted" ? before : after;
      return state.kind === "file" && state.size > 0 ? state.size : undefined;
    };
    const sizes = (what: PathChange["what"]) =>
      new Set(changes.filter(change => change.what === what).map(sizeOf));
    const [deleted, created] = [sizes("deleted"), sizes("created")];
    const isCandidate = (change: PathChange) => {
      const size = sizeOf(change);
      if (size === undefined) return false;
      return change.what === "deleted" ? created.has(size) : change.what === "created" && deleted.has(size);
    };
    if (changes.filter(isCandidate).length > MAX_COMPARED) return changes;
    return changes.map(change => (isCandidate(change) ? this.digested(change) : change));
  }

  private digested(change: PathChange): PathChange {
    const side = change.what === "deleted" ? "before" : "after";
    const state = change[side];
    if (state.kind !== "file" || !("id" in state.content)) return change;
    const place = this.places.get(state.content.id) ?? change.path;
    const id = this.files.digest(place);
    this.places.set(id, place);
    return { ...change, [side]: { ...state, content: { in: "digest", id } } };
  }
}

export interface TryConflict {
  readonly path: string;
  readonly why: string;
}

/** What somebody else did to the same files since the command began. */
export function findConflicts(
  system: Pick<System, "env" | "files" | "text">,
  { startNs, replaced, indexes, folders }: TryRecord,
  { files: changes, folders: present }: TriedChanges,
): readonly TryConflict[] {
  const wasThere = new Set(replaced);
  const known = new Map(folders.map(({ path, identity }) => [path, identity]));
  // Files that are moved with the folder they lie in keep their times.
  const swapped = present.flatMap(({ path, identity }) => {
    const before = known.get(path);
    if (identity === before || (before === undefined && known.has(path))) return [];
    return [{ path, why: before === undefined ? "it was made since" : "another folder is in its place" }];
  });
  if (swapped.length > 0 && known.size > 0) return swapped;
  const made = new Set(folders.flatMap(({ path, identity }) => (identity === undefined ? path : [])));
  const isSameIndex = (path: string) =>
    indexes.some(
      index => index.path === path && listIndex(system, index.copy, path) === listIndex(system, path, path),
    );
  return changes.flatMap(({ path, what, after }): readonly TryConflict[] => {
    const facts = factsAt(system.files, path);
    if (facts === undefined) return wasThere.has(path) ? [{ path, why: "it was deleted since" }] : [];
    if (facts.kind === "directory") return [];
    if (made.has(dirname(path))) return [{ path, why: "it was made since" }];
    if (changedNs(facts) >= BigInt(startNs) && !isSameIndex(path))
      return [{ path, why: "it was changed since" }];
    const isOneOfMany =
      facts.kind === "file" && facts.links > 1 && what === "changed" && after.kind === "file";
    return isOneOfMany ? [{ path, why: `${basename(path)} has other names, which a try cannot change` }] : [];
  });
}

/** What a list of git says, without what it remembers of the disk. */
function listIndex(
  system: Pick<System, "env" | "files" | "text">,
  index: string,
  path: string,
): string | undefined {
  const directory = dirname(path);
  const git = findProgram(system, "git", { directory });
  if (git === undefined) return undefined;
  const env = { PATH: programPath(system, directory), GIT_DIR: directory, GIT_INDEX_FILE: index };
  const words = ["-c", "core.fsmonitor=false", "-c", "core.bare=false", "ls-files", "--stage", "-z"];
  const { status, stdout } = spawnSync(git, words, { cwd: "/", env, maxBuffer: MAX_LIST_BYTES });
  return status === 0 ? stdout.toString("latin1") : undefined;
}

const MAX_LIST_BYTES = 1024 * 1024 * 1024;

/** The last part of a stamp. */
export function changedNs({ stamp }: Pick<ExactFacts, "stamp">): bigint {
  return BigInt(stamp.slice(stamp.lastIndexOf(":") + 1));
}

/** What a folder that caught changes holds, and nothing else can read. `emptied`: nothing from below shows in it. */
interface LayerEntry {
  readonly kind: "deleted" | "emptied" | "directory" | "file" | "link" | "other";
  /** below the folder, without a slash in front */
  readonly path: string;
}

const KINDS: Readonly<Record<string, LayerEntry["kind"]>> = {
  W: "deleted",
  O: "emptied",
  D: "directory",
  F: "file",
  L: "link",
  X: "other",
};
const MAX_BYTES = 1024 * 1024 * 1024;

/** Folders come before what is in them. */
function readLayer(program: string, folder: string): readonly LayerEntry[] {
  const { stdout, stderr, status } = spawnSync(program, ["--layer", folder], { maxBuffer: MAX_BYTES });
  if (status !== 0)
    throw new Problem(`what the command changed cannot be read: ${String(stderr).trim()}`, {
      kind: "failed",
    });
  const entries: LayerEntry[] = [];
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(0, at);
    const kind = KINDS[String.fromCharCode(stdout[at] ?? 0)] ?? "other";
    entries.push({ kind, path: decodeName(stdout.subarray(at + 1, end)) });
    at = end + 1;
  }
  return entries;
}
