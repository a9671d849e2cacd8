import { readCommandLine } from "../../src/hooks/program/command-line.ts";
import { openProgram } from "../../src/hooks/program/hook-program.ts";
import { openRun } from "../../src/hooks/program/run.ts";
import { STOCK_HOOKS } from "../../src/protocol/stock-hooks.ts";
import { createMemorySystem, type MemorySystem, type MemorySystemOptions } from "../../src/system/memory.ts";
import { loadDefinition } from "./definitions.ts";

/** The hook program's entries. */
export const ENTRY_NAMES = [...STOCK_HOOKS.map(hook => hook.name), "no-opinion"];

export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly telemetry: Readonly<Record<string, unknown>>;
  readonly system: MemorySystem;
}

/** One call of the hook program on a machine in memory, from the command line to the exit code. */
export async function callProgram(
  words: readonly string[],
  options: MemorySystemOptions = {},
  prepare: (system: MemorySystem) => void = () => {},
): Promise<Called> {
  const system = createMemorySystem(options);
  prepare(system);
  const line = readCommandLine(words);
  if (!line.ok) throw new Error(line.notice);
  const definition = await loadDefinition(line.subcommand.isStock ? line.subcommand.name : "no-opinion");
  const run = openRun(openProgram(definition, line.subcommand, undefined, system), line.call, system);
  const code = await run.run();
  const stderr = system.stderr();
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  return { code, stdout: system.stdout(), stderr, telemetry: JSON.parse(last), system };
}
