import { hasErrorCode, join, type System } from "../../system/index.ts";

const SOURCE = /^[^.].*\.(?:[mc]?ts|[mc]?js)$/;
const NOT_A_SOURCE = /\.d\.[mc]?ts$|\.(?:test|spec)\.[mc]?[tj]s$/;

/** Declarations and tests are no hooks. */
export function isSourceName(name: string): boolean {
  return SOURCE.test(name) && !NOT_A_SOURCE.test(name);
}

/** The hook files of a folder. */
export function listSources(system: Pick<System, "files">, folder: string): readonly string[] {
  try {
    return system.files
      .list(folder)
      .filter(isSourceName)
      .sort()
      .map(name => join(folder, name));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
