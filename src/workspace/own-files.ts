import { isOwnName, isOwnText, wrappedCommand } from "../programs/index.ts";
import {
  CONSIDERATIONS_FILE,
  DISABLED_FILE,
  LOCKS_FOLDER,
  POWER_STEERING_CONFIG,
  POWER_STEERING_FOLDER,
} from "../state/index.ts";
import { basename, dirname, expandHome, globMatches, isAbsolute, isInside, join } from "../system/index.ts";
import { type Disk, partsBelow } from "./disk.ts";
import { expandTarget, type Target } from "./target.ts";
import type { Workspace } from "./workspace.ts";

// An installation for Node starts its program where the package lies: in a checkout, or where a package manager put it.
// Without these files no hook runs, as without the settings of the host.

const MAX_WRAPPER_BYTES = 64 * 1024;

const known = new WeakMap<Workspace, readonly string[]>();

/** The folders of the hook programs that the installations here start. */
export function ownProgramFolders(workspace: Workspace): readonly string[] {
  const found = known.get(workspace);
  if (found !== undefined) return found;
  const { disk, stateHomes } = workspace;
  const folders = stateHomes.flatMap(home => {
    const wrapper = disk.text(join(home, ".claude/bin/amplihack-hooks"), MAX_WRAPPER_BYTES) ?? "";
    const script = wrappedCommand(wrapper)?.at(-1);
    return script?.endsWith(".cjs") === true ? [dirname(script), dirname(disk.resolve(script, true))] : [];
  });
  const distinct = [...new Set(folders)];
  known.set(workspace, distinct);
  return distinct;
}

/** Whether a path is a part of a hook program that an installation starts. */
export function isHookProgram(workspace: Workspace, path: string): boolean {
  return ownProgramFolders(workspace).some(folder => isInside(folder, path));
}

/**
 * Whether a hook program lies in what a target names. Packages of a project go and come back together. Of a search,
 * only what has one of the `names` goes; without any, everything.
 */
export function holdsHookProgram(workspace: Workspace, target: Target, names: readonly string[]): boolean {
  const { disk } = workspace;
  const { path, base } = target;
  const isAbove = (place: string) =>
    basename(place) !== "node_modules" &&
    ownProgramFolders(workspace).some(
      folder => isInside(place, folder) && (names.length === 0 || isFound(disk, place, folder, names)),
    );
  if (path !== undefined) return isAbove(path);
  if (base === undefined || !ownProgramFolders(workspace).some(folder => isInside(base, folder)))
    return false;
  return expandTarget(disk, target, false)?.paths.some(isAbove) === true;
}

/** Whether a search that starts in a place finds the folder, one on the way to it, or something in it. */
function isFound(disk: Disk, place: string, folder: string, names: readonly string[]): boolean {
  const within = disk.names(folder)?.flatMap(name => [name, ...(disk.names(join(folder, name)) ?? [])]) ?? [];
  const all = [...(partsBelow(place, folder) ?? []), ...within].filter(name => name !== "node_modules");
  return all.some(name => names.some(pattern => globMatches(pattern.toLowerCase(), name.toLowerCase())));
}

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

const LOCK_NAME = /^\.(lock_.+|continuation_prompt)$/;
const ACTIVE_LOCK = `.claude/runtime/${LOCKS_FOLDER}/.lock_active`;

/** Whether writing there switches a check of the workflow off, or continuous work on. */
export function isSwitchFile({ heldDirectories, project }: Workspace, path: string): boolean {
  const name = basename(path);
  if (name === DISABLED_FILE && [...heldDirectories, project].some(root => path === join(root ?? "", name)))
    return true;
  if (path.includes(`/.claude/runtime/${POWER_STEERING_FOLDER}/`)) return true;
  if (path.includes(`/.claude/runtime/${LOCKS_FOLDER}/`)) return LOCK_NAME.test(name);
  return (
    path.includes("/.claude/tools/amplihack/") &&
    (name === POWER_STEERING_CONFIG || name === CONSIDERATIONS_FILE)
  );
}

/** Whether continuous work is on, and ends when this is taken away. */
export function holdsActiveLock({ heldDirectories, project, disk }: Workspace, path: string): boolean {
  return [...heldDirectories, project].some(root => {
    const lock = join(root ?? "/", ACTIVE_LOCK);
    return isInside(path, lock) && disk.kind(lock) !== undefined;
  });
}
