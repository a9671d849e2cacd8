import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { InstallScope } from "../hosts/index.ts";
import { findOwner } from "../launcher/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { dirname, isInside, join, quoteWord, type System } from "../system/index.ts";
import { version } from "../version.ts";
import { installProblem } from "./file-edit.ts";
import { findOnPath } from "./find-program.ts";

/** Folders in which package runners keep what they fetched for one call. */
const RUNNER_CACHES = /\/(?:_npx|dlx-[^/]*|bunx-[^/]*|xfs-[^/]*)\//;

/** Whether a path lies where files do not last. */
export function isEphemeral(path: string): boolean {
  return RUNNER_CACHES.test(path) || isInside(tmpdir(), path);
}

/** The package that is being installed from, and the Node that runs it. */
export interface Package {
  readonly root: string;
  readonly version: string;
  readonly node: string;
  /** it lies where files do not last: a cache of npx, a temporary directory */
  readonly isEphemeral: boolean;
}

export function findPackage(system: Pick<System, "env" | "files" | "text">): Package {
  const own = findRoot(dirname(fileURLToPath(import.meta.url)));
  const root = isEphemeral(own) ? (findInstalled(system, version) ?? own) : own;
  return { root, version, node: findNode(system), isEphemeral: isEphemeral(root) };
}

/** The package behind the `amplihack` on PATH, where it is of this version and lies where it lasts. */
function findInstalled(system: Pick<System, "env" | "files" | "text">, wanted: string): string | undefined {
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
function findNode(system: Pick<System, "env" | "files" | "text">): string {
  const isThisOne = (path: string): boolean =>
    system.files.realPath(path) === system.files.realPath(process.execPath) && !isEphemeral(path);
  return findOnPath(system, "node", isThisOne) ?? process.execPath;
}

export function programFolder({ stateHome }: Pick<UserDirectories, "stateHome">): string {
  return join(stateHome, ".claude", "bin");
}

/** What hosts are told to start; the same text whatever stands behind it. */
export function hookProgramPath(places: Pick<UserDirectories, "stateHome">): string {
  return join(programFolder(places), "amplihack-hooks");
}

const HOME = "$HOME";

/**
 * The same as files of that scope name it. Those of a project are for every clone of it, so they name no directory of
 * this machine.
 */
export function namedProgram(
  places: Pick<UserDirectories, "home" | "stateHome">,
  scope: InstallScope,
): string {
  const path = hookProgramPath(places);
  const isPortable = scope === "project" && isInside(places.home, path);
  return isPortable ? `${HOME}${path.slice(places.home.length)}` : path;
}

export function namesHome(program: string): boolean {
  return program.startsWith(`${HOME}/`);
}

export function manifestPath({ stateHome }: Pick<UserDirectories, "stateHome">): string {
  return join(stateHome, ".claude", "install", "amplihack-manifest.json");
}

export function versionStampPath({ stateHome }: Pick<UserDirectories, "stateHome">): string {
  return join(stateHome, ".installed-version");
}

/**
 * What brings the files of a package back: a build in a checkout, elsewhere the package manager that put them there.
 * Undefined where only installing again helps. `program` is a file of its `dist/bin`.
 */
export function repairCommand(program: string, version: string, stateHome: string): string | undefined {
  const owner = findOwner(program, stateHome);
  if (owner.kind === "checkout")
    return `npm --prefix ${quoteWord(dirname(dirname(dirname(program))))} run build`;
  return "command" in owner ? owner.command(version) : undefined;
}
