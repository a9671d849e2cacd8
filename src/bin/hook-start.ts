import { writeSync } from "node:fs";
import { join } from "node:path";
import { readCommandLine } from "../hooks/command-line.ts";
import { type HookDefinition, openProgram, openRun } from "../hooks/run.ts";
import { hookDeadlineMs } from "../hosts/hook-registry.ts";
import { createNodeSystem } from "../system/node.ts";

/** One call of the hook program; `argv` begins with the subcommand. The process ends with it. */
export type HookMain = (argv: readonly string[]) => void;

/** Wires one hook to Node: signals, deadline, last words. The process ends as soon as the answer is written. */
export function defineEntry(definition: HookDefinition): HookMain {
  return argv => {
    const line = readCommandLine(argv);
    if (line.notice !== "") writeSync(2, line.notice);
    if (!line.ok) process.exit(1);
    const { subcommand, call } = line;
    const system = createNodeSystem();
    const amplihack = [process.execPath, join(__dirname, "..", "amplihack.cjs")];
    const run = openRun(openProgram(definition, subcommand, amplihack, system), call, system);
    const end = (code: number | undefined): void => {
      if (code !== undefined) process.exit(code);
    };
    process.once("SIGTERM", () => end(run.abandon("told to end by SIGTERM before the answer was ready")));
    const deadlineMs = hookDeadlineMs(call.host ?? "claude-code", subcommand.name, subcommand.event);
    setTimeout(() => end(run.abandon(`no answer within ${deadlineMs} ms`)), deadlineMs).unref();
    for (const event of ["uncaughtException", "unhandledRejection"] as const) {
      process.on(event, () => lastWords(subcommand.hookName));
    }
    void run.run().then(end);
  };
}

/** Nothing can be trusted any more, so this computes nothing: the answer that every caller takes for silence. */
function lastWords(hookName: string): never {
  try {
    writeSync(1, "{}\n");
    writeSync(2, `{"hook":"${hookName}","duration_us":0,"result":"panic","error":"last resort"}\n`);
  } finally {
    process.exit(0);
  }
}
