import { hasErrorCode, join, type System } from "../system/index.ts";

/** Removes a file or a whole directory; links are removed, never followed. Harmless when nothing is there. */
export function removeTree({ files }: Pick<System, "files">, path: string): void {
  const facts = files.inspect(path);
  if (facts === undefined) return;
  if (facts.kind !== "directory") {
    removeIfThere(() => files.remove(path));
    return;
  }
  for (const name of files.list(path)) removeTree({ files }, join(path, name));
  removeIfThere(() => files.removeDirectory(path));
}

function removeIfThere(remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}
