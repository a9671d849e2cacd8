import {
  applyFailure,
  diagnose,
  type HandlerFailure,
  isWithheld,
  notStarted,
  runStatusOf,
} from "../../handlers/index.ts";
import {
  type Contribution,
  type Effect,
  type EventDescriptor,
  type FailurePolicy,
  isJsonObject,
  type Json,
  type Power,
  type Run,
} from "../../protocol/index.ts";
import type { CancelSignal } from "../cancel-signal.ts";
import type { EngineContext } from "../context.ts";
import { andThen, isThenable, type MaybePromise } from "../maybe.ts";
import type { DispatchOptions, Span } from "../options.ts";
import type { RegisteredHook } from "../registration.ts";
import { NO_REPLY, type Reply, refuse } from "../reply.ts";
import { type CallState, FunctionScope, UnreadablePayload } from "./call-state.ts";
import { describeError } from "./invocation.ts";

const ABORTED: HandlerFailure = { code: "aborted", detail: "the host gave up waiting" };

/** Functions that were asked already: all before `place` were silent, and that at `place` answered, if at all. */
export interface BegunLane {
  readonly state: CallState;
  readonly place: number;
  readonly answer: { readonly said: MaybePromise<Reply>; readonly scope: FunctionScope } | undefined;
}

/** Stage 0: the functions of the host's own code, one after another, each seeing what the one before changed. */
export class FunctionLane {
  readonly contributions: Contribution[] = [];
  /** a deny on an action that can be refused: nothing more is asked and nothing is started */
  isRefused = false;
  private readonly core: EngineContext;
  private readonly event: EventDescriptor;
  private readonly power: Power;
  private readonly cancel: CancelSignal;
  private readonly onRun: DispatchOptions["onRun"];
  readonly state: CallState;
  /** the input that each judge was shown */
  readonly shown = new Map<RegisteredHook, Json>();
  private rewriter = -1;
  /** when the last function ended, if nothing was waited for since */
  private freeSinceMs: number | undefined;
  /** the longest time of a function; of one that answers later, without end */
  slowestMs = 0;
  private readonly context: unknown;
  private isOutputWithheld = false;

  constructor(
    core: EngineContext,
    state: CallState,
    power: Power,
    cancel: CancelSignal,
    onRun: DispatchOptions["onRun"],
    context: unknown,
  ) {
    this.core = core;
    this.state = state;
    this.event = state.event;
    this.power = power;
    this.cancel = cancel;
    this.onRun = onRun;
    this.context = context;
  }

  /** A promise comes back only when a function returned one. */
  run(lane: readonly RegisteredHook[], begun?: BegunLane): MaybePromise<void> {
    if (begun === undefined) return this.runFrom(lane, 0);
    const { place, answer } = begun;
    for (const silent of lane.slice(0, place)) {
      if (silent.isJudge) this.shown.set(silent, this.state.input);
      this.conclude(silent, NO_REPLY, 0);
    }
    const speaking = lane[place];
    if (answer === undefined || speaking === undefined) return this.runFrom(lane, place);
    if (speaking.isJudge) this.shown.set(speaking, this.state.input);
    this.freeSinceMs = this.core.timers.nowMs();
    const pending = this.settle(speaking, answer.said, answer.scope, this.freeSinceMs, undefined);
    if (isThenable(pending)) return pending.then(() => this.runFrom(lane, place + 1));
    return this.runFrom(lane, place + 1);
  }

  private runFrom(lane: readonly RegisteredHook[], from: number): MaybePromise<void> {
    for (let place = from; place < lane.length; place++) {
      const registration = lane[place];
      if (registration === undefined) break;
      const pending = this.step(registration);
      if (isThenable(pending)) return pending.then(() => this.runFrom(lane, place + 1));
    }
  }

