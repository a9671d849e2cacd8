import { deriveFacts, hostOrDefault } from "../../hosts/index.ts";
import {
  type Contribution,
  type Effect,
  type FailurePolicy,
  type HookInput,
  isStricter,
  type JsonObject,
  type Power,
} from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { configurationFor } from "../program/guard-context.ts";
import type { HookProgram } from "../program/hook-program.ts";
import type { RunHook } from "./run-code.ts";
import type { WantedHooks } from "./wanted.ts";

/** The users' hooks of one call: what they have said so far, also when the run is given up. */
export class UserHooks {
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
    const { runUserHooks } = await import("./run-user-hooks.ts");
    const { wanted, input, system, power } = this;
    await runUserHooks({ wanted, input, system, power, deadlineMs, runHook }, one => this.said.push(one));
    return this.chained(this.said);
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
}

const VERDICT = { open: undefined, ask: "ask", closed: "deny" } as const;

/**
 * What it means that a user's hook could not run: a refusal or a question by its own policy, where the event can be
 * refused; in any case it is told. A hook that is broken never holds a stop.
 */
export function failureEffect(hook: string, problem: string, policy: FailurePolicy, power: Power): Effect {
  const detail = `hook ${hook} could not run: ${problem}`;
  const kind = power === "veto" ? VERDICT[policy] : undefined;
  return {
    ...(kind === undefined ? {} : { decision: { kind, reason: `could not check this: ${detail}` } }),
    diagnostics: [{ code: "hook-problem", severity: "error", detail }],
  };
}

/** The same beside what a hook had said before it failed: a restriction that it stated stands. */
export function withFailure(
  stated: Effect,
  hook: string,
  problem: string,
  policy: FailurePolicy,
  power: Power,
): Effect {
  const failure = failureEffect(hook, problem, policy, power);
  const { decision } = stated;
  const isStated = decision !== undefined && !isStricter(failure.decision?.kind ?? "none", decision.kind);
  return { ...stated, ...failure, ...(isStated ? { decision } : {}) };
}

/**
 * The guard's question is left out where a hook that the user named in `guard.trustHooks` allowed the call. Refusals
 * stay, and so does every other question.
 */
export function withoutTrustedQuestions(
  all: readonly Contribution[],
  program: HookProgram,
  system: System,
  { cwd }: HookInput,
): readonly Contribution[] {
  const isQuestion = ({ hook, effect }: Contribution) =>
    hook === program.hook?.id && effect.decision?.kind === "ask";
  const allowing = all.filter(({ effect }) => effect.decision?.kind === "allow").map(({ hook }) => hook);
  if (program.isGuard !== true || allowing.length === 0 || !all.some(isQuestion)) return all;
  const trusted = configurationFor(system, cwd)?.config.guard.trustHooks ?? [];
  if (!allowing.some(hook => trusted.includes(hook))) return all;
  return all.map(one => {
    if (!isQuestion(one)) return one;
    const { decision: _, ...effect } = one.effect;
    return { ...one, effect };
  });
}

/** The same call with another tool input, in the host's own form, and the facts that follow from it. */
export function withToolInput(input: HookInput, toolInput: JsonObject): HookInput {
  if (input.kind !== "tool") return input;
  const { name, canonicalName } = input.tool;
  const facts = deriveFacts(hostOrDefault(input.host), name, canonicalName, toolInput);
  return { ...input, tool: { ...input.tool, input: toolInput }, facts };
}
