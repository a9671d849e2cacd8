import { isInside } from "../system/index.ts";
import type { Target } from "./target.ts";
import type { Workspace } from "./workspace.ts";
import { zoneOf } from "./zones.ts";

/**
 * Everything that somebody has in one place: a home, a directory right in it, the project, its history, or what lies
 * around them. `withProject` false: the project alone is not meant.
 */
export function isWholeTree(workspace: Workspace, target: Target, withProject: boolean): boolean {
  const { disk, project } = workspace;
  const path = target.path ?? (isEverythingIn(target) ? target.base : undefined);
  if (target.isRemote || path === undefined || disk.kind(path) === "file") return false;
  if (!withProject && project !== undefined && isInside(project, path)) return false;
  const zone = zoneOf(workspace, path);
  if (zone === "project") return true;
  if (zone === "history") return path.endsWith("/.git");
  if (zone !== "home" && zone !== "root") return false;
  return disk.kind(path) === "directory" || isInside(path, workspace.home);
}

/** `*` of a directory, or names in it that are not known. */
function isEverythingIn({ rest }: Target): boolean {
  return (
    rest.length === 1 &&
    rest[0]?.every(piece => piece.kind === "unknown" || (piece.kind === "glob" && piece.pattern === "*")) ===
      true
  );
}
