import { errorText } from "../../protocol/index.ts";
import { ancestors, isInside, join, type System } from "../../system/index.ts";
import { type IgnoreFile, isIgnored, parseIgnoreFile } from "../../workspace/index.ts";

type FilesAndText = Pick<System, "files" | "text">;

const NEVER_ENTERED = new Set([".git", "node_modules", ".hg", ".svn"]);
const IGNORE_FILE_BYTES = 256 * 1024;
const MAX_DEPTH = 64;

interface PlacedIgnoreFile {
  readonly depth: number;
  readonly file: IgnoreFile;
}

/**
 * All files below a directory, in the order of their names. What git ignores is left out, links are not followed;
 * `onSkipped` is told what could not be looked into.
 */
export function findFiles(
  system: FilesAndText,
  root: string,
  onSkipped: (path: string, why: string) => void,
): readonly string[] {
  const { files } = system;
  const top = ancestors(root).find(path => files.inspect(join(path, ".git")) !== undefined) ?? root;
  const partsOf = (path: string): readonly string[] =>
    path
      .slice(top.length)
      .split("/")
      .filter(part => part !== "");

  function ignoreFileIn(directory: string): readonly PlacedIgnoreFile[] {
    const path = join(directory, ".gitignore");
    if (files.inspect(path)?.kind !== "file") return [];
    const { text } = system.text.decode(files.readRange(path, 0, IGNORE_FILE_BYTES));
    return [{ depth: partsOf(directory).length, file: parseIgnoreFile(directory, text) }];
  }

  function walk(directory: string, inherited: readonly PlacedIgnoreFile[], depth: number): readonly string[] {
    if (depth > MAX_DEPTH) {
      onSkipped(directory, `more than ${MAX_DEPTH} folders deep`);
      return [];
    }
    let names: readonly string[];
    try {
      names = [...files.list(directory)].sort();
    } catch (error) {
      onSkipped(directory, errorText(error));
      return [];
    }
    const ignores = [...inherited, ...ignoreFileIn(directory)];
    return names.flatMap(name => {
      const path = join(directory, name);
      const kind = files.inspect(path)?.kind;
      const isLeftOut = NEVER_ENTERED.has(name) || isIgnored(ignores, partsOf(path));
      if (isLeftOut || (kind !== "file" && kind !== "directory")) return [];
      return kind === "file" ? [path] : walk(path, ignores, depth + 1);
    });
  }

  const above = ancestors(root).filter(path => path !== root && isInside(top, path));
  return walk(root, above.reverse().flatMap(ignoreFileIn), 0);
}
