/** `amplihack/engine/mastra`: hooks around the tools of a Mastra agent. */
import {
  type AdapterOptions,
  type AnyEngine,
  callOptions,
  derive,
  fitArguments,
  mapTools,
  settle,
} from "./shared.ts";

export { type AdapterOptions, ToolRefused } from "./shared.ts";

interface ToolInvocation {
  readonly toolCallId?: string;
  readonly abortSignal?: AbortSignal;
}
/** The members of a tool that hooks have to do with. */
interface MastraTool {
  readonly id?: string;
  readonly inputSchema?: unknown;
  readonly execute?: (given: never, invocation?: never) => unknown;
}

/**
 * The same tools with every hook of the engine before and after them. A refusal, and a question that `onAsk` does
 * not answer with yes, is the tool's error.
 */
export function hookTools<T extends object>(engine: AnyEngine, tools: T, options: AdapterOptions = {}): T {
  return mapTools(tools, (tool, name) => hookTool(engine, name, tool, options));
}

function hookTool(engine: AnyEngine, key: string, tool: MastraTool, options: AdapterOptions): MastraTool {
  const { execute, inputSchema } = tool;
  if (execute === undefined) return tool;
  const name = tool.id ?? key;
  const hookedExecute = async (given: unknown, invocation?: ToolInvocation): Promise<unknown> => {
    const { args, replace } = argumentsIn(given);
    const called = await engine.untyped.call(
      name,
      args,
      async changed => {
        const fitting = await fitArguments(inputSchema, name, args, changed);
        return execute.call(tool, replace(fitting) as never, invocation as never);
      },
      callOptions(options, invocation?.toolCallId, invocation?.abortSignal),
    );
    return settle(called);
  };
  return derive(tool, { execute: hookedExecute });
}

/** Up to Mastra 0 a tool gets `{ context: arguments, … }`, from 1 on the arguments themselves. */
function argumentsIn(given: unknown): {
  readonly args: unknown;
  readonly replace: (args: unknown) => unknown;
} {
  const isWrapped =
    typeof given === "object" && given !== null && "context" in given && "runtimeContext" in given;
  return isWrapped
    ? { args: given.context, replace: context => ({ ...given, context }) }
    : { args: given, replace: args => args };
}
