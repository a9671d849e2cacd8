import { basename, dirname, join } from "../system/paths.ts";
import { hasErrorCode, type System } from "../system/system.ts";

const KEPT = 3;

/**
 * Renames a malformed state file to `<name>.corrupt-<epoch seconds>` and keeps the newest three of them.
 * Returns the new path, or undefined when the file was gone. The caller holds the file's lock.
 */
export function setAsideCorrupt(system: Pick<System, "files" | "clock">, path: string): string | undefined {
  const { files } = system;
  const directory = dirname(path);
  const prefix = `${basename(path)}.corrupt-`;
  let epoch = Math.floor(system.clock.nowMs() / 1000);
  while (files.inspect(join(directory, prefix + epoch)) !== undefined) epoch++;
  const keptAs = join(directory, prefix + epoch);
  try {
    files.rename(path, keptAs);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
  const others = files
    .list(directory)
    .filter(name => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .sort((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)));
  for (const name of others.slice(KEPT)) files.remove(join(directory, name));
  return keptAs;
}
