import { wrappedCommand } from "../programs/index.ts";
import { basename, dirname, globMatches, isInside, join } from "../system/index.ts";
import { partsBelow } from "./below.ts";
import type { Disk } from "./disk.ts";
import { expandTarget } from "./expand.ts";
import type { Target } from "./target.ts";
import type { Workspace } from "./workspace.ts";

// An installation for Node starts its program where the package lies: in a checkout, or where a package manager put it.
// Without these files no hook runs, as without the settings of the host.

const MAX_WRAPPER_BYTES = 64 * 1024;

const known = new WeakMap<Workspace, readonly string[]>();

/** The folders of the hook programs that the installations here start. */
export function programFolders(workspace: Workspace): readonly string[] {
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
  return programFolders(workspace).some(folder => isInside(folder, path));
}

/**
 * Whether a hook program lies in what a target names. Packages of a project go and come back together. Of a search,
 * only what has one of the `names` goes; without any, everything.
 */
export function holdsHookProgram(
  workspace: Workspace,
  target: Target,
  names: readonly string[] = [],
): boolean {
  const { disk } = workspace;
  const { path, base } = target;
  const isAbove = (place: string) =>
    basename(place) !== "node_modules" &&
    programFolders(workspace).some(
      folder => isInside(place, folder) && (names.length === 0 || isFound(disk, place, folder, names)),
    );
  if (path !== undefined) return isAbove(path);
  if (base === undefined || !programFolders(workspace).some(folder => isInside(base, folder))) return false;
  return expandTarget(disk, target, false)?.paths.some(isAbove) === true;
}

/** Whether a search that starts in a place finds the folder, one on the way to it, or something in it. */
function isFound(disk: Disk, place: string, folder: string, names: readonly string[]): boolean {
  const within = disk.names(folder)?.flatMap(name => [name, ...(disk.names(join(folder, name)) ?? [])]) ?? [];
  const all = [...(partsBelow(place, folder) ?? []), ...within].filter(name => name !== "node_modules");
  return all.some(name => names.some(pattern => globMatches(pattern.toLowerCase(), name.toLowerCase())));
}
