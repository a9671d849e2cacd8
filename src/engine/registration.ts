import { compileClaude, type Matcher, matchNames, matchPattern } from "../handlers/index.ts";
import type { EventDescriptor, FailurePolicy, Json, JsonObject } from "../protocol/index.ts";
import type { HistoryPart } from "./history.ts";
import { type Reply, readAfter, readBefore, refuse } from "./reply.ts";
import type { SandboxPart } from "./sandbox.ts";
import { MAX_TIMEOUT_MS } from "./source/fields.ts";
import type { HookScope, RegisterOptions } from "./types.ts";

/** A function of the host's own code as a hook. */
export interface RegisteredHook {
  readonly id: string;
  readonly events: readonly string[];
  /** runs after a call, in the reverse of its order: the first in is the last out */
  readonly isReversed: boolean;
  readonly order: number;
  readonly sequence: number;
  readonly matcher: Matcher;
  /** how the matcher was written, for listings */
  readonly matcherText: string | undefined;
  readonly timeoutMs: number;
  readonly onFailure: FailurePolicy | undefined;
  readonly isOnce: boolean;
  readonly isJudge: boolean;
  /** of a hook that keeps what calls change */
  readonly history?: HistoryPart;
  readonly sandbox?: SandboxPart;
  /** Calls the function with what it is to see, and reads what it returns. May throw or reject. */
  run(view: CallView, scope: HookScope): Promise<Reply>;
}

/** The call as the hooks before this one left it. Everything in it is frozen. */
export interface CallView {
  readonly event: EventDescriptor;
  readonly payload: JsonObject;
  readonly id: string;
  readonly name: string;
  /** the raw name and its aliases; empty on events without a tool */
  readonly names: readonly string[];
  readonly input: Json;
  readonly result: Json;
  readonly isError: boolean;
  /** telemetry reads what is known of the call */
  readonly isRecorded: boolean;
  /** the input with the type its tool declares */
  checkedInput(): Promise<CheckedArgs>;
  /** the result with the type its tool declares; what a failed call reported has none */
  checkedResult(): Promise<CheckedResult>;
}

/** With a problem when the result does not fit the schema of its tool. */
export interface CheckedResult {
  readonly result: unknown;
  readonly problem: string | undefined;
}

/** With a problem, and without a declared tool, when the input does not fit the schema. */
export interface CheckedArgs {
  /** what every hook of the call is given, frozen */
  readonly call: TypedCall;
  readonly problem: string | undefined;
}

export interface TypedCall {
  readonly id: string;
  readonly name: string;
  readonly tool: string | undefined;
  readonly args: unknown;
}

function compareRegistrations(left: RegisteredHook, right: RegisteredHook): number {
  return left.order - right.order || left.sequence - right.sequence;
}

/** Stage 0 in the order it runs in. */
export function inRunOrder(registrations: readonly RegisteredHook[]): readonly RegisteredHook[] {
  const sorted = [...registrations].sort(compareRegistrations);
  return [...sorted.filter(item => !item.isReversed), ...sorted.filter(item => item.isReversed).reverse()];
}

const FUNCTION_TIMEOUT_MS = 60_000;

/** A hook function before its types are known: the engine's typed methods are the only callers. */
export type AnyHook = (subject: never, scope: HookScope) => unknown;
export type ToolSelector = string | readonly string[] | RegExp;

interface RegistrationParts extends Pick<RegisteredHook, "events" | "matcher" | "matcherText" | "run"> {
  /** begins the id of a hook that was given none */
  readonly prefix: string;
  readonly isReversed?: boolean;
  readonly isJudge?: boolean;
}

