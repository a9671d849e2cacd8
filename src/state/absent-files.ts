import { dirname, type Files, hasErrorCode } from "../system/index.ts";

/** Removes a file; that it is not there is no failure. */
export function removeIfThere(files: Pick<Files, "remove">, path: string): void {
  ignoreAbsent(() => files.remove(path));
}

export function ignoreAbsent(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT", "ENOTDIR")) throw error;
  }
}

/** Runs an action that makes `path`, and once more with its parents made where they were missing. */
export function withParents(
  files: Pick<Files, "makeDirectory">,
  path: string,
  directoryMode: number | undefined,
  action: () => void,
): void {
  try {
    action();
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
    files.makeDirectory(dirname(path), directoryMode ?? 0o700);
    action();
  }
}
