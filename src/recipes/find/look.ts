import { ancestors, join } from "../../system/paths.ts";
import type { Files } from "../../system/system.ts";

export function isFile(files: Files, path: string): boolean {
  return kindOf(files, path) === "file";
}

export function isDirectory(files: Files, path: string): boolean {
  return kindOf(files, path) === "directory";
}

/** What cannot be looked at is not there for us. */
function kindOf(files: Files, path: string): string | undefined {
  try {
    return files.follow(path)?.kind;
  } catch {
    return undefined;
  }
}

export function findGitRoot(files: Files, directory: string): string | undefined {
  return ancestors(directory).find(base => files.inspect(join(base, ".git")) !== undefined);
}
