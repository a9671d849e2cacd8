import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject } from "../../protocol/index.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { type HttpAnswer, json, type Members, type Protocol } from "./protocols.ts";
import {
  type Delegation,
  type ModelRequest,
  PROMPT,
  type ScriptStep,
  shellCall,
  type ToolCall,
} from "./script.ts";

const PROTOCOLS: readonly Protocol[] = [anthropic, openaiResponses, openaiChat, gemini];
const BODY_BYTES = 64 * 1024 * 1024;

/** A model on this machine that says what a script tells it to. Speaks the protocols of all hosts we drive. */
export interface ScriptedModel {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** requests of the conversation, in order; side questions of a host, such as for a title, are not among them */
  readonly requests: readonly ModelRequest[];
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
    const call = step === undefined ? undefined : callOf(step, asked);
    if (asked.tools.length > 0) requests.push(asked);
    if (call !== undefined)
      return protocol.answer({ kind: "call", call, id: `call_${asked.results.length + 1}` }, body, pathname);
    const text = step?.kind === "text" ? step.text : "done";
    return protocol.answer({ kind: "text", text }, body, pathname);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    paths,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function callOf(step: ScriptStep, { tools }: ModelRequest): ToolCall | undefined {
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
