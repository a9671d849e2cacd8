import {
  defined,
  errorText,
  isSameJson,
  type JsonObject,
  NO_OUTCOME,
  type Outcome,
  type ReaderTexts,
} from "../../protocol/index.ts";
import type { EngineContext } from "../context.ts";
import type { ApprovalOptions, DispatchOptions } from "../options.ts";
import { BoundedMap } from "../session-state.ts";
import { canonicalJson } from "../trust.ts";
import { type AnswerStore, rememberAnswers } from "./answer-store.ts";
import { gapsIn, questionIn, refusalIn, understoodIn, withKnowledge } from "./decision-texts.ts";
import { describeArguments, describeValue, isAsShown, isJson } from "./describe-value.ts";
import {
  type Answer,
  type ApprovedResult,
  type CallDecision,
  type CallOptions,
  type CallResult,
  type DeniedResult,
  type PendingCall,
  type PendingResult,
  type ResumeOptions,
  type RunScope,
  type RunTool,
  USER_REFUSED,
} from "./types.ts";

type Dispatch = (
  event: string,
  payload: JsonObject | (() => JsonObject),
  options?: DispatchOptions,
) => Promise<Outcome>;

/** What a history does around a person's answer. */
export interface CallKeeping {
  /** the call runs after a person was asked: what stands there may be another than when it was judged */
  again(payload: JsonObject): Promise<void>;
  /** the call does not run */
  refused(payload: JsonObject): Promise<void>;
}

const MAX_SHARED_CALLS = 512;
const APPROVAL_TTL_MS = 24 * 60 * 60 * 1000;

/** What an approval step and the execution of one call share. */
interface SharedCall {
  readonly tool: string;
  readonly input: JsonObject;
  before?: Promise<Outcome>;
  running?: Promise<CallResult<unknown>>;
}

/** A call about to be made: who, what and where. */
interface Call extends RunScope {
  readonly tool: string;
  /** what the tool gets if no hook changes it: what hooks saw */
  readonly args: unknown;
  readonly input: JsonObject;
  /** why hooks cannot be shown the arguments */
  readonly problem: string | undefined;
  readonly options: CallOptions;
}

/** A call that nothing speaks against. */
interface Cleared {
  readonly call: Call;
  readonly runs: unknown;
  readonly before: Outcome;
}
type NotRun = DeniedResult | PendingResult;

/** The life of a tool call: hooks before, a person where one is asked, the tool, hooks after. */
export class ToolCalls {
  private readonly core: EngineContext;
  private readonly dispatch: Dispatch;
  private readonly shared = new BoundedMap<SharedCall>(MAX_SHARED_CALLS);
  private readonly answers: AnswerStore;
  private readonly ttlMs: number;
  private readonly secret: string | undefined;
  private signer: Signer | undefined;
  private readonly keeping: () => CallKeeping | undefined;

  constructor(
    core: EngineContext,
    dispatch: Dispatch,
    keeping: () => CallKeeping | undefined,
    { key, ttlMs = APPROVAL_TTL_MS, store = rememberAnswers() }: ApprovalOptions = {},
  ) {
    this.core = core;
    this.dispatch = dispatch;
    this.keeping = keeping;
    this.ttlMs = ttlMs;
    this.secret = key;
    this.answers = store;
  }

  async decide(tool: string, args: unknown, options: CallOptions): Promise<CallDecision> {
    const call = this.open(tool, args, options);
    const before = call.problem === undefined ? await this.before(call) : NO_OUTCOME;
    const { id } = call;
    const refusal = call.problem ?? refusalIn(before);
    const question = questionIn(before, tool);
    const runs = before.input ?? call.args;
    const decided = { id, args: runs, before };
    if (refusal === undefined && (question === undefined || (await this.isSettled(call, runs))))
      return withKnowledge({ ...decided, kind: "run", reason: undefined });
    await this.keepNothing(call, before);
    if (refusal !== undefined) return withKnowledge({ ...decided, kind: "deny", reason: refusal });
    return withKnowledge({ ...decided, kind: "ask", reason: question?.person });
  }

  call(
    tool: string,
    args: unknown,
    run: RunTool<never, unknown>,
    options: CallOptions,
  ): Promise<CallResult<unknown>> {
    const call = this.open(tool, args, options);
    if (options.id === undefined) return this.traced(call, () => this.perform(call, run));
    const shared = this.share(call);
    if (shared.running !== undefined) return shared.running;
    const key = callKey(call);
    const running = this.traced(call, () => this.perform(call, run)).finally(() => {
      if (this.shared.get(key) === shared) this.shared.delete(key);
    });
    shared.running = running;
    return running;
  }

