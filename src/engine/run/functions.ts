import {
  applyFailure,
  diagnose,
  type HandlerFailure,
  isWithheld,
  notStarted,
  toRunStatus,
} from "../../handlers/index.ts";
import {
  type Contribution,
  type Effect,
  type EventDescriptor,
  type FailurePolicy,
  isJsonObject,
  type Json,
  type JsonObject,
  ownValue,
  type Power,
  type Run,
  stringAt,
} from "../../protocol/index.ts";
import { asArguments, checkMembers } from "../calls/describe-value.ts";
import type { CancelSignal } from "../cancel-signal.ts";
import type { EngineContext } from "../context.ts";
import type { DispatchOptions, Span } from "../options.ts";
import type { CallView, CheckedArgs, CheckedResult, RegisteredHook } from "../registration.ts";
import { describeError, freezeCopy, type Reply, refuse } from "../reply.ts";
import type { DeclaredTools } from "../tools.ts";
import type { HookScope } from "../types.ts";

/** What every stage of one dispatch needs. */
export interface StageContext {
  readonly core: EngineContext;
  readonly power: Power;
  readonly cancel: CancelSignal;
  readonly onRun: DispatchOptions["onRun"];
  /** what the host passed with the dispatch, for hooks of its own code */
  readonly context: unknown;
}

/**
 * One call on its way through the functions: each sees what the one before left. What functions see is a frozen copy
 * of the host's payload, made at once.
 */
export class CallState implements CallView {
  readonly event: EventDescriptor;
  /** the host's payload as it came: a frozen copy, or the host's own where no copy can be made */
  readonly given: JsonObject;
  /** why no function can be shown this payload: it is nested too deeply, or refers to itself */
  readonly problem: string | undefined;
  readonly names: readonly string[];
  readonly tool: string | undefined;
  readonly isRecorded: boolean;
  payload: JsonObject;
  isError: boolean;
  isInputNew = false;
  isResultNew = false;
  isErrorNew = false;
  private readonly tools: DeclaredTools;
  private checking: Promise<CheckedArgs> | undefined;

  constructor(
    event: EventDescriptor,
    payload: JsonObject,
    known: { readonly names: readonly string[]; readonly tool: string | undefined },
    core: Pick<EngineContext, "tools" | "recorder">,
  ) {
    this.event = event;
    this.names = known.names;
    this.tool = known.tool;
    this.tools = core.tools;
    this.isRecorded = core.recorder !== undefined;
    let copy = payload;
    try {
      checkMembers(ownValue(payload, "tool_input"));
      copy = freezeCopy(payload, true) as JsonObject;
    } catch (error) {
      this.problem = `the payload cannot be copied: ${describeError(error)}`;
    }
    this.given = copy;
    this.payload = copy;
    this.isError = event.name === "PostToolUseFailure" || ownValue(copy, "is_error") === true;
  }

  get id(): string {
    return stringAt(this.given, "tool_use_id") ?? "";
  }

  get name(): string {
    return this.names[0] ?? stringAt(this.given, "tool_name") ?? "";
  }

  get input(): Json {
    return ownValue(this.payload, "tool_input") ?? null;
  }

  get originalInput(): Json {
    return ownValue(this.given, "tool_input") ?? null;
  }

  get result(): Json {
    const reported = this.event.name === "PostToolUseFailure" ? ownValue(this.payload, "error") : undefined;
    return ownValue(this.payload, "tool_response") ?? reported ?? null;
  }

  checkedInput(): Promise<CheckedArgs> {
    this.checking ??= this.checkInput();
    return this.checking;
  }

  private async checkInput(): Promise<CheckedArgs> {
    const { id, name, tool, input } = this;
    const unchecked = { tool: undefined, args: asArguments(input), problem: undefined };
    const fitted = tool === undefined ? unchecked : await this.tools.checkArgs(tool, input);
    return {
      call: Object.freeze({ id, name, tool: fitted.tool, args: fitted.args }),
      problem: fitted.problem,
    };
  }

