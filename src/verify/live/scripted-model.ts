import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject } from "../../protocol/index.ts";

/** What the scripted model answers the n-th time: a command to run, a tool to use, its last text. */
export type ScriptStep =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "call"; readonly call: ToolCall }
  | { readonly kind: "text"; readonly text: string };

/** What a host is told to do. The scripted model knows the conversation by it. */
export const PROMPT = "Run the command that you were told to run.";

/** What the model says to an agent that a host starts on its behalf: whose first message has the mark. */
export interface Delegation {
  readonly mark: string;
  readonly steps: readonly ScriptStep[];
}

/** One tool that a host offers to the model. */
interface OfferedTool {
  readonly name: string;
  /** names of its parameters */
  readonly parameters: readonly string[];
}

/** A request to the model, whatever the protocol: what was offered, what came back from tools, all that was said. */
export interface ModelRequest {
  readonly tools: readonly OfferedTool[];
  /** results of tool calls so far, as the model sees them */
  readonly results: readonly string[];
  /** every text in the request */
  readonly text: string;
}

/** A call of one of the host's tools. */
export interface ToolCall {
  /** of a host that groups its tools and expects the name of the group too */
  readonly namespace?: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const SHELL_TOOLS = [
  "Bash",
  "bash",
  "run_shell_command",
  "shell_command",
  "exec_command",
  "shell",
  "local_shell",
] as const;

/** How to ask this host for a command; undefined when it offers no shell. */
function shellCall(tools: readonly OfferedTool[], command: string): ToolCall | undefined {
  const tool = SHELL_TOOLS.map(name => tools.find(each => each.name === name)).find(
    each => each !== undefined,
  );
  if (tool === undefined) return undefined;
  const has = (name: string) => tool.parameters.includes(name);
  const line = has("cmd")
    ? { cmd: command }
    : { command: tool.name === "shell" ? ["bash", "-lc", command] : command };
  return {
    name: tool.name,
    input: {
      ...line,
      ...(has("description") ? { description: "run the command of the test" } : {}),
      ...(has("mode") ? { mode: "sync" } : {}),
    },
  };
}

/** What the model answers: a call of a tool, or text. */
type ModelAnswer =
  | { readonly kind: "call"; readonly call: ToolCall; readonly id: string }
  | { readonly kind: "text"; readonly text: string };

/**
 * What an answer is said to have cost. No two answers cost the same, so that a count that leaves one out or takes one
 * twice shows.
 */
export interface ScriptedTokens {
  /** not from a cache */
  readonly input: number;
  readonly cacheRead: number;
  /** with what was spent on reasoning */
  readonly output: number;
  readonly reasoning: number;
}

function exampleTokens(number: number): ScriptedTokens {
  return { input: 1000 + number, cacheRead: 100 * number, output: 50 + number, reasoning: number };
}

interface HttpAnswer {
  readonly type: string;
  readonly body: string;
}

/** An API by which hosts reach models. */
interface Protocol {
  readonly name: string;
  readonly matches: (path: string) => boolean;
  readonly read: (body: Members) => ModelRequest;
  readonly answer: (answer: ModelAnswer, body: Members, path: string, tokens: ScriptedTokens) => HttpAnswer;
}

type Members = Readonly<Record<string, unknown>>;

/** The objects of a list. */
function objectsIn(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function json(value: unknown): HttpAnswer {
  return { type: "application/json", body: JSON.stringify(value) };
}

/** Server-sent events; with names where the protocol names them. */
function events(values: readonly Members[], isNamed: boolean, last = ""): HttpAnswer {
  const lines = values.map(
    value => `${isNamed ? `event: ${String(value["type"])}\n` : ""}data: ${JSON.stringify(value)}\n\n`,
  );
  return { type: "text/event-stream", body: lines.join("") + last };
}

function listParameters(schema: unknown): readonly string[] {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

/** Anthropic's Messages API. */
const anthropic: Protocol = {
  name: "anthropic",
  matches: path => /\/messages$/.test(path),
  read(body) {
    const messages = objectsIn(body["messages"]);
    const blocks = messages.flatMap(message => objectsIn(message["content"]));
    return {
      tools: objectsIn(body["tools"]).map(tool => ({
        name: asText(tool["name"]),
        parameters: listParameters(tool["input_schema"]),
      })),
      results: blocks.filter(block => block["type"] === "tool_result").map(block => asText(block["content"])),
      text: JSON.stringify([body["system"], messages]),
    };
  },
  answer(answer, body, _, tokens) {
    const message = anthropicMessage(answer, asText(body["model"]), tokens);
    return body["stream"] === true ? stream(message, tokens) : json(message);
  },
};

function anthropicMessage(answer: ModelAnswer, model: string, tokens: ScriptedTokens): Members {
  const block =
    answer.kind === "text"
      ? { type: "text", text: answer.text }
      : { type: "tool_use", id: answer.id, name: answer.call.name, input: answer.call.input };
  return {
    id: `msg_${tokens.reasoning}`,
    type: "message",
    role: "assistant",
    model,
    content: [block],
    stop_reason: answer.kind === "text" ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: {
      input_tokens: tokens.input,
      cache_read_input_tokens: tokens.cacheRead,
      output_tokens: tokens.output,
    },
  };
}

function stream(message: Members, tokens: ScriptedTokens) {
  const [block] = objectsIn(message["content"]);
  const isCall = isJsonObject(block) && block["type"] === "tool_use";
  const start = isCall ? { ...block, input: {} } : { type: "text", text: "" };
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(block["input"]) }
    : { type: "text_delta", text: asText(block?.["text"]) };
  return events(
    [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: message["stop_reason"], stop_sequence: null },
        usage: { output_tokens: tokens.output },
      },
      { type: "message_stop" },
    ],
    true,
  );
}

