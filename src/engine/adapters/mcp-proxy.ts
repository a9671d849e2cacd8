/** Stands between an MCP client and a server: hooks see every call of a tool before the server does. */
import {
  isJsonObject,
  type Json,
  type JsonObject,
  PAYLOAD_DEPTH_LIMIT,
  readJson,
  stringAt,
} from "../../protocol/index.ts";
import { describeArguments } from "../calls/describe-value.ts";
import type { PendingCall } from "../calls/types.ts";
import { asResult, ReportedFailure, refusal, type ToolResult, toResult } from "./mcp.ts";
import type { AnyEngine } from "./shared.ts";

/** Where the proxy writes: one message of JSON-RPC to a line. */
export interface ProxyPorts {
  toClient(line: string): void;
  toServer(line: string): void;
  /** something that the person who looks at the log should know */
  warn(message: string): void;
}

interface Waiting {
  /** of a question: the id of the call */
  readonly about?: string;
  resolve(message: JsonObject): void;
}

const PARSE_ERROR = -32_700;
const SERVER_GONE = -32_000;
const READING = { recover: false, maxDepth: PAYLOAD_DEPTH_LIMIT };

/** What is sent on is written anew from what was read, so that the server gets what was judged. */
export class McpProxy {
  private readonly engine: AnyEngine;
  private readonly server: string;
  private readonly ports: ProxyPorts;
  /** calls that the server is to answer, by the client's id */
  private readonly calls = new Map<string, Waiting>();
  /** questions that the client is to answer, by our id */
  private readonly questions = new Map<string, Waiting>();
  /** other requests of the client that the server has not answered yet */
  private readonly requests = new Set<string>();
  private canAsk = false;

  constructor(engine: AnyEngine, serverName: string, ports: ProxyPorts) {
    this.engine = engine;
    this.server = serverName;
    this.ports = ports;
  }

  /** Resolves when everything that the line set off is done. */
  async fromClient(line: string): Promise<void> {
    for (const message of this.read(line)) {
      const question = this.questions.get(idKey(message));
      if (question !== undefined && message["method"] === undefined) {
        this.questions.delete(idKey(message));
        question.resolve(message);
      } else if (message["method"] === "tools/call") await this.call(message);
      else {
        if (message["method"] === "initialize") this.canAsk = declaresElicitation(message);
        if (message["method"] === "notifications/cancelled") this.cancel(message);
        if (message["method"] !== undefined && message["id"] !== undefined) this.requests.add(idKey(message));
        this.toServer(message);
      }
    }
  }

  fromServer(line: string): void {
    if (line.trim() === "") return;
    const read = readJson(line, READING);
    if (!read.ok) {
      this.ports.warn(
        `the server ${this.server} wrote a line that is no message (${read.problem}); it is left out`,
      );
      this.failUnread(line);
      return;
    }
    const messages = Array.isArray(read.value) ? read.value : [read.value];
    for (const message of messages.filter(isJsonObject)) {
      const waiting = message["method"] === undefined ? this.calls.get(idKey(message)) : undefined;
      if (waiting === undefined) {
        // An answer counts for the request of exactly its id: clients may take "1" for 1.
        const isAnswer = message["method"] === undefined;
        if (!isAnswer || this.requests.delete(idKey(message)) || message["id"] === null)
          this.toClient(message);
        else
          this.ports.warn(`the server ${this.server} answered a request that there is not; it is left out`);
        continue;
      }
      this.calls.delete(idKey(message));
      waiting.resolve(message);
    }
  }

  /** Whoever waits for an answer that cannot be read is told so. */
  private failUnread(line: string): void {
    let answer: unknown;
    try {
      answer = JSON.parse(line);
    } catch {
      return;
    }
    const key = JSON.stringify((answer as { readonly id?: Json } | null)?.id ?? null);
    const error = { code: PARSE_ERROR, message: "the answer of the MCP server cannot be read" };
    this.calls.get(key)?.resolve({ error });
    this.calls.delete(key);
    if (this.requests.delete(key)) this.toClient({ id: JSON.parse(key) as Json, error });
  }

  /** A question about a call that nobody waits for any more is answered with no. */
  private cancel({ params }: JsonObject): void {
    const key = idKey({ id: (isJsonObject(params) ? params["requestId"] : undefined) ?? null });
    for (const [id, question] of this.questions)
      if (question.about === key) {
        this.questions.delete(id);
        question.resolve({ result: { action: "cancel" } });
      }
  }

