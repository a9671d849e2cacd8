import { errorText, type HookInput } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import { type HookResult, readAnswer } from "./answer.ts";
import { openCall } from "./call.ts";
import type { WantedHook } from "./find-wanted.ts";
import { buildFolder } from "./manifest.ts";
import { openFacts } from "./open-facts.ts";
import type { RunHook } from "./run-code.ts";

const MAX_CODE_BYTES = 16 * 1024 * 1024;

/** Runs one portable hook here. Never rejects. */
export async function runPortable(
  { hook, file }: WantedHook,
  input: HookInput,
  system: System,
  place: { readonly stateHome: string; readonly deadlineMs: number; readonly runHook: RunHook },
): Promise<HookResult> {
  try {
    const path = join(buildFolder(place.stateHome), file.code ?? "");
    const code = system.text.decode(system.files.read(path, MAX_CODE_BYTES)).text;
    const now = system.clock.monotonicMs();
    const timeoutMs = Math.min(hook.timeoutMs, place.deadlineMs - now);
    if (timeoutMs <= 0) return { ok: false, problem: "no time was left" };
    const facts = await openFacts(file.usesFacts);
    const opened = openCall(
      input,
      system,
      { hook: hook.name, deadlineMs: now + timeoutMs, facts: () => facts(input, system) },
      hook.tools.length > 0,
    );
    if (!opened.ok) return opened;
    const compiled = { code, path, exportName: hook.exportName };
    const returned = await place.runHook(compiled, opened.call, timeoutMs);
    return readAnswer(JSON.parse(returned), input);
  } catch (error) {
    return { ok: false, problem: errorText(error) };
  }
}
