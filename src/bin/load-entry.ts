import { existsSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeCachePath, compileFile, readCache } from "../system/node.ts";

type Exports = Readonly<Record<string, unknown>>;

/**
 * Set by `record-code` alone: then every file loaded leaves its compiled code behind when the process ends, that of
 * earlier recordings included.
 */
const RECORDING = Symbol.for("amplihack.record-code");

/**
 * Loads one bundled CommonJS file with the machine code that an earlier run left beside it, under the name `use` where
 * several uses of a file run different parts of it. Most of a cold start is compiling; the cache takes that away. An
 * ordinary run never writes it.
 */
export function loadEntry(file: string, use = file): Exports {
  const { script, run } = compileFile(file, readCache(use));
  if (Reflect.has(globalThis, RECORDING))
    process.once("exit", () => writeCache(use, script.createCachedData()));
  // What a bundle imports lazily is a bundle beside it.
  return run(name => (name.startsWith("./") ? loadEntry(dirname(file) + name.slice(1)) : require(name)));
}

export function startRecording(): void {
  Reflect.set(globalThis, RECORDING, true);
}

/** Hooks may be starting at this moment: they must never read half of it. */
function writeCache(use: string, code: Buffer): void {
  const unfinished = `${codeCachePath(use)}.${process.pid}.tmp`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, codeCachePath(use));
}

/** Runs a command that is bundled; undefined where this installation has no compiled code of it: that would be slower. */
export function findCommand(binFolder: string, name: string): RunCommand | undefined {
  const folder = join(binFolder, "hook-entries");
  const use = join(folder, `command-${name}`);
  const isKnown = Reflect.has(globalThis, RECORDING) || existsSync(codeCachePath(use));
  if (!/^[a-z]+$/.test(name) || !isKnown) return undefined;
  const { run } = loadEntry(join(folder, "commands.cjs"), use) as { run: BundledCommands };
  return (argv, commandsFolder) => run(name, argv, commandsFolder);
}

type RunCommand = (argv: readonly string[], commandsFolder: string) => Promise<number>;
type BundledCommands = (name: string, ...rest: Parameters<RunCommand>) => Promise<number>;
