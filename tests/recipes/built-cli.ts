import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { buildProgram } from "../launcher/launch-machine.ts";
import type { RecipeMachine } from "./recipe-machine.ts";

export interface BuiltCli {
  readonly path: string;
  run(machine: RecipeMachine, ...words: readonly string[]): CliEnd;
  start(machine: RecipeMachine, ...words: readonly string[]): ChildProcess;
}

export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line as it is shipped, on the machine of a recipe. */
export function buildCli(): BuiltCli {
  const path = buildProgram();
  const options = (machine: RecipeMachine): SpawnOptions => ({ cwd: machine.project, env: machine.env });
  return {
    path,
    run(machine, ...words) {
      const end = spawnSync(process.execPath, [path, ...words], {
        ...options(machine),
        encoding: "utf8",
        maxBuffer: 1e9,
      });
      return { code: end.status, stdout: String(end.stdout), stderr: String(end.stderr) };
    },
    start: (machine, ...words) =>
      spawn(process.execPath, [path, ...words], { ...options(machine), stdio: ["ignore", "pipe", "pipe"] }),
  };
}
