import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Script } from "node:vm";

type Exports = Readonly<Record<string, unknown>>;

/**
 * Loads one bundled CommonJS file with the machine code that an earlier run left beside it (`FILE.cache`). Most of
 * a cold start is compiling; the cache takes that away. V8 itself checks that it fits this Node and this source,
 * and compiles as usual where it does not. A run never writes it.
 */
export function loadEntry(file: string): Exports {
  return compile(file, readCache(file)).run();
}

/** Loads the file and, when the process ends, writes the cache with everything the run had to compile. */
export function loadRecording(file: string, cacheFile: string): Exports {
  const { script, run } = compile(file, undefined);
  process.once("exit", () => writeFileSync(cacheFile, script.createCachedData()));
  return run();
}

function compile(file: string, cachedData: Buffer | undefined): { script: Script; run: () => Exports } {
  // The bundles are plain ASCII, so that the text needs no decoding.
  const source = readFileSync(file, "latin1");
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  return {
    script,
    run() {
      const module = { exports: {} };
      const wrapper = script.runInThisContext() as (...words: readonly unknown[]) => void;
      wrapper(module.exports, require, module, file, dirname(file));
      return module.exports;
    },
  };
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(`${file}.cache`);
  } catch {
    return undefined;
  }
}
