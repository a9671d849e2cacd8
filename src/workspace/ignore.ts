import { globMatches } from "../system/index.ts";
import type { Workspace } from "./workspace.ts";

/** One line of a `.gitignore`, ready to be compared. */
interface IgnorePattern {
  readonly isNegated: boolean;
  /** has a slash in front or in the middle: compared with the whole path below the file's directory */
  readonly isAnchored: boolean;
  readonly components: readonly string[];
}

export interface IgnoreFile {
  /** absolute directory the patterns belong to */
  readonly directory: string;
  readonly patterns: readonly IgnorePattern[];
}

const PATTERN_LIMIT = 2000;

export function parseIgnoreFile(directory: string, text: string): IgnoreFile {
  const patterns: IgnorePattern[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (patterns.length >= PATTERN_LIMIT) break;
    const pattern = parseLine(line);
    if (pattern !== undefined) patterns.push(pattern);
  }
  return { directory, patterns };
}

function parseLine(line: string): IgnorePattern | undefined {
  let body = line.replace(/(?<![ \t])[ \t]+$/, (blanks, at: number) =>
    line[at - 1] === "\\" ? blanks.charAt(0) : "",
  );
  if (body === "" || body.startsWith("#")) return undefined;
  const isNegated = body.startsWith("!");
  if (isNegated) body = body.slice(1);
  if (body.startsWith("\\#") || body.startsWith("\\!")) body = body.slice(1);
  body = body.replace(/(?<!\/)\/+$/, "");
  const isAnchored = body.includes("/");
  const components = body.split("/").filter(part => part !== "");
  return components.length === 0 ? undefined : { isNegated, isAnchored, components };
}

/**
 * Would git ignore this directory or file? `parts` is the path below the repository; a parent that is ignored
 * decides, as in git. `files` are ordered from the repository down; `depth` is how many parts each stands below it.
 */
export function isIgnored(
  files: readonly { readonly depth: number; readonly file: IgnoreFile }[],
  parts: readonly string[],
): boolean {
  for (let length = 1; length <= parts.length; length += 1) {
    let isMatched = false;
    for (const { depth, file } of files) {
      if (depth >= length) continue;
      const below = parts.slice(depth, length);
      for (const pattern of file.patterns) {
        if (pattern.isNegated !== isMatched) continue;
        if (patternMatches(pattern, below)) isMatched = !pattern.isNegated;
      }
    }
    if (isMatched) return true;
  }
  return false;
}

/** Also used for path patterns of the configuration: `infra/prod/**`, `*.snap.new`, `generated/`. */
export function matchesAnyPattern(file: IgnoreFile, parts: readonly string[]): boolean {
  return isIgnored([{ depth: 0, file }], parts);
}

function patternMatches(pattern: IgnorePattern, parts: readonly string[]): boolean {
  if (pattern.isAnchored) return componentsMatch(pattern.components, parts);
  const [only] = pattern.components;
  const name = parts.at(-1);
  return only !== undefined && name !== undefined && nameMatches(only, name);
}

function componentsMatch(pattern: readonly string[], parts: readonly string[]): boolean {
  let reachable = new Set([0]);
  for (const [index, component] of pattern.entries()) {
    const next = new Set<number>();
    for (const position of reachable) {
      if (component === "**") {
        // At the end it means everything below, not the directory itself.
        const from = index === pattern.length - 1 ? position + 1 : position;
        for (let end = from; end <= parts.length; end += 1) next.add(end);
      } else {
        const name = parts[position];
        if (name !== undefined && nameMatches(component, name)) next.add(position + 1);
      }
    }
    reachable = next;
  }
  return reachable.has(parts.length);
}

function nameMatches(pattern: string, name: string): boolean {
  return /[*?[\\]/.test(pattern) ? globMatches(pattern, name) : pattern === name;
}

const IGNORE_LIMIT = 64 * 1024;
const MAX_IGNORE_DEPTH = 32;

const ignoreFiles = new WeakMap<object, Map<string, IgnoreFile | undefined>>();

/** By the rules that are there; `parts` is the path below the repository. */
export function isIgnoredNow(
  workspace: Pick<Workspace, "disk">,
  top: string,
  parts: readonly string[],
): boolean {
  return isIgnoredBy(workspace, top, parts, { read: path => present(workspace, path), when: "now" });
}

/** By the rules that are there once these files of rules have such contents, or none. */
export function isIgnoredWith(
  changed: ReadonlyMap<string, string | undefined>,
  workspace: Pick<Workspace, "disk">,
  top: string,
  parts: readonly string[],
): boolean {
  const read = (path: string) => (changed.has(path) ? changed.get(path) : present(workspace, path));
  return isIgnoredBy(workspace, top, parts, { read, when: `after ${[...changed].join("\n")}` });
}

/** By the rules that are there, and by those that were there before this session. */
export function isIgnoredByGit(
  workspace: Pick<Workspace, "disk"> & { readonly given: Pick<Workspace["given"], "written"> },
  top: string,
  parts: readonly string[],
): boolean {
  if (!isIgnoredNow(workspace, top, parts)) return false;
  const written = workspace.given.written?.();
  if (written === undefined) return true;
  const read = (path: string) =>
    written.hasWritten(path) ? written.textBefore(path) : present(workspace, path);
  return isIgnoredBy(workspace, top, parts, { read, when: "before" });
}

function present({ disk }: Pick<Workspace, "disk">, path: string): string | undefined {
  return disk.text(path, IGNORE_LIMIT);
}

interface RuleReader {
  readonly read: (path: string) => string | undefined;
  readonly when: string;
}

function isIgnoredBy(
  workspace: Pick<Workspace, "disk">,
  top: string,
  parts: readonly string[],
  { read, when }: RuleReader,
): boolean {
  const known = ignoreFiles.get(workspace) ?? new Map<string, IgnoreFile | undefined>();
  ignoreFiles.set(workspace, known);
  const files: { depth: number; file: IgnoreFile }[] = [];
  const add = (directory: string, name: string, depth: number) => {
    const path = `${directory}/${name}`;
    const key = `${when} ${path}`;
    if (!known.has(key)) {
      const text = read(path);
      known.set(key, text === undefined ? undefined : parseIgnoreFile(directory, text));
    }
    const file = known.get(key);
    if (file !== undefined) files.push({ depth, file });
  };
  add(top, ".git/info/exclude", 0);
  for (let depth = 0; depth < Math.min(parts.length, MAX_IGNORE_DEPTH); depth += 1)
    add([top, ...parts.slice(0, depth)].join("/"), ".gitignore", depth);
  return isIgnored(files, parts);
}
