import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { HistoryFigures } from "../history/index.ts";
import { errorText, ownValue } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { Actions } from "./actions.ts";
import type { EntryQuery, Overview } from "./activity.ts";
import { PAGES, renderDiffPage, renderPage } from "./pages.ts";
import type { DashboardData, Sources } from "./sources.ts";
import { measureLatency, type SessionFigures, summarise, uniqueSessionId } from "./timeline/timeline.ts";
import { readRange } from "./views/home.ts";
import { type Site, serverSite } from "./views/layout.ts";

/** The only addresses the page is served on: only this machine can reach them. */
export const LOOPBACK_ADDRESSES: readonly string[] = ["127.0.0.1", "::1"];

/** What carries the token of a request that changes something: no other site can send it. */
const TOKEN_HEADER = "x-amplihack-token";

export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Undefined when the request may be answered: it comes from this machine and its page, with the token. */
export function refuseRequest(
  request: IncomingMessage,
  url: URL,
  token: string,
  isAction: (path: string) => boolean,
): Refusal | undefined {
  const foreign = refuseForeign(request);
  if (foreign !== undefined) return foreign;
  const { method } = request;
  if (method === "POST" && isAction(url.pathname)) return refuseAction(request, token);
  if (!isEqual(url.searchParams.get("token") ?? "", token)) {
    return { status: 403, reason: "the token is missing or wrong; use the address that the command printed" };
  }
  if (method !== "GET") return { status: 405, reason: "only GET is known here" };
  if (isAction(url.pathname)) return { status: 405, reason: "only POST is known here" };
  return undefined;
}

/**
 * Another site in the user's browser can send requests to this machine too, by name (DNS rebinding) or by address: so
 * Host and Origin must be ours.
 */
export function refuseForeign({ headers, socket }: IncomingMessage): Refusal | undefined {
  if (!LOOPBACK_ADDRESSES.includes(socket.remoteAddress ?? "")) {
    return { status: 403, reason: "only this machine may ask" };
  }
  const names = ["127.0.0.1", "localhost", "[::1]"].map(name => `${name}:${socket.localPort}`);
  if (!names.includes(headers.host ?? ""))
    return { status: 403, reason: "the Host header is not this server" };
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) {
    return { status: 403, reason: "requests of other origins are not answered" };
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return { status: 403, reason: "requests of other sites are not answered" };
  }
  return undefined;
}

/**
 * What changes something comes from a script of our own page: with the token in a header, which a link, a form or a
 * picture cannot set, and with our origin, which every browser tells for such a request.
 */
function refuseAction({ headers }: IncomingMessage, token: string): Refusal | undefined {
  const given = headers[TOKEN_HEADER];
  if (typeof given !== "string" || !isEqual(given, token))
    return { status: 403, reason: `the token is missing or wrong; it goes into the header ${TOKEN_HEADER}` };
  if (headers.origin === undefined || headers["sec-fetch-site"] === "none")
    return { status: 403, reason: "only the page itself may ask for this" };
  if (headers["content-type"] !== "application/json")
    return { status: 415, reason: "the body must be application/json" };
  return undefined;
}

/** Takes the same time wherever the texts differ. */
export function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

const DIGITS = 32;
const VALID_MS = 60_000;

/**
 * Opens the page once. A browser is started with its address as an argument, which every program on the machine can
 * read: so that address holds this code, which the browser has used up by then, and not the token.
 */
class LaunchCode {
  readonly code: string;
  private readonly system: System;
  private readonly madeMs: number;
  private isUsed = false;

  constructor(system: System) {
    this.system = system;
    this.code = system.random.hex(DIGITS);
    this.madeMs = system.clock.monotonicMs();
  }

  /** True once, for the right code, while it is young. */
  use(given: string): boolean {
    if (given !== this.code || this.isUsed) return false;
    this.isUsed = true;
    return this.system.clock.monotonicMs() - this.madeMs <= VALID_MS;
  }
}

const MAX_BYTES = 256 * 1024;

