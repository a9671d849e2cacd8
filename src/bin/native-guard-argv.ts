import { loadGuardArgv } from "../hooks/index.ts";
import { errorName } from "../protocol/index.ts";
import { createQuickJsSystem, type NativeHost, supplyDigest } from "../system/quickjs.ts";

declare const amplihackHost: NativeHost;

const DEADLINE_MS = 9_000;
const FAILED_EXIT = 1;

supplyDigest(amplihackHost);
const { system, end } = createQuickJsSystem(amplihackHost);

/** `guard-argv` on the native host, which has no payload and answers with its exit code alone. */
export async function start(argv: readonly string[]): Promise<number> {
  amplihackHost.setDeadlineMs(DEADLINE_MS);
  try {
    const { runGuardArgv } = await loadGuardArgv();
    return runGuardArgv(argv, system);
  } catch (error) {
    return fail(errorName(error));
  } finally {
    end();
  }
}

export function abandon(reason: string): number {
  end();
  return fail(reason);
}

function fail(reason: string): number {
  system.stdio.writeError(`amplihack-hooks: could not check this: the guard failed (${reason})\n`);
  return FAILED_EXIT;
}
