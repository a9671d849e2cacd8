import type { InstallScope } from "../hosts/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { isInside, join } from "../system/index.ts";

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
