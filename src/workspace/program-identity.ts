import type { EnvironmentReader } from "../hosts/index.ts";
import { isSecretName, isShellWord } from "../programs/index.ts";
import { basename, dirname, isAbsolute, isInside, join } from "../system/index.ts";
import { redact } from "../text/index.ts";
import type { Workspace } from "./workspace.ts";

/** Files in which a person's shell finds functions and aliases, below the home. */
const SHELL_FILES = [
  ".bashrc",
  ".bash_aliases",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
];
/** `. ~/.aliases`, `source "$HOME/x"`: what else is read first, where it says so plainly. */
const SOURCED = /^[^#\n]*?(?:^|[\s;&|{])(?:\.|source)[ \t]+["']?((?:~|\$HOME|\$\{HOME\}|\/)[\w./+-]*)/gm;
const MAX_SOURCED = 16;
const MAX_BYTES = 256 * 1024;
const MAX_FOLDERS = 64;
/** A group is often a person's own; everybody is not. */
const WRITABLE_BY_OTHERS = 0o002;

/** A function that is exported, or a file that every shell runs first. */
export function isShadowedIn(env: EnvironmentReader, name: string): boolean {
  const first = [`BASH_FUNC_${name}%%`, "BASH_ENV", "ENV", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES"];
  return first.some(variable => (env.get(variable) ?? "") !== "");
}

/** A variable that is named like a secret, or holds what looks like one. */
export function isSecretVariable(env: EnvironmentReader, name: string): boolean {
  const value = env.get(name) ?? "";
  return isSecretName(name) || (!looksLikePaths(value) && redact(value) !== value);
}

/** Folders have long names that look like chance, and say nothing. */
function looksLikePaths(value: string): boolean {
  return value.split(":").every(part => part === "" || /^[/.~]/.test(part)) && !value.includes("://");
}

/** By content, because the same files are asked about for every program of a session. */
const read = new Map<string, ReadonlyMap<string, string>>();
const MAX_READ = 32;
const aliases = new WeakMap<Workspace["disk"], ReadonlyMap<string, string>>();

/**
 * Why it is not known that this name starts the program that it stands for; undefined when it is. A function, an alias,
 * a folder that others may write to or a file of the project may take its place.
 */
export function whyOtherProgram(workspace: Workspace, name: string, written: string): string | undefined {
  const known = getIdentities(workspace);
  const key = `${name}\n${written}`;
  if (!known.has(key)) known.set(key, findOther(workspace, name, written));
  return known.get(key);
}

/** What one judgement has found out: a command names the same programs again and again. */
const identities = new WeakMap<Workspace["disk"], Map<string, string | undefined>>();

function getIdentities({ disk }: Workspace): Map<string, string | undefined> {
  const known = identities.get(disk) ?? new Map<string, string | undefined>();
  identities.set(disk, known);
  return known;
}

function findOther(workspace: Workspace, name: string, written: string): string | undefined {
  const { given, disk, project, directory } = workspace;
  if (given.isShadowed?.(name) === true) return "a function of the environment has its name";
  const alias = readAliases(workspace).get(name);
  if (alias !== undefined && !isSameProgram(name, alias))
    return "an alias or a function of the person has its name";
  if (written === name && isShellWord(name)) return undefined;
  if (written.includes("/"))
    return whyNotTrusted(workspace, isAbsolute(written) ? written : join(directory, written));
  if (given.searchPath === undefined) return "where programs are looked for is not known";
  for (const folder of given.searchPath.split(":").slice(0, MAX_FOLDERS)) {
    if (!isAbsolute(folder)) return "a folder in PATH is relative";
    const path = join(folder, name);
    if (disk.kind(path) !== undefined) {
      const isOurs = project !== undefined && isInside(project, disk.resolve(folder, true));
      return isOurs ? "a file of the project has its name" : whyNotTrusted(workspace, path);
    }
    const mode = disk.mode(folder);
    if (mode !== undefined && (mode & WRITABLE_BY_OTHERS) !== 0)
      return "others may write to a folder in PATH";
  }
  return undefined;
}

function whyNotTrusted({ disk, project, temps }: Workspace, written: string): string | undefined {
  const path = disk.resolve(written, true);
  if (project !== undefined && isInside(project, path)) return "it is in the project";
  if (temps.some(temp => isInside(temp, path))) return "it is in a temporary folder";
  const modes = [disk.mode(path), disk.mode(dirname(path))];
  if (modes.some(mode => mode !== undefined && (mode & WRITABLE_BY_OTHERS) !== 0))
    return "others may write to it";
  return disk.kind(path) === undefined && basename(path) !== "" ? "it is not there" : undefined;
}

/** `ls='ls --color=auto'` is the same program with an option that shows. */
function isSameProgram(name: string, alias: string): boolean {
  const [program, ...rest] = alias.split(/\s+/);
  return (
    program === name &&
    rest.every(word => /^(?:--color(?:=\w+)?|-[hFGACvi]+|--group-directories-first)$/.test(word))
  );
}

/** Names that start-up files give to something, with the text of aliases; of functions the text is empty. */
function readAliases({ disk, home }: Workspace): ReadonlyMap<string, string> {
  const found = aliases.get(disk);
  if (found !== undefined) return found;
  const all = new Map<string, string>();
  const files = SHELL_FILES.map(file => join(home, file));
  for (const file of files) {
    const content = disk.text(file, MAX_BYTES);
    if (content === undefined || content === "") continue;
    for (const [, path = ""] of content.matchAll(SOURCED)) {
      const sourced = path.replace(/^(?:~|\$HOME|\$\{HOME\})/, home);
      if (files.length < SHELL_FILES.length + MAX_SOURCED && !files.includes(sourced)) files.push(sourced);
    }
    const known = read.get(content) ?? namesIn(content);
    if (read.size >= MAX_READ) read.clear();
    read.set(content, known);
    for (const [name, text] of known) all.set(name, text);
  }
  aliases.set(disk, all);
  return all;
}

function namesIn(content: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", quoted = "", double = ""] of content.matchAll(
    /^[^#\n]*?\balias\s+(?:-g\s+)?([\w.+-]+)=(?:'([^'\n]*)'|"([^"\n]*)"|\S*)/gm,
  ))
    found.set(name, quoted === "" ? double : quoted);
  for (const [, one = "", other = ""] of content.matchAll(
    /^[ \t]*(?:function\s+([\w.+-]+)|([\w.+-]+)\s*\(\s*\))/gm,
  ))
    found.set(one === "" ? other : one, "");
  return found;
}
