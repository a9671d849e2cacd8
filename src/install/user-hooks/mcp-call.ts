import { type ChildProcess, spawn } from "node:child_process";
import {
  booleanAt,
  isJsonObject,
  type Json,
  type JsonObject,
  listAt,
  memberAt,
  numberAt,
  PAYLOAD_DEPTH_LIMIT,
  readJson,
  stringAt,
} from "../../protocol/index.ts";
import { readLines } from "../../system/node.ts";
import { version } from "../../version.ts";
import type { McpServer } from "./compiled.ts";

/** One conversation with an MCP server. */
interface Connection {
  request(method: string, params: JsonObject): Promise<Json>;
  notify(method: string): Promise<void>;
  close(): void;
}

const PROTOCOL = "2025-06-18";
const MAX_ANSWER_LENGTH = 4 * 1024 * 1024;

export interface McpCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Connects to a server, calls one tool and resolves to the text that it returned. Rejects with what went wrong. */
export async function callMcpTool(server: McpServer, call: McpCall): Promise<string> {
  const connection =
    server.kind === "stdio" ? connectByPipes(server, call) : connectByHttp(server, call.signal);
  try {
    await connection.request("initialize", {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: "amplihack", version },
    });
    await connection.notify("notifications/initialized");
    return resultText(await connection.request("tools/call", { name: call.tool, arguments: call.input }));
  } finally {
    connection.close();
  }
}

function resultText(result: Json): string {
  const texts = listAt(result, "content")
    .filter(part => stringAt(part, "type") === "text")
    .map(part => stringAt(part, "text") ?? "");
  const structured = memberAt(result, "structuredContent");
  const text = texts.length === 0 && structured !== undefined ? JSON.stringify(structured) : texts.join("\n");
  if (booleanAt(result, "isError") === true) throw new Error(`the tool failed: ${text.slice(0, 300)}`);
  return text;
}

function toMessage(method: string, params: JsonObject | undefined, id?: number): JsonObject {
  const head = id === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", id, method };
  return params === undefined ? head : { ...head, params };
}

function readResult(message: Json): Json {
  const error = memberAt(message, "error");
  if (error !== undefined)
    throw new Error(
      `the server refused: ${(stringAt(error, "message") ?? "without a reason").slice(0, 300)}`,
    );
  return memberAt(message, "result") ?? null;
}

type Waiting = { readonly resolve: (message: Json) => void; readonly reject: (error: Error) => void };

function connectByPipes(
  { command, args, env }: Extract<McpServer, { readonly kind: "stdio" }>,
  { cwd, signal }: McpCall,
): Connection {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
    signal,
  });
  const waiting = new Map<number, Waiting>();
  let next = 0;
  let ended: Error | undefined;
  const fail = (error: Error): void => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  const send = (message: JsonObject) => child.stdin?.write(`${JSON.stringify(message)}\n`);
  child.on("error", error => fail(new Error(`${command} could not be run: ${error.message}`)));
  // Not at its exit: the answer may still be in the pipe.
  child.on("close", code => fail(new Error(`${command} ended with code ${code} before it had answered`)));
  child.stdin?.on("error", () => {
    // A server that is gone is told by its end, which may be read later.
  });
  if (child.stdout !== null)
    readLines(child.stdout, MAX_ANSWER_LENGTH, line => {
      const message = readMessage(line);
      const id = numberAt(message, "id");
      if (message === undefined || id === undefined) return;
      // Servers ask, too: whether anybody is there, and for what this client does not have.
      const method = stringAt(message, "method");
      if (method === "ping") send({ jsonrpc: "2.0", id, result: {} });
      else if (method !== undefined)
        send({ jsonrpc: "2.0", id, error: { code: -32601, message: `${method} is not offered` } });
      else waiting.get(id)?.resolve(message);
    });
  return {
    async request(method, params) {
      const id = next++;
      const answer = new Promise<Json>((resolve, reject) => {
        if (ended === undefined) waiting.set(id, { resolve, reject });
        else reject(ended);
      });
      send(toMessage(method, params, id));
      return readResult(await answer);
    },
    async notify(method) {
      send(toMessage(method, undefined));
    },
    close() {
      child.stdin?.end();
      child.kill();
    },
  };
}

function readMessage(text: string): Json | undefined {
  if (text.length > MAX_ANSWER_LENGTH) return undefined;
  const read = readJson(text, { recover: false, maxDepth: PAYLOAD_DEPTH_LIMIT });
  return read.ok && isJsonObject(read.value) ? read.value : undefined;
}

function connectByHttp(
  { url, headers }: Extract<McpServer, { readonly kind: "http" }>,
  signal: AbortSignal,
): Connection {
  let session: string | undefined;
  let next = 0;
  const post = async (message: JsonObject): Promise<Response> => {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      signal,
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": PROTOCOL,
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      },
      body: JSON.stringify(message),
    });
    if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
    session = response.headers.get("mcp-session-id") ?? session;
    return response;
  };
  return {
    async request(method, params) {
      const id = next++;
      const response = await post(toMessage(method, params, id));
      const text = await response.text();
      // One JSON value, or a stream of events of which one holds the answer.
      const texts = [text, ...text.split("\n").flatMap(line => /^data: ?(.*)/.exec(line)?.[1] ?? [])];
      const answer = texts.map(readMessage).find(message => numberAt(message, "id") === id);
      if (answer === undefined) throw new Error("the server gave no answer that could be read");
      return readResult(answer);
    },
    async notify(method) {
      await post(toMessage(method, undefined));
    },
    close() {},
  };
}
