import type { HistorySettings } from "../config/index.ts";
import { isRegenerableInProject, isRegenerableName } from "../programs/index.ts";
import { basename, components, dirname, isInside, relative } from "../system/index.ts";
import { type IgnoreFile, matchesAnyPattern, parseIgnoreFile } from "../workspace/index.ts";

/** Where the call works, and what is said about the files there. */
export interface KeepPlaces {
  readonly project: string;
  readonly home: string;
  readonly stateHome: string;
  /** directories for temporary files, links resolved */
  readonly temps: readonly string[];
  /** `guard.paths.regenerable` */
  readonly regenerable: readonly string[];
}

/** Which files are kept. */
export interface KeepRules {
  /** the same for rules that say the same */
  readonly key: string;
  /** the user said that it is never kept */
  isExcluded(path: string): boolean;
  /** kept although git ignores it */
  isPrecious(path: string): boolean;
  /** a directory that a tool makes again, by its name or by configuration */
  isRegenerable(directory: string): boolean;
  /** nothing is kept there */
  isOutOfReach(path: string): boolean;
}

/** What the hooks themselves write in a project. */
const OWN_FILES = "/.claude/runtime";
const PRECIOUS = [".env*", "*.local", "*.sqlite", "*.sqlite3", "*.db"];

export function createKeepRules(
  settings: Pick<HistorySettings, "precious" | "exclude">,
  places: KeepPlaces,
): KeepRules {
  const { project, temps } = places;
  const store = `${places.stateHome}/history`;
  const excluded = compile(settings.exclude);
  const precious = compile([...PRECIOUS, ...settings.precious]);
  const configured = compile(places.regenerable);
  const matches = (patterns: IgnoreFile | undefined, path: string) =>
    patterns !== undefined &&
    matchesAnyPattern(patterns, components(isInside(project, path) ? relative(project, path) : path));
  return {
    get key() {
      return JSON.stringify([project, places.regenerable, settings.exclude, settings.precious]);
    },
    isExcluded: path => matches(excluded, path),
    isPrecious: path => matches(precious, path),
    isRegenerable(directory) {
      const name = basename(directory);
      if (isRegenerableName(name) || directory.endsWith(OWN_FILES)) return true;
      const parent = basename(dirname(directory));
      if (!isRegenerableName(parent) && isRegenerableInProject([parent, name])) return true;
      return isInside(project, directory) && matches(configured, directory);
    },
    isOutOfReach(path) {
      if (isInside(store, path)) return true;
      return !isInside(project, path) && temps.some(temp => isInside(temp, path));
    },
  };
}

function compile(patterns: readonly string[]): IgnoreFile | undefined {
  return patterns.length === 0 ? undefined : parseIgnoreFile("", patterns.join("\n"));
}

/** Is the directory, or one above it in the tree, regenerable? Thousands of files share few directories. */
export function cachedRegenerable(
  { rules }: { readonly rules: KeepRules },
  top: string,
): (directory: string) => boolean {
  const known = new Map<string, boolean>([[top, false]]);
  const look = (directory: string): boolean => {
    const found = known.get(directory);
    if (found !== undefined) return found;
    const isOutput = rules.isRegenerable(directory) || look(dirname(directory));
    known.set(directory, isOutput);
    return isOutput;
  };
  return directory => isInside(top, directory) && look(directory);
}
