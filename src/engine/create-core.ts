import { CallingEngine } from "./call-engine.ts";
import type { EngineContext } from "./context.ts";
import { checkApprovals, createContext } from "./create-context.ts";
import { Engine } from "./engine.ts";
import type { CoreOptions } from "./options.ts";
import type { EngineParts, SystemHook } from "./parts.ts";
import { webTimers } from "./platform.ts";
import type { ToolMap } from "./schema/infer.ts";
import type { CompileJsonSchema } from "./schema/validate.ts";
import type { CallEngine, DispatchEngine, UseOptions } from "./types.ts";

interface UsesSystemHooks {
  /** attaches hooks that bring the system they look at: `guard()`, `withSystem(…)` */
  use(hooks: SystemHook | readonly SystemHook[], options?: UseOptions): Disposable;
}

/** An engine of functions: it reads no configuration, starts nothing, and has no system of its own. */
export type CoreEngine<T extends ToolMap, C = unknown, E extends string = never> = DispatchEngine<T, C, E> &
  UsesSystemHooks;
/** The same with `call`, `decide` and `resume`. */
export type CoreCallEngine<T extends ToolMap, C = unknown, E extends string = never> = CallEngine<T, C, E> &
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
  const create = (given: CoreOptions<ToolMap>) => new Engine(...partsOf(given));
  return options === undefined ? create : create(options);
}

/** The same for agents that hand over whole tool calls. Apart, because dispatch alone is a good deal smaller. */
export function createCallEngine<
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(options: CoreOptions<T, E>): CoreCallEngine<T, unknown, E>;
export function createCallEngine<C>(): <
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(
  options: CoreOptions<T, E>,
) => CoreCallEngine<T, C, E>;
export function createCallEngine(options?: CoreOptions<ToolMap>): unknown {
  const create = (given: CoreOptions<ToolMap>) =>
    new CallingEngine(...partsOf(given), checkApprovals(given.approvals));
  return options === undefined ? create : create(options);
}

function partsOf(options: CoreOptions<ToolMap>): [EngineContext, EngineParts] {
  if ("sources" in options && options.sources !== undefined)
    throw new TypeError("the core reads no hook configuration: leave out sources, or use amplihack/engine");
  const context = createContext(options, webTimers, refuseJsonSchema);
  const parts: EngineParts = {
    handlersOf: () => undefined,
    listHandlers: () => [],
    register(hook, given, nextSequence) {
      if (!isSystemHook(hook))
        throw new TypeError("this hook needs a system: attach it as withSystem(hook, createEdgeSystem())");
      return [hook.register(context.events.describeEvent, given, nextSequence())];
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
