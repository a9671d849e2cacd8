import { readCommandLine } from "../../src/hooks/program/command-line.ts";
import { openProgram } from "../../src/hooks/program/hook-program.ts";
import { openRun } from "../../src/hooks/program/run.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { Clock, System } from "../../src/system/system.ts";
import { loadDefinition } from "../hooks/definitions.ts";

export interface NodeCall {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: Uint8Array;
}

const { clock } = createNodeSystem();
/** A busy machine must decide neither what is kept nor what is answered: time passes a hundred times slower than it does. */
export const SLOW_CLOCK: Clock = {
  nowMs: () => clock.nowMs(),
  monotonicMs: () => clock.monotonicMs() / 100,
  sleepMs: ms => clock.sleepMs(ms),
};

/** One call of the hook program on real files, inside this process: a process per call would take hours. */
export async function answerOnNode(words: readonly string[], { cwd, env, input }: NodeCall) {
  let stdout = "";
  const node = createNodeSystem();
  const system: System = {
    ...node,
    processes: node.processes,
    clock: SLOW_CLOCK,
    env: { get: name => (Object.hasOwn(env, name) ? env[name] : undefined), names: () => Object.keys(env) },
    files: { ...node.files, workingDirectory: () => cwd },
    stdio: {
      readInput: () => ({ kind: "bytes", bytes: input }),
      writeOutput(text) {
        stdout += text;
        return "written";
      },
      writeError() {},
      isTerminal: () => false,
    },
  };
  const line = readCommandLine(words);
  if (!line.ok) throw new Error(line.notice);
  const { subcommand, call } = line;
  const entry = subcommand.isStock ? subcommand.name : "no-opinion";
  const definition = await loadDefinition(entry);
  const code = await openRun(openProgram(definition, subcommand, undefined, system), call, system).run();
  return { code, stdout };
}
