import { ancestors, components, isAbsolute, join } from "../system/index.ts";
import type { Disk } from "./disk.ts";

/** A git repository as read from its files; git itself is never started. */
export interface Repository {
  /** the working tree; undefined for a bare repository */
  readonly top: string | undefined;
  /** holds HEAD; a linked worktree has its own */
  readonly gitDirectory: string;
  /** holds refs and configuration */
  readonly commonDirectory: string;
}

const MAX_SMALL_FILE = 4096;
const MAX_CONFIG = 64 * 1024;
const MAX_PACKED_REFS = 4 * 1024 * 1024;

/** The repository a command in this directory works on. */
export function findRepository(disk: Disk, directory: string): Repository | undefined {
  for (const path of ancestors(disk.resolve(directory, true))) {
    const entry = `${path}/.git`;
    const kind = disk.kind(disk.resolve(entry, true));
    // Git passes by a folder of this name that is no repository.
    if (kind === "directory" && disk.kind(`${entry}/HEAD`) !== undefined)
      return openRepository(disk, entry, path);
    const pointed =
      kind === "file"
        ? /^gitdir: (.+?)[\r\n]*$/s.exec(disk.text(entry, MAX_SMALL_FILE) ?? "")?.[1]
        : undefined;
    if (pointed !== undefined) return openRepository(disk, from(path, pointed), path);
    // Any folder with such names in it is one, whoever put them there.
    const has = (name: string) => disk.kind(`${path}/${name}`) !== undefined;
    if (has("HEAD") && (has("commondir") || (has("objects") && has("refs"))))
      return openRepository(disk, path, undefined);
  }
  return undefined;
}

/** Git would take it for a repository, and not look for another one above. */
export function isWholeRepository(disk: Disk, { gitDirectory, commonDirectory }: Repository): boolean {
  const head = disk.text(`${gitDirectory}/HEAD`, MAX_SMALL_FILE) ?? "";
  const isFolder = (name: string) =>
    disk.kind(disk.resolve(`${commonDirectory}/${name}`, true)) === "directory";
  return /^(?:ref:\s*refs\/|[\da-f]{40})/.test(head) && isFolder("objects") && isFolder("refs");
}

export function openRepository(disk: Disk, gitDirectory: string, top: string | undefined): Repository {
  const common = disk.text(`${gitDirectory}/commondir`, MAX_SMALL_FILE)?.replace(/[\r\n]+$/, "") ?? "";
  return { top, gitDirectory, commonDirectory: from(gitDirectory, common) };
}

function from(directory: string, path: string): string {
  return isAbsolute(path) ? path : join(directory, path);
}

/** The branch HEAD points to; undefined when detached or unreadable. */
export function currentBranch(disk: Disk, repository: Repository): string | undefined {
  const head = disk.text(`${repository.gitDirectory}/HEAD`, MAX_SMALL_FILE);
  return /^ref:\s*refs\/heads\/(\S+)\s*$/.exec(head ?? "")?.[1];
}

export function hasBranch(disk: Disk, repository: Repository, name: string): boolean {
  return hasRef(disk, repository, `refs/heads/${name}`);
}

function hasRef(disk: Disk, repository: Repository, ref: string): boolean {
  if (disk.kind(`${repository.commonDirectory}/${ref}`) === "file") return true;
  const packed = disk.text(`${repository.commonDirectory}/packed-refs`, MAX_PACKED_REFS);
  return packed?.split("\n").some(line => line.endsWith(` ${ref}`)) === true;
}

const REFS = ["refs/heads/", "refs/tags/", "refs/remotes/", "refs/remotes/origin/"];

/** Any name a checkout would take for a commit: branch, remote branch, tag. */
export function hasCommitName(disk: Disk, repository: Repository, name: string): boolean {
  return (
    /^[0-9a-f]{7,40}$|^HEAD([~^@]|$)/.test(name) ||
    REFS.some(prefix => hasRef(disk, repository, prefix + name))
  );
}

