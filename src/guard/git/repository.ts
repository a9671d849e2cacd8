import { ancestors, isAbsolute, join } from "../../system/paths.ts";
import type { Disk } from "../paths/disk.ts";

/** A git repository as read from its files; git itself is never started. */
export interface Repository {
  /** the working tree; undefined for a bare repository */
  readonly top: string | undefined;
  /** holds HEAD; a linked worktree has its own */
  readonly gitDirectory: string;
  /** holds refs and configuration */
  readonly commonDirectory: string;
}

const SMALL_FILE = 4096;
const CONFIG_LIMIT = 64 * 1024;
const PACKED_REFS_LIMIT = 4 * 1024 * 1024;

/** The repository a command in this directory works on. */
export function findRepository(disk: Disk, directory: string): Repository | undefined {
  for (const path of ancestors(disk.resolve(directory, true))) {
    const entry = `${path}/.git`;
    const kind = disk.kind(entry);
    if (kind === "directory" || kind === "symlink") return openRepository(disk, entry, path);
    if (kind === "file") {
      const pointed = /^gitdir:\s*(.+?)\s*$/m.exec(disk.text(entry, SMALL_FILE) ?? "")?.[1];
      if (pointed !== undefined)
        return openRepository(disk, isAbsolute(pointed) ? pointed : join(path, pointed), path);
    }
    if (
      disk.kind(`${path}/HEAD`) === "file" &&
      disk.kind(`${path}/objects`) === "directory" &&
      disk.kind(`${path}/refs`) === "directory"
    ) {
      return openRepository(disk, path, undefined);
    }
  }
  return undefined;
}

export function openRepository(disk: Disk, gitDirectory: string, top: string | undefined): Repository {
  const common = disk.text(`${gitDirectory}/commondir`, SMALL_FILE)?.trim();
  const commonDirectory =
    common === undefined || common === ""
      ? gitDirectory
      : isAbsolute(common)
        ? common
        : join(gitDirectory, common);
  return { top, gitDirectory, commonDirectory };
}

/** The branch HEAD points to; undefined when detached or unreadable. */
export function currentBranch(disk: Disk, repository: Repository): string | undefined {
  const head = disk.text(`${repository.gitDirectory}/HEAD`, SMALL_FILE);
  return /^ref:\s*refs\/heads\/(\S+)\s*$/.exec(head ?? "")?.[1];
}

/** True and false only when it is certain. */
export function hasBranch(disk: Disk, repository: Repository, name: string): boolean {
  return hasRef(disk, repository, `refs/heads/${name}`);
}

export function hasRef(disk: Disk, repository: Repository, ref: string): boolean {
  if (disk.kind(`${repository.commonDirectory}/${ref}`) === "file") return true;
  const packed = disk.text(`${repository.commonDirectory}/packed-refs`, PACKED_REFS_LIMIT);
  return packed?.split("\n").some(line => line.endsWith(` ${ref}`)) === true;
}

/** Any name a checkout would take for a commit: branch, remote branch, tag. */
export function hasCommitName(disk: Disk, repository: Repository, name: string): boolean {
  if (["refs/heads/", "refs/tags/", "refs/remotes/"].some(prefix => hasRef(disk, repository, prefix + name)))
    return true;
  return (
    hasRef(disk, repository, `refs/remotes/origin/${name}`) ||
    /^[0-9a-f]{7,40}$/.test(name) ||
    /^HEAD([~^@]|$)/.test(name)
  );
}

/** An alias of the repository's or the user's configuration. */
export function findAlias(
  disk: Disk,
  repository: Repository | undefined,
  home: string,
  name: string,
): string | undefined {
  const files = [
    ...(repository === undefined ? [] : [`${repository.commonDirectory}/config`]),
    `${home}/.gitconfig`,
    `${home}/.config/git/config`,
  ];
  for (const file of files) {
    const content = disk.text(file, CONFIG_LIMIT);
    const found = content === undefined ? undefined : readConfigValue(content, "alias", name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The last value of `key` in `[section]`, quotes and escapes resolved. Keys have no case. */
export function readConfigValue(content: string, section: string, key: string): string | undefined {
  let isInside = false;
  let found: string | undefined;
  for (const line of content.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const header = /^\s*\[\s*([^\]\s"]+)(?:\s+"([^"]*)")?\s*\]/.exec(line);
    if (header !== null) isInside = header[2] === undefined && header[1]?.toLowerCase() === section;
    const rest = header === null ? line : line.slice(header[0].length);
    const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(rest);
    if (isInside && entry?.[1]?.toLowerCase() === key.toLowerCase()) found = unquote(entry[2] ?? "true");
  }
  return found;
}

function unquote(raw: string): string {
  let value = "";
  let isQuoted = false;
  for (let index = 0; index < raw.length; index += 1) {
    const character = raw[index] as string;
    if (character === "\\") {
      index += 1;
      const next = raw[index] ?? "";
      value += next === "n" ? "\n" : next === "t" ? "\t" : next;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === "#" || character === ";")) break;
    else value += character;
  }
  return value.trim();
}
