import type { UserDirectories } from "../state/user-directories.ts";
import { join } from "../system/paths.ts";

export function programFolder({ stateHome }: Pick<UserDirectories, "stateHome">): string {
  return join(stateHome, ".claude", "bin");
}

/** What hosts are told to start; the same text whatever stands behind it. */
export function hookProgramPath(places: Pick<UserDirectories, "stateHome">): string {
  return join(programFolder(places), "amplihack-hooks");
}

export function manifestPath({ stateHome }: Pick<UserDirectories, "stateHome">): string {
  return join(stateHome, ".claude", "install", "amplihack-manifest.json");
}

export function versionStampPath({ stateHome }: Pick<UserDirectories, "stateHome">): string {
  return join(stateHome, ".installed-version");
}
