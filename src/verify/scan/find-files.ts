import { type IgnoreFile, isIgnored, parseIgnoreFile } from "../../guard/paths/ignore.ts";
import { errorText } from "../../protocol/error-text.ts";
import { ancestors, join } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";

type FilesAndText = Pick<System, "files" | "text">;

const NEVER_ENTERED = new Set([".git", "node_modules", ".hg", ".svn"]);
const IGNORE_FILE_BYTES = 256 * 1024;
const MAX_DEPTH = 64;

/** Called for what could not be looked into. */
type OnSkipped = (path: string, why: string) => void;

/**
 * All files below a directory, in the order of their names. What git ignores is left out, links are not followed.
 */
export function findFiles(system: FilesAndText, root: string, onSkipped: OnSkipped): readonly string[] {
  const repository = ancestors(root).find(path => system.files.inspect(join(path, ".git")) !== undefined);
  const top = repository ?? root;
  const above = ancestors(root)
    .filter(path => path === top || path.startsWith(`${top === "/" ? "" : top}/`))
    .reverse()
    .slice(0, -1);
  const ignores = above.flatMap(path => ignoreFileIn(system, path, depthBelow(top, path)));
  return walk(system, root, top, ignores, 0, onSkipped);
}

interface PlacedIgnoreFile {
  readonly depth: number;
  readonly file: IgnoreFile;
}

function walk(
  system: FilesAndText,
  directory: string,
  top: string,
  inherited: readonly PlacedIgnoreFile[],
  depth: number,
  onSkipped: OnSkipped,
): readonly string[] {
  if (depth > MAX_DEPTH) {
    onSkipped(directory, `more than ${MAX_DEPTH} folders deep`);
    return [];
  }
  let names: readonly string[];
  try {
    names = [...system.files.list(directory)].sort();
  } catch (error) {
    onSkipped(directory, errorText(error));
    return [];
  }
  const ignores = [...inherited, ...ignoreFileIn(system, directory, depthBelow(top, directory))];
  return names.flatMap(name => {
    const path = join(directory, name);
    const kind = system.files.inspect(path)?.kind;
    const isLeftOut = NEVER_ENTERED.has(name) || isIgnored(ignores, partsBelow(top, path));
    if (isLeftOut || (kind !== "file" && kind !== "directory")) return [];
    return kind === "file" ? [path] : walk(system, path, top, ignores, depth + 1, onSkipped);
  });
}

function ignoreFileIn(system: FilesAndText, directory: string, depth: number): readonly PlacedIgnoreFile[] {
  const path = join(directory, ".gitignore");
  if (system.files.inspect(path)?.kind !== "file") return [];
  const { text } = system.text.decode(system.files.readRange(path, 0, IGNORE_FILE_BYTES));
  return [{ depth, file: parseIgnoreFile(directory, text) }];
}

function partsBelow(top: string, path: string): readonly string[] {
  return path
    .slice(top.length)
    .split("/")
    .filter(part => part !== "");
}

function depthBelow(top: string, path: string): number {
  return partsBelow(top, path).length;
}
