import type { Contribution, HookInput, Power } from "../../protocol/index.ts";
import { AtomicFlag } from "../../state/index.ts";
import { join, type System, sha256Hex } from "../../system/index.ts";
import { failureEffect } from "./failure.ts";
import type { WantedHooks } from "./find-wanted.ts";
import type { RunHook } from "./run-code.ts";
import { stateFolder } from "./store.ts";

/** The users' hooks of one call: what they have said so far, also when the run is given up. */
export class OwnHooks {
  private readonly wanted: WantedHooks;
  private readonly input: HookInput;
  private readonly system: System;
  private readonly power: Power;
  private readonly said: Contribution[] = [];

  constructor(wanted: WantedHooks, input: HookInput, system: System, power: Power) {
    this.wanted = wanted;
    this.input = input;
    this.system = system;
    this.power = power;
  }

  async run(deadlineMs: number, runHook: RunHook | undefined): Promise<readonly Contribution[]> {
    const { runOwnHooks } = await import("./run-own-hooks.ts");
    const { wanted, input, system, power } = this;
    await runOwnHooks({ wanted, input, system, power, deadlineMs, runHook }, one => this.said.push(one));
    return this.chained(this.said).map(one => this.withMessage(one));
  }

  /** What counts when the rest does not come: no change of the input, which was not judged. */
  abandon(reason: string): readonly Contribution[] {
    const answered = new Set(this.said.map(({ hook }) => hook));
    const isRefused = this.said.some(({ effect }) => effect.decision?.kind === "deny");
    const missing = isRefused ? [] : this.wanted.hooks.filter(({ hook }) => !answered.has(hook.name));
    const unheard = isRefused ? [] : this.wanted.handlers.filter(({ id }) => !answered.has(id));
    return [
      ...this.said.map(({ effect: { input: _, ...effect }, ...one }) => ({ ...one, effect })),
      ...missing.map(({ hook }) => ({
        hook: hook.name,
        effect: failureEffect(hook.name, reason, hook.onFailure, this.power),
      })),
      ...unheard.map(({ id, onFailure }) => ({
        hook: id,
        effect: failureEffect(id, reason, onFailure, this.power),
      })),
    ];
  }

  /** The hooks are a chain and not rivals: each started from what the one before had changed. */
  private chained(said: readonly Contribution[]): readonly Contribution[] {
    const last = said.map(({ effect }) => effect.input !== undefined).lastIndexOf(true);
    return said.map((one, index) => {
      if (index >= last || one.effect.input === undefined) return one;
      const { input: _, ...effect } = one.effect;
      return { ...one, effect };
    });
  }

  /** A hook that could not run is told to the person once in a session, besides every line on stderr. */
  private withMessage(one: Contribution): Contribution {
    const [problem] = one.effect.diagnostics ?? [];
    if (problem?.code !== "hook-problem" || !this.isNew(problem.detail)) return one;
    const message = { text: `amplihack: ${problem.detail}`, level: "warn" } as const;
    return { ...one, effect: { ...one.effect, message } };
  }

  private isNew(detail: string): boolean {
    const { system, input, wanted } = this;
    const key = sha256Hex(system.text.encode(`${input.sessionId ?? ""}\0${detail}`)).slice(0, 32);
    try {
      return new AtomicFlag(join(stateFolder(wanted.stateHome, ".told"), key), { system }).set();
    } catch {
      // Told twice is better than not at all.
      return true;
    }
  }
}
