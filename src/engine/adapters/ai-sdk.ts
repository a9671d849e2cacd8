/** `amplihack/engine/ai-sdk`: hooks in agents of the Vercel AI SDK. */
import { describeValue } from "../calls/describe-value.ts";
import { BoundedMap } from "../session-state.ts";
import {
  type AdapterOptions,
  type AnyEngine,
  callOptions,
  decideApproval,
  fitArguments,
  listNotes,
  mapTools,
  settle,
  ToolRefused,
  toText,
} from "./shared.ts";

export { type AdapterOptions, approvalReason, ToolRefused } from "./shared.ts";

const MAX_NOTED_CALLS = 1024;

/** What the SDK passes with a call. */
interface Execution {
  readonly toolCallId: string;
  readonly messages?: readonly unknown[];
  readonly abortSignal?: AbortSignal;
  readonly experimental_context?: unknown;
}
interface ModelOutputRequest {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}
/** The members of a tool that hooks have to do with. Their types are those of the tool that is wrapped. */
interface SdkTool {
  readonly inputSchema?: unknown;
  readonly execute?: (input: never, options: Execution) => unknown;
  readonly needsApproval?: boolean | ((input: never, options: Execution) => unknown);
  readonly toModelOutput?: (request: ModelOutputRequest) => unknown;
}

/**
 * The same tools with every hook of the engine before and after them. What a hook refuses comes to the model as
 * the tool's error; what it asks about goes through the SDK's approval step, unless `onAsk` answers at once.
 */
export function hookTools<T extends object>(engine: AnyEngine, tools: T, options: AdapterOptions = {}): T {
  return mapTools(tools, (tool, name) => hookTool(engine, name, tool, options));
}

function hookTool(engine: AnyEngine, name: string, tool: SdkTool, options: AdapterOptions): SdkTool {
  const { execute, inputSchema } = tool;
  // A tool without `execute` runs elsewhere: in the browser or at the provider.
  if (execute === undefined) return tool;
  const notes = new BoundedMap<readonly string[]>(MAX_NOTED_CALLS);
  return {
    ...tool,
    async execute(input, execution) {
      const { toolCallId, abortSignal, experimental_context, messages } = execution;
      const run = async (args: unknown): Promise<unknown> =>
        awaitLast(execute((await fitArguments(inputSchema, name, input, args)) as never, execution));
      const called = await engine.untyped.call(name, input, run, {
        ...callOptions(options, toolCallId, abortSignal, experimental_context),
        isApproved: isApproved(messages, toolCallId),
      });
      const texts = listNotes(called);
      if (texts.length > 0) notes.set(toolCallId, texts);
      return settle(called);
    },
    ...(options.onAsk === undefined ? { needsApproval: approvalStep(engine, name, tool, options) } : {}),
    async toModelOutput(request) {
      const output = await (tool.toModelOutput?.(request) ?? plainOutput(request.output));
      return withNotes(output, notes.get(request.toolCallId) ?? []);
    },
  };
}

/** The SDK's own approval step asks when the tool does, or when a hook does. */
function approvalStep(
  engine: AnyEngine,
  name: string,
  { needsApproval = false }: SdkTool,
  options: AdapterOptions,
): (input: never, execution: Execution) => Promise<boolean> {
  return async (input, execution) => {
    const own = typeof needsApproval === "function" ? await needsApproval(input, execution) : needsApproval;
    const { toolCallId, abortSignal, experimental_context } = execution;
    const call = callOptions(options, toolCallId, abortSignal, experimental_context);
    const kind = await decideApproval(engine, name, input, call);
    return kind === "ask" || (kind === "run" && own === true);
  };
}

/** A tool may stream what it has so far; the last is its result. */
async function awaitLast(output: unknown): Promise<unknown> {
  const settled: unknown = await output;
  if (typeof settled !== "object" || settled === null || !(Symbol.asyncIterator in settled)) return settled;
  let last: unknown;
  for await (const part of settled as AsyncIterable<unknown>) last = part;
  return last;
}

interface MessagePart {
  readonly type?: unknown;
  readonly toolCallId?: unknown;
  readonly approvalId?: unknown;
  readonly approved?: unknown;
}

/** Whether the conversation holds a person's yes to this very call. */
function isApproved(messages: readonly unknown[] = [], toolCallId: string): boolean {
  const parts = messages.flatMap(message => messageParts(message));
  const request = parts.find(part => part.type === "tool-approval-request" && part.toolCallId === toolCallId);
  if (request === undefined) return false;
  const answers = parts.filter(
    part => part.type === "tool-approval-response" && part.approvalId === request.approvalId,
  );
  return answers.at(-1)?.approved === true;
}

function messageParts(message: unknown): readonly MessagePart[] {
  const content: unknown = (message as { readonly content?: unknown } | null)?.content;
  return Array.isArray(content) ? content.filter(part => typeof part === "object" && part !== null) : [];
}

interface ModelOutput {
  readonly type: string;
  readonly value?: unknown;
}

function plainOutput(output: unknown): ModelOutput {
  return typeof output === "string"
    ? { type: "text", value: output }
    : { type: "json", value: describeValue(output) };
}

/** The tool's output as the model reads it, with what hooks add. */
function withNotes(output: unknown, notes: readonly string[]): unknown {
  if (notes.length === 0) return output;
  const { type, value } = output as ModelOutput;
  const first = type === "content" && Array.isArray(value) ? value : [{ type: "text", text: toText(value) }];
  return { type: "content", value: [...first, ...notes.map(text => ({ type: "text", text }))] };
}

/** What the SDK passes to a middleware of its language model. */
interface ModelCall {
  readonly params: unknown;
  readonly model: unknown;
}
interface GenerateCall<R> extends ModelCall {
  readonly doGenerate: () => PromiseLike<R>;
}
interface StreamCall<R> extends ModelCall {
  readonly doStream: () => PromiseLike<R>;
}

/** A middleware for `wrapLanguageModel`: `ModelRequest` before each call of the model, `ModelResponse` after it. */
export function modelHooks(
  engine: AnyEngine,
  options: AdapterOptions = {},
): {
  readonly specificationVersion: "v3";
  readonly wrapGenerate: <R>(call: GenerateCall<R>) => Promise<R>;
  readonly wrapStream: <R>(call: StreamCall<R>) => Promise<R>;
} {
  const { sessionId = "" } = options;
  const request = async ({ params, model }: ModelCall): Promise<string> => {
    const id = modelId(model);
    const payload = () => ({ session_id: sessionId, model: id, messages: describeValue(readPrompt(params)) });
    const { decision, halt } = await engine.untyped.dispatch("ModelRequest", payload, {});
    if (decision.kind === "deny") throw new ToolRefused(decision.reason);
    if (halt !== undefined) throw new ToolRefused(halt.reason ?? "a hook ended the turn");
    return id;
  };
  return {
    specificationVersion: "v3",
    async wrapGenerate(call) {
      const model = await request(call);
      const response = await call.doGenerate();
      const payload = () => ({ session_id: sessionId, model, response: describeValue(response) });
      await engine.untyped.dispatch("ModelResponse", payload, {});
      return response;
    },
    async wrapStream(call) {
      await request(call);
      return call.doStream();
    },
  };
}

function modelId(model: unknown): string {
  const id: unknown = (model as { readonly modelId?: unknown } | null)?.modelId;
  return typeof id === "string" ? id : String(model);
}

function readPrompt(params: unknown): unknown {
  return (params as { readonly prompt?: unknown } | null)?.prompt;
}