/** Google's generateContent API. */
const gemini: Protocol = {
  name: "gemini",
  matches: path => /:(?:stream)?[gG]enerateContent$/.test(path),
  read(body) {
    const parts = objectsIn(body["contents"]).flatMap(content => objectsIn(content["parts"]));
    const declarations = objectsIn(body["tools"]).flatMap(tool => objectsIn(tool["functionDeclarations"]));
    return {
      tools: declarations.map(tool => ({
        name: asText(tool["name"]),
        parameters: listParameters(tool["parametersJsonSchema"] ?? tool["parameters"]),
      })),
      results: resultsIn(parts),
      text: JSON.stringify([body["systemInstruction"], body["contents"]]),
    };
  },
  answer(answer, _, path, tokens) {
    const response = toResponse(answer, tokens);
    return path.includes(":stream") ? events([response], false) : json(response);
  },
};

/** A session that is resumed names results several times, with the same id. */
function resultsIn(parts: readonly Members[]): readonly string[] {
  const results = new Map<string, string>();
  for (const [index, { functionResponse }] of parts.entries()) {
    if (functionResponse === undefined) continue;
    const id = isJsonObject(functionResponse) ? functionResponse["id"] : undefined;
    results.set(typeof id === "string" ? id : String(index), asText(functionResponse));
  }
  return [...results.values()];
}

function toResponse(answer: ModelAnswer, tokens: ScriptedTokens): Members {
  const part =
    answer.kind === "text"
      ? { text: answer.text }
      : { functionCall: { name: answer.call.name, args: answer.call.input } };
  return {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: tokens.input + tokens.cacheRead,
      cachedContentTokenCount: tokens.cacheRead,
      candidatesTokenCount: tokens.output - tokens.reasoning,
      thoughtsTokenCount: tokens.reasoning,
      totalTokenCount: tokens.input + tokens.cacheRead + tokens.output,
    },
  };
}

/** OpenAI's chat completions, and what many others copied of it. */
const openaiChat: Protocol = {
  name: "openai-chat",
  matches: path => /\/chat\/completions$/.test(path),
  read(body) {
    const messages = objectsIn(body["messages"]);
    const functions = objectsIn(body["tools"])
      .map(tool => tool["function"])
      .filter(isJsonObject);
    return {
      tools: functions.map(tool => ({
        name: asText(tool["name"]),
        parameters: listParameters(tool["parameters"]),
      })),
      results: messages
        .filter(message => message["role"] === "tool")
        .map(message => asText(message["content"])),
      text: JSON.stringify(messages),
    };
  },
  answer(answer, body, _, tokens) {
    const reason = answer.kind === "text" ? "stop" : "tool_calls";
    const base = { id: `chatcmpl-${tokens.reasoning}`, created: 0, model: body["model"] };
    const usage = {
      prompt_tokens: tokens.input + tokens.cacheRead,
      completion_tokens: tokens.output,
      total_tokens: tokens.input + tokens.cacheRead + tokens.output,
      prompt_tokens_details: { cached_tokens: tokens.cacheRead },
      completion_tokens_details: { reasoning_tokens: tokens.reasoning },
    };
    const message = chatMessage(answer);
    if (body["stream"] !== true)
      return json({
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: reason }],
        usage,
      });
    const chunk = (delta: Members, finish: string | null) => ({
      ...base,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const chunks = [chunk(withIndexes(message), null), { ...chunk({}, reason), usage }];
    return events(chunks, false, "data: [DONE]\n\n");
  },
};

function chatMessage(answer: ModelAnswer): Members {
  if (answer.kind === "text") return { role: "assistant", content: answer.text };
  const { id, call } = answer;
  return {
    role: "assistant",
    content: null,
    tool_calls: [
      { id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } },
    ],
  };
}

/** In a stream the calls of a message are numbered. */
function withIndexes(message: Members): Members {
  const calls = objectsIn(message["tool_calls"]);
  return calls.length === 0
    ? message
    : { ...message, tool_calls: calls.map((call, index) => ({ index, ...call })) };
}

