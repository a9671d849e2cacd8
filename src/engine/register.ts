import type { EventDescriptor, Hook } from "../protocol/index.ts";
import type { System } from "../system/system.ts";
import { toHookInput } from "./hook-input.ts";
import { compileMatcher, type Matcher, matchNames, matchPattern } from "./match.ts";
import { andThen } from "./maybe.ts";
import type { CallView, CheckedArgs, Registration } from "./registration.ts";
import { type Reply, readAfter, readBefore, readEffect, refuse } from "./reply.ts";
import { MAX_TIMEOUT_MS } from "./source/fields.ts";
import type { HookScope, MaybePromise, RegisterOptions } from "./types.ts";

const FUNCTION_TIMEOUT_MS = 60_000;

/** A hook function before its types are known: the engine's typed methods are the only callers. */
export type AnyHook = (subject: never, scope: HookScope) => unknown;
export type ToolSelector = string | readonly string[] | RegExp;

interface Wanted {
  readonly prefix: string;
  readonly sequence: number;
  readonly events: readonly string[];
  readonly matcher: Matcher;
  readonly matcherText: string | undefined;
  readonly options: RegisterOptions;
  readonly isReversed?: boolean;
}

function register(wanted: Wanted, run: Registration["run"]): Registration {
  const { options, sequence } = wanted;
  return {
    id: options.id ?? `${wanted.prefix}#${sequence}`,
    events: wanted.events,
    isReversed: wanted.isReversed === true,
    order: numberOf(options.order, "order") ?? 0,
    sequence,
    matcher: wanted.matcher,
    matcherText: wanted.matcherText,
    timeoutMs: timeoutOf(options.timeoutMs),
    onFailure: options.onFailure,
    isOnce: options.once === true,
    run,
  };
}

function numberOf(value: number | undefined, name: string): number | undefined {
  if (value === undefined || Number.isFinite(value)) return value;
  throw new TypeError(`"${name}" must be a finite number, not ${value}`);
}

function timeoutOf(value: number | undefined): number {
  if (value === undefined) return FUNCTION_TIMEOUT_MS;
  if (Number.isFinite(value) && value > 0) return Math.min(value, MAX_TIMEOUT_MS);
  throw new TypeError(`"timeoutMs" must be a number above zero, not ${value}: zero would disarm the hook`);
}

function callable(hook: unknown, method: string): (subject: unknown, scope: HookScope) => unknown {
  if (typeof hook !== "function") throw new TypeError(`${method} needs a function, not ${typeof hook}`);
  return (subject, scope) => hook(subject, scope);
}

export function registerBefore(
  tool: ToolSelector,
  hook: AnyHook,
  options: RegisterOptions,
  sequence: number,
): Registration {
  const call = callable(hook, "beforeToolCall");
  const wanted = {
    prefix: "beforeToolCall",
    sequence,
    events: ["PreToolUse"],
    ...selectTools(tool),
    options,
  };
  return register(wanted, (view, scope) =>
    andThen(view.checkedInput(), checked =>
      withTypedCall(tool, checked, view, subject => andThen(call(subject, scope), readBefore)),
    ),
  );
}

export function registerAfter(
  tool: ToolSelector,
  hook: AnyHook,
  options: RegisterOptions,
  sequence: number,
): Registration {
  const call = callable(hook, "afterToolCall");
  const events = ["PostToolUse", "PostToolUseFailure"];
  const wanted = {
    prefix: "afterToolCall",
    sequence,
    events,
    ...selectTools(tool),
    options,
    isReversed: true,
  };
  return register(wanted, (view, scope) =>
    andThen(view.checkedInput(), checked =>
      withTypedCall(tool, checked, view, subject => {
        const done = { ...subject, result: view.result, isError: view.isError };
        return andThen(call(done, scope), readAfter);
      }),
    ),
  );
}

interface Subject {
  readonly id: string;
  readonly name: string;
  readonly tool: string | undefined;
  readonly args: unknown;
}

/** A hook for named tools was promised their types: an input without them is not shown to it. */
function withTypedCall(
  selector: ToolSelector,
  { tool, args, problem }: CheckedArgs,
  { id, name }: CallView,
  call: (subject: Subject) => MaybePromise<Reply>,
): MaybePromise<Reply> {
  const isForAll = selector === "*" || selector instanceof RegExp;
  if (problem !== undefined && !isForAll) return refuse("field-type", problem);
  return call(Object.freeze({ id, name, tool, args }));
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
): Registration {
  const call = callable(hook, "on");
  const wanted = {
    prefix: event.name,
    sequence,
    events: [event.name],
    ...selectSubjects(event, matcher),
    options,
  };
  return register(wanted, (view, scope) => andThen(call(view.payload, scope), readBefore));
}

function selectSubjects(
  event: EventDescriptor,
  matcher: string | RegExp | undefined,
): { readonly matcher: Matcher; readonly matcherText: string | undefined } {
  if (matcher instanceof RegExp) return { matcher: matchPattern(matcher), matcherText: String(matcher) };
  const compiled = compileMatcher("claude", matcher, event);
  if (!compiled.ok)
    throw new TypeError(`the matcher of a hook on ${event.name} cannot be used: ${compiled.problem}`);
  return { matcher: compiled.matcher, matcherText: matcher };
}

export function registerHook(
  hook: Hook<System>,
  event: EventDescriptor,
  system: System,
  sequence: number,
): Registration {
  const wanted = {
    prefix: event.name,
    sequence,
    events: [event.name],
    ...selectSubjects(event, hook.matcher),
    options: { id: hook.id },
  };
  return register(wanted, ({ payload, names }) => {
    const checked = toHookInput(event, payload, names);
    if (!checked.ok) return refuse("field-type", checked.problem);
    return andThen(hook.run(checked.input, system), readEffect);
  });
}
