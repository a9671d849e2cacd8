import {
  CRASHED,
  type EngineServices,
  type HookDefinition,
  type HookRun,
  INPUT_LIMIT_BYTES,
  openProgram,
  openRun,
  readCommandLine,
} from "../hooks/index.ts";
import { DEFAULT_HOST, hookDeadlineMs, recognise } from "../hosts/index.ts";
import { isJsonObject, type JsonObject, readJson } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { createQuickJsSystem, type NativeHost, supplyDigest } from "../system/quickjs.ts";

declare const amplihackHost: NativeHost;

export interface NativeEntry {
  /** The exit code of one run; the host drives the promise. */
  start(argv: readonly string[]): Promise<number>;
  /** Answers by the failure policy when the host had to interrupt the run; the code of the answer, old or new. */
  abandon(reason: string): number | undefined;
}

/** The last word of the second start after a crash, `native/host/src/crash.rs`. */
const AFTER_CRASH = "--after-crash";
const AFTER_CRASH_MS = 500;

/** Wires one hook to the native host, as `hook-start.ts` wires it to Node. */
export function defineNativeEntry(definition: HookDefinition): NativeEntry {
  supplyDigest(amplihackHost);
  const { system, end } = createQuickJsSystem(amplihackHost);
  const services: EngineServices = {
    runHook: async (...request) => {
      // Lazily: most runs need none of it.
      const { runInNativeRealm } = await import("./native-realm.ts");
      return runInNativeRealm(...request);
    },
    keepAnswer: ({ stdout, stderr, exitCode }) =>
      amplihackHost.keepAnswer(stdout, `${stderr.trimEnd()}\n`, exitCode),
  };
  let run: HookRun | undefined;
  return {
    async start(words) {
      const isAfterCrash = words.at(-1) === AFTER_CRASH;
      const argv = isAfterCrash ? words.slice(0, -1) : words;
      const line = readCommandLine(argv);
      if (!line.ok && line.isHelp) system.stdio.writeOutput(line.notice);
      else system.stdio.writeError(line.notice);
      if (!line.ok) return line.isHelp ? 0 : 1;
      const { subcommand, call } = line;
      if (isAfterCrash) {
        amplihackHost.setDeadlineMs(AFTER_CRASH_MS);
        const payload = readPayload(system);
        const host = recognise(payload, system.env, call.host);
        run = openRun(openProgram(definition, subcommand, undefined, system), { ...call, host }, system);
        return run.abandon(CRASHED, payload !== undefined) ?? 0;
      }
      amplihackHost.setDeadlineMs(
        hookDeadlineMs(call.host ?? DEFAULT_HOST, subcommand.name, subcommand.event, call.limitSeconds),
      );
      run = openRun(openProgram(definition, subcommand, undefined, system), call, system, services);
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

/** What the first start had read, as far as it says who called. */
function readPayload(system: System): JsonObject | undefined {
  const received = system.stdio.readInput(INPUT_LIMIT_BYTES);
  if (received.kind !== "bytes" || received.bytes.length === 0) return undefined;
  const parsed = readJson(system.text.decode(received.bytes).text);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}
