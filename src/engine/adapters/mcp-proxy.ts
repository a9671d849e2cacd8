/** Stands between an MCP client and a server: hooks see every call of a tool before the server does. */
import {
  defined,
  errorText,
  isJsonObject,
  type Json,
  type JsonObject,
  PAYLOAD_DEPTH_LIMIT,
  readJson,
  stringAt,
} from "../../protocol/index.ts";
import { escapeHidden } from "../../text/index.ts";
import { describeArguments } from "../calls/describe-value.ts";
import type { CallResult, PendingCall } from "../calls/types.ts";
import { asResult, ReportedFailure, refusal, type ToolResult, toResult } from "./mcp.ts";
import { boundResult, type DefinitionKeeper, Definitions } from "./mcp-definitions.ts";
import {
  cancelledKey,
  FETCHED,
  idKey,
  idsIn,
  isAnswerToNobody,
  knownAnswer,
  knownMessage,
  readFetched,
  toLine,
  withErrorNotes,
  withNotes,
} from "./mcp-messages.ts";
import { type AnyEngine, listNotes } from "./shared.ts";

/** Where the proxy writes: one message of JSON-RPC to a line. */
export interface ProxyPorts {
  toClient(line: string): void;
  toServer(line: string): void;
  /** something that the person who looks at the log should know */
  warn(message: string): void;
  /** whether what the client answers comes from a person; without it that is believed of whoever says they can ask */
  mayAsk?(): boolean;
  /** remembers what the server says of its tools; without it definitions are handed on as they come */
  readonly definitions?: DefinitionKeeper;
}

interface Waiting {
  /** of a question: the id of the call */
  readonly about?: string;
  resolve(message: JsonObject): void;
}

/** A call that the server goes on with after its first answer. It is over when its result was fetched. */
interface Task {
  /** called with what `tasks/result` brought, which hooks see as the result of the call */
  finish(answer: Promise<Json | undefined>): void;
  readonly fetched: boolean;
  /** what the client gets: the result as hooks left it */
  readonly judged: Promise<JsonObject>;
}