/** OpenAI's Responses API, always streamed. */
const openaiResponses: Protocol = {
  name: "openai-responses",
  matches: path => /\/responses$/.test(path),
  read(body) {
    const input = objectsIn(body["input"]);
    const extra = input
      .filter(item => item["type"] === "additional_tools")
      .flatMap(item => objectsIn(item["tools"]));
    return {
      tools: [...objectsIn(body["tools"]), ...extra].map(tool => ({
        name: asText(tool["name"] ?? tool["type"]),
        parameters: listParameters(tool["parameters"]),
      })),
      results: input
        .filter(item => /_output$/.test(asText(item["type"])))
        .map(item => asText(item["output"])),
      text: JSON.stringify([body["instructions"], input]),
    };
  },
  answer(answer, body, _, tokens) {
    const item = toItem(answer);
    const response = (status: string, output: readonly Members[]) => ({
      id: `resp_${tokens.reasoning}`,
      object: "response",
      created_at: 0,
      status,
      model: body["model"],
      output,
      usage: {
        input_tokens: tokens.input + tokens.cacheRead,
        input_tokens_details: { cached_tokens: tokens.cacheRead },
        output_tokens: tokens.output,
        output_tokens_details: { reasoning_tokens: tokens.reasoning },
        total_tokens: tokens.input + tokens.cacheRead + tokens.output,
      },
    });
    return events(
      [
        { type: "response.created", response: response("in_progress", []) },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: response("completed", [item]) },
      ],
      true,
    );
  },
};

function toItem(answer: ModelAnswer): Members {
  if (answer.kind === "text")
    return {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: answer.text, annotations: [] }],
    };
  const { id, call } = answer;
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    status: "completed",
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    arguments: JSON.stringify(call.input),
  };
}

const PROTOCOLS: readonly Protocol[] = [anthropic, openaiResponses, openaiChat, gemini];
const BODY_BYTES = 64 * 1024 * 1024;

/** A model on this machine that says what a script tells it to. Speaks the protocols of all hosts we drive. */
export interface ScriptedModel {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** requests of the conversation, in order; side questions of a host, such as for a title, are not among them */
  readonly requests: readonly ModelRequest[];
  /** what all answers cost, those to side questions as well, in the order in which they were given */
  readonly spent: readonly ScriptedTokens[];
  /** paths that were asked for, for a message when nothing else is known */
  readonly paths: readonly string[];
  close(): Promise<void>;
}

/** The step is chosen by how many tool results the conversation holds, so that a repeated request repeats its answer. */
export async function startModel(
  steps: readonly ScriptStep[],
  delegation?: Delegation | readonly Delegation[],
): Promise<ScriptedModel> {
  const delegations = [delegation ?? []].flat();
  const requests: ModelRequest[] = [];
  const spent: ScriptedTokens[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    paths.push(`${request.method ?? ""} ${pathname}`);
    const body = await readBody(request);
    const protocol = PROTOCOLS.find(each => each.matches(pathname));
    send(response, protocol === undefined ? sideAnswer(pathname) : speak(protocol, body, pathname));
  }

  function speak(protocol: Protocol, body: Members, pathname: string): HttpAnswer {
    const asked = protocol.read(body);
    const delegated = asked.text.includes(PROMPT)
      ? undefined
      : delegations.find(({ mark }) => asked.text.includes(mark));
    const step = (delegated?.steps ?? steps)[asked.results.length];
    const call = step === undefined ? undefined : toToolCall(step, asked);
    if (asked.tools.length > 0) requests.push(asked);
    const tokens = exampleTokens(spent.length + 1);
    spent.push(tokens);
    const answer: ModelAnswer =
      call === undefined
        ? { kind: "text", text: step?.kind === "text" ? step.text : "done" }
        : { kind: "call", call, id: `call_${asked.results.length + 1}` };
    return protocol.answer(answer, body, pathname, tokens);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    spent,
    paths,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function toToolCall(step: ScriptStep, { tools }: ModelRequest): ToolCall | undefined {
  if (step.kind === "call") return step.call;
  return step.kind === "command" ? shellCall(tools, step.command) : undefined;
}

/** Hosts count tokens and list models before they start; they get something harmless. */
function sideAnswer(pathname: string): HttpAnswer {
  if (/count_?tokens$/i.test(pathname)) return json({ input_tokens: 1, totalTokens: 1 });
  if (/\/models$/.test(pathname)) return json({ object: "list", data: [], models: [], has_more: false });
  return json({});
}

function send(response: ServerResponse, { type, body }: HttpAnswer): void {
  response.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  response.end(body);
}

async function readBody(request: IncomingMessage): Promise<Members> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > BODY_BYTES) throw new Error("the request is too large");
    chunks.push(chunk as Buffer);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