  /** Everything before the tool runs, for a loop that runs it itself; the decision is not kept for a second look. */
  async approve(tool: string, args: unknown, options: CallOptions): Promise<ApprovedResult | NotRun> {
    const call = this.open(tool, args, options);
    try {
      const cleared = await this.clear(call);
      if ("status" in cleared) return cleared;
      const { before, runs } = cleared;
      const checked = await this.core.tools.checkCall(tool, runs);
      if (!checked.ok) return this.refuse(call, schemaProblem(tool, checked.problem), before);
      return { ...createReport(call, before, undefined), status: "approved", args: checked.value };
    } finally {
      this.shared.delete(callKey(call));
    }
  }

  resume(
    pending: PendingCall,
    answer: Answer,
    run: RunTool<never, unknown>,
    options: ResumeOptions,
  ): Promise<CallResult<unknown>> {
    const { tool, args, id, sessionId, cwd } = pending;
    const call = this.open(tool, args, { ...options, id, sessionId, cwd });
    return this.traced(call, () => this.goOn(call, pending, answer, run));
  }

  private async goOn(
    call: Call,
    pending: PendingCall,
    answer: Answer,
    run: RunTool<never, unknown>,
  ): Promise<CallResult<unknown>> {
    const { tool, options } = call;
    const problem = await this.findProblem(pending);
    if (problem !== undefined) return denied(call, problem, undefined);
    const { isApproved, reason, edited, scope } = readAnswer(answer);
    if (!isApproved) return this.refuse(call, reason, undefined);
    if (edited !== undefined && !isSameJson(edited, pending.args))
      return this.perform(this.open(tool, edited, options), run);
    if (scope === "session") await this.settle(call, call.args);
    await this.keeping()?.again(toPayload(call, call.input));
    return this.execute(call, call.args, undefined, pending.context, run);
  }

  private traced(call: Call, work: () => Promise<CallResult<unknown>>): Promise<CallResult<unknown>> {
    return this.core.recorder === undefined ? work() : this.core.recorder.call(call, work);
  }

  /** Whether a person allowed this very call for the rest of the session. */
  private async isSettled(call: Call, runs: unknown): Promise<boolean> {
    try {
      return isJson(runs) && (await this.answers.has(settledKey(call, runs)));
    } catch {
      return false; // the person is asked again
    }
  }

  private async settle(call: Call, runs: unknown): Promise<void> {
    try {
      if (isJson(runs)) await this.answers.claim(settledKey(call, runs), Date.now() + this.ttlMs);
    } catch {
      // the person is asked again
    }
  }

  private async findProblem(pending: PendingCall): Promise<string | undefined> {
    const { signature, ...signed } = pending;
    this.signer ??= new Signer(this.secret);
    if (typeof signature !== "string" || !(await this.signer.isValid(signed, signature)))
      return "the pending call was changed, or another engine signed it with another key";
    if (Date.now() > pending.expiresAt) return "the pending call has expired; the agent has to ask again";
    try {
      const isFirst = await this.answers.claim(signature, pending.expiresAt);
      return isFirst ? undefined : "the pending call was answered already";
    } catch (error) {
      return `the answer could not be recorded, so it is ignored: ${errorText(error)}`;
    }
  }

  private open(tool: string, args: unknown, options: CallOptions): Call {
    const { id = crypto.randomUUID(), sessionId = "", cwd = this.core.projectDir } = options;
    const signal = options.signal ?? new AbortController().signal;
    const known = { tool, id, sessionId, cwd, signal, options };
    try {
      const { input, runs } = describeArguments(args);
      return { ...known, args: runs, input, problem: undefined };
    } catch (error) {
      return {
        ...known,
        args,
        input: {},
        problem: `the input of ${tool} cannot be read: ${errorText(error)}`,
      };
    }
  }

  /** The entry of this call; one id with other arguments is another call. */
  private share(call: Call): SharedCall {
    const key = callKey(call);
    const known = this.shared.get(key);
    if (known?.tool === call.tool && isSameJson(known.input, call.input)) return known;
    const fresh: SharedCall = { tool: call.tool, input: call.input };
    this.shared.set(key, fresh);
    return fresh;
  }

