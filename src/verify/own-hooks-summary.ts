import { findWanted, OwnHooks, runInRealm } from "../hooks/index.ts";
import { normalise } from "../hosts/index.ts";
import { checkInput, describeEvent, powerOf } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { runRealm } from "../system/node.ts";
import { wordOf } from "./hook-trials/examples.ts";
import type { TranscriptInput } from "./transcript-inputs.ts";

/** What users' hooks would have said in past sessions: by hook, how often which word. */
export type OwnHooksSummary = Map<string, Map<string, number>>;

const MAX_HOOK_MS = 10_000;

/** Runs the users' hooks that want a call, with the limits that they have in a session, and counts what they say. */
export async function addOwnCall(
  system: System,
  summary: OwnHooksSummary,
  { event, payload }: TranscriptInput,
): Promise<void> {
  const read = normalise(JSON.stringify(payload), { env: { get: () => undefined }, event });
  const checked = read.ok ? checkInput(read.value) : undefined;
  if (checked?.ok !== true) return;
  const { input } = checked;
  const wanted = findWanted(system, input);
  if (wanted === undefined || "problem" in wanted) return;
  const own = new OwnHooks(wanted, input, system, powerOf(describeEvent(input.event), input.raw));
  const said = await own.run(system.clock.monotonicMs() + MAX_HOOK_MS, runInRealm(runRealm));
  for (const { hook, effect, run } of said) {
    const words = summary.get(hook) ?? new Map<string, number>();
    const word = run?.status === "failed" ? "failed" : wordOf(effect);
    words.set(word, (words.get(word) ?? 0) + 1);
    summary.set(hook, words);
  }
}
