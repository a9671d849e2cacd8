import { join } from "../system/index.ts";
import type { Disk } from "./disk.ts";
import { componentCouldBe, plainName } from "./match.ts";
import type { Target } from "./target.ts";

const MAX_ENTRIES = 20_000;
const MAX_PATHS = 4096;

/** What a target names on the disk. */
export interface Expansion {
  readonly paths: readonly string[];
  /** directories with everything in them, because a pattern reaches any depth or names too much to list */
  readonly trees: readonly string[];
}

type CouldBe = typeof componentCouldBe;

/**
 * The paths that a target names, links in front resolved; undefined when a part of it is not known. `couldBe` tells
 * which names a pattern finds.
 */
export function expandTarget(
  disk: Disk,
  target: Target,
  followsLast: boolean,
  couldBe: CouldBe = componentCouldBe,
): Expansion | undefined {
  const { path, base, rest } = target;
  if (path !== undefined) return { paths: [path], trees: [] };
  if (base === undefined || rest.flat().some(piece => piece.kind === "unknown")) return undefined;
  let reached: readonly string[] = [base];
  for (const [index, component] of rest.entries()) {
    const directories = index === 0 ? reached : reached.map(directory => disk.resolve(directory, true));
    const name = plainName(component);
    const next =
      name === undefined
        ? namesIn(disk, directories, component, couldBe)
        : directories.map(at => join(at, name));
    if (next === undefined || next.length > MAX_PATHS) return { paths: [], trees: directories };
    reached = next;
  }
  return { paths: reached.map(found => disk.resolve(found, followsLast)), trees: [] };
}

function namesIn(
  disk: Disk,
  directories: readonly string[],
  component: Target["rest"][number],
  couldBe: CouldBe,
): readonly string[] | undefined {
  if (component.some(piece => piece.kind === "glob" && piece.pattern.includes("**"))) return undefined;
  const found: string[] = [];
  for (const directory of directories) {
    if (disk.kind(directory) !== "directory") continue;
    const names = disk.names(directory, MAX_ENTRIES);
    if (names === undefined) return undefined;
    for (const name of names) if (couldBe(component, name)) found.push(join(directory, name));
  }
  return found;
}
