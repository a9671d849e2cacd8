import { hasEnded, removeIfThere } from "../state/index.ts";
import {
  ancestors,
  basename,
  dirname,
  type ExactFacts,
  type Files,
  type HeldDirectory,
  hasErrorCode,
  isInside,
  SystemError,
} from "../system/index.ts";
import type { FileState, PathState } from "./change.ts";
import { checkOutPlace, removeFolder } from "./content.ts";
import {
  findOpen,
  type OpenChange,
  type OpenFile,
  readOpen,
  replaceOpen,
  type Writing,
} from "./open-changes.ts";
import { factsAt } from "./path-state.ts";
import type { Store } from "./store.ts";

export function beginWriting(
  store: Store,
  paths: readonly string[],
  repositories: readonly string[],
): Writing {
  const { random, processes } = store.system;
  const mark = random.hex(MARK_LENGTH);
  const folders = repositories.map(repository => checkOutPlace(store, repository, mark));
  return { mark, writer: processes.self, paths: store.list(paths), folders };
}

const MARK_LENGTH = 12;
const NAME_LENGTH = 60;

/** Where the new content of a path is written before it takes its place. */
export function temporaryBeside(path: string, mark: string): string {
  return `${dirname(path)}/.${basename(path).slice(0, NAME_LENGTH)}.${mark}.tmp`;
}

/** Temporary files of undos that were killed. */
export function findLeftovers(store: Store): ReadonlySet<string> {
  return new Set(killedUndos(store).flatMap(({ open }) => listLeftovers(store, open)));
}

/** Of one change, whose writer has ended. */
export function removeChangeLeftovers(store: Store, open: OpenChange): void {
  for (const folder of open.writing?.folders ?? [])
    if (factsAt(store.system.files, folder)?.kind === "directory") removeFolder(store.system.files, folder);
  for (const path of listLeftovers(store, open)) removeIfThere(store.system.files, path);
}

export function removeLeftovers(store: Store): void {
  for (const { file, open } of killedUndos(store)) {
    try {
      removeChangeLeftovers(store, open);
    } catch (error) {
      // They are still written down: the next undo tries again.
      if (error instanceof SystemError) continue;
      throw error;
    }
    const { writing: _, ...rest } = open;
    replaceOpen(store, file, rest);
  }
}

function killedUndos(store: Store): readonly { readonly file: OpenFile; readonly open: OpenChange }[] {
  const { processes } = store.system;
  return findOpen(store, undefined).flatMap(file => {
    const open = readOpen(store, file);
    const isKilled = open?.writing !== undefined && hasEnded(processes, open.writing.writer);
    return isKilled ? [{ file, open }] : [];
  });
}

function listLeftovers(store: Store, { writing }: OpenChange): readonly string[] {
  if (writing === undefined) return [];
  const beside = (store.readList(writing.paths) ?? []).map(path => temporaryBeside(path, writing.mark));
  return [...beside, ...(writing.folders ?? [])].filter(
    path => factsAt(store.system.files, path) !== undefined,
  );
}

/** A path and what is to stand there. Content of files is in the store. */
export interface Restoration {
  readonly path: string;
  readonly target: PathState;
  /** the same content stands at this path, which is to go */
  readonly movedTo?: string | undefined;
  /** the content is right already */
  readonly isAttributesOnly?: boolean;
  /** it is written where it is, for all names of the file */
  readonly isInPlace?: boolean | undefined;
  /** it becomes another name of that file */
  readonly linkTo?: string | undefined;
  /** a file of our own with the content, or a folder with files of that kind alone, which is renamed */
  readonly source?: string | undefined;
  /** a file with the content, which stays; without it the content is in the store */
  readonly copyFrom?: string | undefined;
}

const DIRECTORY_MODE = 0o755;
/** Directories that are open at a time. */
const MAX_HELD = 100;

