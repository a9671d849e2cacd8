import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Script } from "node:vm";

type Exports = Readonly<Record<string, unknown>>;

/** Set by `record-code` alone: then every file loaded leaves its compiled code behind when the process ends. */
const RECORDING = Symbol.for("amplihack.record-code");

/**
 * Loads one bundled CommonJS file with the machine code that an earlier run left beside it (`FILE.cache`). Most of
 * a cold start is compiling; the cache takes that away. V8 itself checks that it fits this Node and this source,
 * and compiles as usual where it does not. An ordinary run never writes it.
 */
export function loadEntry(file: string): Exports {
  const isRecording = Reflect.has(globalThis, RECORDING);
  const cachedData = isRecording ? undefined : readCache(file);
  // The bundles are plain ASCII, so that the text needs no decoding.
  const source = readFileSync(file, "latin1");
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (isRecording) process.once("exit", () => writeFileSync(`${file}.cache`, script.createCachedData()));
  const module = { exports: {} };
  const wrapper = script.runInThisContext() as (...words: readonly unknown[]) => void;
  wrapper(module.exports, require, module, file, dirname(file));
  return module.exports;
}

export function startRecording(): void {
  Reflect.set(globalThis, RECORDING, true);
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(`${file}.cache`);
  } catch {
    return undefined;
  }
}
