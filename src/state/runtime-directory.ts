import { hasErrorCode, isInside, join, type System } from "../system/index.ts";
import { resolvePath } from "./path-containment.ts";

/** A path below the run-time state of a project, `<root>/.claude/runtime`. */
export function runtimePath(root: string, ...parts: readonly string[]): string {
  return join(root, ".claude", "runtime", ...parts);
}

/**
 * Makes a directory below the run-time state: `.claude` as others expect it, the rest private. The run-time directory
 * ignores itself, as test caches do: no file of the project is changed to keep it out of git.
 */
export function makeRuntimeDirectory(
  system: Pick<System, "files" | "text">,
  root: string,
  ...parts: readonly string[]
): string {
  const directory = runtimePath(root, ...parts);
  const { files } = system;
  if (files.follow(directory)?.kind !== "directory") {
    files.makeDirectory(join(root, ".claude"), 0o755);
    files.makeDirectory(directory, 0o700);
  }
  const ignore = runtimePath(root, ".gitignore");
  // Behind a link that leads out of the project is nothing of its repository.
  if (files.inspect(ignore) === undefined && isInside(resolvePath(files, root), resolvePath(files, ignore)))
    ignoreAll(system, ignore);
  return directory;
}

function ignoreAll({ files, text }: Pick<System, "files" | "text">, path: string): void {
  try {
    files.createExclusive(path, text.encode("*\n"), 0o600);
  } catch (error) {
    // Another hook made it at the same moment.
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}
