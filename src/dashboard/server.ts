import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { errorText } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { LOOPBACK_ADDRESSES, refuseRequest } from "./access.ts";
import { Actions } from "./actions.ts";
import { follow, news } from "./follow.ts";
import { DATA } from "./json-api.ts";
import { LaunchCode } from "./launch-code.ts";
import { LiveStreams } from "./live-streams.ts";
import { renderPage } from "./page.ts";
import { diffOf, PAGES } from "./pages.ts";
import { readBody } from "./read-body.ts";
import type { DashboardData, Sources } from "./sources.ts";
import { Titles } from "./timeline/transcript.ts";
import { type Site, serverSite } from "./views/site.ts";

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
const FIRST_READ_MS = 2_000;

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

const SAFE_HEADERS: Readonly<Record<string, string>> = {
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

class Responder {
  readonly streams = new LiveStreams();
  private readonly system: System;
  private readonly data: DashboardData;
  private readonly options: ResponderOptions;
  private readonly titles: Titles;

  constructor(system: System, data: DashboardData, options: ResponderOptions) {
    this.system = system;
    this.data = data;
    this.titles = new Titles(system);
    this.options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
    const base = "http://dashboard.invalid";
    if (!URL.canParse(request.url ?? "/", base))
      return sendJson(response, 400, { error: "this is no address" });
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
    // Nor does an agent read what files of secrets held.
    const agent =
      request.method === "POST" || pathname === "/diff"
        ? this.options.refusePeer?.(request.socket)
        : undefined;
    if (agent !== undefined) return sendJson(response, 403, { error: `an agent asks for this (${agent})` });
    if (request.method === "POST") return this.act(request, response, pathname);
    return this.show(response, url);
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

  private async show(response: ServerResponse, { pathname, searchParams }: URL): Promise<void> {
    const { streams, data } = this;
    if (pathname === "/api/live") {
      if (!streams.add(response, news(data, data.activity.judgements.total)))
        sendJson(response, 503, { error: "too many pages are open" });
      return;
    }
    const sources = await data.sourcesFor(searchParams);
    const page = Object.hasOwn(PAGES, pathname) ? PAGES[pathname] : undefined;
    if (page !== undefined) {
      await isReadOnce(sources);
      const site = this.site(sources);
      const { html, policy } = renderPage(site, await page(sources, site, searchParams));
      response.setHeader("content-security-policy", policy);
      return sendHtml(response, 200, html);
    }
    if (pathname === "/diff") {
      const diff = await diffOf(sources, this.site(sources), searchParams.get("id") ?? "");
      return diff === undefined
        ? sendJson(response, 404, { error: "there is no such change any more" })
        : sendHtml(response, 200, diff.text);
    }
    const answer = Object.hasOwn(DATA, pathname) ? DATA[pathname] : undefined;
    if (answer === undefined) return sendJson(response, 404, { error: "there is nothing here" });
    await isReadOnce(sources);
    sendJson(response, 200, await answer(sources, searchParams));
  }

  private site({ team }: Sources): Site {
    const { token, whyReadOnly } = this.options;
    const titleOf: Site["titleOf"] = session => this.titles.of(session);
    const { home } = this.data;
    return serverSite(token, { whyReadOnly, nowMs: this.system.clock.nowMs(), home, titleOf, team });
  }
}

/** Long logs take a moment; what is not read by then comes with the next news. */
async function isReadOnce({ activity }: Sources): Promise<void> {
  if (activity.isRead) return;
  const limit = new AbortController();
  const waited = setTimeout(FIRST_READ_MS, undefined, { signal: limit.signal }).catch(() => {});
  await Promise.race([activity.catchUp().catch(() => {}), waited]);
  limit.abort();
}

function sendHtml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(text);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}