  private before(call: Call): Promise<Outcome> {
    const decide = (): Promise<Outcome> =>
      this.dispatch("PreToolUse", () => toPayload(call, call.input), dispatchOptions(call));
    if (call.options.id === undefined) return decide();
    const shared = this.share(call);
    shared.before ??= decide();
    return shared.before;
  }

  private async perform(call: Call, run: RunTool<never, unknown>): Promise<CallResult<unknown>> {
    const cleared = await this.clear(call);
    if ("status" in cleared) return cleared;
    const { call: judged, runs, before } = cleared;
    return this.execute(judged, runs, before, outcomeTexts(before), run);
  }

  /** What may run after hooks and, where one is asked, a person; otherwise how the call ends here. */
  private async clear(call: Call): Promise<Cleared | NotRun> {
    if (call.problem !== undefined) return denied(call, call.problem, undefined);
    const before = await this.before(call);
    const refusal = refusalIn(before);
    if (refusal !== undefined) return this.refuse(call, refusal, before);
    const question = questionIn(before, call.tool);
    const runs = before.input ?? call.args;
    if (question === undefined) return { call, runs, before };
    if (call.options.isApproved !== true && !(await this.isSettled(call, runs))) {
      const asked = await this.ask(call, question, before);
      if (asked !== undefined) return asked;
    }
    await this.keeping()?.again(toPayload(call, before.input ?? call.input));
    return { call, runs, before };
  }

  /** Nothing when a person said yes to it as it is; otherwise how the call ends here, or what runs in its place. */
  private async ask(
    call: Call,
    question: ReaderTexts,
    before: Outcome,
  ): Promise<Cleared | NotRun | undefined> {
    const { onAsk } = call.options;
    const runs = before.input ?? call.args;
    const unasked = (why: string) => this.refuse(call, `${question.model} (${why})`, before);
    if (onAsk === undefined && !isJson(runs))
      return unasked("its arguments are not JSON, so it cannot wait for an answer");
    const pending = await this.pend(call, question.person, before);
    await this.keepNothing(call, before);
    if (onAsk === undefined)
      return { ...createReport(call, before, undefined), status: "pending", reason: question.model, pending };
    let answer: Answer;
    try {
      await this.answers.claim(pending.signature, pending.expiresAt);
      answer = await onAsk(pending);
    } catch (error) {
      return unasked(`nobody could be asked: ${errorText(error)}`);
    }
    const { isApproved, reason, edited, scope } = readAnswer(answer);
    if (!isApproved) return denied(call, reason, before);
    if (edited !== undefined && !isSameJson(edited, pending.args))
      return this.clear(this.open(call.tool, edited, call.options));
    if (scope === "session") await this.settle(call, runs);
    return undefined;
  }

  private async refuse(call: Call, reason: string, before: Outcome | undefined): Promise<DeniedResult> {
    await this.keepNothing(call, before);
    return denied(call, reason, before);
  }

  /** A call that is refused or waits for a person changes nothing. One that runs after all is kept anew then. */
  private async keepNothing(call: Call, before: Outcome | undefined): Promise<void> {
    await this.keeping()?.refused(toPayload(call, before?.input ?? call.input));
  }

  private async pend(call: Call, reason: string, before: Outcome): Promise<PendingCall> {
    const { id, tool, sessionId, cwd } = call;
    const { decision, input } = before;
    const unsigned = {
      version: 1 as const,
      id,
      tool,
      args: input ?? call.input,
      reason,
      by: decision.kind === "none" ? [] : decision.by,
      sessionId,
      cwd,
      context: before.context.map(({ text }) => text),
      ...(understoodIn(before) === undefined ? {} : { gaps: gapsIn(before) }),
      expiresAt: Date.now() + this.ttlMs,
    };
    this.signer ??= new Signer(this.secret);
    return { ...unsigned, signature: await this.signer.sign(unsigned) };
  }

  private async execute(
    call: Call,
    args: unknown,
    before: Outcome | undefined,
    context: readonly string[],
    run: RunTool<never, unknown>,
  ): Promise<CallResult<unknown>> {
    const checked = await this.core.tools.checkCall(call.tool, args);
    if (!checked.ok) return denied(call, schemaProblem(call.tool, checked.problem), before);
    if (args === call.args && !isAsShown(args, call.input))
      return this.refuse(call, `the input of ${call.tool} was changed after hooks had judged it`, before);
    const begunMs = this.core.timers.nowMs();
    const end = await runTool(call, checked.value, run);
    const input = before?.input ?? call.input;
    const duration_ms = Math.round(this.core.timers.nowMs() - begunMs);
    const after = await this.dispatch(
      end.isError ? "PostToolUseFailure" : "PostToolUse",
      () => ({
        ...toPayload(call, input),
        ...(end.isError
          ? { error: describeValue(end.value), is_error: true }
          : { tool_response: describeValue(end.value) }),
        duration_ms,
      }),
      dispatchOptions(call),
    );
    const isErrorNow = after.extras["isError"];
    const isError = typeof isErrorNow === "boolean" ? isErrorNow : end.isError;
    const value: unknown = after.output === undefined ? end.value : after.output;
    const report = { ...createReport(call, before, after), context: [...context, ...outcomeTexts(after)] };
    return isError
      ? { ...report, status: "failed", error: value }
      : { ...report, status: "done", result: value };
  }
}

