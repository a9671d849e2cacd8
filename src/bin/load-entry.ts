import { writeFileSync } from "node:fs";
import { compileFile, readCache } from "../system/compiled-file.ts";

type Exports = Readonly<Record<string, unknown>>;

/**
 * Loads one bundled CommonJS file with the machine code that an earlier run left beside it. Most of a cold start is
 * compiling; the cache takes that away. A run never writes it.
 */
export function loadEntry(file: string): Exports {
  return compileFile(file, readCache(file)).run(require);
}

/** Loads the file and, when the process ends, writes the cache with everything the run had to compile. */
export function loadRecording(file: string, cacheFile: string): Exports {
  const { script, run } = compileFile(file, undefined);
  process.once("exit", () => writeFileSync(cacheFile, script.createCachedData()));
  return run(require);
}
