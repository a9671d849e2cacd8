/** `amplihack/engine/pi`: hooks of a Pi-style agent loop in the engine, and the engine in such a loop. */
import {
  defined,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  type Outcome,
} from "../../protocol/index.ts";
import type { Answer, CallOptions } from "../calls/types.ts";
import type { MaybePromise } from "../options.ts";
import { freezeJson } from "../reply.ts";
import type { ToolMap } from "../schema/validate.ts";
import type { HookEngine, RegisterOptions, Settled } from "../types.ts";
import { type AnyEngine, callOptions, toText } from "./shared.ts";

export interface PiToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments?: unknown;
}
/** What the loop passes before a call. `args` may be changed in place; other members are the loop's own. */
export interface PiBeforeContext {
  readonly toolCall: PiToolCall;
  readonly args: unknown;
  readonly assistantMessage?: unknown;
  readonly context?: unknown;
}
export interface PiBeforeResult {
  readonly block?: boolean;
  readonly reason?: string;
  readonly terminate?: boolean;
}
/** A part of a result, as the loop knows it. */
export type PiContent = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };
export interface PiToolResult {
  readonly content?: readonly unknown[];
  readonly details?: unknown;
}
export interface PiAfterContext extends PiBeforeContext {
  readonly result: PiToolResult;
  readonly isError: boolean;
}
/** Each member replaces its counterpart in full; what is left out stays as it was. */
export interface PiAfterResult {
  content?: PiContent[];
  details?: unknown;
  isError?: boolean;
  terminate?: boolean;
}
/** The same as callbacks may say it: content of any kind. */
interface PiReplacement extends Omit<PiAfterResult, "content"> {
  content?: readonly unknown[];
  usage?: unknown;
}
/** Callbacks of a loop. They are methods so that a loop's own, richer types fit. */
export interface PiHooks {
  beforeToolCall?(call: PiBeforeContext, signal?: AbortSignal): MaybePromise<Settled<PiBeforeResult>>;
  afterToolCall?(call: PiAfterContext, signal?: AbortSignal): MaybePromise<Settled<PiReplacement>>;
}
/** What `piHooks` gives to a loop. */
export interface PiLoopHooks {
  beforeToolCall(call: PiBeforeContext, signal?: AbortSignal): Promise<PiBeforeResult | undefined>;
  afterToolCall(call: PiAfterContext, signal?: AbortSignal): Promise<PiAfterResult | undefined>;
}

/** Typed as the overload for any tool wants it, which a literal would not be where tools are not known. */
function everyTool(): RegExp | "*" {
  return "*";
}

/** The loop's own context of the calls under way, so that attached callbacks see what they always saw. */
const underWay = new WeakMap<object, Map<string, PiBeforeContext>>();

/** Registers existing callbacks of a Pi-style loop as they are; several may be attached, unlike in the loop. */
export function attachPiHooks<T extends ToolMap, C, E extends string>(
  engine: HookEngine<T, C, E>,
  hooks: PiHooks,
  options: RegisterOptions = {},
): Disposable {
  const disposables: Disposable[] = [];
  const findContext = (id: string): Partial<PiBeforeContext> => underWay.get(engine.untyped)?.get(id) ?? {};
  const { beforeToolCall, afterToolCall } = hooks;
  if (beforeToolCall !== undefined) {
    const before = engine.beforeToolCall(
      everyTool(),
      async ({ id, name, args }, { signal }) => {
        const mutable: unknown = structuredClone(args);
        const toolCall = { id, name, arguments: mutable };
        const said = await beforeToolCall({ ...findContext(id), toolCall, args: mutable }, signal);
        if (said?.block === true) return { block: true, reason: said.reason ?? "" };
        return isSameJson(freezeJson(args), freezeJson(mutable)) ? undefined : { args: mutable };
      },
      options,
    );
    disposables.push(before);
  }
  if (afterToolCall !== undefined) {
    const after = engine.afterToolCall(
      everyTool(),
      async ({ id, name, args, result, isError }, { signal }) => {
        const toolCall = { id, name, arguments: args };
        const before = toToolResult(result);
        const call = { ...findContext(id), toolCall, args, result: before, isError };
        const said = await afterToolCall(call, signal);
        if (said === undefined || said === null) return undefined;
        const { isError: isNowError, ...replaced } = said;
        return {
          ...(Object.keys(replaced).length === 0 ? {} : { result: { ...before, ...replaced } }),
          ...defined({ isError: isNowError }),
        };
      },
      options,
    );
    disposables.push(after);
  }
  return {
    [Symbol.dispose]() {
      for (const disposable of disposables) disposable[Symbol.dispose]();
    },
  };
}

export interface PiLoop {
  readonly sessionId?: string;
  readonly cwd?: string;
  /** A person's answer to a hook that asks, about the call with the arguments that would run. Without one, asking refuses. */
  readonly onAsk?: (reason: string, call: PiToolCall) => MaybePromise<Answer>;
}

