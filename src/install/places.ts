import type { UserDirectories } from "../state/user-directories.ts";
import { join } from "../system/paths.ts";

/** The directories that an installation knows. */
export type Places = UserDirectories;

export function programFolder({ stateHome }: Pick<Places, "stateHome">): string {
  return join(stateHome, ".claude", "bin");
}

/** What hosts are told to start; the same text whatever stands behind it. */
export function hookProgramPath(places: Pick<Places, "stateHome">): string {
  return join(programFolder(places), "amplihack-hooks");
}

export function manifestPath({ stateHome }: Pick<Places, "stateHome">): string {
  return join(stateHome, ".claude", "install", "amplihack-manifest.json");
}

export function versionStampPath({ stateHome }: Pick<Places, "stateHome">): string {
  return join(stateHome, ".installed-version");
}
