import { type Contribution, errorText, type HookInput, type Power } from "../../protocol/index.ts";
import { join, type System } from "../../system/index.ts";
import { type HookResult, readAnswer } from "./answer.ts";
import { openCall, openFacts } from "./call.ts";
import { hasChanged, rebuildChanged } from "./changed-sources.ts";
import { hookDepth, MAX_HOOK_DEPTH } from "./depth.ts";
import { type BuiltHandler, buildFolder } from "./manifest.ts";
import { askInNode, runInNode } from "./node-child.ts";
import type { RunHook } from "./run-code.ts";
import { runHandlers } from "./run-handlers.ts";
import { failureEffect, withFailure, withToolInput } from "./user-hooks.ts";
import type { WantedHook, WantedHooks } from "./wanted.ts";

export interface UserHooksRequest {
  readonly wanted: WantedHooks;
  readonly input: HookInput;
  readonly system: System;
  readonly power: Power;
  /** on the clock of `monotonicMs` */
  readonly deadlineMs: number;
  /** undefined where the engine at hand evaluates no text: then all hooks run in the child */
  readonly runHook: RunHook | undefined;
}

/**
 * Runs the users' hooks that want a call: the portable ones here, one after another, then all others in one child. Each
 * sees the input as those before it left it; a refusal ends the run, for there is nothing left to decide. Never rejects.
 * `onResult` hears of each result at once, so that what was said is not lost when something later does not come back.
 */
export async function runUserHooks(
  request: UserHooksRequest,
  onResult: (contribution: Contribution) => void,
): Promise<void> {
  const { input, system, deadlineMs, runHook } = request;
  if (hookDepth(system) >= MAX_HOOK_DEPTH) {
    const problem = `hooks that start agents are nested ${MAX_HOOK_DEPTH} deep (AMPLIHACK_HOOK_DEPTH)`;
    for (const { hook } of request.wanted.hooks)
      onResult(toContribution({ ok: false, problem }, hook, request));
    for (const { id, onFailure } of request.wanted.handlers)
      onResult({ hook: id, effect: failureEffect(id, problem, onFailure, request.power) });
    return;
  }
  const wanted = await rebuildChanged(request.wanted, input, system, deadlineMs);
  if (wanted === undefined) return;
  const run = new OwnRun(request, wanted, onResult);
  const [here, there] = divide(wanted.hooks, runHook !== undefined);
  await run.runHere(here);
  await run.runThere(there);
  await run.runHandlers(wanted.handlers);
}

function divide(hooks: readonly WantedHook[], canRunHere: boolean): readonly [WantedHook[], WantedHook[]] {
  const here: WantedHook[] = [];
  const there: WantedHook[] = [];
  for (const wanted of hooks) (canRunHere && wanted.file.isPortable ? here : there).push(wanted);
  return [here, there];
}

class OwnRun {
  private readonly request: UserHooksRequest;
  private readonly wanted: WantedHooks;
  private readonly onResult: (contribution: Contribution) => void;
  private input: HookInput;
  private isRefused = false;

  constructor(
    request: UserHooksRequest,
    wanted: WantedHooks,
    onResult: (contribution: Contribution) => void,
  ) {
    this.request = request;
    this.wanted = wanted;
    this.onResult = onResult;
    this.input = request.input;
  }

  async runHere(hooks: readonly WantedHook[]): Promise<void> {
    const { system, deadlineMs, runHook } = this.request;
    const { stateHome } = this.wanted;
    for (const wanted of hooks) {
      if (this.isRefused || runHook === undefined) return;
      const problem = this.findProblem(wanted);
      const beganMs = system.clock.monotonicMs();
      const result: HookResult =
        problem === undefined
          ? await runPortable(wanted, this.input, system, { stateHome, deadlineMs, runHook })
          : { ok: false, problem };
      this.settle(wanted, result, beganMs);
    }
  }

  async runThere(hooks: readonly WantedHook[]): Promise<void> {
    if (this.isRefused || hooks.length === 0) return;
    const { system, deadlineMs } = this.request;
    const { stateHome, manifest } = this.wanted;
    const beganMs = system.clock.monotonicMs();
    const isFit = (wanted: WantedHook) => this.findProblem(wanted) === undefined;
    for (const wanted of hooks.filter(one => !isFit(one)))
      this.settle(wanted, { ok: false, problem: this.findProblem(wanted) ?? "" }, beganMs);
    const fit = hooks.filter(isFit);
    if (fit.length === 0) return;
    const place = { stateHome, deadlineMs, runner: manifest.runner };
    const results = await runInNode(fit, this.input, system, place);
    for (const [index, result] of results.entries()) {
      const wanted = fit[index];
      if (wanted !== undefined) this.settle(wanted, result, beganMs);
    }
  }

  async runHandlers(handlers: readonly BuiltHandler[]): Promise<void> {
    if (this.isRefused || handlers.length === 0) return;
    const { system, deadlineMs, power } = this.request;
    const { stateHome, manifest } = this.wanted;
    const node = { stateHome, deadlineMs, runner: manifest.runner };
    const results = await runHandlers(handlers, this.input, system, {
      stateHome,
      deadlineMs,
      askElsewhere: (asked, payload) => askInNode(asked, payload, this.input, system, node),
    });
    for (const { handler, effect, problem, durationMs } of results) {
      const { id: hook, onFailure } = handler;
      const said = problem === undefined ? effect : withFailure(effect, hook, problem, onFailure, power);
      this.onResult({ hook, effect: said, run: { hook, status: runStatus(problem), durationMs } });
    }
  }

  private findProblem({ file }: WantedHook): string | undefined {
    if (file.problem !== undefined) return file.problem;
    if (!hasChanged(file, this.request.system)) return undefined;
    return file.project === undefined
      ? `${file.source} changed and could not be built again; run amplihack hooks build`
      : `${file.source}, or what it imports, changed since it was trusted; run amplihack hooks trust`;
  }

  /** Hooks that share a start of Node have each what all of it took. */
  private settle({ hook }: WantedHook, result: HookResult, beganMs: number): void {
    const durationMs = this.request.system.clock.monotonicMs() - beganMs;
    const status = runStatus(result.ok ? undefined : result.problem);
    const contribution = {
      ...toContribution(result, hook, this.request),
      run: { hook: hook.name, status, durationMs },
    };
    const { effect } = contribution;
    if (effect.input !== undefined) this.input = withToolInput(this.input, effect.input);
    const canRefuse = this.request.power === "veto" || this.request.power === "retry";
    if (canRefuse && effect.decision?.kind === "deny") this.isRefused = true;
    this.onResult(contribution);
  }
}

function runStatus(problem: string | undefined): "ok" | "failed" {
  return problem === undefined ? "ok" : "failed";
}

function toContribution(
  result: HookResult,
  hook: WantedHook["hook"],
  { power }: UserHooksRequest,
): Contribution {
  const effect = result.ok ? result.effect : failureEffect(hook.name, result.problem, hook.onFailure, power);
  return { hook: hook.name, effect };
}

const MAX_CODE_BYTES = 16 * 1024 * 1024;

/** Runs one portable hook here. Never rejects. */
async function runPortable(
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
    const returned = await place.runHook(compiled, opened, timeoutMs);
    return readAnswer(JSON.parse(returned), input);
  } catch (error) {
    return { ok: false, problem: errorText(error) };
  }
}
