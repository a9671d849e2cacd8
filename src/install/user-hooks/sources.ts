import type { Config } from "../../config/settings.ts";
import { join } from "../../system/paths.ts";
import { hasErrorCode, type System } from "../../system/system.ts";

/** Where one person's hooks are, and those of a project. */
export interface HookPlaces {
  readonly home: string;
  readonly stateHome: string;
  readonly projectRoot: string;
}

/** One source that is to be built, and what it belongs to. */
export interface WantedSource {
  readonly path: string;
  readonly project: string | undefined;
  /** the name of the package it is the entry of */
  readonly packageName: string | undefined;
}

export function userHooksFolder(stateHome: string): string {
  return join(stateHome, "hooks");
}

export function projectHooksFolder(projectRoot: string): string {
  return join(projectRoot, ".amplihack", "hooks");
}

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

export function packageNames(config: Pick<Config, "hooks">): readonly string[] {
  return [...new Set(config.hooks.packages)].sort();
}
