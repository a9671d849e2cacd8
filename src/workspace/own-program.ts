import { isOwnName, isOwnText } from "../programs/index.ts";
import { expandHome, isAbsolute, join } from "../system/index.ts";
import type { Workspace } from "./workspace.ts";

/** What starts this program is small: a bundle that loads the rest, or a few lines of shell. */
const MAX_STARTER_BYTES = 16 * 1024;
const MAX_SEARCHED = 32;

/** Whether this program is behind a word that starts something: a link to it or a copy of it, whatever its name. */
export function isOwnFile(workspace: Workspace, word: string, cwd: string): boolean {
  if (word.includes("/")) {
    const path = expandHome(word, workspace.home);
    return isOwnAt(workspace, isAbsolute(path) ? path : join(cwd, path));
  }
  if (word === "" || /[\s$*?]/.test(word)) return false;
  const places = (workspace.given.searchPath ?? "").split(":").filter(isAbsolute).slice(0, MAX_SEARCHED);
  const found = places.find(place => workspace.disk.kind(join(place, word)) !== undefined);
  return found !== undefined && isOwnAt(workspace, join(found, word));
}

function isOwnAt({ disk, given }: Workspace, path: string): boolean {
  const resolved = disk.resolve(path, true);
  if (disk.kind(resolved) !== "file") return false;
  if (isOwnName(resolved)) return true;
  const isSmall =
    (given.system.files.inspect(resolved)?.size ?? Number.POSITIVE_INFINITY) <= MAX_STARTER_BYTES;
  return isSmall && isOwnText(disk.text(resolved, MAX_STARTER_BYTES) ?? "");
}
