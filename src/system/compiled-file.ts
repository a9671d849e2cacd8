import { readFileSync } from "node:fs";
import { Script } from "node:vm";

type Exports = Readonly<Record<string, unknown>>;

export interface CompiledFile {
  readonly script: Script;
  run(require: (name: string) => unknown): Exports;
}

/** Where the machine code of a bundled file lies. */
export function cacheOf(file: string): string {
  return `${file}.cache`;
}

export function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(cacheOf(file));
  } catch {
    return undefined;
  }
}

/**
 * Compiles one bundled CommonJS file, with the machine code of an earlier run where there is some. V8 itself checks
 * that it fits this Node and this source, and compiles as usual where it does not.
 */
export function compileFile(file: string, cachedData: Buffer | undefined): CompiledFile {
  // The bundles are plain ASCII, so that the text needs no decoding, and are functions of what CommonJS gives to a
  // file, so that it need not be copied.
  const script = new Script(readFileSync(file, "latin1"), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  return {
    script,
    run(require) {
      const module = { exports: {} };
      const wrapper = script.runInThisContext() as (...words: readonly unknown[]) => void;
      wrapper(module.exports, require, module, file, file.slice(0, file.lastIndexOf("/")));
      return module.exports;
    },
  };
}
