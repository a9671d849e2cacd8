import { type IgnoreFile, isIgnored, parseIgnoreFile } from "./ignore.ts";
import type { Workspace } from "./workspace.ts";

const IGNORE_LIMIT = 64 * 1024;
const MAX_IGNORE_DEPTH = 32;

const ignoreFiles = new WeakMap<Workspace, Map<string, IgnoreFile | undefined>>();

/** By the rules that are there; `parts` is the path below the repository. */
export function isIgnoredNow(workspace: Workspace, top: string, parts: readonly string[]): boolean {
  return isIgnoredBy(workspace, top, parts, { read: path => present(workspace, path), when: "now" });
}

/** By the rules that are there, and by those that were there before this session. */
export function isIgnoredByGit(workspace: Workspace, top: string, parts: readonly string[]): boolean {
  if (!isIgnoredNow(workspace, top, parts)) return false;
  const written = workspace.given.written?.();
  if (written === undefined) return true;
  const read = (path: string) =>
    written.hasWritten(path) ? written.textBefore(path) : present(workspace, path);
  return isIgnoredBy(workspace, top, parts, { read, when: "before" });
}

function present({ disk }: Workspace, path: string): string | undefined {
  return disk.text(path, IGNORE_LIMIT);
}

interface RuleReader {
  readonly read: (path: string) => string | undefined;
  readonly when: string;
}

function isIgnoredBy(
  workspace: Workspace,
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