/**
 * Makes every path what it is to be. A file is written beside its place and renamed. Removals come first, innermost
 * first, so that a file can take the place of a directory. Throws at the first failure.
 */
export function performAll(
  store: Store,
  mark: string,
  restorations: readonly Restoration[],
  onProgress: (done: number) => void = () => {},
): void {
  const { files } = store.system;
  const writer = new Writer(files, mark);
  let done = 0;
  const each = (chosen: readonly Restoration[], action: (one: Restoration) => void) => {
    for (const one of chosen) {
      withName(one.path, () => action(one));
      onProgress(++done);
    }
  };
  const byDepth = [...restorations].sort((one, other) => one.path.length - other.path.length);
  const innermost = [...byDepth].reverse();
  const moves = byDepth.filter(({ movedTo }) => movedTo !== undefined);
  try {
    for (const { path, movedTo = "" } of moves) writer.moveBack(movedTo, path);
    each(
      innermost.filter(({ target }) => target.kind === "absent"),
      ({ path }) => writer.remove(path),
    );
    for (const { path, target } of innermost)
      if (target.kind !== "absent" && writer.stands(path, target) === false) writer.remove(path);
    for (const one of byDepth) writer.prepare(one);
    each(
      byDepth.filter(({ target }) => target.kind === "directory"),
      ({ path, source }) => writer.makeDirectory(path, source),
    );
    const written = byDepth.filter(one => isWritten(one) && one.movedTo === undefined);
    // What other names are linked to has to be there.
    const linksLast = [
      ...written.filter(({ linkTo }) => linkTo === undefined),
      ...written.filter(({ linkTo }) => linkTo !== undefined),
    ];
    each(linksLast, one => {
      if (one.isAttributesOnly === true) writer.setFileAttributes(one);
      else if (one.isInPlace === true) writer.overwrite(store, one);
      else writer.write(store, one);
    });
    for (const one of moves) writer.setFileAttributes(one);
    for (const { path, target } of innermost)
      if (target.kind === "directory") writer.setAttributes(path, target);
  } finally {
    writer.lockAgain(new Set(restorations.map(({ path }) => path)));
    writer.release();
  }
}

/** A failure names the path, not the handle by which it was reached. */
function withName(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof SystemError) || error.path?.startsWith("/proc/self/fd/") !== true) throw error;
    throw new SystemError(error.code, error.operation, path);
  }
}

function isWritten({ target: { kind }, isAttributesOnly }: Restoration): boolean {
  return kind === "file" || kind === "link" || (kind === "other" && isAttributesOnly === true);
}

/**
 * Writes paths, also in directories that do not permit it, as long as they are ours. Every name is looked up in the
 * directory that was reached from the root without following a link: recorded paths have no links in front.
 */
class Writer {
  private readonly files: Files;
  /** of temporary files */
  private readonly mark: string;
  /** modes of directories that were opened for writing */
  private readonly opened = new Map<string, number>();
  private readonly held = new Map<string, HeldDirectory>();
  /** directories that are not there: thousands of files may be missing in a few of them */
  private readonly absent = new Set<string>();
  /** that were renamed to their places with all of their files */
  private readonly taken = new Set<string>();

  constructor(files: Files, mark: string) {
    this.files = files;
    this.mark = mark;
  }

  /** Where the name is found in its directory. */
  private at(path: string): string {
    const parent = dirname(path);
    const name = basename(path);
    let held = this.held.get(parent);
    if (held === undefined) {
      if (this.held.size >= MAX_HELD) this.forget(this.held.keys().next().value ?? "");
      held = holdDirectory(this.files, parent);
      this.held.set(parent, held);
    }
    return `${held.path === "/" ? "" : held.path}/${name}`;
  }

  private facts(path: string): ExactFacts | undefined {
    const parent = dirname(path);
    if (this.absent.has(parent)) return undefined;
    try {
      return factsAt(this.files, this.at(path));
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT", "ENOTDIR")) throw error;
      this.absent.add(parent);
      return undefined;
    }
  }

