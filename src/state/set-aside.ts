import { basename, dirname, hasErrorCode, join, type System } from "../system/index.ts";

const KEPT = 3;

/**
 * Renames a malformed state file to `<name>.corrupt-<epoch seconds>` and keeps the newest three of them.
 * Returns the new path, or undefined when the file was gone. The caller holds the file's lock.
 */
export function setAsideCorrupt(system: Pick<System, "files" | "clock">, path: string): string | undefined {
  const { files } = system;
  const directory = dirname(path);
  const prefix = `${basename(path)}.corrupt-`;
  const earlier = files
    .list(directory)
    .filter(name => name.startsWith(prefix) && /^\d{1,12}$/.test(name.slice(prefix.length)))
    .map(name => Number(name.slice(prefix.length)))
    .sort((a, b) => b - a);
  // Two within one second must not replace each other, and the newest has the greatest number.
  const epoch = Math.max(Math.floor(system.clock.nowMs() / 1000), (earlier[0] ?? 0) + 1);
  const keptAs = join(directory, prefix + epoch);
  try {
    files.rename(path, keptAs);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
  for (const old of earlier.slice(KEPT - 1)) files.remove(join(directory, prefix + old));
  return keptAs;
}
