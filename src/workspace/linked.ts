import type { Disk } from "./disk.ts";

const MAX_DIRECTORIES = 2_000;

/** The directories that links in a tree lead to, and links in those: what a program reaches that follows links. */
export function linkedDirectories(disk: Disk, top: string): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const waiting = [top];
  for (let at = waiting.pop(); at !== undefined && seen.size < MAX_DIRECTORIES; at = waiting.pop()) {
    const directory = disk.resolve(at, true);
    if (seen.has(directory) || disk.kind(directory) !== "directory") continue;
    seen.add(directory);
    if (disk.kind(at) === "symlink") found.add(directory);
    for (const name of disk.names(directory, Number.POSITIVE_INFINITY) ?? []) {
      const path = `${directory}/${name}`;
      const kind = disk.kind(path);
      if (kind === "symlink" || kind === "directory") waiting.push(path);
    }
  }
  return [...found];
}
