import { shownSecretIn } from "../text/index.ts";
import { CallingEngine } from "./call-engine.ts";
import type { EngineContext } from "./context.ts";
import { checkApprovals, createContext } from "./create-context.ts";
import { Engine } from "./engine.ts";
import type { AgentOptions, CoreOptions } from "./options.ts";
import type { EngineParts, SystemHook } from "./parts.ts";
import { webTimers } from "./platform.ts";
import type { CompileJsonSchema, ToolMap } from "./schema/validate.ts";
import type { SecretFinder } from "./session.ts";
import { type TelemetryRecorder, toRecorder } from "./telemetry.ts";
import type { CallEngine, DispatchEngine, UseOptions } from "./types.ts";

interface UsesSystemHooks {
  /** attaches hooks that bring the system they look at: `guard()`, `withSystem(…)` */
  use(hooks: SystemHook | readonly SystemHook[], options?: UseOptions): Disposable;
}

/** An engine of functions: it reads no configuration, starts nothing, and has no system of its own. */
export type CoreEngine<T extends ToolMap, C = unknown, E extends string = never> = DispatchEngine<T, C, E> &
  UsesSystemHooks;
/** The same with `call`, `decide` and `resume`, and with telemetry. */
export type AgentEngine<T extends ToolMap, C = unknown, E extends string = never> = CallEngine<T, C, E> &
  UsesSystemHooks;

/** An engine for runtimes without files and processes. Throws `TypeError` for options that make no sense. */
export function createHookEngine<
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(options: CoreOptions<T, E>): CoreEngine<T, unknown, E>;
/** `createHookEngine<Context>()(options)`: every hook sees the run's context, with its type. */
export function createHookEngine<C>(): <
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(
  options: CoreOptions<T, E>,
) => CoreEngine<T, C, E>;
export function createHookEngine(options?: CoreOptions<ToolMap>): unknown {
  const create = (given: CoreOptions<ToolMap>) =>
    new Engine(...createParts(given, [...ELSEWHERE, ...OF_AGENTS], () => undefined));
  return options === undefined ? create : create(options);
}

/** The same for agents that hand over whole tool calls, with telemetry. Apart, because dispatch alone is smaller. */
export function createAgentEngine<
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(options: AgentOptions<T, E>): AgentEngine<T, unknown, E>;
export function createAgentEngine<C>(): <
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(
  options: AgentOptions<T, E>,
) => AgentEngine<T, C, E>;
export function createAgentEngine(options?: AgentOptions<ToolMap>): unknown {
  const create = (given: AgentOptions<ToolMap>) =>
    new CallingEngine(
      ...createParts(given, ELSEWHERE, shownSecretIn, toRecorder(given.telemetry)),
      checkApprovals(given.approvals),
    );
  return options === undefined ? create : create(options);
}

/** Options that other engines have: they must not be taken for heeded. */
const ELSEWHERE = ["sources", "trust", "delegates"];
const OF_AGENTS = ["telemetry", "approvals"];

function createParts(
  options: CoreOptions<ToolMap>,
  foreign: readonly string[],
  secretIn: SecretFinder,
  recorder?: TelemetryRecorder,
): [EngineContext, EngineParts] {
  const context = createContext(options, webTimers, refuseJsonSchema, secretIn, recorder);
  const given = foreign.find(name => Reflect.get(options, name) !== undefined);
  if (given !== undefined)
    throw new TypeError(
      `this engine has no "${given}": ${OF_AGENTS.includes(given) ? "createAgentEngine" : "amplihack/engine"} has`,
    );
  const parts: EngineParts = {
    handlersOf: () => undefined,
    listHandlers: () => [],
    register(hook, settings, nextSequence) {
      if (!isSystemHook(hook))
        throw new TypeError("this hook needs a system: attach it as withSystem(hook, createEdgeSystem())");
      return [hook.register(context.events.describeEvent, settings, nextSequence())];
    },
    drain: async () => {},
  };
  return [context, parts];
}

/** Compiling one needs `eval`, which edge runtimes forbid. */
const refuseJsonSchema: CompileJsonSchema = (_schema, where) => {
  throw new TypeError(`${where}: the core checks no JSON Schema; use a Standard Schema or a type guard`);
};

function isSystemHook(hook: object): hook is SystemHook {
  return "register" in hook && typeof hook.register === "function";
}
