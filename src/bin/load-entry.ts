import { existsSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeCachePath, compileFile, readCache } from "../system/node.ts";

type Exports = Readonly<Record<string, unknown>>;

/**
 * Set by `record-code` alone: then every file loaded leaves its compiled code behind when the process ends, that of
 * earlier recordings included.
 */
const RECORDING = Symbol.for("amplihack.record-code");

const loaded = new Map<string, Exports>();

/**
 * Loads one bundled CommonJS file with the machine code that an earlier run left beside it. Most of a cold start is
 * compiling; the cache takes that away. An ordinary run never writes it. Each file is loaded once: a bundle asks for the
 * one beside it whenever it needs another part of it.
 */
export function loadEntry(file: string): Exports {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const { script, run } = compileFile(file, readCache(file));
  if (Reflect.has(globalThis, RECORDING))
    process.once("exit", () => writeCache(file, script.createCachedData()));
  // What a bundle imports lazily is a bundle beside it.
  const made = run(name =>
    name.startsWith("./") ? loadEntry(dirname(file) + name.slice(1)) : require(name),
  );
  loaded.set(file, made);
  return made;
}

export function startRecording(): void {
  Reflect.set(globalThis, RECORDING, true);
}

/** Hooks may be starting at this moment: they must never read half of it. */
function writeCache(file: string, code: Buffer): void {
  const unfinished = `${codeCachePath(file)}.${process.pid}.tmp`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, codeCachePath(file));
}

/** Runs a command that is bundled; undefined where this installation has no compiled code of it: that would be slower. */
export function findCommand(binFolder: string, name: string): RunCommand | undefined {
  const file = join(binFolder, "hook-entries", `command-${name}.cjs`);
  const isKnown = Reflect.has(globalThis, RECORDING) || existsSync(codeCachePath(file));
  if (!/^[a-z]+$/.test(name) || !isKnown) return undefined;
  return (loadEntry(file) as { run: RunCommand }).run;
}

type RunCommand = (argv: readonly string[], commandsFolder: string) => Promise<number>;
