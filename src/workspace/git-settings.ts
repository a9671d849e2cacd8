import { ancestors, dirname, expandHome, isAbsolute, join } from "../system/index.ts";
import type { Disk } from "./disk.ts";
import { type Repository, unquoteSetting } from "./repository.ts";

const MAX_CONFIG = 256 * 1024;
const MAX_FILES = 24;
const MAX_FOLDERS = 2_000;

/** One setting of git, as `section.subsection.key`; section and key in lower case. */
export interface GitSetting {
  readonly name: string;
  readonly value: string;
  /** where it stands */
  readonly file: string;
}

/**
 * Everything that the system's, the user's and the repository's configuration say, with what they include; conditions of
 * includes count as met. Undefined when a file is too large, holds what is not understood, or too many are included. Git
 * is never started.
 */
export function gitSettings(
  disk: Disk,
  repository: Pick<Repository, "commonDirectory" | "gitDirectory"> | undefined,
  home: string,
): readonly GitSetting[] | undefined {
  const waiting = [
    "/etc/gitconfig",
    join(home, ".config/git/config"),
    join(home, ".gitconfig"),
    ...(repository === undefined
      ? []
      : [`${repository.commonDirectory}/config`, `${repository.gitDirectory}/config.worktree`]),
  ];
  const settings: GitSetting[] = [];
  for (let count = 0; waiting.length > 0; count += 1) {
    const file = waiting.shift() ?? "";
    const found = settingsOfFile(disk, file);
    if (found === undefined && disk.kind(file) === "file") return undefined;
    if (found === undefined) continue;
    if (count > MAX_FILES) return undefined;
    settings.push(...found);
    for (const setting of found) {
      const path = includedBy(setting, home);
      if (path !== undefined) waiting.push(path);
    }
  }
  return settings;
}

/** What one file says itself; undefined where it cannot be read whole. */
export function settingsOfFile(disk: Disk, file: string): readonly GitSetting[] | undefined {
  const content = disk.text(file, MAX_CONFIG);
  return content === undefined ? undefined : settingsIn(content)?.map(setting => ({ ...setting, file }));
}

/** The file that a setting includes. */
export function includedBy({ name, value, file }: GitSetting, home: string): string | undefined {
  if (!/^include(?:if\..*)?\.path$/s.test(name)) return undefined;
  const path = expandHome(value, home);
  return isAbsolute(path) ? path : join(dirname(file), path);
}

function settingsIn(content: string): readonly Omit<GitSetting, "file">[] | undefined {
  const settings: Omit<GitSetting, "file">[] = [];
  let section = "";
  for (const line of content
    .replace(/^\ufeff/, "")
    .replace(/\\\r?\n/g, "")
    .split(/\r?\n/)) {
    let rest = line;
    for (let header = HEADER.exec(rest); header !== null; header = HEADER.exec(rest)) {
      const subsection = header[2] === undefined ? "" : `.${header[2].replace(/\\(.)/g, "$1")}`;
      section = `${header[1]?.toLowerCase()}${subsection}`;
      rest = rest.slice(header[0].length);
    }
    if (/^\s*(?:[#;]|$)/.test(rest)) continue;
    const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*([\s\S]*)|[#;].*)?$/.exec(rest);
    if (entry === null) return undefined;
    settings.push({
      name: `${section}.${entry[1]?.toLowerCase()}`,
      value: unquoteSetting(entry[2] ?? "true"),
    });
  }
  return settings;
}

const HEADER = /^\s*\[\s*([^\]\s"]+)(?:\s+"((?:\\.|[^"\\])*)")?\s*\]/;

const MAX_ATTRIBUTES = 256 * 1024;

/**
 * Whether attributes of the repository name one of these: `filter=`, `diff=`, `merge=`. What is not read may. Git reads
 * those beside each file, tracked or not: `folders` are those whose files a run takes anew.
 */
export function usesAttribute(
  disk: Disk,
  repository: Repository,
  settings: readonly GitSetting[],
  home: string,
  attribute: string,
  tracked: ReadonlyMap<string, unknown> | undefined,
  folders: readonly string[],
): boolean {
  const { top, commonDirectory } = repository;
  const named = settings.filter(({ name }) => name === "core.attributesfile").map(({ value }) => value);
  const files = [
    "/etc/gitattributes",
    join(home, ".config/git/attributes"),
    ...named.map(path => expandHome(path, home)),
    `${commonDirectory}/info/attributes`,
    ...(top === undefined ? [] : [join(top, ".gitattributes")]),
  ];
  if (tracked === undefined || top === undefined) return true;
  const places = new Set([...tracked.keys()].flatMap(path => ancestors(`/${path}`).slice(1)));
  const below = folders.map(folder => foldersBelow(disk, folder));
  if (places.size > MAX_FOLDERS || below.includes(undefined)) return true;
  for (const place of places) files.push(join(top, place, ".gitattributes"));
  for (const folder of below.flatMap(found => found ?? [])) files.push(join(folder, ".gitattributes"));
  return files.some(file => {
    const content = disk.text(file, MAX_ATTRIBUTES);
    return content === undefined ? disk.kind(file) !== undefined : content.includes(`${attribute}=`);
  });
}

/** The folder and those below it; undefined where there are too many. */
function foldersBelow(disk: Disk, folder: string): readonly string[] | undefined {
  const found = disk.kind(folder) === "directory" ? [folder] : [];
  for (let at = 0; at < found.length; at += 1) {
    const names = disk.names(found[at] ?? "", MAX_FOLDERS);
    if (names === undefined || found.length > MAX_FOLDERS) return undefined;
    for (const name of names) {
      const path = join(found[at] ?? "", name);
      if (name !== ".git" && disk.kind(path) === "directory") found.push(path);
    }
  }
  return found;
}

/** The hooks that git would run from its folder, by name. Undefined when the folder cannot be listed. */
export function listGitHooks(
  disk: Disk,
  repository: Repository,
  settings: readonly GitSetting[],
  home: string,
): readonly string[] | undefined {
  const set = settings.filter(({ name }) => name === "core.hookspath").at(-1)?.value;
  const path = set === undefined ? undefined : expandHome(set, home);
  const folder =
    path === undefined
      ? `${repository.commonDirectory}/hooks`
      : isAbsolute(path)
        ? path
        : join(repository.top ?? repository.gitDirectory, path);
  if (disk.isAbsent(folder)) return [];
  return disk.names(folder)?.filter(name => !name.endsWith(".sample"));
}
