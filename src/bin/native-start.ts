import { readCommandLine } from "../hooks/command-line.ts";
import { type HookDefinition, type HookRun, openProgram, openRun } from "../hooks/run.ts";
import { hookDeadlineMs } from "../hosts/hook-registry.ts";
import { createQuickJsSystem, type NativeHost, supplyTextDecoder } from "../system/quickjs.ts";

declare const amplihackHost: NativeHost;

export interface NativeEntry {
  /** The exit code of one run; the host drives the promise. */
  start(argv: readonly string[]): Promise<number>;
  /** Answers by the failure policy when the host had to interrupt the run; the code of the answer, old or new. */
  abandon(reason: string): number | undefined;
}

/** Wires one hook to the native host, as `hook-start.ts` wires it to Node. */
export function defineNativeEntry(definition: HookDefinition): NativeEntry {
  supplyTextDecoder(amplihackHost);
  const { system, end } = createQuickJsSystem(amplihackHost);
  let run: HookRun | undefined;
  return {
    async start(argv) {
      const line = readCommandLine(argv);
      if (!line.ok && line.isHelp) system.stdio.writeOutput(line.notice);
      else system.stdio.writeError(line.notice);
      if (!line.ok) return line.isHelp ? 0 : 1;
      const { subcommand, call } = line;
      amplihackHost.setDeadlineMs(
        hookDeadlineMs(call.host ?? "claude-code", subcommand.name, subcommand.event),
      );
      run = openRun(openProgram(definition, subcommand, undefined, system), call, system);
      const code = await run.run();
      end();
      return code;
    },
    abandon(reason) {
      const code = run?.abandon(reason) ?? run?.answered();
      end();
      return code;
    },
  };
}
