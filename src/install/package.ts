import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { System } from "../system/index.ts";
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
  const own = findRoot(dirname(fileURLToPath(import.meta.url)));
  const root = isEphemeral(own) ? (findInstalled(system, version) ?? own) : own;
  return { root, version, node: findNode(system), isEphemeral: isEphemeral(root) };
}

/** The package behind the `amplihack` on PATH, where it is of this version and lies where it lasts. */
function findInstalled(system: Pick<System, "env" | "files">, wanted: string): string | undefined {
  const command = findOnPath(system, "amplihack", path => !isEphemeral(path));
  const program = command === undefined ? undefined : system.files.realPath(command);
  if (program === undefined || !/\/dist\/bin\/amplihack\.cjs$/.test(program)) return undefined;
  const root = dirname(dirname(dirname(program)));
  const manifest = join(root, "package.json");
  if (isEphemeral(root) || !existsSync(manifest)) return undefined;
  const { name, version: found } = JSON.parse(readFileSync(manifest, "utf8")) as Record<string, unknown>;
  return name === "amplihack" && found === wanted ? root : undefined;
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