  async checkedResult(): Promise<CheckedResult> {
    const { result, tool } = this;
    if (this.isError || tool === undefined) return { result, problem: undefined };
    const checked = await this.tools.checkResult(tool, result);
    return checked.ok
      ? { result: checked.value === result ? result : freezeCopy(checked.value, true), problem: undefined }
      : { result, problem: `the result of ${tool} does not match its schema: ${checked.problem}` };
  }

  setInput(input: Json): void {
    this.isInputNew = true;
    this.checking = undefined;
    const { payload, originalInput } = this;
    this.payload = Object.freeze({ ...payload, tool_input: input, tool_input_original: originalInput });
  }

  setResult(result: Json): void {
    this.isResultNew = true;
    this.payload = Object.freeze({ ...this.payload, tool_response: result });
  }

  setError(isError: boolean): void {
    this.isError = isError;
    this.isErrorNew = true;
  }
}

const ABORTED: HandlerFailure = { code: "aborted", detail: "the host gave up waiting" };

/** Stage 0: the functions of the host's own code, one after another, each seeing what the one before changed. */
export class FunctionStage {
  readonly contributions: Contribution[] = [];
  /** a deny on an action that can be refused: nothing more is asked and nothing is started */
  isRefused = false;
  readonly state: CallState;
  /** the input that each judge was shown */
  readonly shown = new Map<RegisteredHook, Json>();
  private readonly stage: StageContext;
  private rewriter = -1;
  private isOutputWithheld = false;

  constructor(stage: StageContext, state: CallState) {
    this.stage = stage;
    this.state = state;
  }

  async run(functions: readonly RegisteredHook[]): Promise<void> {
    for (const registration of functions) {
      if (this.isRefused) this.skip(registration, "skipped");
      else if (this.stage.cancel.isRaised) this.skip(registration, "aborted");
      else await this.step(registration);
    }
  }

  private async step(registration: RegisteredHook): Promise<void> {
    const { core, onRun } = this.stage;
    const { id, timeoutMs } = registration;
    onRun?.({ hook: id, status: "started" });
    if (core.recorder === undefined) return this.call(registration, undefined);
    const facts = { id, kind: "function", dialect: "none", source: "builtin", timeoutMs };
    return core.recorder.run(facts, span => this.call(registration, span));
  }

  private skip({ id }: RegisteredHook, status: "skipped" | "aborted"): void {
    const contribution = notStarted(id, status);
    this.contributions.push(contribution);
    this.stage.onRun?.(contribution.run);
  }

  private async call(registration: RegisteredHook, span: Span | undefined): Promise<void> {
    const { timers } = this.stage.core;
    const begunMs = timers.nowMs();
    if (registration.isJudge) this.shown.set(registration, this.state.input);
    const { controller, scope } = createScope(this.state, this.stage);
    const reply = await this.wait(this.ask(registration, scope), registration, controller);
    this.conclude(registration, reply, timers.nowMs() - begunMs, span);
  }

  /** What a function said, with its rewrite checked. Never rejects. */
  private async ask(registration: RegisteredHook, scope: HookScope): Promise<Reply> {
    const { problem } = this.state;
    if (problem !== undefined) return refuse("hook-threw", problem);
    try {
      return await this.checkRewrite(await registration.run(this.state, scope));
    } catch (error) {
      return refuse("hook-threw", describeError(error));
    }
  }

  /** Not longer than the function's time, not longer than the host's patience. */
  private wait(
    answer: Promise<Reply>,
    { id, timeoutMs }: RegisteredHook,
    controller: AbortController,
  ): Promise<Reply> {
    return new Promise(resolve => {
      let isLate = false;
      const giveUp = (reply: Reply): void => {
        isLate = true;
        cancelTimer();
        unsubscribe();
        controller.abort();
        resolve(reply);
      };
      const cancelTimer = this.stage.core.timers.after(timeoutMs, () =>
        giveUp(refuse("timeout", `no answer within ${timeoutMs} ms`)),
      );
      const abort = (): void => giveUp({ effect: {}, failure: ABORTED });
      const unsubscribe = this.stage.cancel.subscribe(abort);
      // The function itself may have called everything off before it returned its promise.
      if (this.stage.cancel.isRaised) return abort();
      void answer.then(reply => {
        if (isLate) return this.reportLate(id);
        cancelTimer();
        unsubscribe();
        return resolve(reply);
      });
    });
  }

