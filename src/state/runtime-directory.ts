import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";

/** A path below the run-time state of a project, `<root>/.claude/runtime`. */
export function runtimePath(root: string, ...parts: readonly string[]): string {
  return join(root, ".claude", "runtime", ...parts);
}

/** Makes a directory below the run-time state: `.claude` as others expect it, the rest private. */
export function makeRuntimeDirectory(
  system: Pick<System, "files">,
  root: string,
  ...parts: readonly string[]
): string {
  const directory = runtimePath(root, ...parts);
  if (system.files.follow(directory)?.kind !== "directory") {
    system.files.makeDirectory(join(root, ".claude"), 0o755);
    system.files.makeDirectory(directory, 0o700);
  }
  return directory;
}
