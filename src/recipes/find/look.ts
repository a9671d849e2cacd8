import { createHash } from "node:crypto";
import { resolvePath } from "../../state/index.ts";
import { ancestors, type Files, hasErrorCode, isInside, join } from "../../system/index.ts";

export function isFile(files: Files, path: string): boolean {
  return kindOf(files, path) === "file";
}

export function isDirectory(files: Files, path: string): boolean {
  return kindOf(files, path) === "directory";
}

/** What cannot be inspected counts as absent. */
function kindOf(files: Files, path: string): string | undefined {
  try {
    return files.follow(path)?.kind;
  } catch {
    return undefined;
  }
}

/** What is in a directory; nothing when there is none. */
export function namesIn(files: Files, directory: string): readonly string[] {
  try {
    return files.list(directory);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

/** Links must not lead out of the directory. */
export function staysInside(files: Files, directory: string, file: string): boolean {
  return isInside(resolvePath(files, directory), resolvePath(files, file));
}

export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function findGitRoot(files: Files, directory: string): string | undefined {
  return ancestors(directory).find(base => files.inspect(join(base, ".git")) !== undefined);
}
