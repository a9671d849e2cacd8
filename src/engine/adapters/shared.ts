import { defined } from "../../protocol/index.ts";
import type { Answer, CallDecision, CallOptions, CallResult, PendingCall } from "../calls/types.ts";
import type { MaybePromise } from "../options.ts";
import type { ToolMap } from "../schema/validate.ts";
import { BoundedMap } from "../session-state.ts";
import type { HookEngine } from "../types.ts";

/** What adapters take: any engine, whatever its tools and context. */
export type AnyEngine = Pick<HookEngine<ToolMap>, "untyped">;

export interface AdapterOptions {
  readonly sessionId?: string;
  /** where the tools work; default: the engine's `projectDir` */
  readonly cwd?: string;
  /** asks a person at once, instead of the SDK's own approval step */
  readonly onAsk?: (pending: PendingCall) => MaybePromise<Answer>;
}

/** A call that hooks or a person refused. Its message is for the model. */
export class ToolRefused extends Error {
  override readonly name = "ToolRefused";
}

type ToolHook = (tool: object, name: string) => object;

/** Tools by name, each as the hook makes it. The type stays: a tool is wrapped and not changed. */
export function mapTools<T extends object>(tools: T, hook: ToolHook): T {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, hook(tool, name)])) as T;
}

/** The same for a list. */
export function mapToolList<T extends object[]>(tools: readonly object[], hook: (tool: object) => object): T {
  return tools.map(hook) as T;
}

interface StandardSchema {
  readonly "~standard"?: { validate(value: unknown): unknown };
}

/** The SDK checked the arguments before hooks saw them; what a hook made of them is checked here. */
export async function fitArguments(
  schema: unknown,
  tool: string,
  original: unknown,
  args: unknown,
): Promise<unknown> {
  if (args === original) return args;
  const standard = (schema as StandardSchema | undefined)?.["~standard"];
  if (standard === undefined) return args;
  const result = (await standard.validate(args)) as { readonly issues?: unknown; readonly value?: unknown };
  if (result.issues !== undefined)
    throw new TypeError(`a hook gave ${tool} arguments that do not match its schema`);
  return result.value;
}

/** What is the same for every call of an adapter. */
export function callOptions(
  { sessionId, cwd, onAsk }: { readonly [K in keyof AdapterOptions]?: AdapterOptions[K] | undefined },
  id: string | undefined,
  signal?: AbortSignal | undefined,
  context?: unknown,
): CallOptions {
  return defined({ sessionId, cwd, onAsk, id, signal, context });
}

const MAX_REASONS = 512;
const reasons = new WeakMap<object, BoundedMap<string>>();

/** What an SDK's approval step does with a call; why it asks is kept for `approvalReason`. */
export async function decideApproval(
  engine: AnyEngine,
  tool: string,
  input: unknown,
  call: CallOptions,
): Promise<CallDecision["kind"]> {
  const { id, kind, reason } = await engine.untyped.decide(tool, input, call);
  if (kind === "ask" && reason !== undefined) {
    const known = reasons.get(engine.untyped) ?? new BoundedMap<string>(MAX_REASONS);
    reasons.set(engine.untyped, known);
    known.set(id, reason);
  }
  return kind;
}

/** What to show a person about a request for approval, by the id of its call: such requests have no room for it. */
export function approvalReason(engine: AnyEngine, callId: string): string | undefined {
  return reasons.get(engine.untyped)?.get(callId);
}

/** The result of a call, or an error for the model: the tool's own, or the reason why it did not run. */
export function settle(called: CallResult<unknown>): unknown {
  switch (called.status) {
    case "done":
      return called.result;
    case "failed":
      throw called.error instanceof Error ? called.error : new Error(toText(called.error));
    case "denied":
      throw new ToolRefused(called.reason);
    case "pending":
      throw new ToolRefused(`${called.reason} (nobody is there to be asked)`);
  }
}

/** What hooks want the model to read besides the result. */
export function listNotes({ context, feedback }: CallResult<unknown>): readonly string[] {
  return feedback === undefined ? context : [...context, feedback];
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

/**
 * The same object with some members of its own. Everything else, also what is set later, is the original's: a client that
 * is connected through either of them is connected through both.
 */
export function derive<T extends object>(original: T, members: Readonly<Record<string, unknown>>): T {
  // A proxy may not answer differently for a frozen object, which has no state to share either.
  if (Object.isFrozen(original)) return derivedFromFrozen(original, members);
  return new Proxy(original, {
    get: (target, name, receiver) =>
      typeof name === "string" && Object.hasOwn(members, name)
        ? members[name]
        : Reflect.get(target, name, receiver),
  });
}

function derivedFromFrozen<T extends object>(original: T, members: Readonly<Record<string, unknown>>): T {
  const own = Object.entries(members).map(([name, value]) => [name, { value, enumerable: true }]);
  return Object.create(original, Object.fromEntries(own)) as T;
}
