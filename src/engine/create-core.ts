import { checkApprovals, createContext } from "./create-context.ts";
import { Engine } from "./engine.ts";
import type { CoreOptions } from "./options.ts";
import type { EngineParts, SystemHook } from "./parts.ts";
import { webTimers } from "./platform.ts";
import type { ToolMap } from "./schema/infer.ts";
import type { CompileJsonSchema } from "./schema/validate.ts";
import type { Loaded } from "./source/load.ts";
import type { CoreEngine, UseOptions } from "./types.ts";

/** An engine of functions: it reads no configuration, starts nothing, and has no system of its own. */
export interface EdgeEngine<T extends ToolMap, C = unknown, E extends string = never>
  extends CoreEngine<T, C, E> {
  /** attaches hooks that bring the system they look at: `guard()`, `withSystem(…)` */
  use(hooks: SystemHook | readonly SystemHook[], options?: UseOptions): Disposable;
}

/** An engine for runtimes without files and processes. Throws `TypeError` for options that make no sense. */
export function createHookEngine<
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(options: CoreOptions<T, E>): EdgeEngine<T, unknown, E>;
/** `createHookEngine<Context>()(options)`: every hook sees the run's context, with its type. */
export function createHookEngine<C>(): <
  const T extends ToolMap = Record<never, never>,
  const E extends string = never,
>(
  options: CoreOptions<T, E>,
) => EdgeEngine<T, C, E>;
export function createHookEngine(options?: CoreOptions<ToolMap>): unknown {
  return options === undefined ? createEngine : createEngine(options);
}

function createEngine(options: CoreOptions<ToolMap>): unknown {
  const context = createContext(options, webTimers, refuseJsonSchema);
  const sources = "sources" in options && Array.isArray(options.sources) ? options.sources : [];
  return new Engine(
    context,
    createParts(context.events.describeEvent),
    sources,
    checkApprovals(options.approvals),
  );
}

/** Compiling one needs `eval`, which edge runtimes forbid. */
const refuseJsonSchema: CompileJsonSchema = (_schema, where) => {
  throw new TypeError(`${where}: the core checks no JSON Schema; use a Standard Schema or a type guard`);
};

function createParts(describeEvent: Parameters<SystemHook["register"]>[0]): EngineParts {
  return {
    load(sources): Loaded {
      if (sources.length > 0)
        throw new TypeError("the core reads no hook configuration; use amplihack/engine for that");
      const report = { handlers: 0, errors: [], warnings: [] };
      return { handlers: [], listed: [], report, refusals: [], understood: new Map() };
    },
    runHandlers: async () => [],
    register(hook, options, nextSequence) {
      if (!isSystemHook(hook))
        throw new TypeError("this hook needs a system: attach it as withSystem(hook, createEdgeSystem())");
      return [hook.register(describeEvent, options, nextSequence())];
    },
    drain: async () => {},
  };
}

function isSystemHook(hook: object): hook is SystemHook {
  return "register" in hook && typeof hook.register === "function";
}
