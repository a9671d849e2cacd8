import { randomUUID } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isEqual, type Refusal, refuseForeign } from "../dashboard/index.ts";
import { errorName } from "../protocol/index.ts";
import { Problem, readText } from "../state/index.ts";
import { join, type System, writeAtomically } from "../system/index.ts";
import { createServer, type ServerHandle } from "./server.ts";
import type { ServerContext } from "./tool.ts";

const TOKEN_DIGITS = 64;
const MAX_FILE_BYTES = 4_096;
const READ_BY_OTHERS = 0o077;

export function tokenFile(stateHome: string): string {
  return join(stateHome, "mcp", "token");
}

/** The secret of this user's server, made on first use. Clients keep it, so it stays the same until it is deleted. */
export function readToken(system: System, stateHome: string): string {
  const path = tokenFile(stateHome);
  const mode = system.files.follow(path)?.mode ?? 0;
  if ((mode & READ_BY_OTHERS) !== 0)
    throw new Problem(`${path} can be read by other users, so it is not secret`, {
      kind: "insecure",
      fix: `delete ${path} and start again; clients then need the new token`,
    });
  const known = readText(system, path, MAX_FILE_BYTES)?.trim();
  if (known !== undefined && new RegExp(`^[0-9a-f]{${TOKEN_DIGITS}}$`).test(known)) return known;
  const token = system.random.hex(TOKEN_DIGITS);
  writeAtomically(system, path, system.text.encode(`${token}\n`), { mode: 0o600, directoryMode: 0o700 });
  return token;
}

interface HttpOptions {
  /** any free one when absent */
  readonly port: number | undefined;
  /** what clients send as `Authorization: Bearer …` */
  readonly token: string;
}

interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  readonly handle: ServerHandle;
}

const ADDRESS = "127.0.0.1";
export const PATH = "/mcp";
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** The one that was idle for longest gives way to a new client. */
const MAX_SESSIONS = 32;
const SESSION_HEADER = "mcp-session-id";

/** Serves clients on this machine that know the token, until it is closed. Rejects when the port cannot be had. */
export async function serveHttp(context: ServerContext, { port, token }: HttpOptions): Promise<HttpServer> {
  const sessions = new Sessions(context);
  const server = createHttpServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      context.warn(`a request failed (${errorName(error)})`);
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, reason: "the request failed; the server's log says more" });
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refuseRequest(request, token);
    if (refusal !== undefined) return refuse(response, refusal);
    const id = request.headers[SESSION_HEADER];
    const transport = typeof id === "string" ? sessions.find(id) : await sessions.open();
    if (transport === undefined) return refuse(response, { status: 404, reason: "there is no such session" });
    await transport.handleRequest(request, response);
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port ?? 0, ADDRESS, resolve);
  });
  const { port: given } = server.address() as AddressInfo;
  return {
    url: `http://${ADDRESS}:${given}${PATH}`,
    async close() {
      await sessions.close();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuseRequest(request: IncomingMessage, token: string): Refusal | undefined {
  const foreign = refuseForeign(request);
  if (foreign !== undefined) return foreign;
  if (!isEqual(request.headers.authorization ?? "", `Bearer ${token}`))
    return { status: 401, reason: "the token is missing or wrong" };
  const path = (request.url ?? "").split("?", 1)[0];
  return path === PATH ? undefined : { status: 404, reason: `the server is at ${PATH}` };
}

/** One server for each client, by the id that the client was given. */
class Sessions {
  private readonly context: ServerContext;
  /** the one that was used last stands last */
  private readonly byId = new Map<string, Session>();

  constructor(context: ServerContext) {
    this.context = context;
  }

  find(id: string): StreamableHTTPServerTransport | undefined {
    const session = this.byId.get(id);
    if (session === undefined) return undefined;
    this.byId.delete(id);
    this.byId.set(id, session);
    return session.transport;
  }

  /** For a first request; it counts as a session once the client has introduced itself. */
  async open(): Promise<StreamableHTTPServerTransport> {
    const handle = createServer(this.context);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: async id => {
        this.byId.set(id, { transport, handle });
        const [oldest] = this.byId;
        if (this.byId.size > MAX_SESSIONS && oldest !== undefined) await oldest[1].handle.server.close();
      },
    });
    handle.server.server.onclose = () => {
      if (transport.sessionId !== undefined) this.byId.delete(transport.sessionId);
    };
    // The SDK's own types differ in how they write optional members.
    await handle.server.connect(transport as Transport);
    return transport;
  }

  async close(): Promise<void> {
    const all = [...this.byId.values()];
    await Promise.all(all.map(({ handle }) => handle.server.close()));
    await Promise.all(all.map(({ handle }) => handle.idle()));
  }
}

function refuse(response: ServerResponse, { status, reason }: Refusal): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(JSON.stringify({ error: reason }));
}

/** A message may be this long; a longer one ends the connection, since what follows it cannot be told apart. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

const NEWLINE = 10;

interface StdioOptions {
  readonly input: Readable;
  /** gets messages of the protocol and nothing else */
  readonly output: Writable;
  /** ends the connection from here */
  readonly onStop: (stop: () => void) => void;
}

/** Serves one client until it ends the stream. The exit code is 1 when the connection ended for another reason. */
export async function serveStdio(
  context: ServerContext,
  { input, output, onStop }: StdioOptions,
): Promise<number> {
  const handle = createServer(context);
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  let problem: string | undefined = `a message was longer than ${MAX_MESSAGE_BYTES} bytes`;
  let isLineOpen = false;
  const closed = new Promise<void>(resolve => {
    handle.server.server.onclose = resolve;
  });
  const end = (why?: string): void => {
    problem = why;
    void handle.server.close();
  };
  const endOfInput = (): void => end();
  input.once("end", endOfInput).once("close", endOfInput);
  // A client that is gone reads nothing more; other failures lose answers that somebody waits for.
  output.once("error", (error: NodeJS.ErrnoException) =>
    end(error.code === "EPIPE" ? undefined : `an answer could not be written (${error.code ?? error.name})`),
  );
  onStop(endOfInput);
  const connected = handle.server.connect(transport);
  // Behind the transport's own listener, with which the stream begins to flow.
  input.on("data", (chunk: Buffer) => {
    isLineOpen = chunk.at(-1) !== NEWLINE;
  });
  await connected;
  await closed;
  if (problem !== undefined) context.warn(`the connection ended: ${problem}`);
  else if (isLineOpen) context.warn("the last message was left out: its line has no end");
  await handle.idle();
  return problem === undefined ? 0 : 1;
}