  private step(registration: RegisteredHook): MaybePromise<void> {
    if (this.isRefused) return this.skip(registration, "skipped");
    if (this.cancel.isRaised) return this.skip(registration, "aborted");
    this.onRun?.({ hook: registration.id, status: "started" });
    const { recorder } = this.core;
    if (recorder === undefined) return this.call(registration, undefined);
    const { id, timeoutMs } = registration;
    const facts = { id, kind: "function", dialect: "none", source: "builtin", timeoutMs };
    return recorder.run(facts, span => this.call(registration, span));
  }

  private skip({ id }: RegisteredHook, status: "skipped" | "aborted"): void {
    const contribution = notStarted(id, status);
    this.contributions.push(contribution);
    this.onRun?.(contribution.run);
  }

  private call(registration: RegisteredHook, span: Span | undefined): MaybePromise<void> {
    const begunMs = this.freeSinceMs ?? this.core.timers.nowMs();
    if (registration.isJudge) this.shown.set(registration, this.state.input);
    const scope = new FunctionScope(this.state, this.core.projectDir, this.context);
    let said: MaybePromise<Reply>;
    try {
      said = registration.run(this.state, scope);
    } catch (error) {
      said = threw(error);
    }
    return this.settle(registration, said, scope, begunMs, span);
  }

  /** Takes what a function said, at once or when it is there. */
  private settle(
    registration: RegisteredHook,
    said: MaybePromise<Reply>,
    scope: FunctionScope,
    begunMs: number,
    span: Span | undefined,
  ): MaybePromise<void> {
    const { timers } = this.core;
    const answer = this.checked(said);
    if (!isThenable(answer)) {
      // The next one begins where this one ended: one look at the clock for each.
      this.freeSinceMs = timers.nowMs();
      const durationMs = this.freeSinceMs - begunMs;
      this.slowestMs = Math.max(this.slowestMs, durationMs);
      return this.conclude(registration, answer, durationMs, span);
    }
    this.freeSinceMs = undefined;
    this.slowestMs = Number.POSITIVE_INFINITY;
    // While this one is waited for, the host may change what it passed.
    this.state.takeCopy();
    return this.wait(answer, registration, scope).then(reply =>
      this.conclude(registration, reply, timers.nowMs() - begunMs, span),
    );
  }

  /** What a function said, with its rewrite checked. Never throws. */
  private checked(said: MaybePromise<Reply>): MaybePromise<Reply> {
    try {
      if (isThenable(said)) return said.then(reply => this.checkRewrite(reply)).then(undefined, threw);
      const checked = this.checkRewrite(said);
      return isThenable(checked) ? checked.then(undefined, threw) : checked;
    } catch (error) {
      return threw(error);
    }
  }

  /** Not longer than the function's time, not longer than the host's patience. */
  private wait(
    answer: PromiseLike<Reply>,
    { id, timeoutMs }: RegisteredHook,
    scope: FunctionScope,
  ): Promise<Reply> {
    return new Promise(resolve => {
      let isLate = false;
      const giveUp = (reply: Reply): void => {
        isLate = true;
        cancelTimer();
        unsubscribe();
        scope.abort();
        resolve(reply);
      };
      const cancelTimer = this.core.timers.after(timeoutMs, () =>
        giveUp(refuse("timeout", `no answer within ${timeoutMs} ms`)),
      );
      const abort = (): void => giveUp({ effect: {}, failure: ABORTED });
      const unsubscribe = this.cancel.subscribe(abort);
      // The function itself may have called everything off before it returned its promise.
      if (this.cancel.isRaised) return abort();
      void answer.then(reply => {
        if (isLate) return this.reportLate(id);
        cancelTimer();
        unsubscribe();
        return resolve(reply);
      });
    });
  }

  private reportLate(hook: string): void {
    this.core.recorder?.failure("late-result");
    const late = diagnose("late-result", "it answered after its time; the answer does not count");
    this.contributions.push({ hook, effect: { diagnostics: [late] } });
  }