  release(): void {
    for (const held of this.held.values()) held.release();
    this.held.clear();
  }

  /** False when something of another kind is there, which a rename would not replace. */
  stands(path: string, target: PathState): boolean | undefined {
    const kind = this.facts(path)?.kind;
    if (kind === undefined) return undefined;
    return (kind === "directory") === (target.kind === "directory");
  }

  moveBack(from: string, to: string): void {
    this.makeParents(to);
    this.absent.clear();
    this.inParent(to, () => this.inParent(from, () => this.files.rename(this.at(from), this.at(to))));
  }

  remove(path: string): void {
    const facts = this.facts(path);
    if (facts === undefined) return;
    if (facts.kind !== "directory") {
      this.inParent(path, () => this.files.remove(this.at(path)));
      return;
    }
    try {
      this.inParent(path, () => this.files.removeDirectory(this.at(path)));
      this.forget(path);
    } catch (error) {
      // Somebody uses it: it stays.
      if (!hasErrorCode(error, "ENOTEMPTY", "EEXIST")) throw error;
    }
  }

  /** A directory that is gone must not be found again by its former name. */
  private forget(path: string): void {
    for (const [held, directory] of this.held)
      if (held === path || isInside(path, held)) {
        directory.release();
        this.held.delete(held);
      }
  }

  makeParents(path: string): void {
    // A directory that is held is there.
    if (this.held.has(dirname(path))) return;
    const missing: string[] = [];
    for (const directory of ancestors(dirname(path))) {
      if (directory === "/" || this.facts(directory) !== undefined) break;
      missing.push(directory);
    }
    for (const directory of missing.reverse()) this.makeDirectory(directory);
  }

  /** One that is not there is not made where a folder of our own has all that comes from there. */
  makeDirectory(path: string, source?: string): void {
    if (this.facts(path)?.kind === "directory") return;
    this.makeParents(path);
    if (source === undefined || !this.takeFolder(source, path))
      this.inParent(path, () => this.files.makeDirectory(this.at(path), DIRECTORY_MODE));
    this.absent.delete(path);
  }

  private takeFolder(source: string, path: string): boolean {
    try {
      this.inParent(path, () => this.files.rename(source, this.at(path)));
    } catch (error) {
      if (!hasErrorCode(error, "EXDEV")) throw error;
      return false;
    }
    this.taken.add(path);
    this.absent.clear();
    return true;
  }

  /** It came with a folder above it. */
  private isTaken(path: string): boolean {
    const parent = dirname(path);
    if (this.taken.size === 0 || parent === path) return false;
    if (!this.taken.has(parent) && !this.isTaken(parent)) return false;
    this.taken.add(parent);
    return true;
  }

  /** A file that cannot be written is made so meanwhile. */
  overwrite(store: Store, one: Restoration): void {
    const { path, target } = one;
    if (target.kind !== "file" || target.content.in !== "store")
      throw new SystemError("ENODATA", "restore", path);
    const object = store.objectPath(target.content.id);
    const at = this.at(path);
    try {
      this.files.overwrite(object, at);
    } catch (error) {
      if (!hasErrorCode(error, "EACCES", "EPERM")) throw error;
      this.files.changeMode(at, target.mode | 0o600);
      this.files.overwrite(object, at);
    }
    this.setFileAttributes(one);
  }

