import { readdirSync } from "node:fs";
import { readCommandLine } from "../../src/hooks/command-line.ts";
import { type HookDefinition, openProgram } from "../../src/hooks/hook-program.ts";
import { openRun } from "../../src/hooks/run.ts";
import { createMemorySystem, type MemorySystem, type MemorySystemOptions } from "../../src/system/memory.ts";

/** The hook program's entries, as its build finds them. */
export const ENTRY_NAMES = readdirSync(new URL("../../src/hooks/entries", import.meta.url)).map(name =>
  name.replace(/\.ts$/, ""),
);

const definitions = new Map<string, Promise<{ readonly definition: HookDefinition }>>();

async function definitionOf(entry: string): Promise<HookDefinition> {
  const loading =
    definitions.get(entry) ??
    (import(`../../src/hooks/entries/${entry}.ts`) as Promise<{ readonly definition: HookDefinition }>);
  definitions.set(entry, loading);
  return (await loading).definition;
}

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
  const definition = await definitionOf(line.subcommand.isStock ? line.subcommand.name : "no-opinion");
  const run = openRun(openProgram(definition, line.subcommand, undefined, system), line.call, system);
  const code = await run.run();
  const stderr = system.stderr();
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  return { code, stdout: system.stdout(), stderr, telemetry: JSON.parse(last), system };
}
