/** `amplihack/engine/langchain`: hooks around tools of LangChain, in agents and in LangGraph's `ToolNode`. */
import type { Answer, CallDecision } from "../calls/types.ts";
import type { MaybePromise } from "../options.ts";
import {
  type AdapterOptions,
  type AnyEngine,
  callOptions,
  derive,
  fitArguments,
  listNotes,
  mapToolList,
  settle,
  toText,
} from "./shared.ts";

/** What a hook asks about. */
export interface Question {
  readonly id: string;
  readonly tool: string;
  /** what would run */
  readonly args: unknown;
  readonly reason: string;
}

export interface LangChainOptions extends Omit<AdapterOptions, "onAsk"> {
  /** asks a person; may be LangGraph's `interrupt`. Its answer is an `Answer`; whatever else is resumed with is a no */
  readonly onAsk?: (question: Question) => MaybePromise<unknown>;
}

interface RunConfig {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
  readonly context?: unknown;
  readonly configurable?: Readonly<Record<string, unknown>>;
}
/** The members of a structured tool that hooks have to do with. */
interface StructuredTool {
  readonly name: string;
  readonly schema?: unknown;
  readonly responseFormat?: string;
  _call(args: unknown, manager?: unknown, config?: RunConfig): unknown;
}

/**
 * The same tools with every hook of the engine before and after them. The model reads a refusal as the tool's
 * output. Tools that run at the provider stay as they are.
 */
export function hookTools<T extends object[]>(
  engine: AnyEngine,
  tools: [...T],
  options: LangChainOptions = {},
): T {
  return mapToolList(tools, tool => (isStructuredTool(tool) ? hookTool(engine, tool, options) : tool));
}

function isStructuredTool(tool: object): tool is StructuredTool {
  return "_call" in tool && typeof tool._call === "function" && "name" in tool;
}

function hookTool(engine: AnyEngine, tool: StructuredTool, options: LangChainOptions): StructuredTool {
  const { name } = tool;
  async function hookedCall(args: unknown, manager?: unknown, config: RunConfig = {}): Promise<unknown> {
    const { onAsk, ...rest } = options;
    const sessionId = options.sessionId ?? readThreadId(config);
    const call = callOptions({ ...rest, sessionId }, config.toolCall?.id, config.signal, config.context);
    // The person is asked outside of the call: what `interrupt` throws belongs to the graph.
    const decision = await engine.untyped.decide(name, args, call);
    const asks = decision.kind === "ask" && onAsk !== undefined;
    const answer = asks ? answerIn(await onAsk(toQuestion(name, decision))) : undefined;
    const called = await engine.untyped.call(
      name,
      args,
      async changed => tool._call(await fitArguments(tool.schema, name, args, changed), manager, config),
      { ...call, id: decision.id, ...(answer === undefined ? {} : { onAsk: () => answer }) },
    );
    if (called.status === "failed") return settle(called);
    if (called.status === "done") return withNotes(tool, called.result, listNotes(called));
    const text = `${name} did not run: ${called.reason}`;
    return withNotes(tool, tool.responseFormat === "content_and_artifact" ? [text, undefined] : text, []);
  }
  return derive(tool, { _call: hookedCall });
}

/** What a graph is resumed with may be any value, and "no" is true. */
function answerIn(value: unknown): Answer {
  const { approved } = (value ?? {}) as { readonly approved?: unknown };
  return typeof approved === "boolean" ? (value as Answer) : value === true;
}

function toQuestion(tool: string, { id, args, reason }: CallDecision): Question {
  return { id, tool, args, reason: reason ?? `a hook asks before ${tool} runs` };
}

function readThreadId({ configurable }: RunConfig): string | undefined {
  const thread = configurable?.["thread_id"];
  return typeof thread === "string" ? thread : undefined;
}

/** What hooks add stands behind a result that is text; a result of another form stays as it is. */
function withNotes({ responseFormat }: StructuredTool, result: unknown, notes: readonly string[]): unknown {
  if (notes.length === 0) return result;
  if (responseFormat === "content_and_artifact" && Array.isArray(result))
    return [[toText(result[0]), ...notes].join("\n\n"), result[1]];
  return typeof result === "string" ? [result, ...notes].join("\n\n") : result;
}