export function register(
  parts: RegistrationParts,
  options: RegisterOptions,
  sequence: number,
): RegisteredHook {
  const { order = 0, timeoutMs = FUNCTION_TIMEOUT_MS } = options;
  if (!Number.isFinite(order)) throw new TypeError(`"order" must be a finite number, not ${order}`);
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0)
    throw new TypeError(
      `"timeoutMs" must be a number above zero, not ${timeoutMs}: zero would disable the hook`,
    );
  const { prefix, isReversed = false, isJudge = false, ...rest } = parts;
  return {
    ...rest,
    id: options.id ?? `${prefix}#${sequence}`,
    isReversed,
    isJudge,
    order,
    sequence,
    timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT_MS),
    onFailure: options.onFailure,
    isOnce: options.once === true,
  };
}

function callable(hook: unknown, method: string): (subject: unknown, scope: HookScope) => unknown {
  if (typeof hook !== "function") throw new TypeError(`${method} needs a function, not ${typeof hook}`);
  return hook as (subject: unknown, scope: HookScope) => unknown;
}

export function registerBefore(
  tool: ToolSelector,
  hook: AnyHook,
  options: RegisterOptions,
  sequence: number,
): RegisteredHook {
  const prefix = "beforeToolCall";
  const call = callable(hook, prefix);
  const takesAll = isForAll(tool);
  // A hook for named tools was promised their types: an input without them is not shown to it.
  const run: RegisteredHook["run"] = async (view, scope) => {
    const { call: subject, problem } = await view.checkedInput();
    if (problem !== undefined && !takesAll) return refuse("field-type", problem);
    return readBefore(await call(subject, scope));
  };
  return register({ prefix, events: ["PreToolUse"], ...selectTools(tool), run }, options, sequence);
}

export function registerAfter(
  tool: ToolSelector,
  hook: AnyHook,
  options: RegisterOptions,
  sequence: number,
): RegisteredHook {
  const prefix = "afterToolCall";
  const call = callable(hook, prefix);
  const events = ["PostToolUse", "PostToolUseFailure"];
  const takesAll = isForAll(tool);
  // A hook for named tools was promised their types: a call without them is not shown to it.
  const run: RegisteredHook["run"] = async (view, scope) => {
    const { call: subject, problem: misfit } = await view.checkedInput();
    if (misfit !== undefined && !takesAll) return refuse("field-type", misfit);
    const { result, problem } = await view.checkedResult();
    if (problem !== undefined && !takesAll) return refuse("field-type", problem);
    return readAfter(await call({ ...subject, result, isError: view.isError }, scope));
  };
  return register({ prefix, events, ...selectTools(tool), isReversed: true, run }, options, sequence);
}

function isForAll(selector: ToolSelector): boolean {
  return selector === "*" || selector instanceof RegExp;
}

function selectTools(tool: ToolSelector): { readonly matcher: Matcher; readonly matcherText: string } {
  if (tool instanceof RegExp) return { matcher: matchPattern(tool), matcherText: String(tool) };
  if (tool === "*") return { matcher: { kind: "all" }, matcherText: "*" };
  const names = typeof tool === "string" ? [tool] : [...tool];
  if (names.length === 0) throw new TypeError("at least one tool must be named");
  return { matcher: matchNames(names), matcherText: names.join("|") };
}

export function registerOn(
  event: EventDescriptor,
  matcher: string | RegExp,
  hook: AnyHook,
  options: RegisterOptions,
  sequence: number,
): RegisteredHook {
  const call = callable(hook, "on");
  const run: RegisteredHook["run"] = async (view, scope) => readBefore(await call(view.payload, scope));
  return register({ ...onEvent(event, matcher), run }, options, sequence);
}

export function onEvent(
  event: EventDescriptor,
  matcher: string | RegExp | undefined,
): Omit<RegistrationParts, "run"> {
  const base = { prefix: event.name, events: [event.name] };
  if (matcher instanceof RegExp)
    return { ...base, matcher: matchPattern(matcher), matcherText: String(matcher) };
  const compiled = compileClaude(event.subject === undefined || matcher === undefined ? "" : matcher);
  if (!compiled.ok)
    throw new TypeError(`the matcher of a hook on ${event.name} cannot be used: ${compiled.problem}`);
  return { ...base, matcher: compiled.matcher, matcherText: matcher };
}
