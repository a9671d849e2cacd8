import { dirname, type Files, join, SystemError } from "../system/index.ts";
import { createDisk, type Repository, trackedFiles } from "../workspace/index.ts";
import { projectKey } from "./journal.ts";
import { factsAt } from "./path-state.ts";
import type { Store } from "./store.ts";

/**
 * Git knows of a file only whether it is executable. Tracked files with other permissions than those that git would give
 * them are remembered at prompts, so that they come back with them from git's objects; in small trees also before and
 * after every call that git has to be asked about.
 */

/** Larger trees are not looked through while a person waits for the answer to a prompt. */
const MAX_TRACKED = 20_000;

/** By path, permissions of tracked files that git would not give them. */
export type KnownModes = readonly (readonly [path: string, mode: number])[];

/** The permissions that git gives to files here. */
export function usualModes(
  files: Pick<Files, "exactFacts">,
  gitDirectory: string,
): { readonly plain: number; readonly executable: number } {
  const plain = (factsAt(files, `${gitDirectory}/HEAD`)?.mode ?? 0o644) & 0o666;
  // Whoever may read a file may run it, when it is executable.
  return { plain, executable: plain | ((plain & 0o444) >> 2) };
}

/** Undefined where there are too many files to look at. */
export function rememberModes(store: Store, repository: Repository): KnownModes | undefined {
  const { system } = store;
  const { top, gitDirectory } = repository;
  const tracked = top === undefined ? undefined : trackedFiles(createDisk(system), repository);
  if (top === undefined || tracked === undefined || tracked.size > MAX_TRACKED) return undefined;
  const { plain, executable } = usualModes(system.files, gitDirectory);
  const folders = new Set([...tracked.keys()].map(path => dirname(join(top, path))));
  const unusual: [string, number][] = [];
  for (const folder of folders)
    for (const { name, kind, mode } of listed(system.files, folder)) {
      const path = `${folder}/${name}`;
      const isUnusual = kind === "file" && mode !== plain && mode !== executable;
      if (isUnusual && tracked.has(path.slice(top.length + 1))) unusual.push([path, mode]);
    }
  const path = modesPath(store, top);
  if (unusual.length > 0 || system.files.inspect(path) !== undefined)
    store.writeSealed(path, unusual satisfies KnownModes);
  return unusual;
}

export function readModes(store: Store, top: string): KnownModes {
  return store.readSealed<KnownModes>(modesPath(store, top)) ?? [];
}

/** Paths whose permissions are in one of the lists only, or differ. */
export function differentModes(before: KnownModes, after: KnownModes): readonly string[] {
  const known = new Map(before);
  const touched = after.filter(([path, mode]) => known.get(path) !== mode).map(([path]) => path);
  const now = new Set(after.map(([path]) => path));
  return [...touched, ...before.flatMap(([path]) => (now.has(path) ? [] : path))];
}

function modesPath(store: Store, top: string): string {
  return store.path("modes", projectKey(store, top));
}

function listed(files: Pick<Files, "listFacts">, folder: string): ReturnType<Files["listFacts"]> {
  try {
    return files.listFacts(folder);
  } catch (error) {
    if (error instanceof SystemError) return [];
    throw error;
  }
}
