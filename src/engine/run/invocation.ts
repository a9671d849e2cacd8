import {
  aborted,
  answered,
  captureText,
  failed,
  type McpToolAction,
  type ModelAction,
  type RawResult,
} from "../../handlers/index.ts";
import {
  defined,
  type EventDescriptor,
  isJsonObject,
  type Json,
  type JsonObject,
  memberAt,
  type Power,
} from "../../protocol/index.ts";
import type { CancelSignal } from "../cancel-signal.ts";
import type { HandlerContext } from "../context.ts";
import { describeError } from "../reply.ts";

/** What the configured handlers of one dispatch share. */
export interface DispatchContext {
  readonly core: HandlerContext;
  readonly event: EventDescriptor;
  readonly power: Power;
  readonly payload: JsonObject;
  /** the payload as a hook reads it; made once for all handlers of a dispatch */
  readonly payloadText: () => string;
  /** the declared tool of the call, whose schema a new input must fit */
  readonly tool: string | undefined;
}

/** One run of one handler. */
export interface HandlerInvocation extends DispatchContext {
  readonly timeoutMs: number;
  readonly cancel: CancelSignal;
}

type DeadlineResult<V> =
  | { readonly kind: "value"; readonly value: V }
  | { readonly kind: "ended"; readonly result: RawResult };

/** Waits for work that can be cancelled, but never longer than the handler's timeout. */
export function withDeadline<V>(
  { core, timeoutMs, cancel }: HandlerInvocation,
  start: (signal: AbortSignal) => Promise<V>,
): Promise<DeadlineResult<V>> {
  if (cancel.isRaised) return Promise.resolve({ kind: "ended", result: aborted() });
  return new Promise(resolve => {
    const controller = new AbortController();
    const settle = (result: DeadlineResult<V>): void => {
      cancelTimer();
      unsubscribe();
      resolve(result);
      if (result.kind === "ended") controller.abort();
    };
    const cancelTimer = core.timers.after(timeoutMs, () =>
      settle({ kind: "ended", result: timedOut(timeoutMs) }),
    );
    const unsubscribe = cancel.subscribe(() => settle({ kind: "ended", result: aborted() }));
    callAsync(start, controller.signal).then(
      value => settle({ kind: "value", value }),
      (error: unknown) => settle({ kind: "ended", result: failed("hook-threw", describeError(error)) }),
    );
  });
}

/** A function that throws before it returns its promise is one whose promise rejects. */
async function callAsync<V>(start: (signal: AbortSignal) => Promise<V>, signal: AbortSignal): Promise<V> {
  return start(signal);
}

export function timedOut(timeoutMs: number): RawResult {
  return failed("timeout", `no answer within ${timeoutMs} ms`);
}

/** Asks the host to call a tool of an MCP server; what the tool returns is read like the stdout of exit 0. */
export async function runMcpTool(
  { server, tool, input }: McpToolAction,
  invocation: HandlerInvocation,
): Promise<RawResult> {
  const { mcpTool } = invocation.core.delegates;
  if (mcpTool === undefined) return failed("spawn-failed", "the host offers no MCP tools to hooks");
  const filled = fillTemplate(input, invocation.payload);
  if (!filled.ok) return failed("spawn-failed", `the payload has no value at ${filled.missing}`);
  const { value } = filled;
  if (!isJsonObject(value)) return failed("spawn-failed", "the tool's input is not an object");
  return readText(invocation, signal => mcpTool({ server, tool, input: value, signal }));
}

/** Asks the host's model, or an agent of the host. `$ARGUMENTS` in the prompt stands for the payload. */
export async function runModel(action: ModelAction, invocation: HandlerInvocation): Promise<RawResult> {
  const { agent, prompt: ask } = invocation.core.delegates;
  const prompt = action.prompt.replaceAll("$ARGUMENTS", () => invocation.payloadText());
  const call = { prompt, event: invocation.payload };
  if (action.kind === "agent") {
    if (agent === undefined) return failed("spawn-failed", "the host offers no agent to hooks");
    return readText(invocation, signal => agent({ ...call, signal }));
  }
  if (ask === undefined) return failed("spawn-failed", "the host offers no model to hooks");
  return readText(invocation, signal => ask({ ...call, ...defined({ model: action.model }), signal }));
}

async function readText(
  invocation: HandlerInvocation,
  ask: (signal: AbortSignal) => Promise<string>,
): Promise<RawResult> {
  const reply = await withDeadline(invocation, ask);
  if (reply.kind === "ended") return reply.result;
  const text: unknown = reply.value;
  if (typeof text !== "string")
    return failed("hook-threw", `the host's delegate answered with ${typeof text}, not text`);
  const { platform, limits } = invocation.core;
  const codec = platform.system.text;
  const bytes = codec.encode(text);
  const kept = bytes.subarray(0, limits.stdoutBytes);
  return answered(captureText(codec, kept, bytes.length > kept.length));
}

type Filled = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly missing: string };

const WHOLE = /^\$\{([\w.-]+)\}$/;
const PART = /\$\{([\w.-]+)\}/g;

/** `${tool_input.path}` alone keeps the type of what it names; inside a longer text it becomes text. */
export function fillTemplate(template: Json, payload: JsonObject): Filled {
  if (typeof template === "string") return fillText(template, payload);
  if (typeof template !== "object" || template === null) return { ok: true, value: template };
  const entries: [string, Json][] = [];
  for (const [key, member] of Object.entries(template)) {
    const filled = fillTemplate(member as Json, payload);
    if (!filled.ok) return filled;
    entries.push([key, filled.value]);
  }
  const value: Json = Array.isArray(template)
    ? entries.map(([, member]) => member)
    : Object.fromEntries(entries);
  return { ok: true, value };
}

function fillText(text: string, payload: JsonObject): Filled {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) {
    const value = valueAt(payload, whole);
    return value === undefined ? { ok: false, missing: whole } : { ok: true, value };
  }
  let missing: string | undefined;
  const filled = text.replace(PART, (_, path: string) => {
    const value = valueAt(payload, path);
    if (value === undefined) missing ??= path;
    return typeof value === "string" ? value : JSON.stringify(value ?? null);
  });
  return missing === undefined ? { ok: true, value: filled } : { ok: false, missing };
}

function valueAt(payload: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = payload;
  for (const name of path.split("."))
    value = Array.isArray(value) ? (value[Number(name)] as Json | undefined) : memberAt(value, name);
  return value;
}
