import type { projectConfigFile } from "../src/config/load.ts";
import type { HOST_LIST } from "../src/hosts/descriptors.ts";
import type { isIgnored, parseIgnoreFile } from "../src/workspace/ignore.ts";

interface Places {
  readonly WIRING_FILES: readonly string[];
  readonly WIRING_TREES: readonly string[];
  readonly HOST_LIST: typeof HOST_LIST;
  readonly projectConfigFile: typeof projectConfigFile;
}

interface Modules extends Places {
  readonly isIgnored: typeof isIgnored;
  readonly parseIgnoreFile: typeof parseIgnoreFile;
}

export function livePaths(modules: Places): readonly string[];
export function checkLiveFiles(
  modules: Modules,
  gitignore: string,
  tracked: readonly string[],
): readonly string[];
