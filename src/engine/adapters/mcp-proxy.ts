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
import { fileOf, knownAnswer, knownMessage } from "./mcp-messages.ts";
import { type AnyEngine, notesOf } from "./shared.ts";

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
const REFUSED = -32_001;
const METHOD_NOT_FOUND = -32_601;
const INVALID_REQUEST = -32_600;
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
  /** requests of the client that hooks look at before the server gets them */
  private readonly judged = new Set<string>();
  /** requests of the server that the client has not answered yet */
  private readonly asked = new Set<string>();
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
      } else if (message["method"] === undefined) this.answerServer(message);
      else await this.request(message);
    }
  }

  /** A request or notification of the client's, of which only what is known is sent on. */
  private async request(message: JsonObject): Promise<void> {
    const known = knownMessage("client", message);
    const id = message["id"];
    if (known === undefined || this.isOutstanding(message)) {
      const error =
        known === undefined
          ? { code: METHOD_NOT_FOUND, message: "this method is not known to amplihack mcp guard" }
          : { code: INVALID_REQUEST, message: "a request of this id is not answered yet" };
      this.ports.warn(`a message of the client was left out: ${error.message}`);
      if (id !== undefined) this.toClient({ id, error });
      return;
    }
    if (known["method"] === "tools/call") return this.call(known);
    if (known["method"] === "resources/read") return this.readResource(known);
    if (known["method"] === "initialize") this.canAsk = declaresElicitation(known);
    if (known["method"] === "notifications/cancelled") this.cancel(known);
    if (id !== undefined) this.requests.add(idKey(message));
    this.toServer(known);
  }

  private isOutstanding(message: JsonObject): boolean {
    if (message["id"] === undefined) return false;
    const key = idKey(message);
    return this.calls.has(key) || this.requests.has(key) || this.judged.has(key);
  }

  /** What the client answers to a question of the server's own. */
  private answerServer(message: JsonObject): void {
    if (this.asked.delete(idKey(message))) this.toServer(knownAnswer(message));
    else this.ports.warn("the client answered a request that there is not; it is left out");
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
        if (message["method"] !== undefined) this.fromServersOwn(message);
        else if (this.requests.delete(idKey(message)) || message["id"] === null)
          this.toClient(knownAnswer(message));
        else
          this.ports.warn(`the server ${this.server} answered a request that there is not; it is left out`);
        continue;
      }
      this.calls.delete(idKey(message));
      waiting.resolve(message);
    }
  }

  /** A request or notification that the server itself begins. */
  private fromServersOwn(message: JsonObject): void {
    const known = knownMessage("server", message);
    const id = message["id"];
    const isTaken =
      id !== undefined && (this.asked.has(idKey(message)) || this.questions.has(idKey(message)));
    if (known === undefined || isTaken) {
      this.ports.warn(`a message of the server ${this.server} was left out: its method or id is not known`);
      const error = { code: METHOD_NOT_FOUND, message: "this method is not known to amplihack mcp guard" };
      if (id !== undefined) this.toServer({ jsonrpc: "2.0", id, error });
      return;
    }
    if (id !== undefined) this.asked.add(idKey(message));
    this.toClient(known);
  }

  /** Whoever waits for an answer that cannot be read is told so. */
  private failUnread(line: string): void {
    const error = { code: PARSE_ERROR, message: "the answer of the MCP server cannot be read" };
    for (const key of idsIn(line)) {
      this.calls.get(key)?.resolve({ error });
      const isCall = this.calls.delete(key);
      if (this.requests.delete(key)) this.toClient({ id: JSON.parse(key) as Json, error });
      else if (!isCall) continue;
      return;
    }
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
    if (id !== undefined) this.judged.add(idKey(message));
    const called = await this.engine.untyped.call(
      `mcp__${this.server}__${name}`,
      params["arguments"] ?? {},
      (args: unknown) =>
        this.run({ ...message, params: { ...params, arguments: describeArguments(args).input } }),
      this.canAsk ? { onAsk: pending => this.ask(name, idKey(message), pending) } : {},
    );
    this.judged.delete(idKey(message));
    if (id === undefined) return;
    const error =
      called.status === "failed" && called.error instanceof ServerError ? called.error : undefined;
    if (error !== undefined) this.toClient({ id, error: error.error });
    else if (called.status === "pending") this.answer(id, refusal(name, nobodyToAsk(called.reason)));
    else this.answer(id, toResult(name, called));
  }

  /** A resource that is a file is judged as reading it; what a hook says afterwards stands beside its content. */
  private async readResource(message: JsonObject): Promise<void> {
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    const uri = stringAt(params, "uri") ?? "";
    const path = fileOf(uri);
    const id = message["id"];
    if (id === undefined) return;
    this.judged.add(idKey(message));
    const called = await this.engine.untyped.call(
      path === undefined ? `mcp__${this.server}__resources_read` : "Read",
      path === undefined ? { uri } : { file_path: path },
      () => this.receive(message),
      this.canAsk ? { onAsk: pending => this.ask(`read ${uri}`, idKey(message), pending) } : {},
    );
    this.judged.delete(idKey(message));
    if (called.status === "done") {
      const notes = notesOf(called).map(text => ({ uri, mimeType: "text/plain", text }));
      this.toClient({ id, result: withContents(called.result, notes) });
    } else if (called.status === "failed")
      this.toClient({
        id,
        error:
          called.error instanceof ServerError
            ? called.error.error
            : { code: SERVER_GONE, message: "it failed" },
      });
    else {
      const reason = called.status === "pending" ? nobodyToAsk(called.reason) : called.reason;
      this.toClient({ id, error: { code: REFUSED, message: `${uri} was not read: ${reason}` } });
    }
  }

  /** What the server answers; a notification has no answer. */
  private async run(message: JsonObject): Promise<unknown> {
    if (message["id"] === undefined) {
      this.toServer(message);
      return {};
    }
    const value = asResult(await this.receive(message));
    if (value.isError === true) throw new ReportedFailure(value);
    return value;
  }

  private async receive(message: JsonObject): Promise<Json | undefined> {
    const answer = new Promise<JsonObject>(resolve => this.calls.set(idKey(message), { resolve }));
    this.toServer(message);
    const { error, result } = await answer;
    if (error !== undefined) throw new ServerError(error);
    return result;
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

function withContents(result: unknown, notes: readonly JsonObject[]): Json {
  const given = isJsonObject(result as Json) ? (result as JsonObject) : {};
  const contents = Array.isArray(given["contents"]) ? given["contents"] : [];
  return notes.length === 0 ? given : { ...given, contents: [...contents, ...notes] };
}

const ID = /"id"\s*:\s*("(?:\\.|[^"\\])*"|-?\d+)/g;
const ENDS = 4_096;

/** Ids that a line may be the answer to, where it is too much to be read: members stand at its beginning or its end. */
function idsIn(line: string): readonly string[] {
  if (!line.trimStart().startsWith("{")) return [];
  const ends = [line.slice(0, ENDS), line.slice(-ENDS)];
  return ends.flatMap(text => [...text.matchAll(ID)].map(([, id = ""]) => id));
}

/** Numbers and texts are different ids. */
function idKey(message: JsonObject): string {
  return JSON.stringify(message["id"] ?? null);
}

function declaresElicitation({ params }: JsonObject): boolean {
  const capabilities = isJsonObject(params) ? params["capabilities"] : undefined;
  return isJsonObject(capabilities) && isJsonObject(capabilities["elicitation"]);
}

function nobodyToAsk(reason: string): string {
  return `${reason} (this client cannot ask the person; a rule in ~/.amplihack/config.jsonc can allow it)`;
}