/** The body as text; undefined when it is longer than any of ours. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const MAX_STREAMS = 16;
const HEARTBEAT_MS = 15_000;
/** A reader that is this far behind is cut off; it comes back by itself and starts afresh. */
const MAX_UNSENT_BYTES = 1024 * 1024;

/** Open pages that are told when something happened (server-sent events). */
class LiveStreams {
  private readonly open = new Set<ServerResponse>();
  private readonly heartbeat = setInterval(() => this.write(": still here\n\n"), HEARTBEAT_MS);

  /** False when there are too many already. */
  add(response: ServerResponse, firstNews: unknown): boolean {
    if (this.open.size >= MAX_STREAMS) return false;
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    this.open.add(response);
    response.on("close", () => this.open.delete(response));
    response.write(message(firstNews));
    return true;
  }

  tell(news: unknown): void {
    this.write(message(news));
  }

  close(): void {
    clearInterval(this.heartbeat);
    for (const response of this.open) response.destroy();
    this.open.clear();
  }

  private write(text: string): void {
    for (const response of this.open) {
      if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
      else response.write(text);
    }
  }
}

function message(news: unknown): string {
  return `data: ${JSON.stringify(news)}\n\n`;
}

const ANNOUNCED = 5;

/** What open pages are told: how much there is, and what was stopped since `judgementsBefore`. */
export function news(data: DashboardData, judgementsBefore: number) {
  const { judgements } = data.activity;
  const fresh = Math.min(ANNOUNCED, judgements.total - judgementsBefore);
  return {
    ...data.totals(),
    stopped: judgements.page({ count: fresh }).entries.filter(({ decision }) => decision !== "allow"),
  };
}