function schemaProblem(tool: string, problem: string): string {
  return `the input of ${tool} does not match its schema: ${problem}`;
}

function callKey({ sessionId, id }: Call): string {
  return `${sessionId}\n${id}`;
}

function dispatchOptions({ options: { signal, context } }: Call): DispatchOptions {
  return defined({ signal, context });
}

function toPayload({ sessionId, cwd, id, tool, options }: Call, input: JsonObject): JsonObject {
  return {
    ...options.payload,
    session_id: sessionId,
    cwd,
    ...defined({ agent_id: options.agentId }),
    tool_name: tool,
    tool_use_id: id,
    tool_input: input,
  };
}

async function runTool(
  call: Call,
  args: unknown,
  run: RunTool<never, unknown>,
): Promise<{ readonly isError: boolean; readonly value: unknown }> {
  const { id, sessionId, cwd, signal } = call;
  try {
    // The arguments were checked against the schema that `run` was typed with.
    return { isError: false, value: await run(args as never, { id, sessionId, cwd, signal }) };
  } catch (error) {
    return { isError: true, value: error };
  }
}

interface ReadAnswer {
  readonly isApproved: boolean;
  /** of a no: what the model reads */
  readonly reason: string;
  readonly edited: JsonObject | undefined;
  readonly scope: "call" | "session";
}

function readAnswer(answer: Answer): ReadAnswer {
  const given = typeof answer === "object" && answer !== null ? answer : { approved: answer === true };
  const { approved, reason = USER_REFUSED, args, scope = "call" } = given;
  return { isApproved: approved === true, reason, edited: args, scope };
}

/** One call of one session, by what runs and where. */
function settledKey({ sessionId, tool, cwd }: Call, runs: unknown): string {
  return canonicalJson({ sessionId, tool, cwd, runs });
}

function outcomeTexts(outcome: Outcome | undefined): readonly string[] {
  return outcome?.context.map(({ text }) => text) ?? [];
}

function createReport(
  { id, tool }: Call,
  before: Outcome | undefined,
  after: Outcome | undefined,
): Omit<DeniedResult, "status" | "reason"> {
  return {
    id,
    tool,
    context: [...outcomeTexts(before), ...outcomeTexts(after)],
    feedback: after?.decision.kind === "deny" ? after.decision.reason : undefined,
    messages: [...(before?.messages ?? []), ...(after?.messages ?? [])],
    halt: before?.halt ?? after?.halt,
    before,
    after,
  };
}

function denied(call: Call, reason: string, before: Outcome | undefined): DeniedResult {
  return { ...createReport(call, before, undefined), status: "denied", reason };
}

/** Signs what waits for a person, so that nobody on the way can change what the person agreed to. */
class Signer {
  private readonly key: ReturnType<typeof crypto.subtle.importKey>;

  /** Without a key of the host's own, only this engine can read its signatures. */
  constructor(secret: string | undefined) {
    const bytes =
      secret === undefined ? crypto.getRandomValues(new Uint8Array(32)) : new TextEncoder().encode(secret);
    this.key = crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
      "verify",
    ]);
  }

  async sign(value: object): Promise<string> {
    const signed = await crypto.subtle.sign("HMAC", await this.key, toBytes(value));
    return Array.from(new Uint8Array(signed), byte => byte.toString(16).padStart(2, "0")).join("");
  }

  async isValid(value: object, signature: string): Promise<boolean> {
    if (!/^[0-9a-f]{64}$/.test(signature)) return false;
    const bytes = Uint8Array.from(signature.match(/../g) ?? [], pair => Number.parseInt(pair, 16));
    return crypto.subtle.verify("HMAC", await this.key, bytes, toBytes(value));
  }
}

function toBytes(value: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(canonicalJson(value));
}
