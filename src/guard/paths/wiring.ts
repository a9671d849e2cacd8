import { MANAGED_DIRECTORIES, WIRING_FILES, WIRING_TREES } from "../../hosts/protected-files.ts";
import { globMatches } from "../../system/glob.ts";
import type { Workspace } from "../context.ts";
import { partsBelow } from "./below.ts";

/** `own` is the guard's own configuration, grants, keys and programs, `hooks` the hosts' registrations. */
export function wiringPart(workspace: Workspace, path: string): "own" | "hooks" | undefined {
  if (isOwnState(workspace, path)) return "own";
  if (MANAGED_DIRECTORIES.some(directory => path.startsWith(`${directory}/`))) return "hooks";
  for (const root of [workspace.home, workspace.project, workspace.cwd]) {
    const below = partsBelow(root, path)?.join("/");
    if (below === undefined) continue;
    if (below.startsWith(".amplihack/config.json") || below === ".amplihack") return "own";
    if (WIRING_TREES.includes(below) || WIRING_FILES.some(pattern => coversPath(pattern, below)))
      return "hooks";
  }
  return undefined;
}

function coversPath(pattern: string, path: string): boolean {
  return pattern.endsWith("/**") ? `${path}/`.startsWith(pattern.slice(0, -2)) : globMatches(pattern, path);
}

/** Logs and caches of the state home give no access. */
function isOwnState({ stateHomes }: Workspace, path: string): boolean {
  for (const home of stateHomes) {
    const parts = partsBelow(home, path);
    if (parts !== undefined)
      return /^(guard|\.claude|versions|config\..*|hooks|hooks\..*|logs|)$/.test(parts[0] ?? "");
  }
  return /\/(amplihack|amplihack-hooks)(\.cjs)?$/.test(path) && /\/(bin|node_modules)\//.test(path);
}
