/** `amplihack/engine/openai-agents`: hooks in agents of the OpenAI Agents SDK. */
import { readJsonText } from "./json-text.ts";
import { hookLocalTool, isLocalTool } from "./openai-local-tools.ts";
import { type AdapterOptions, type AnyEngine, callOptions, mapToolList, notesOf, textOf } from "./shared.ts";

export type { AdapterOptions } from "./shared.ts";

interface RunContext {
  readonly context?: unknown;
  isToolApproved?(approval: { toolName: string; callId: string }): boolean | undefined;
}
interface CallDetails {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}
/** The members of a function tool that hooks have to do with. */
interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly invoke: (runContext: never, input: string, details?: never) => Promise<unknown>;
  readonly needsApproval: (runContext: never, input: never, callId?: string) => Promise<boolean>;
}

/**
 * The same tools with every hook of the engine before and after them, also the SDK's own shell and editor. Hosted tools run at the provider and stay as
 * they are. A refusal is what the model reads as the tool's output; a question interrupts the run, as the SDK's
 * own approvals do, unless `onAsk` answers at once.
 */
export function hookTools<T extends object[]>(
  engine: AnyEngine,
  tools: [...T],
  options: AdapterOptions = {},
): T {
  return mapToolList(tools, tool => {
    if (isFunctionTool(tool)) return hookTool(engine, tool, options);
    return isLocalTool(tool) ? hookLocalTool(engine, tool, options) : tool;
  });
}

function isFunctionTool(tool: object): tool is FunctionTool {
  const { type, invoke } = tool as Partial<FunctionTool>;
  return type === "function" && typeof invoke === "function";
}

function hookTool(engine: AnyEngine, tool: FunctionTool, options: AdapterOptions): FunctionTool {
  const { name } = tool;
  return {
    ...tool,
    async invoke(runContext: RunContext, input: string, details?: CallDetails) {
      const callId = details?.toolCall?.callId;
      const isApproved =
        callId !== undefined && runContext.isToolApproved?.({ toolName: name, callId }) === true;
      const called = await engine.untyped.call(
        name,
        readJsonText(input),
        args => tool.invoke(runContext as never, JSON.stringify(args), details as never),
        { ...callOptions(options, callId, details?.signal, runContext.context), isApproved },
      );
      if (called.status === "failed") throw called.error;
      const notes = notesOf(called);
      if (called.status === "done") return withNotes(called.result, notes);
      const reason = called.status === "denied" ? called.reason : called.pending.reason;
      return withNotes(`${name} did not run: ${reason}`, notes);
    },
    async needsApproval(runContext: RunContext, input: unknown, callId?: string) {
      const isOwn = await tool.needsApproval(runContext as never, input as never, callId);
      if (options.onAsk !== undefined) return isOwn;
      const call = callOptions(options, callId, undefined, runContext.context);
      const { kind } = await engine.untyped.decide(name, input, call);
      return kind === "ask" || (kind === "run" && isOwn);
    },
  };
}

/** The SDK shows the model text, or a value as JSON. */
function withNotes(output: unknown, notes: readonly string[]): unknown {
  return notes.length === 0 ? output : [textOf(output), ...notes].join("\n\n");
}
