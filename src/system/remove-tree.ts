import { join } from "./paths.ts";
import { type Files, hasErrorCode } from "./system.ts";

/**
 * Removes a file, or a directory with everything in it; links are removed, never followed. What is gone already is no
 * error. Other errors go to `fail`, which throws unless another is given; if it returns, the rest is removed.
 */
export function removeTree(files: Files, top: string, fail: (error: unknown) => void = rethrow): void {
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT")) fail(error);
    }
  };
  const directories: string[] = [];
  // Grows while it is walked: trees may be deeper than a stack.
  const pending = [top];
  for (const path of pending) {
    const facts = files.inspect(path);
    if (facts === undefined) continue;
    if (facts.kind !== "directory") {
      attempt(() => files.remove(path));
      continue;
    }
    directories.push(path);
    attempt(() => {
      if ((facts.mode & 0o700) !== 0o700) files.changeMode(path, 0o700);
      for (const name of files.list(path)) pending.push(join(path, name));
    });
  }
  for (const directory of directories.reverse()) attempt(() => files.removeDirectory(directory));
}

function rethrow(error: unknown): never {
  throw error;
}
