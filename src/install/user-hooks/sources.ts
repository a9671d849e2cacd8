import type { Config } from "../../config/index.ts";
import { join } from "../../system/index.ts";

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

export function packageNames(config: Pick<Config, "hooks">): readonly string[] {
  return [...new Set(config.hooks.packages)].sort();
}