  private reportLate(hook: string): void {
    this.stage.core.recorder?.failure("late-result");
    const late = diagnose("late-result", "it answered too late; the answer is ignored");
    this.contributions.push({ hook, effect: { diagnostics: [late] } });
  }

  private async checkRewrite(reply: Reply): Promise<Reply> {
    if (reply.rewrite === undefined) return reply;
    const { rewrite, ...rest } = reply;
    const isAfter = this.state.event.name === "PostToolUse" || this.state.event.name === "PostToolUseFailure";
    const isPossible = rewrite.of === "output" ? isAfter : this.state.event.rewrites.includes("input");
    if (!isPossible) {
      const impossible = diagnose(
        "rewrite-invalid",
        `${this.state.event.name} has no ${rewrite.of} to change`,
      );
      const diagnostics = [...(rest.effect.diagnostics ?? []), impossible];
      return { ...rest, effect: { ...rest.effect, diagnostics } };
    }
    const { tools } = this.stage.core;
    const isError = reply.isError ?? this.state.isError;
    const checked =
      rewrite.of === "input"
        ? tools.checkInput(this.state.tool, rewrite.value)
        : tools.checkResult(isError ? undefined : this.state.tool, rewrite.value);
    const result = await checked;
    if (result.ok) return reply;
    const detail = `the new ${rewrite.of} of ${this.state.name} is not valid: ${result.problem}`;
    return { effect: rest.effect, failure: { code: "rewrite-invalid", detail } };
  }

  private conclude(registration: RegisteredHook, reply: Reply, durationMs: number, span?: Span): void {
    const { id } = registration;
    const run: Run = { hook: id, status: toRunStatus(reply.effect, reply.failure), durationMs };
    const effect = applyFailure(id, reply, this.choosePolicy(registration), this.stage.power);
    this.contributions.push({ hook: id, effect, run });
    if (reply.failure === undefined) this.apply(reply);
    else if (isWithheld(effect)) this.withhold(effect);
    const canRefuse = ["veto", "retry"].includes(this.stage.power);
    if (canRefuse && effect.decision?.kind === "deny") this.isRefused = true;
    if (span !== undefined) {
      const failureCode = reply.failure?.code;
      const isRewrite = reply.rewrite !== undefined && failureCode === undefined;
      const diagnostics = effect.diagnostics ?? [];
      this.stage.core.recorder?.endRun(span, {
        run,
        failureCode,
        queueMs: undefined,
        isRewrite,
        diagnostics,
      });
    }
    this.stage.onRun?.(run);
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

  private choosePolicy({ onFailure }: RegisteredHook): FailurePolicy {
    return (
      onFailure ??
      this.stage.core.failurePolicy(this.state.event.name) ??
      (this.stage.power === "veto" ? "closed" : "open")
    );
  }
}

/** What a function gets besides its subject. The signal aborts when its time is up, or the host gave up. */
function createScope(
  { event, given, originalInput }: CallState,
  { core: { projectDir, sessions }, context }: StageContext,
): { readonly controller: AbortController; readonly scope: HookScope } {
  const controller = new AbortController();
  const agentId = stringAt(given, "agent_id");
  const sessionId = stringAt(given, "session_id") ?? "";
  const scope: HookScope = {
    sessionId,
    get session() {
      return sessions.get(sessionId);
    },
    cwd: stringAt(given, "cwd") || projectDir,
    context,
    original: event.requiresTool ? originalInput : given,
    signal: controller.signal,
    ...(agentId === undefined ? {} : { agentId }),
  };
  return { controller, scope };
}