/** `beforeToolCall` and `afterToolCall` for a Pi-style agent's options: every hook of the engine takes part. */
export function piHooks(engine: AnyEngine, loop: PiLoop = {}): PiLoopHooks {
  const { sessionId = "", cwd, onAsk } = loop;
  const inContext = async <R>(call: PiBeforeContext, work: () => Promise<R>): Promise<R> => {
    const calls = underWay.get(engine.untyped) ?? new Map<string, PiBeforeContext>();
    underWay.set(engine.untyped, calls);
    calls.set(call.toolCall.id, call);
    try {
      return await work();
    } finally {
      calls.delete(call.toolCall.id);
    }
  };
  return {
    async beforeToolCall(call, signal) {
      const { toolCall, args } = call;
      const ask: CallOptions["onAsk"] =
        onAsk && (pending => onAsk(pending.reason, { ...toolCall, arguments: pending.args }));
      const options = callOptions({ sessionId, cwd, onAsk: ask }, toolCall.id, signal);
      const said = await inContext(call, () => engine.untyped.approve(toolCall.name, args, options));
      if (said.halt !== undefined)
        return { block: true, reason: said.halt.reason ?? "stopped by a hook", terminate: true };
      if (said.status !== "approved") return { block: true, reason: said.reason };
      if (!isSameJson(freezeJson(args), freezeJson(said.args))) replaceMembers(args, said.args);
      return undefined;
    },
    async afterToolCall(call, signal) {
      const { toolCall, args, result, isError } = call;
      const payload = (): JsonObject => ({
        session_id: sessionId,
        ...defined({ cwd }),
        tool_name: toolCall.name,
        tool_use_id: toolCall.id,
        tool_input: freezeJson(args),
        tool_response: freezeJson(result),
        is_error: isError,
      });
      const event = isError ? "PostToolUseFailure" : "PostToolUse";
      const outcome = await inContext(call, () =>
        engine.untyped.dispatch(event, payload, defined({ signal })),
      );
      return findOverride(outcome, result);
    },
  };
}

/** What the loop is to change in a result: what hooks replaced, and what they want the model to read. */
function findOverride(outcome: Outcome, result: PiToolResult): PiAfterResult | undefined {
  const { output, decision, extras } = outcome;
  const changed = output === undefined ? undefined : toToolResult(output);
  const notes = [
    ...outcome.context.map(({ text }) => text),
    ...(decision.kind === "deny" ? [decision.reason] : []),
  ].map((text): PiContent => ({ type: "text", text }));
  const isError = extras["isError"];
  const isHalted = outcome.halt !== undefined;
  if (changed === undefined && notes.length === 0 && typeof isError !== "boolean" && !isHalted)
    return undefined;
  const { content: newContent, ...others } = changed ?? {};
  const content = [...toPiContent(newContent === undefined ? result : { content: newContent }), ...notes];
  return {
    ...others,
    ...(newContent === undefined && notes.length === 0 ? {} : { content }),
    ...(typeof isError === "boolean" ? { isError } : {}),
    ...(isHalted ? { terminate: true } : {}),
  };
}

/** The loop runs the tool with the very object it passed, so that object has to change. */
function replaceMembers(target: unknown, members: unknown): void {
  if (typeof target !== "object" || target === null) return;
  for (const name of Object.keys(target)) Reflect.deleteProperty(target, name);
  Object.assign(target, structuredClone(members));
}

function toToolResult(value: Json): PiToolResult {
  if (isJsonObject(value)) return value;
  return { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] };
}

/** The parts of a result that the loop can show; others come as text. */
function toPiContent({ content = [] }: PiToolResult): PiContent[] {
  return content.map(part => (isContent(part) ? part : { type: "text", text: toText(part) }));
}

function isContent(part: unknown): part is PiContent {
  const { type, text, data } = (part ?? {}) as { type?: unknown; text?: unknown; data?: unknown };
  return (type === "text" && typeof text === "string") || (type === "image" && typeof data === "string");
}

/** The parts of Pi's extension interface that hooks have to do with. */
interface PiExtensionApi {
  on(event: never, handler: never): void;
}
interface PiExtensionContext {
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly ui: { confirm(title: string, message: string): Promise<boolean> };
  readonly signal?: AbortSignal | undefined;
}
interface PiToolCallEvent {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}
interface PiToolResultEvent extends PiToolCallEvent {
  readonly content: readonly unknown[];
  readonly details?: unknown;
  readonly isError: boolean;
}

/** A Pi extension: `export default piExtension(engine)`. Every hook of the engine takes part in Pi's tool calls. */
export function piExtension(
  engine: AnyEngine,
  loop: Omit<PiLoop, "onAsk"> = {},
): (pi: PiExtensionApi) => void {
  const hooksFor = ({ cwd, hasUI, ui }: PiExtensionContext): PiLoopHooks => {
    const onAsk = (reason: string, call: PiToolCall): Promise<boolean> =>
      ui.confirm(`Run ${call.name}?`, reason);
    return piHooks(engine, { cwd, ...loop, ...(hasUI ? { onAsk } : {}) });
  };
  const toCall = ({ toolCallId: id, toolName: name, input }: PiToolCallEvent): PiBeforeContext => ({
    toolCall: { id, name, arguments: input },
    args: input,
  });
  const onCall = (event: PiToolCallEvent, context: PiExtensionContext) =>
    hooksFor(context).beforeToolCall(toCall(event), context.signal);
  const onResult = (
    { content, details, isError, ...event }: PiToolResultEvent,
    context: PiExtensionContext,
  ) =>
    hooksFor(context).afterToolCall(
      { ...toCall(event), result: { content, details }, isError },
      context.signal,
    );
  return pi => {
    pi.on("tool_call" as never, onCall as never);
    pi.on("tool_result" as never, onResult as never);
  };
}
