import { dirname, join } from "node:path";
import { option, ownProgram, usageError } from "../../cli/index.ts";
import { resolveSubcommand, STOCK_SUBCOMMANDS, type Subcommand } from "../../hosts/index.ts";
import { errorText, inferEvent, isJsonObject, readJson } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import {
  type CompareInput,
  createMover,
  type Engine,
  type Sandbox,
  splitCommandLine,
  type TranscriptInput,
} from "../../verify/index.ts";

const MAX_INPUT_BYTES = 64 * 1024 * 1024;

export const CANDIDATE_OPTION = option.string("COMMAND", "instead of amplihack-hooks");
export const TIMEOUT_OPTION = option.number("SECONDS", "for one run (10)", { minimum: 0.001 });

/** In milliseconds. */
export function toTimeoutMs({ timeout = 10 }: { readonly timeout: number | undefined }): number {
  return timeout * 1000;
}

/** What `--candidate` names; without it our own hook program. */
export function candidateEngine(
  system: System,
  { candidate }: { readonly candidate: string | undefined },
): Engine {
  if (candidate !== undefined) return parseEngine(system, candidate, "candidate");
  return nodeEngine();
}

/** Our hook program on Node, the sibling of the one that runs. */
export function nodeEngine(): Engine {
  return { words: [process.execPath, join(dirname(ownProgram()), "amplihack-hooks.cjs")] };
}

/** It will run in a sandbox, so words that name files from here are made to name them from there too. */
export function parseEngine(system: System, commandLine: string, option: string): Engine {
  try {
    const words = splitCommandLine(commandLine);
    if (words.length === 0) throw new Error("it is empty");
    return { words: words.map((word, index) => reachFile(system, word, index === 0)) };
  } catch (error) {
    throw usageError(`--${option} is not a command: ${errorText(error)}`);
  }
}

function reachFile(system: System, word: string, isProgram: boolean): string {
  // A program without a slash is looked up on PATH.
  if (word.startsWith("/") || (isProgram && !word.includes("/"))) return word;
  const path = resolveHere(system, word);
  return system.files.follow(path)?.kind === "file" ? path : word;
}

/** An event or subcommand in any spelling. */
export function parseEvent(text: string): Subcommand {
  const found = resolveSubcommand(text);
  if (found !== undefined) return found;
  const known = STOCK_SUBCOMMANDS.map(one => `${one.event} (${one.name})`).join(", ");
  throw usageError(`unknown event '${text}'; known are ${known} and every other hook event`);
}

/** A file's bytes, or standard input for `-`. */
export function readInputFile(system: System, path: string): Uint8Array {
  if (path !== "-") return system.files.read(findFile(system, path), MAX_INPUT_BYTES);
  const read = system.stdio.readInput(MAX_INPUT_BYTES);
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

/** The event of an input: as told, else by the payload's own word or its fields. */
export function eventOfInput(system: System, told: string | undefined, input: Uint8Array): Subcommand {
  const read = readJson(system.text.decode(input).text);
  const named = told ?? (read.ok && isJsonObject(read.value) ? inferEvent(read.value) : undefined);
  if (named === undefined) throw usageError("the input names no event; add --event", "--event PreToolUse");
  return parseEvent(named);
}

/** The calls of one transcript as inputs of engines that run in `sandboxes`, where their directories are made. */
export function createCallReader(
  system: System,
  event: string | undefined,
  sandboxes: readonly Sandbox[],
): (input: TranscriptInput) => CompareInput | undefined {
  const wanted = event === undefined ? undefined : parseEvent(event).event;
  const move = createMover();
  return ({ event: named, line, payload }) => {
    const subcommand = resolveSubcommand(named);
    if (subcommand === undefined || (wanted !== undefined && subcommand.event !== wanted)) return undefined;
    const { text, directory } = move(payload);
    if (directory !== undefined) for (const sandbox of sandboxes) sandbox.makeDirectory(directory);
    const input = system.text.encode(text);
    return { name: `line ${line}`, event: subcommand.event, subcommand: subcommand.name, input };
  };
}
