import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorText } from "../protocol/error-text.ts";
import type { System } from "../system/system.ts";
import { LOOPBACK_ADDRESSES, refuseRequest } from "./access.ts";
import { Activity } from "./activity.ts";
import type { DataFiles } from "./data-files.ts";
import { historyFigures } from "./history-figures.ts";
import { LiveStreams } from "./live-streams.ts";
import { findMemories } from "./memories.ts";
import { renderPage } from "./page.ts";
import type { EntryQuery } from "./recent.ts";
import { readRecipeRuns } from "./recipe-runs.ts";

export interface DashboardOptions {
  /** a loopback address; 127.0.0.1 when absent */
  readonly address?: string;
  /** any free one when absent */
  readonly port?: number;
  /** how often the logs are looked at */
  readonly intervalMs?: number;
  /** told once per kind of trouble while following the logs */
  readonly warn: (message: string) => void;
}

interface Dashboard {
  readonly url: string;
  close(): Promise<void>;
}

const INTERVAL_MS = 400;
const TOKEN_DIGITS = 32;
const MAX_ROWS = 500;
const MAX_TEXT_LENGTH = 200;
const ANNOUNCED = 5;

/** Serves the page on this machine alone, until it is closed. Rejects when the address cannot be had. */
export async function startDashboard(
  system: System,
  files: DataFiles,
  options: DashboardOptions,
): Promise<Dashboard> {
  const { address = "127.0.0.1", port = 0, intervalMs = INTERVAL_MS, warn } = options;
  if (!LOOPBACK_ADDRESSES.includes(address)) {
    throw new Error(
      `${address} is not ${LOOPBACK_ADDRESSES.join(" or ")}: the page is for this machine alone`,
    );
  }
  const token = system.random.hex(TOKEN_DIGITS);
  const activity = new Activity(system, files);
  const streams = new LiveStreams();
  const routes = makeRoutes(system, files, activity);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: errorText(error) });
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
    const base = "http://dashboard.invalid";
    if (!URL.canParse(request.url ?? "/", base))
      return sendJson(response, 400, { error: "this is no address" });
    const url = new URL(request.url ?? "/", base);
    const refusal = refuseRequest(request, url, token);
    if (refusal !== undefined) return sendJson(response, refusal.status, { error: refusal.reason });
    if (url.pathname === "/") return sendPage(response);
    if (url.pathname === "/api/live") {
      if (!streams.add(response, news(activity, activity.judgements.total)))
        sendJson(response, 503, { error: "too many pages are open" });
      return;
    }
    const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
    if (route === undefined) return sendJson(response, 404, { error: "there is nothing here" });
    sendJson(response, 200, await route(url.searchParams));
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  const stopFollowing = follow(activity, streams, intervalMs, warn);
  const { port: given } = server.address() as AddressInfo;
  const host = address.includes(":") ? `[${address}]` : address;
  return {
    url: `http://${host}:${given}/?token=${token}`,
    async close() {
      stopFollowing();
      streams.close();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

type Route = (query: URLSearchParams) => unknown;

function makeRoutes(system: System, files: DataFiles, activity: Activity): Readonly<Record<string, Route>> {
  const readFigures = historyFigures(system, files.stateHome);
  return {
    "/api/overview": () => ({ ...activity.tally.overview(), history: readFigures() }),
    "/api/runs": query => activity.runs.page(readQuery(query)),
    "/api/judgements": query => activity.judgements.page(readQuery(query)),
    "/api/recipes": () => readRecipeRuns(system, files.recipeRuns),
    "/api/memory": query => findMemories(system, files.database, textParameter(query, "text") ?? ""),
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

/** What open pages are told: how much there is, and what was stopped since `judgementsBefore`. */
function news(activity: Activity, judgementsBefore: number) {
  const { runs, judgements } = activity;
  const fresh = Math.min(ANNOUNCED, judgements.total - judgementsBefore);
  return {
    runs: runs.total,
    judgements: judgements.total,
    stopped: judgements.page({ count: fresh }).entries.filter(({ decision }) => decision !== "allow"),
  };
}

/** Looks at the logs again and again; trouble is told once and does not end it. */
function follow(
  activity: Activity,
  streams: LiveStreams,
  intervalMs: number,
  warn: (message: string) => void,
): () => void {
  const told = new Set<string>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let isFirst = true;
  const look = async (): Promise<void> => {
    const before = activity.judgements.total;
    try {
      const isNews = await activity.catchUp();
      // What was there before the page is history, not news.
      if (isNews) streams.tell(news(activity, isFirst ? activity.judgements.total : before));
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

function sendPage(response: ServerResponse): void {
  const { html, policy } = renderPage();
  response.setHeader("content-security-policy", policy);
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}
