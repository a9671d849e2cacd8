import { isInside, join } from "../system/index.ts";
import type { Disk } from "./disk.ts";
import { secretNamesInHome } from "./secrets.ts";
import { existingWiring, wiringNames } from "./wiring.ts";
import type { Workspace } from "./workspace.ts";
import { STARTUP_FILES, secretAt } from "./zones.ts";

/** A path that nobody may change or read in passing. */
export interface ProtectedPath {
  readonly path: string;
  readonly kind: "wiring" | "startup" | "secret";
}

const MAX_TOP_NAMES = 2000;
const MAX_TREE_ENTRIES = 1000;
const MAX_TREE_DEPTH = 8;

const known = new WeakMap<Workspace, readonly ProtectedPath[]>();

/**
 * The protected paths of the home and the project: those that are there, and those by whose mere name a host or a shell
 * would find them. A write whose target is only known in part is compared with all of them. `within`: secrets elsewhere
 * may be left out.
 */
export function protectedPaths(workspace: Workspace, within?: string): readonly ProtectedPath[] {
  const found = known.get(workspace);
  if (found !== undefined) return found;
  const { home, disk, project = home, cwd, stateHomes } = workspace;
  const isWanted = (path: string) => within === undefined || isInside(within, path) || isInside(path, within);
  const all = new Map<string, ProtectedPath>();
  const add = (path: string, kind: ProtectedPath["kind"]) => {
    if (!all.has(path)) all.set(path, { path, kind });
  };
  for (const path of [...existingWiring(workspace), ...wiringNames(workspace)]) add(path, "wiring");
  for (const state of stateHomes) add(join(state, "config.jsonc"), "wiring");
  for (const name of STARTUP_FILES.list) add(join(home, name), "startup");
  for (const name of secretNamesInHome()) {
    const path = join(home, name);
    if (!isWanted(path) || disk.isAbsent(path)) continue;
    const files = disk.kind(path) === "directory" ? filesBelow(disk, path) : undefined;
    for (const file of files ?? [])
      if (secretAt(workspace, join(path, file)) !== undefined) add(join(path, file), "secret");
    if (files === undefined) add(path, "secret");
  }
  for (const folder of [...new Set([home, project, cwd, join(home, ".ssh")])].filter(isWanted))
    for (const name of disk.kind(folder) === "directory" ? (disk.names(folder, MAX_TOP_NAMES) ?? []) : []) {
      const path = join(folder, name);
      if (disk.kind(path) === "file" && secretAt(workspace, path) !== undefined) add(path, "secret");
    }
  const paths = [...all.values()];
  if (within === undefined) known.set(workspace, paths);
  return paths;
}

/** The files below a directory, by their parts from there; undefined when there are too many to list. */
export function filesBelow(disk: Disk, top: string): readonly string[] | undefined {
  const found: string[] = [];
  const waiting = [{ path: "", depth: 0 }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const names = disk.names(at.path === "" ? top : join(top, at.path), MAX_TREE_ENTRIES);
    if (names === undefined || at.depth > MAX_TREE_DEPTH) return undefined;
    for (const name of names) {
      const path = at.path === "" ? name : `${at.path}/${name}`;
      if (disk.kind(join(top, path)) === "directory") waiting.push({ path, depth: at.depth + 1 });
      else found.push(path);
      if (found.length + waiting.length > MAX_TREE_ENTRIES) return undefined;
    }
  }
  return found;
}
