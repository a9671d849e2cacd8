import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { findOnPath } from "../install/index.ts";
import { quoteWord, type System } from "../system/index.ts";

/** The file that runs, behind the link by which npm puts it on PATH. */
export function ownProgram(): string {
  return realpathSync(process.argv[1] ?? process.execPath);
}

/** Where no PATH leads to `amplihack`, as in a checkout: what to type instead. */
export function commandInstead(system: System): string | undefined {
  if (findOnPath(system, "amplihack") !== undefined) return undefined;
  const path = ownProgram();
  const near = relative(system.files.workingDirectory() ?? "/", path);
  return `node ${quoteWord(near.startsWith("..") ? path : near)}`;
}
