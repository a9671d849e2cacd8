import { readCommandLine } from "../../src/hooks/program/command-line.ts";
import { openProgram } from "../../src/hooks/program/hook-program.ts";
import { openRun } from "../../src/hooks/program/run.ts";
import { resolveSubcommand } from "../../src/hosts/subcommands.ts";
import type { Json } from "../../src/protocol/index.ts";
import {
  createMemorySystem,
  type MemoryMachine,
  type MemorySystem,
  type ScriptedRun,
  type SeedEntry,
} from "../../src/system/memory.ts";

import type { ProcessRequest } from "../../src/system/system.ts";
import { loadDefinition } from "../hooks/definitions.ts";
import {
  DEFAULT_REPLIES,
  fillIn,
  type GoldenCase,
  type GoldenRun,
  type SeedFile,
  subcommandOf,
} from "./golden-case.ts";

const SANDBOX = "/sandbox";
const BRIDGE = "golden-bridge";

/** A case on a machine that exists in memory only: what it needs is there, and it has not run yet. */
export interface OpenedCase {
  readonly system: MemorySystem;
  run(): Promise<GoldenRun>;
}

/** Runs a case through the hook program's own lifecycle. */
export async function runInMemory(golden: GoldenCase): Promise<GoldenRun> {
  return (await openInMemory(golden)).run();
}

/** With a machine of an earlier run the case meets what that run left, and nothing is put there anew. */
export async function openInMemory(golden: GoldenCase, machine?: MemoryMachine): Promise<OpenedCase> {
  const asked: Json[] = [];
  const system = createMemorySystem({
    cwd: SANDBOX,
    stdin: "",
    env: {},
    run: request => answer(golden, request, asked),
    ...(machine === undefined ? {} : { machine }),
  });
  const surroundings = { sandbox: SANDBOX, nowMs: system.clock.nowMs(), pid: system.processes.self.pid };
  const fill = (text: string) => fillIn(text, surroundings);
  const variables = {
    HOME: SANDBOX,
    AMPLIHACK_TESTING: "1",
    AMPLIHACK_TEST_BRIDGE_COMMAND: BRIDGE,
    ...golden.meta.env,
  };
  for (const [name, value] of Object.entries(variables)) system.variables.set(name, fill(value));
  for (const [path, file] of Object.entries(machine === undefined ? (golden.meta.files ?? {}) : {})) {
    system.put(`${SANDBOX}/${path}`, seedEntry(file, fill, surroundings.nowMs));
  }
  const line = readCommandLine([subcommandOf(golden.hook), ...(golden.meta.args ?? [])]);
  const subcommand = resolveSubcommand(subcommandOf(golden.hook));
  if (!line.ok || subcommand === undefined) throw new Error(`${golden.hook} is no hook of this program`);
  const definition = await loadDefinition(subcommand.name);
  const input = system.text.encode(fill(golden.input));
  const stdio = { ...system.stdio, readInput: () => ({ kind: "bytes", bytes: input }) as const };
  const withInput = { ...system, stdio };
  return {
    system,
    async run() {
      const program = openProgram(definition, subcommand, undefined, withInput);
      const exitCode = await openRun(program, line.call, withInput).run();
      return {
        ...surroundings,
        stdout: system.stdout(),
        stderr: system.stderr(),
        exitCode,
        asked,
        look(path) {
          const at = `${SANDBOX}/${path}`;
          const facts = system.files.follow(at);
          if (facts === undefined) return undefined;
          return facts.kind === "directory"
            ? { names: system.files.list(at) }
            : { text: system.peek(at) ?? "" };
        },
      };
    },
  };
}

/** Only the bridge exists; git and gh are as on a machine without them. */
function answer({ meta }: GoldenCase, request: ProcessRequest, asked: Json[]): ScriptedRun {
  if (request.argv[0] !== BRIDGE) return { end: { kind: "not-started", code: "ENOENT" } };
  const question = JSON.parse(new TextDecoder().decode(request.input)) as { action: string };
  asked.push(question);
  const script = meta.bridge ?? { stdout: DEFAULT_REPLIES[question.action] ?? "" };
  return { stdout: script.stdout ?? "", code: script.exit ?? 0 };
}

function seedEntry(file: SeedFile, fill: (text: string) => string, nowMs: number): SeedEntry {
  if (typeof file === "string") return fill(file);
  if ("directory" in file) return { kind: "directory" };
  if ("base64" in file) return Uint8Array.from(Buffer.from(file.base64, "base64"));
  return {
    content: fill(file.text),
    ...(file.mode === undefined ? {} : { mode: file.mode }),
    ...(file.age === undefined ? {} : { modifiedMs: nowMs - file.age * 1000 }),
  };
}