  private checkRewrite(reply: Reply): MaybePromise<Reply> {
    if (reply.rewrite === undefined) return reply;
    const { rewrite, ...rest } = reply;
    const isAfter = this.event.name === "PostToolUse" || this.event.name === "PostToolUseFailure";
    const isPossible = rewrite.of === "output" ? isAfter : this.event.rewrites.includes("input");
    if (!isPossible) {
      const impossible = diagnose("rewrite-invalid", `${this.event.name} has no ${rewrite.of} to change`);
      const diagnostics = [...(rest.effect.diagnostics ?? []), impossible];
      return { ...rest, effect: { ...rest.effect, diagnostics } };
    }
    const { tools } = this.core;
    const isError = reply.isError ?? this.state.isError;
    const checked =
      rewrite.of === "input"
        ? tools.checkInput(this.state.tool, rewrite.value)
        : tools.checkResult(isError ? undefined : this.state.tool, rewrite.value);
    return andThen(checked, result => {
      if (result.ok) return reply;
      const detail = `the new ${rewrite.of} of ${this.state.name} does not fit: ${result.problem}`;
      return { effect: rest.effect, failure: { code: "rewrite-invalid", detail } };
    });
  }

  private conclude(registration: RegisteredHook, reply: Reply, durationMs: number, span?: Span): void {
    const { id } = registration;
    const run: Run = { hook: id, status: runStatusOf(reply.effect, reply.failure), durationMs };
    const effect = applyFailure(id, reply, this.policyOf(registration), this.power);
    this.contributions.push({ hook: id, effect, run });
    if (reply.failure === undefined) this.apply(reply);
    else if (isWithheld(effect)) this.withhold(effect);
    const canRefuse = this.power === "veto" || this.power === "retry";
    if (canRefuse && effect.decision?.kind === "deny") this.isRefused = true;
    if (span !== undefined) {
      const failureCode = reply.failure?.code;
      const isRewrite = reply.rewrite !== undefined && failureCode === undefined;
      const diagnostics = effect.diagnostics ?? [];
      this.core.recorder?.endRun(span, { run, failureCode, queueMs: undefined, isRewrite, diagnostics });
    }
    this.onRun?.(run);
  }

  /** No later hook sees the output that one could not check. */
  private withhold({ output }: Effect): void {
    this.isOutputWithheld = true;
    this.state.setError(true);
    this.state.setResult(output ?? null);
    this.rewriter = this.contributions.length - 1;
  }

  private apply({ rewrite, isError }: Reply): void {
    if (this.isOutputWithheld) return;
    if (isError !== undefined) this.state.setError(isError);
    if (rewrite?.of === "input") this.state.setInput(rewrite.value);
    if (rewrite?.of === "output") this.state.setResult(rewrite.value);
    const isFirstChange = isError !== undefined && this.rewriter < 0;
    if (rewrite !== undefined || isFirstChange) this.rewriter = this.contributions.length - 1;
  }

  /**
   * The contributions, with what all functions together changed told once, by the last that changed it. They
   * are a chain and not rivals; a later rewrite of the input started from theirs and takes its place.
   */
  finished(isInputReplaced: boolean): Contribution[] {
    const { state } = this;
    const place = this.contributions[this.rewriter];
    if (place === undefined) return this.contributions;
    const effect: Effect = {
      ...place.effect,
      ...(state.isInputNew && !isInputReplaced && isJsonObject(state.input) ? { input: state.input } : {}),
      ...(state.isResultNew ? { output: state.result } : {}),
      ...(state.isErrorNew ? { extras: { ...place.effect.extras, isError: state.isError } } : {}),
    };
    return this.contributions.with(this.rewriter, { ...place, effect });
  }

  private policyOf({ onFailure }: RegisteredHook): FailurePolicy {
    return (
      onFailure ?? this.core.failurePolicy(this.event.name) ?? (this.power === "veto" ? "closed" : "open")
    );
  }
}

export function threw(error: unknown): Reply {
  return refuse("hook-threw", error instanceof UnreadablePayload ? error.message : describeError(error));
}
