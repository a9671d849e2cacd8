import { ancestors, basename, dirname, expandHome, isAbsolute, join } from "../system/index.ts";
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
  /** it comes with an include that has a condition, of which it is not known whether it is met */
  readonly isPossible?: boolean;
}

/** Git's own installations keep a configuration beside them. */
const INSTALLED = ["/etc", "/usr/local/etc", "/opt/homebrew/etc"];
/** A path that git looks up in another way: another home, its own folder, one that need not be there. */
const OTHER_PATH = /^(?:~[^/]|%\(|:\()/;

/**
 * Everything that the system's, the user's and the repository's configuration say, in the order in which git reads it,
 * with what they include. Undefined when a file is too large, holds what is not understood, or too many are included.
 * Git is never started.
 */
export function gitSettings(
  disk: Disk,
  repository: Pick<Repository, "commonDirectory" | "gitDirectory"> | undefined,
  home: string,
): readonly GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  let count = 0;
  const isRead = (file: string, isPossible: boolean): boolean => {
    const found = settingsOfFile(disk, file);
    if (found === undefined) return !mayBeRead(disk, file);
    count += 1;
    return (
      count <= MAX_FILES &&
      found.every(setting => {
        settings.push(isPossible ? { ...setting, isPossible } : setting);
        const path = includedBy(setting, home);
        if (path === undefined) return true;
        return (
          !OTHER_PATH.test(setting.value) && isRead(path, isPossible || /^includeif\./.test(setting.name))
        );
      })
    );
  };
  const files = [
    ...INSTALLED.map(folder => join(folder, "gitconfig")),
    join(home, ".config/git/config"),
    join(home, ".gitconfig"),
    ...(repository === undefined
      ? []
      : [`${repository.commonDirectory}/config`, `${repository.gitDirectory}/config.worktree`]),
  ];
  return files.every(file => isRead(file, false)) ? settings : undefined;
}

function mayBeRead(disk: Disk, file: string): boolean {
  const path = disk.resolve(file, true);
  const kind = disk.kind(path);
  return kind === "file" || (kind === "other" && path !== "/dev/null");
}

/** What a setting may be: the last that counts, or one of an include behind it. Undefined stands for not set. */
export function valuesOfSetting(
  settings: readonly GitSetting[],
  name: string,
): readonly (string | undefined)[] {
  const all = settings.filter(setting => setting.name === name);
  const last = all.map(({ isPossible }) => isPossible).lastIndexOf(undefined);
  return [...(last < 0 ? [undefined] : []), ...all.slice(Math.max(last, 0)).map(({ value }) => value)];
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
  for (const line of splitLines(content.replace(/^\ufeff/, "").replaceAll("\r\n", "\n"))) {
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

/** A backslash before its end lets a line go on, but not in a comment. */
function splitLines(content: string): readonly string[] {
  const lines: string[] = [];
  let [line, isQuoted, isComment] = ["", false, false];
  for (let at = 0; at < content.length; at += 1) {
    const letter = content[at] ?? "";
    if (letter === "\n") {
      lines.push(line);
      [line, isQuoted, isComment] = ["", false, false];
    } else if (letter === "\\" && !isComment) {
      at += 1;
      if (content[at] !== "\n") line += letter + (content[at] ?? "");
    } else {
      if (letter === '"' && !isComment) isQuoted = !isQuoted;
      isComment ||= !isQuoted && (letter === "#" || letter === ";");
      line += letter;
    }
  }
  return [...lines, line];
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
  const isOfTree = settings.some(({ name }) => name === "attr.tree");
  const files = [
    ...INSTALLED.map(folder => join(folder, "gitattributes")),
    join(home, ".config/git/attributes"),
    ...named.map(path => expandHome(path, home)),
    `${commonDirectory}/info/attributes`,
    ...(top === undefined ? [] : [join(top, ".gitattributes")]),
  ];
  if (tracked === undefined || top === undefined || isOfTree || named.some(path => OTHER_PATH.test(path)))
    return true;
  // Those that git tracks count also where they are not in the work tree.
  const isGone = (name: string) => basename(name) === ".gitattributes" && disk.isAbsent(join(top, name));
  if ([...tracked.keys()].some(isGone)) return true;
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
  const names = valuesOfSetting(settings, "core.hookspath").map(set => {
    if (set !== undefined && OTHER_PATH.test(set)) return undefined;
    const path = set === undefined ? `${repository.commonDirectory}/hooks` : expandHome(set, home);
    const folder = isAbsolute(path) ? path : join(repository.top ?? repository.gitDirectory, path);
    return disk.isAbsent(folder) ? [] : disk.names(folder);
  });
  return names.every(list => list !== undefined)
    ? [...new Set(names.flat())].filter(name => !name.endsWith(".sample"))
    : undefined;
}
