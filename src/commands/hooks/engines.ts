import { dirname, join } from "node:path";
import { usageError } from "../../cli/errors.ts";
import { ownProgram } from "../../cli/own-program.ts";
import { resolveSubcommand, STOCK_SUBCOMMANDS, type Subcommand } from "../../hosts/subcommands.ts";
import { inferEvent, isJsonObject, readJson } from "../../protocol/index.ts";
import type { System } from "../../system/system.ts";
import { type Engine, splitWords } from "../../verify/run-engine.ts";

const INPUT_LIMIT_BYTES = 64 * 1024 * 1024;

/** Our own hook program, the sibling of the one that runs. */
export function ownEngine(): Engine {
  return { words: [process.execPath, join(dirname(ownProgram()), "amplihack-hooks.cjs")] };
}

/** It will run in a sandbox, so words that name files from here are made to name them from there too. */
export function engineOf(system: System, commandLine: string, option: string): Engine {
  try {
    const words = splitWords(commandLine);
    if (words.length === 0) throw new Error("it is empty");
    return { words: words.map((word, index) => reachFile(system, word, index === 0)) };
  } catch (error) {
    throw usageError(`--${option} is no command: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function reachFile(system: System, word: string, isProgram: boolean): string {
  // A program without a slash is looked up on PATH.
  if (word.startsWith("/") || (isProgram && !word.includes("/"))) return word;
  const path = resolveHere(system, word);
  return system.files.follow(path)?.kind === "file" ? path : word;
}

/** An event or subcommand in any spelling. */
export function eventOf(text: string): Subcommand {
  const found = resolveSubcommand(text);
  if (found !== undefined) return found;
  const known = STOCK_SUBCOMMANDS.map(one => `${one.event} (${one.name})`).join(", ");
  throw usageError(`unknown event '${text}'; known are ${known} and every other hook event`);
}

/** A file's bytes, or standard input for `-`. */
export function readInputFile(system: System, path: string): Uint8Array {
  if (path !== "-") return system.files.read(findFile(system, path), INPUT_LIMIT_BYTES);
  const read = system.stdio.readInput(INPUT_LIMIT_BYTES);
  return read.kind === "bytes" ? read.bytes : new Uint8Array(0);
}

/** The absolute path of something that must be there: a wrong name is a wrong call, not a difference. */
export function findFile(system: System, path: string): string {
  const found = resolveHere(system, path);
  if (system.files.follow(found) === undefined) throw usageError(`there is no file ${found}`);
  return found;
}

export function resolveHere(system: System, path: string): string {
  return path.startsWith("/") ? path : join(system.files.workingDirectory() ?? "/", path);
}

/** The event of a payload by its own word or its fields, for inputs given without one. */
export function eventNamedIn(system: System, input: Uint8Array): string | undefined {
  const read = readJson(system.text.decode(input).text);
  return read.ok && isJsonObject(read.value) ? inferEvent(read.value) : undefined;
}