  write(store: Store, { path, target, linkTo, source, copyFrom }: Restoration): void {
    const { files } = this;
    if (source !== undefined && this.isTaken(path)) return;
    this.makeParents(path);
    if (source !== undefined && target.kind === "file") {
      this.take(source, path, target);
      return;
    }
    this.inParent(path, () => {
      const temporary = this.at(temporaryBeside(path, this.mark));
      try {
        if (target.kind === "link") files.symlink(target.target, temporary);
        if (linkTo !== undefined) files.link(this.at(linkTo), temporary);
        else if (target.kind === "file") {
          if (target.content.in !== "store" && copyFrom === undefined)
            throw new SystemError("ENODATA", "restore", path);
          const kept = target.content.in === "store" ? store.objectPath(target.content.id) : "";
          files.copy(copyFrom ?? kept, temporary, target.mode);
        }
        if ((target.kind === "file" || target.kind === "link") && target.modifiedNs !== "0")
          files.setModified(temporary, target.modifiedNs);
        files.rename(temporary, this.at(path));
      } catch (error) {
        if (factsAt(files, temporary) !== undefined) files.remove(temporary);
        throw error;
      }
    });
  }

  /** Nothing comes to its place that is not as it shall be. */
  prepare({ source, target }: Restoration): void {
    if (source === undefined || target.kind !== "file") return;
    this.files.changeMode(source, target.mode);
    if (target.modifiedNs !== "0") this.files.setModified(source, target.modifiedNs);
  }

  /** Copies where the file lies on another disk. */
  private take(source: string, path: string, { mode, modifiedNs }: FileState): void {
    const { files } = this;
    try {
      this.inParent(path, () => files.rename(source, this.at(path)));
    } catch (error) {
      if (!hasErrorCode(error, "EXDEV")) throw error;
      this.inParent(path, () => {
        const temporary = this.at(temporaryBeside(path, this.mark));
        files.copy(source, temporary, mode);
        if (modifiedNs !== "0") files.setModified(temporary, modifiedNs);
        files.rename(temporary, this.at(path));
      });
    }
  }

  setFileAttributes({ path, target }: Restoration): void {
    if (target.kind === "absent" || target.kind === "directory") return;
    const at = this.at(path);
    const kind = factsAt(this.files, at)?.kind;
    if (kind !== (target.kind === "link" ? "symlink" : target.kind))
      throw new SystemError("EINVAL", "restore", path);
    if (target.kind !== "other" && target.modifiedNs !== "0") this.files.setModified(at, target.modifiedNs);
    if (target.kind !== "link" && target.mode !== undefined) this.files.changeMode(at, target.mode);
  }

  setAttributes(path: string, target: PathState): void {
    if (target.kind !== "directory") return;
    const facts = this.facts(path);
    if (facts?.kind !== "directory") return;
    if (target.modifiedNs !== "0" && target.modifiedNs !== facts.modifiedNs)
      this.inParent(path, () => this.files.setModified(this.at(path), target.modifiedNs));
    if (facts.mode !== target.mode) this.files.changeMode(this.at(path), target.mode);
    this.opened.delete(path);
  }

  /** Runs an action that changes names in the directory of `path`. */
  inParent(path: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!hasErrorCode(error, "EACCES", "EPERM")) throw error;
      const parent = dirname(path);
      const facts = this.facts(parent);
      if (facts?.kind !== "directory" || (facts.mode & 0o300) === 0o300) throw error;
      this.opened.set(parent, this.opened.get(parent) ?? facts.mode);
      this.files.changeMode(this.at(parent), facts.mode | 0o700);
      action();
    }
  }

  lockAgain(except: ReadonlySet<string>): void {
    for (const [path, mode] of this.opened) {
      if (!except.has(path) && this.facts(path)?.kind === "directory")
        this.files.changeMode(this.at(path), mode);
    }
  }
}

/** Where the platform has no handles for names, every directory on the way is looked at instead. */
function holdDirectory(files: Files, path: string): HeldDirectory {
  if (files.holdDirectory !== undefined) return files.holdDirectory(path);
  let identity = "";
  for (const directory of [...ancestors(path)].reverse()) {
    const facts = files.inspect(directory);
    if (facts === undefined) throw new SystemError("ENOENT", "open", directory);
    if (facts.kind !== "directory") throw new SystemError("ENOTDIR", "open", directory);
    identity = facts.identity;
  }
  return { path, identity, release() {} };
}