/** Looks for news again and again; trouble is told once and does not end it. */
export function follow(
  data: DashboardData,
  streams: LiveStreams,
  intervalMs: number,
  warn: (message: string) => void,
): () => void {
  const { activity } = data;
  const told = new Set<string>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let isFirst = true;
  const look = async (): Promise<void> => {
    const before = activity.judgements.total;
    try {
      const isNews = await data.catchUp();
      // What was there before the page is history, not news.
      if (isNews) streams.tell(news(data, isFirst ? activity.judgements.total : before));
      isFirst = false;
    } catch (error) {
      const message = errorText(error);
      if (!told.has(message)) warn(`Warning: the logs cannot be read: ${message}\n`);
      told.add(message);
    }
    if (!isStopped) timer = setTimeout(look, intervalMs);
  };
  void look();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

const MAX_ROWS = 500;
const MAX_TEXT_LENGTH = 200;

type Route = (sources: Sources, query: URLSearchParams) => unknown;

/** The same as the pages show, for programs. */
export const DATA: Readonly<Record<string, Route>> = {
  "/api/overview": async (sources, query) => ({
    ...buildOverview(sources, query),
    ...(await sources.figures?.overview()),
  }),
  "/api/runs": ({ activity }, query) => activity.runs.page(readQuery(query)),
  "/api/judgements": ({ activity }, query) => activity.judgements.page(readQuery(query)),
  "/api/recipes": ({ recipes }) => recipes.list(),
  "/api/memory": (sources, query) => sources.findMemories(textParameter(query, "text") ?? "", {}),
};

/** The figures of the pages, for programs: under the names that hooks log, and under those of the pages. */
export interface LocalOverview extends Overview, SessionFigures {
  readonly files: number;
  readonly history: HistoryFigures;
}

const MAX_SESSIONS = 500;

/** `days` is what the overview page takes: 1, yesterday, 7, 30; everything without it. */
function buildOverview(
  { activity, timelines, changes, system }: Sources,
  query: URLSearchParams,
): LocalOverview {
  const range = readRange(system.clock.nowMs(), textParameter(query, "days"));
  const edges = range?.edges ?? [0, Number.POSITIVE_INFINITY];
  const { figures, files, hosts, rules, sessions } = summarise(timelines.read(), edges);
  return {
    ...figures,
    denied: figures.refused,
    failures: figures.unchecked,
    files,
    unreadable: activity.unreadable,
    hosts,
    rules,
    sessions: sessions.slice(0, MAX_SESSIONS).map(({ id, host, project, firstMs, lastMs, figures: its }) => ({
      session: id,
      host,
      project,
      first: new Date(firstMs).toISOString(),
      last: new Date(lastMs).toISOString(),
      stopped: its.refused + its.asked,
      failures: its.unchecked,
      ...its,
    })),
    latency: measureLatency(activity.runs, edges[0] ?? 0),
    history: changes.figures(),
  };
}

function readQuery(query: URLSearchParams): EntryQuery {
  const count = integerParameter(query, "count") ?? 100;
  return {
    before: integerParameter(query, "before"),
    count: Math.min(MAX_ROWS, count),
    decision: textParameter(query, "decision"),
    host: textParameter(query, "host"),
    text: textParameter(query, "text"),
  };
}

function textParameter(query: URLSearchParams, name: string): string | undefined {
  return query.get(name)?.slice(0, MAX_TEXT_LENGTH) || undefined;
}

function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

export interface DashboardOptions {
  /** a loopback address; 127.0.0.1 when absent */
  readonly address?: string;
  /** any free one when absent */
  readonly port?: number;
  /** undo and forget; a page of others' data has none */
  readonly actions?: Actions;
  /** how often news are looked for */
  readonly intervalMs?: number;
  /** told once per kind of trouble while following the logs */
  readonly warn: (message: string) => void;
  /** why nothing can be undone or forgotten from the page; it can when absent */
  readonly whyReadOnly?: string | undefined;
  /** why the program at the other end may change nothing; everybody who has the token may when absent */
  readonly refusePeer?: ((socket: Socket) => string | undefined) | undefined;
}

export interface Dashboard {
  readonly url: string;
  /** for one visit, soon: leads to `url` and can be shown to other programs, which see it too late */
  readonly launchUrl: string;
  close(): Promise<void>;
}

const INTERVAL_MS = 400;
const TOKEN_DIGITS = 32;

/** Serves the pages on this machine alone, until it is closed. Rejects when the address cannot be had. */
export async function startDashboard(
  system: System,
  data: DashboardData,
  options: DashboardOptions,
): Promise<Dashboard> {
  const { address = "127.0.0.1", port = 0, intervalMs = INTERVAL_MS, warn } = options;
  if (!LOOPBACK_ADDRESSES.includes(address)) {
    throw new Error(
      `${address} is not ${LOOPBACK_ADDRESSES.join(" or ")}: the page is for this machine alone`,
    );
  }
  const token = system.random.hex(TOKEN_DIGITS);
  const launch = new LaunchCode(system);
  const responder = new Responder(system, data, { ...options, token, launch });
  const server = createServer((request, response) => {
    responder.answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: errorText(error) });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  const { streams } = responder;
  const stopFollowing = follow(data, streams, intervalMs, warn);
  const { port: given } = server.address() as AddressInfo;
  const origin = `http://${address.includes(":") ? `[${address}]` : address}:${given}`;
  return {
    url: `${origin}/?token=${token}`,
    launchUrl: `${origin}/launch?code=${launch.code}`,
    async close() {
      stopFollowing();
      streams.close();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await data.close();
    },
  };
}

/** On every answer, of the local page and of the team server. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

type ResponderOptions = Pick<DashboardOptions, "whyReadOnly" | "refusePeer" | "actions"> & {
  readonly token: string;
  readonly launch: LaunchCode;
};

/** So much of the hosts' records is read for the commands of one page; the rest is on the pages of its sessions. */
const MAX_COMPLETED_BYTES = 16 * 1024 * 1024;

/** An agent that looks there is not shown what files of secrets held. */
const SHOWS_CONTENTS = ["/change", "/diff", "/search"];

class Responder {
  readonly streams = new LiveStreams();
  private readonly system: System;
  private readonly data: DashboardData;
  private readonly options: ResponderOptions;

  constructor(system: System, data: DashboardData, options: ResponderOptions) {
    this.system = system;
    this.data = data;
    this.options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
    const base = "http://dashboard.invalid";
    if (!URL.canParse(request.url ?? "/", base))
      return sendJson(response, 400, { error: "this is not an address" });
    const url = new URL(request.url ?? "/", base);
    const { pathname } = url;
    const { token, launch } = this.options;
    // Somebody who was given the code for one visit gets the token; who comes later, nothing.
    if (pathname === "/launch" && launch.use(url.searchParams.get("code") ?? ""))
      url.searchParams.set("token", token);
    const refusal = refuseRequest(request, url, token, Actions.isKnown);
    if (refusal !== undefined) return sendJson(response, refusal.status, { error: refusal.reason });
    if (pathname === "/launch") {
      response.writeHead(303, { location: `/?token=${token}` }).end();
      return;
    }
    const isAct = request.method === "POST";
    const agent =
      isAct || SHOWS_CONTENTS.includes(pathname) ? this.options.refusePeer?.(request.socket) : undefined;
    if (!isAct) return this.show(response, url, agent !== undefined);
    if (agent !== undefined) return sendJson(response, 403, { error: `an agent asks for this (${agent})` });
    return this.act(request, response, pathname);
  }

  private async act(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const text = await readBody(request);
    if (text === undefined) return sendJson(response, 413, { error: "the body is too large" });
    const { actions, whyReadOnly = "nothing can be changed from here" } = this.options;
    if (actions === undefined) return sendJson(response, 403, { error: whyReadOnly });
    const sources = await this.data.sourcesFor(new URLSearchParams());
    const { status, body } = await actions.perform(path, text, this.site(sources));
    sendJson(response, status, body);
  }

  private async show(
    response: ServerResponse,
    { pathname, searchParams }: URL,
    isForAgent: boolean,
  ): Promise<void> {
    const { streams, data } = this;
    if (pathname === "/api/live") {
      if (!streams.add(response, news(data, data.activity.judgements.total)))
        sendJson(response, 503, { error: "too many pages are open" });
      return;
    }
    const sources = await data.sourcesFor(searchParams);
    const page = ownValue(PAGES, pathname);
    if (page !== undefined) {
      await isReadOnce(sources);
      const site = this.site(sources, isForAgent);
      const { html, policy } = await sources.activity.during(async () =>
        renderPage(site, await page(sources, site, searchParams)),
      );
      response.setHeader("content-security-policy", policy);
      return sendHtml(response, 200, html);
    }
    if (pathname === "/diff") {
      const diff = await renderDiffPage(
        sources,
        this.site(sources, isForAgent),
        searchParams.get("id") ?? "",
      );
      return diff === undefined
        ? sendJson(response, 404, { error: "there is no such change any more" })
        : sendHtml(response, 200, diff.text);
    }
    const answer = ownValue(DATA, pathname);
    if (answer === undefined) return sendJson(response, 404, { error: "there is nothing here" });
    await isReadOnce(sources);
    sendJson(response, 200, await answer(sources, searchParams));
  }

  private site(sources: Sources, isForAgent = false): Site {
    const { team, records, usage, timelines } = sources;
    const { token, whyReadOnly } = this.options;
    let room = MAX_COMPLETED_BYTES;
    const sight: Pick<Site, "titleOf" | "usageOf" | "complete"> = {
      titleOf: session => records.titleOf(session),
      usageOf: ({ name }) => usage?.ofSession(name),
      complete(call) {
        const session = call.subject === "" ? timelines.read().byId.get(uniqueSessionId(call)) : undefined;
        if (session === undefined) return call;
        room -= records.costOf(session);
        return room < 0 ? call : records.of(session).complete(call);
      },
    };
    const { home, guard } = this.data;
    const agentSettings = isForAgent ? guard : undefined;
    const nowMs = this.system.clock.nowMs();
    return serverSite(token, { whyReadOnly, nowMs, home, agentSettings, ...sight, team });
  }
}

/** A page shows the newest at once; what is older comes with the next news. */
async function isReadOnce({ activity }: Sources): Promise<void> {
  if (!activity.isRead) await activity.isStarted;
}

function sendHtml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(text);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}