/** An alias of the repository's or the user's configuration. */
export function findAlias(
  disk: Disk,
  repository: Repository | undefined,
  home: string,
  name: string,
): string | undefined {
  const own = repository === undefined ? [] : [`${repository.commonDirectory}/config`];
  for (const file of [...own, `${home}/.gitconfig`, `${home}/.config/git/config`]) {
    const found = readConfigValue(disk.text(file, MAX_CONFIG) ?? "", { section: "alias", key: name });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Hooks that git runs here now, by name; undefined when another directory than its own is configured. */
export function activeHooks(disk: Disk, { commonDirectory }: Repository): readonly string[] | undefined {
  const content = disk.text(`${commonDirectory}/config`, MAX_CONFIG) ?? "";
  if (readConfigValue(content, { section: "core", key: "hooksPath" }) !== undefined) return undefined;
  return hooksIn(disk, `${commonDirectory}/hooks`);
}

/** The hooks in a directory, without the examples that git puts there. */
export function hooksIn(disk: Disk, directory: string): readonly string[] {
  if (disk.kind(directory) !== "directory") return [];
  return (disk.names(directory) ?? []).filter(name => HOOK_NAME.test(name));
}

const HOOK_NAME =
  /^(?:(?:pre|post|prepare|commit|applypatch)-[a-z-]+|update|reference-transaction|push-to-checkout)$/;

/** The addresses of its remotes. */
export function listRemotes(disk: Disk, { commonDirectory }: Repository): readonly string[] {
  const content = disk.text(`${commonDirectory}/config`, MAX_CONFIG) ?? "";
  return [...content.matchAll(/^[ \t]*(?:push)?url[ \t]*=[ \t]*(\S+)/gim)].map(match => match[1] ?? "");
}

/** The address that a remote of this name is fetched from. */
export function remoteUrl(disk: Disk, { commonDirectory }: Repository, name: string): string | undefined {
  const content = disk.text(`${commonDirectory}/config`, MAX_CONFIG) ?? "";
  return readConfigValue(content, { section: "remote", subsection: name, key: "url" });
}

interface ConfigName {
  readonly section: string;
  readonly subsection?: string;
  readonly key: string;
}

/** The last value of `key` in `[section]`, or in `[section "subsection"]`, quotes and escapes resolved. Keys have no case. */
function readConfigValue(content: string, { section, subsection, key }: ConfigName): string | undefined {
  let isInside = false;
  let found: string | undefined;
  for (const line of content.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const header = /^\s*\[\s*([^\]\s"]+)(?:\s+"([^"]*)")?\s*\]/.exec(line);
    if (header !== null) isInside = header[2] === subsection && header[1]?.toLowerCase() === section;
    const rest = header === null ? line : line.slice(header[0].length);
    const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*([\s\S]*))?$/.exec(rest);
    if (isInside && entry?.[1]?.toLowerCase() === key.toLowerCase())
      found = unquoteSetting(entry[2] ?? "true");
  }
  return found;
}

/** Without quotes, escapes and the comment behind it. */
export function unquoteSetting(raw: string): string {
  const [value = ""] = /^(?:[^"\\#;]|\\.?|"(?:[^"\\]|\\.?)*(?:"|$))*/.exec(raw) ?? [];
  return value
    .replace(/\\(.?)|"/g, (_, escaped: string | undefined) =>
      escaped === "n" ? "\n" : escaped === "t" ? "\t" : (escaped ?? ""),
    )
    .trim();
}

const MAX_INDEX_BYTES = 16 * 1024 * 1024;
const MAX_NAME = 4096;
const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner, size and the id of the content; the flags follow. */
const ENTRY_BYTES = 60;
const MODE_AT = 24;
const SIZE_AT = 36;
const ID_AT = 40;
const ID_BYTES = 20;
const MODIFIED_AT = 8;
const DIRECTORY_MODE = 0o040000;
const REPOSITORY_MODE = 0o160000;
const LINK_MODE = 0o120000;

/**
 * Does git track the file, or anything below the directory? Read from the index; undefined when that cannot be read,
 * is too large, or is only a part of the whole.
 */
export function tracksAnything(disk: Disk, repository: Repository, path: string): boolean | undefined {
  const wanted = disk.encode(components(path).join("/"));
  return visitIndex(disk, repository, (name, length, mode) => covers(name, length, wanted, mode));
}

/** The id of what git noted as the content of the file, in hexadecimal; undefined where it tracks none or as above. */
export function trackedId(disk: Disk, repository: Repository, path: string): string | undefined {
  const wanted = disk.encode(components(path).join("/"));
  let id: string | undefined;
  visitIndex(disk, repository, (name, length, mode, view, at) => {
    if (length !== wanted.length || !covers(name, length, wanted, mode)) return false;
    id = readId(view, at);
    return true;
  });
  return id;
}

function readId(view: DataView, at: number): string {
  const digits = Array.from({ length: ID_BYTES }, (_, index) =>
    view
      .getUint8(at + ID_AT + index)
      .toString(16)
      .padStart(2, "0"),
  );
  return digits.join("");
}

const knownTracked = new WeakMap<Disk, Map<string, ReadonlyMap<string, IndexedFile> | undefined>>();

/** The files that git tracks, by their paths below the top; undefined as above. */
export function trackedFiles(
  disk: Disk,
  repository: Repository,
): ReadonlyMap<string, IndexedFile> | undefined {
  const known = knownTracked.get(disk) ?? new Map<string, ReadonlyMap<string, IndexedFile> | undefined>();
  knownTracked.set(disk, known);
  if (known.has(repository.gitDirectory)) return known.get(repository.gitDirectory);
  const files = new Map<string, IndexedFile>();
  const isRead = visitIndex(disk, repository, (name, length, mode, view, at) => {
    files.set(disk.decode(name.subarray(0, length)), {
      size: view.getUint32(at + SIZE_AT),
      modifiedSeconds: view.getUint32(at + MODIFIED_AT),
      isLink: mode === LINK_MODE,
    });
    return false;
  });
  const found = isRead === undefined ? undefined : files;
  known.set(repository.gitDirectory, found);
  return found;
}

/** A tracked file at which git does not look: it was told so, or the file is not to be checked out. */
export interface HiddenFile {
  readonly path: string;
  /** as git writes it */
  readonly mode: string;
  readonly id: string;
  readonly size: number;
  readonly modifiedNs: string;
  /** is not to be checked out */
  readonly isSkipped: boolean;
}

/** Undefined when the index cannot be read. */
export function hiddenFiles(disk: Disk, repository: Repository): readonly HiddenFile[] | undefined {
  const found: HiddenFile[] = [];
  const isRead = visitIndex(disk, repository, (name, length, mode, view, at) => {
    const flags = view.getUint16(at + ENTRY_BYTES);
    const more = (flags & IS_EXTENDED) === 0 ? 0 : view.getUint16(at + ENTRY_BYTES + 2);
    const isSkipped = (more & IS_SKIPPED) !== 0;
    if (((flags & IS_UNWATCHED) === 0 && !isSkipped) || mode === REPOSITORY_MODE || mode === DIRECTORY_MODE)
      return false;
    found.push({
      path: disk.decode(name.subarray(0, length)),
      mode: mode.toString(8).padStart(6, "0"),
      id: readId(view, at),
      size: view.getUint32(at + SIZE_AT),
      modifiedNs: `${view.getUint32(at + MODIFIED_AT)}${String(view.getUint32(at + MODIFIED_AT + 4)).padStart(9, "0")}`,
      isSkipped,
    });
    return false;
  });
  return isRead === undefined ? undefined : found;
}

const IS_UNWATCHED = 0x8000;
const IS_EXTENDED = 0x4000;
const IS_SKIPPED = 0x4000;

/** Folders of other repositories that git tracks here; undefined when the index is there and cannot be read. */
export function listSubmodules(disk: Disk, repository: Repository): readonly string[] | undefined {
  const { gitDirectory, top } = repository;
  if (top === undefined || disk.isAbsent(`${gitDirectory}/index`)) return [];
  const index = disk.bytes(`${gitDirectory}/index`, MAX_INDEX_BYTES);
  // Whoever has none has no such mode anywhere in it, which is seen without reading its entries.
  if (index !== undefined && isWhole(disk, gitDirectory) && !holdsMode(index)) return [];
  const found: string[] = [];
  const isRead = visitIndex(disk, repository, (name, length, mode) => {
    if (mode === REPOSITORY_MODE) found.push(`${top}/${disk.decode(name.subarray(0, length))}`);
    return false;
  });
  return isRead === undefined ? undefined : found;
}

function holdsMode(index: Uint8Array): boolean {
  for (let at = index.indexOf(0xe0); at >= 0; at = index.indexOf(0xe0, at + 1))
    if (index[at + 1] === 0 && index[at - 1] === 0 && index[at - 2] === 0) return true;
  return false;
}

/** A file as it was when git last looked at it. */
export interface IndexedFile {
  /** zero where git did not note it */
  readonly size: number;
  readonly modifiedSeconds: number;
  /** what is tracked there is a symbolic link */
  readonly isLink: boolean;
}

type Visit = (name: Uint8Array, length: number, mode: number, view: DataView, at: number) => boolean;

/** Whether the visitor said yes to an entry; undefined when the index cannot be read. */
function visitIndex(disk: Disk, { gitDirectory }: Repository, visit: Visit): boolean | undefined {
  const index = disk.bytes(`${gitDirectory}/index`, MAX_INDEX_BYTES);
  if (index === undefined || index.length < HEADER_BYTES) return undefined;
  if (!isWhole(disk, gitDirectory)) return undefined;
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) return undefined;
  try {
    return visitEntries({ view, version, count: view.getUint32(8) }, visit);
  } catch {
    // An entry reaches behind the end: another length of ids, or damage.
    return undefined;
  }
}

function isWhole(disk: Disk, gitDirectory: string): boolean {
  return disk.names(gitDirectory)?.some(name => name.startsWith("sharedindex.")) === false;
}

/** `DIRC` */
const SIGNATURE = 0x44495243;

interface Index {
  readonly view: DataView;
  readonly version: number;
  readonly count: number;
}

function visitEntries({ view, version, count }: Index, visit: Visit): boolean {
  const name = new Uint8Array(MAX_NAME);
  let length = 0;
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry += 1) {
    const mode = view.getUint32(at + MODE_AT);
    const flags = view.getUint16(at + ENTRY_BYTES);
    let next = at + ENTRY_BYTES + 2 + ((flags & 0x4000) === 0 ? 0 : 2);
    if (version === 4) {
      let byte = view.getUint8(next++);
      let dropped = byte & 127;
      while ((byte & 128) !== 0) {
        byte = view.getUint8(next++);
        dropped = ((dropped + 1) << 7) + (byte & 127);
      }
      length -= dropped;
    } else length = 0;
    for (let byte = view.getUint8(next++); byte !== 0; byte = view.getUint8(next++)) name[length++] = byte;
    if (visit(name, length, mode, view, at)) return true;
    at = version === 4 ? next : at + ((next - 1 - at + 8) & ~7);
  }
  return false;
}

const SLASH = 47;

/** The entry is the path, lies below it, or is a directory around it that is not checked out. */
function covers(name: Uint8Array, length: number, wanted: Uint8Array, mode: number): boolean {
  const shared = Math.min(length, wanted.length);
  for (let at = 0; at < shared; at += 1) if (name[at] !== wanted[at]) return false;
  if (length >= wanted.length) return length === wanted.length || name[wanted.length] === SLASH;
  return mode === DIRECTORY_MODE && name[length - 1] === SLASH;
}
