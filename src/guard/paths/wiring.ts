import { MANAGED_DIRECTORIES, WIRING_FILES, WIRING_TREES } from "../../hosts/protected-files.ts";
import { components, isInside } from "../../system/paths.ts";
import type { Workspace } from "../context.ts";
import { globMatches } from "./match.ts";

/** `own` is the guard's own configuration, grants, keys and programs, `hooks` the hosts' registrations. */
export function wiringPart(workspace: Workspace, path: string): "own" | "hooks" | undefined {
  if (isOwnState(workspace, path)) return "own";
  if (MANAGED_DIRECTORIES.some(directory => path.startsWith(`${directory}/`))) return "hooks";
  for (const parts of places(workspace, path)) {
    const below = parts.join("/");
    if (below.startsWith(".amplihack/config.json") || below === ".amplihack") return "own";
    if (WIRING_TREES.includes(below)) return "hooks";
    if (
      WIRING_FILES.some(pattern =>
        pattern.endsWith("/**")
          ? below.startsWith(pattern.slice(0, -2)) || below === pattern.slice(0, -3)
          : globMatches(pattern, below),
      )
    ) {
      return "hooks";
    }
  }
  return undefined;
}

/** Logs and caches of the state home are nobody's way in. */
function isOwnState(workspace: Workspace, path: string): boolean {
  for (const home of workspace.stateHomes) {
    if (path === home) return true;
    if (!isInside(home, path)) continue;
    const [first] = components(path).slice(components(home).length);
    return (
      first === "guard" ||
      first === ".claude" ||
      first === "versions" ||
      first?.startsWith("config.") === true ||
      first === "logs"
    );
  }
  return /\/(amplihack|amplihack-hooks)(\.cjs)?$/.test(path) && /\/(bin|node_modules)\//.test(path);
}

function places(workspace: Workspace, path: string): readonly (readonly string[])[] {
  const roots = [workspace.home, workspace.project, workspace.cwd];
  return roots.flatMap(root =>
    root !== undefined && isInside(root, path) ? [components(path).slice(components(root).length)] : [],
  );
}