const MAX_TASKS = 100;
const PARSE_ERROR = -32_700;
const SERVER_GONE = -32_000;
const REFUSED = -32_001;
const METHOD_NOT_FOUND = -32_601;
const INVALID_REQUEST = -32_600;
const NOT_KNOWN =
  "amplihack mcp guard does not know this method, or its id or what it names is of another type";
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
  /** those of them that the client took back meanwhile */
  private readonly cancelled = new Set<string>();
  /** requests of the server that the client has not answered yet */
  private readonly asked = new Set<string>();
  /** calls that run as tasks, by the server's id */
  private readonly tasks = new Map<string, Task>();
  /** requests of the server that hooks have seen and the client is to answer */
  private readonly served = new Map<string, Waiting>();
  private readonly definitions: Definitions | undefined;
  private canAsk = false;

  constructor(engine: AnyEngine, serverName: string, ports: ProxyPorts) {
    this.engine = engine;
    this.server = serverName;
    this.ports = ports;
    const { definitions } = ports;
    if (definitions !== undefined)
      this.definitions = new Definitions(definitions, message => ports.warn(message));
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
          ? { code: METHOD_NOT_FOUND, message: NOT_KNOWN }
          : { code: INVALID_REQUEST, message: "a request of this id is not answered yet" };
      this.ports.warn(`a message of the client was left out: ${error.message}`);
      if (id !== undefined) this.toClient({ id, error });
      return;
    }
    const { method } = known;
    if (method === "tools/call") return this.call(known);
    if (typeof method === "string" && FETCHED.has(method)) return this.fetch(known);
    if (method === "tasks/result") return this.taskResult(known);
    if (method === "initialize") this.canAsk = declaresElicitation(known) && this.ports.mayAsk?.() !== false;
    if (this.definitions !== undefined && id !== undefined) {
      if (method === "initialize") return this.hand(known, each => this.definitions?.reviewWelcome(each));
      if (method === "tools/list") return this.hand(known, each => this.definitions?.reviewList(each));
      if (OFFERS.some(each => method === `${each}/list`))
        return this.hand(known, each => this.withoutOrders(each));
    }
    if (method === "tasks/cancel" && id !== undefined) return this.cancelTask(known);
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
    const served = this.served.get(idKey(message));
    this.served.delete(idKey(message));
    if (served !== undefined) served.resolve(knownAnswer(message));
    else if (this.asked.delete(idKey(message))) this.toServer(knownAnswer(message));
    else this.ports.warn("the client answered a request that was never sent; the answer is dropped");
  }

  fromServer(line: string): void {
    if (line.trim() === "") return;
    const read = readJson(line, READING);
    if (!read.ok) {
      this.ports.warn(
        `the server ${this.server} wrote a line that is not a message (${read.problem}); it is left out`,
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
        else if (this.requests.delete(idKey(message)) || isAnswerToNobody(message))
          this.toClient(knownAnswer(message));
        else
          this.ports.warn(
            `the server ${this.server} answered a request that was never sent; the answer is dropped`,
          );
        continue;
      }
      this.calls.delete(idKey(message));
      waiting.resolve(knownAnswer(message));
    }
  }

  /** A request or notification that the server itself begins. */
  private fromServersOwn(message: JsonObject): void {
    const known = knownMessage("server", message);
    const id = message["id"];
    const isTaken =
      id !== undefined &&
      [this.asked, this.served, this.questions].some(outstanding => outstanding.has(idKey(message)));
    if (known === undefined || isTaken) {
      this.ports.warn(`a message of the server ${this.server} was left out: its method or id is not known`);
      const error = { code: METHOD_NOT_FOUND, message: NOT_KNOWN };
      if (id !== undefined) this.toServer({ jsonrpc: "2.0", id, error });
      return;
    }
    if (known["method"] === "notifications/tools/list_changed") this.definitions?.forget();
    if (known["method"] === "notifications/cancelled") this.cancelServed(known);
    const served = stringAt(known, "method") ?? "";
    if (id !== undefined && Object.hasOwn(SERVED, served)) {
      void this.serve(known, SERVED[served] ?? served);
      return;
    }
    if (id !== undefined) this.asked.add(idKey(message));
    this.toClient(known);
  }

  /** What a server wants of the person or of the model is a call of its own: judged first, recorded, and bounded. */
  private async serve(message: JsonObject, name: string): Promise<void> {
    const { id = null } = message;
    const key = idKey(message);
    const about = `${OF_SERVER}${key}`;
    const asked = deferred<JsonObject>();
    this.served.set(key, asked);
    const isOpen = () => this.served.get(key) === asked;
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    const refuse = (why: string): void => {
      if (isOpen()) this.served.delete(key);
      this.ports.warn(`${name} of the server ${this.server} was refused: ${why}`);
      this.toServer({
        jsonrpc: "2.0",
        id,
        error: { code: REFUSED, message: "refused by amplihack mcp guard" },
      });
    };
    const orders = await this.definitions?.orders(params);
    if (orders !== undefined && !(await this.mayHappen(name, about, orders))) return refuse(orders);
    const called = await this.engine.untyped.call(
      `mcp__${this.server}__${name}`,
      params,
      async (args: unknown) => {
        // Taken back meanwhile: the client never heard of it.
        if (!isOpen()) throw new ServerError({ code: REFUSED, message: "it was cancelled" });
        this.toClient({ ...message, params: describeArguments(args).input });
        const { error, result } = await asked.promise;
        if (error !== undefined) throw new ServerError(error);
        return result;
      },
      this.askOptions(name, about),
    );
    const { status } = called;
    if (status === "done") this.toServer({ jsonrpc: "2.0", id, result: called.result as Json });
    else if (status === "failed") this.toServer({ jsonrpc: "2.0", id, error: toJsonError(called.error) });
    else refuse(called.reason);
  }

  /** What a server offers besides tools, without what is worded as orders for whoever reads the list. */
  private async withoutOrders(result: Json | undefined): Promise<Json | undefined> {
    const { definitions } = this;
    if (!isJsonObject(result) || definitions === undefined) return result;
    const kept: Record<string, Json> = { ...result };
    for (const [name, offers] of Object.entries(result)) {
      if (!Array.isArray(offers)) continue;
      const orders = await Promise.all(offers.map(offer => definitions.orders(offer)));
      for (const why of orders)
        if (why !== undefined) this.ports.warn(`one of the ${name} is left out: ${why}`);
      kept[name] = offers.filter((_, index) => orders[index] === undefined);
    }
    return kept;
  }

  /** Whether a person says yes to what the client can show them. */
  private async mayHappen(what: string, about: string, reason: string): Promise<boolean> {
    return this.canAsk && (await this.ask(what, about, { reason }));
  }

  private askOptions(what: string, about: string): { onAsk?: (pending: PendingCall) => Promise<boolean> } {
    return this.canAsk ? { onAsk: pending => this.ask(what, about, pending) } : {};
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

  private cancel(notice: JsonObject): void {
    const key = cancelledKey(notice);
    this.endQuestions(key);
    if (this.judged.has(key) && !this.calls.has(key)) this.cancelled.add(key);
  }

  /** The server takes back what it wanted of the client: no answer to it is handed on. */
  private cancelServed(notice: JsonObject): void {
    const key = cancelledKey(notice);
    const served = this.served.get(key);
    this.served.delete(key);
    served?.resolve({ error: { code: REFUSED, message: "it was cancelled" } });
    this.endQuestions(`${OF_SERVER}${key}`);
  }

  /** A question about a call that nobody waits for any more is answered with no. */
  private endQuestions(about: string): void {
    for (const [id, question] of this.questions)
      if (question.about === about) {
        this.questions.delete(id);
        question.resolve({ result: { action: "cancel" } });
      }
  }

  private endJudging(key: string): void {
    this.judged.delete(key);
    this.cancelled.delete(key);
  }

  /** The server is gone: nobody waits for it any more. */
  close(): void {
    const error = { code: SERVER_GONE, message: "the MCP server has ended" };
    for (const waiting of [...this.calls.values(), ...this.served.values()]) waiting.resolve({ error });
    this.calls.clear();
    this.served.clear();
    for (const task of this.tasks.values()) task.finish(Promise.reject(new ServerError(error)));
  }

  private read(line: string): readonly JsonObject[] {
    if (line.trim() === "") return [];
    const read = readJson(line, READING);
    const messages = read.ok ? (Array.isArray(read.value) ? read.value : [read.value]) : [undefined];
    const known = messages.filter(isJsonObject);
    if (known.length < messages.length)
      this.toClient({ id: null, error: { code: PARSE_ERROR, message: "this is not a JSON-RPC message" } });
    return known;
  }

  private async call(message: JsonObject): Promise<void> {
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    const name = stringAt(params, "name") ?? "";
    const id = message["id"];
    const key = idKey(message);
    if (id !== undefined) this.judged.add(key);
    const held = await this.whyHeld(name, key);
    if (held !== undefined) {
      this.endJudging(key);
      if (id !== undefined) this.refuse(id, name, held, params);
      return;
    }
    const judged = deferred<JsonObject>();
    let isTask = false;
    const called = await this.engine.untyped.call(
      `mcp__${this.server}__${name}`,
      params["arguments"] ?? {},
      async (args: unknown) => {
        const sent = { ...message, params: { ...params, arguments: describeArguments(args).input } };
        if (id === undefined) return this.toServer(sent);
        const first = await this.receive(sent);
        const taskId =
          params["task"] === undefined ? undefined : stringAt(readMember(first, "task"), "taskId");
        if (taskId === undefined) return this.toResult(first);
        isTask = true;
        this.endJudging(key);
        const finished = this.beginTask(taskId, judged.promise);
        this.toClient({ id, result: first ?? null });
        return this.toResult(await finished);
      },
      this.askOptions(name, key),
    );
    this.endJudging(key);
    if (id === undefined) return;
    const answer = this.toAnswer(name, called);
    if (isTask) judged.resolve(answer);
    else if (called.status === "denied" || called.status === "pending")
      this.refuse(id, name, called.status === "pending" ? nobodyToAsk(called.reason) : called.reason, params);
    else this.toClient({ id, ...answer });
  }

  /** What a client gets for a call that ended, as members of its answer. */
  private toAnswer(name: string, called: CallResult<unknown>): JsonObject {
    if (called.status === "failed" && called.error instanceof ServerError)
      return { error: withErrorNotes(called.error.error, listNotes(called)) };
    if (called.status === "pending") return { result: asJson(refusal(name, nobodyToAsk(called.reason))) };
    return { result: asJson(toResult(name, called)) };
  }

  /** A client that asked for a task cannot read a result in its place. */
  private refuse(id: Json, name: string, reason: string, params: JsonObject): void {
    if (params["task"] === undefined) this.toClient({ id, result: asJson(refusal(name, reason)) });
    else this.toClient({ id, error: { code: REFUSED, message: `${name} did not run: ${reason}` } });
  }

  private beginTask(taskId: string, judged: Promise<JsonObject>): Promise<Json | undefined> {
    const [oldest, { fetched = false } = {}] = this.tasks.entries().next().value ?? [];
    if (oldest !== undefined && fetched && this.tasks.size >= MAX_TASKS) this.tasks.delete(oldest);
    return new Promise((resolve, reject) => {
      const finish = (answer: Promise<Json | undefined>): void => {
        this.tasks.set(taskId, { ...task, fetched: true });
        answer.then(resolve, reject);
      };
      const task: Task = { fetched: false, judged, finish };
      this.tasks.set(taskId, task);
    });
  }

  /** The result of a task is the result of its call, which hooks see then; one of an earlier connection is a text from outside. */
  private async taskResult(message: JsonObject): Promise<void> {
    const { id } = message;
    if (id === undefined) return;
    const task = this.tasks.get(stringAt(message["params"], "taskId") ?? "");
    if (task === undefined) return this.fetch(message);
    if (!task.fetched) task.finish(this.receive(message));
    this.toClient({ id, ...(await task.judged) });
  }

  private async cancelTask(message: JsonObject): Promise<void> {
    const task = this.tasks.get(stringAt(message["params"], "taskId") ?? "");
    await this.hand(message, result => {
      if (task?.fetched === false)
        task.finish(Promise.reject(new ServerError({ code: REFUSED, message: "the task was cancelled" })));
      return result;
    });
  }

  /** Why a tool whose definition nobody has accepted does not run; undefined when it may, or when a person says so now. */
  private async whyHeld(name: string, about: string): Promise<string | undefined> {
    const { definitions } = this;
    if (definitions === undefined) return undefined;
    try {
      await definitions.reviewAll(cursor => this.receive(listRequest(cursor)).catch(noTools));
      const held = await definitions.whyHeld(name);
      if (held === undefined) return undefined;
      if (!(await this.mayHappen(name, about, held.person))) return held.model;
      definitions.accept(name);
      return undefined;
    } catch (error) {
      return `its definition cannot be compared with the one that was accepted: ${errorText(error)}`;
    }
  }

  /** Hands on what the server answers, after a look at it. */
  private async hand(
    message: JsonObject,
    look: (result: Json | undefined) => Promise<Json | undefined> | Json | undefined,
  ): Promise<void> {
    const { id = null } = message;
    this.judged.add(idKey(message));
    try {
      const result = await look(await this.receive(message));
      this.toClient({ id, result: result ?? {} });
    } catch (error) {
      this.toClient({ id, error: toJsonError(error) });
    } finally {
      this.endJudging(idKey(message));
    }
  }

  /** Texts of the server: a resource that is a file is judged as reading it; what hooks say stands beside the content. */
  private async fetch(message: JsonObject): Promise<void> {
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    const method = stringAt(message, "method") ?? "";
    const { what, named } = readFetched(method, params);
    const id = message["id"];
    if (id === undefined) return;
    const key = idKey(message);
    const { _meta, ...args } = params;
    this.judged.add(key);
    const called = await this.engine.untyped.call(
      named?.isFile === true ? "Read" : `mcp__${this.server}__${method.replace("/", "_")}`,
      named?.isFile === true
        ? { file_path: named.path }
        : { ...args, ...defined({ path: named?.path, paths: named?.paths }) },
      async () => boundResult((await this.receive(message)) ?? {}),
      this.askOptions(`read ${what}`, key),
    );
    this.endJudging(key);
    if (called.status === "done")
      this.toClient({ id, result: withNotes(called.result, what, listNotes(called)) });
    else if (called.status === "failed")
      this.toClient({ id, error: withErrorNotes(toJsonError(called.error), listNotes(called)) });
    else {
      const reason = called.status === "pending" ? nobodyToAsk(called.reason) : called.reason;
      this.toClient({ id, error: { code: REFUSED, message: `${what} was not read: ${reason}` } });
    }
  }

  private toResult(answer: Json | undefined): ToolResult {
    const value = asResult(boundResult(answer ?? null));
    if (value.isError === true) throw new ReportedFailure(value);
    return value;
  }

  private async receive(message: JsonObject): Promise<Json | undefined> {
    if (this.cancelled.has(idKey(message)))
      throw new ServerError({ code: REFUSED, message: "it was cancelled before it was sent" });
    const answer = new Promise<JsonObject>(resolve => this.calls.set(idKey(message), { resolve }));
    this.toServer(message);
    const { error, result } = await answer;
    if (error !== undefined) throw new ServerError(error);
    return result;
  }

  /** Clients that can show a form to the person are asked to. */
  private async ask(tool: string, about: string, { reason }: { readonly reason: string }): Promise<boolean> {
    const id = `amplihack-${crypto.randomUUID()}`;
    const answer = new Promise<JsonObject>(resolve => this.questions.set(idKey({ id }), { about, resolve }));
    // It comes from the client, and the window that shows it is not ours.
    const shown = escapeHidden(tool);
    const run = { type: "boolean", title: `Run ${shown}?` };
    const requestedSchema = { type: "object", properties: { run }, required: ["run"] };
    this.toClient({
      id,
      method: "elicitation/create",
      params: { message: `${shown} of ${this.server}: ${reason}`, requestedSchema },
    });
    const { result } = await answer;
    if (!isJsonObject(result) || result["action"] !== "accept") return false;
    return isJsonObject(result["content"]) && result["content"]["run"] === true;
  }

  private toClient(message: JsonObject): void {
    this.ports.toClient(toLine({ jsonrpc: "2.0", ...message }));
  }

  private toServer(message: JsonObject): void {
    this.ports.toServer(toLine(message));
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

/** What a server lists with words of its own, besides tools. */
const OFFERS = ["resources", "resources/templates", "prompts"];

/** What a server may ask of its client, as the name of the call that hooks see. */
const SERVED: Readonly<Record<string, string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
};

function listRequest(cursor: string | undefined): JsonObject {
  const id = `amplihack-${crypto.randomUUID()}`;
  const params = cursor === undefined ? {} : { cursor };
  return { jsonrpc: "2.0", id, method: "tools/list", params };
}

/** A server that lists no tools may have some nevertheless. */
function noTools(error: unknown): Json {
  if (error instanceof ServerError) return {};
  throw error;
}

function toJsonError(error: unknown): Json {
  return error instanceof ServerError ? error.error : { code: SERVER_GONE, message: errorText(error) };
}

function readMember(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

/** A result came as JSON, from the server or from a hook. */
function asJson(result: ToolResult): Json {
  return result as JsonObject;
}

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let settle: ((value: T) => void) | undefined;
  const promise = new Promise<T>(resolve => {
    settle = resolve;
  });
  return { promise, resolve: value => settle?.(value) };
}

/** Client and server count their requests by themselves. */
const OF_SERVER = "server ";

function declaresElicitation({ params }: JsonObject): boolean {
  const capabilities = isJsonObject(params) ? params["capabilities"] : undefined;
  return isJsonObject(capabilities) && isJsonObject(capabilities["elicitation"]);
}

function nobodyToAsk(reason: string): string {
  return `${reason} (this client cannot ask the person; a rule in ~/.amplihack/config.jsonc can allow it)`;
}
