import { findAssetHome, findHome } from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";
import { findGitRoot, isDirectory, isFile, staysInside } from "./find-recipe.ts";

const FOLDER = "amplifier-bundle";

/** Names that recipes ask for. The files come with the bundle of recipes, not with this program. */
export const NAMED_ASSETS: Readonly<Record<string, string>> = {
  "multitask-orchestrator": `${FOLDER}/bin/multitask-orchestrator.sh`,
  "helper-path": `${FOLDER}/bin/multitask-orchestrator.sh`,
  "hooks-dir": `${FOLDER}/tools/amplihack/hooks`,
  "session-tree-path": `${FOLDER}/tools/amplihack/session`,
};

/** What is wrong with the path of an asset; undefined when nothing is. */
export function assetPathProblem(path: string): string | undefined {
  if (!/^[A-Za-z0-9_./-]+$/.test(path)) return "only letters, digits, _ - . and / are allowed";
  if (path.startsWith("/")) return `it must be relative and begin with ${FOLDER}/`;
  if (path.split("/").some(part => part === "." || part === ".."))
    return "parts named . and .. are not allowed";
  return path.startsWith(`${FOLDER}/`) ? undefined : `it must begin with ${FOLDER}/`;
}

/** The first place that has it: `AMPLIHACK_HOME`, `~/.amplihack`, the repository of the working directory. */
export function findBundleAsset(system: System, path: string): string | undefined {
  const { files } = system;
  const home = findHome(system);
  const roots = [
    findAssetHome(system),
    home === undefined ? undefined : join(home, ".amplihack"),
    findGitRoot(files, files.workingDirectory() ?? "/"),
  ];
  for (const root of roots) {
    if (root === undefined) continue;
    const found = join(root, path);
    if ((isFile(files, found) || isDirectory(files, found)) && staysInside(files, join(root, FOLDER), found))
      return found;
  }
  return undefined;
}