  /** The server is gone: nobody waits for it any more. */
  close(): void {
    const error = { code: SERVER_GONE, message: "the MCP server has ended" };
    for (const waiting of this.calls.values()) waiting.resolve({ error });
    this.calls.clear();
  }

  private read(line: string): readonly JsonObject[] {
    if (line.trim() === "") return [];
    const read = readJson(line, READING);
    const messages = read.ok ? (Array.isArray(read.value) ? read.value : [read.value]) : [undefined];
    const known = messages.filter(isJsonObject);
    if (known.length < messages.length)
      this.toClient({ id: null, error: { code: PARSE_ERROR, message: "this is no message of JSON-RPC" } });
    return known;
  }

  private async call(message: JsonObject): Promise<void> {
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    const name = stringAt(params, "name") ?? "";
    const id = message["id"];
    const called = await this.engine.untyped.call(
      `mcp__${this.server}__${name}`,
      params["arguments"] ?? {},
      (args: unknown) =>
        this.run(knownMembers(message, { ...knownParams(params), arguments: describeArguments(args).input })),
      this.canAsk ? { onAsk: pending => this.ask(name, idKey(message), pending) } : {},
    );
    if (id === undefined) return;
    const error =
      called.status === "failed" && called.error instanceof ServerError ? called.error : undefined;
    if (error !== undefined) this.toClient({ id, error: error.error });
    else if (called.status === "pending") this.answer(id, refusal(name, nobodyToAsk(called.pending)));
    else this.answer(id, toResult(name, called));
  }

  /** What the server answers; a notification has no answer. */
  private async run(message: JsonObject): Promise<unknown> {
    if (message["id"] === undefined) {
      this.toServer(message);
      return {};
    }
    const answer = new Promise<JsonObject>(resolve => this.calls.set(idKey(message), { resolve }));
    this.toServer(message);
    const { error, result } = await answer;
    if (error !== undefined) throw new ServerError(error);
    const value = asResult(result);
    if (value.isError === true) throw new ReportedFailure(value);
    return value;
  }

  /** Clients that can show a form to the person are asked to. */
  private async ask(tool: string, about: string, { reason }: PendingCall): Promise<boolean> {
    const id = `amplihack-${crypto.randomUUID()}`;
    const answer = new Promise<JsonObject>(resolve => this.questions.set(idKey({ id }), { about, resolve }));
    const run = { type: "boolean", title: `Run ${tool}?` };
    const requestedSchema = { type: "object", properties: { run }, required: ["run"] };
    this.toClient({
      id,
      method: "elicitation/create",
      params: { message: `${tool} of ${this.server}: ${reason}`, requestedSchema },
    });
    const { result } = await answer;
    if (!isJsonObject(result) || result["action"] !== "accept") return false;
    return isJsonObject(result["content"]) && result["content"]["run"] === true;
  }

  /** A result came as JSON, from the server or from a hook. */
  private answer(id: Json, result: ToolResult): void {
    this.toClient({ id, result: result as JsonObject });
  }

  private toClient(message: JsonObject): void {
    this.ports.toClient(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  private toServer(message: JsonObject): void {
    this.ports.toServer(JSON.stringify(message));
  }
}

/** What a server answers instead of a result. */
class ServerError {
  readonly error: Json;

  constructor(error: Json) {
    this.error = error;
  }

  toJSON(): Json {
    return this.error;
  }
}

/** What was judged and nothing beside it: a server may read `Name` or `Arguments` as well. */
function knownMembers({ jsonrpc, id, method }: JsonObject, params: JsonObject): JsonObject {
  return {
    ...(jsonrpc === undefined ? {} : { jsonrpc }),
    ...(id === undefined ? {} : { id }),
    ...(method === undefined ? {} : { method }),
    params,
  };
}

function knownParams({ name, _meta }: JsonObject): JsonObject {
  return { ...(name === undefined ? {} : { name }), ...(_meta === undefined ? {} : { _meta }) };
}

/** Numbers and texts are different ids. */
function idKey(message: JsonObject): string {
  return JSON.stringify(message["id"] ?? null);
}

function declaresElicitation({ params }: JsonObject): boolean {
  const capabilities = isJsonObject(params) ? params["capabilities"] : undefined;
  return isJsonObject(capabilities) && isJsonObject(capabilities["elicitation"]);
}

function nobodyToAsk({ reason }: PendingCall): string {
  return `${reason} (this client cannot ask the person; a rule in ~/.amplihack/config.jsonc can allow it)`;
}
