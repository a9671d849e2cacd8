import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { System } from "../system/system.ts";
import { version } from "../version.ts";
import { isEphemeral } from "./ephemeral.ts";
import { findOnPath } from "./find-program.ts";
import { installProblem } from "./problem.ts";

/** The package that is being installed from, and the Node that runs it. */
export interface Package {
  readonly root: string;
  readonly version: string;
  readonly node: string;
  /** it lies where files do not last: a cache of npx, a temporary directory */
  readonly isEphemeral: boolean;
}

export function findPackage(system: Pick<System, "env" | "files">): Package {
  const root = findRoot(dirname(fileURLToPath(import.meta.url)));
  return { root, version, node: findNode(system), isEphemeral: isEphemeral(root) };
}

/** The code lies some folders below the package, how many depends on how it was bundled. */
export function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file)) {
      const { name } = JSON.parse(readFileSync(file, "utf8")) as { readonly name?: unknown };
      if (name === "amplihack") return folder;
    }
    if (folder === dirname(folder)) throw installProblem("amplihack cannot find its own package");
  }
}

/**
 * A name for this Node that survives its updates: package managers keep versions in folders of their own and a link
 * to the current one on PATH.
 */
function findNode(system: Pick<System, "env" | "files">): string {
  const isThisOne = (path: string): boolean =>
    system.files.realPath(path) === system.files.realPath(process.execPath) && !isEphemeral(path);
  return findOnPath(system, "node", isThisOne) ?? process.execPath;
}
