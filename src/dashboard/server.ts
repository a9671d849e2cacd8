import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { errorText } from "../protocol/error-text.ts";
import type { System } from "../system/system.ts";
import { LOOPBACK_ADDRESSES, refuseRequest } from "./access.ts";
import { Actions } from "./actions.ts";
import { Activity } from "./activity.ts";
import type { DataFiles } from "./data-files.ts";
import { follow, news } from "./follow.ts";
import { DATA } from "./json-api.ts";
import { LaunchCode } from "./launch-code.ts";
import { LiveStreams } from "./live-streams.ts";
import { renderPage } from "./page.ts";
import { diffOf, PAGES, type Sources } from "./pages.ts";
import { readBody } from "./read-body.ts";
import { Changes } from "./timeline/changes.ts";
import { Timelines } from "./timeline/timeline.ts";
import { Titles } from "./timeline/transcript.ts";
import { type Site, serverSite } from "./views/site.ts";

export interface DashboardOptions {
  /** a loopback address; 127.0.0.1 when absent */
  readonly address?: string;
  /** any free one when absent */
  readonly port?: number;
  /** how often the logs are looked at */
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
  const launch = new LaunchCode(system);
  const responder = new Responder(system, files, { ...options, token, launch });
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
  const { streams, sources } = responder;
  const stopFollowing = follow(sources.activity, streams, intervalMs, warn);
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

type ResponderOptions = Pick<DashboardOptions, "whyReadOnly" | "refusePeer"> & {
  readonly token: string;
  readonly launch: LaunchCode;
};

class Responder {
  readonly sources: Sources;
  readonly streams = new LiveStreams();
  private readonly options: ResponderOptions;
  private readonly actions: Actions;
  private readonly titles: Titles;

  constructor(system: System, files: DataFiles, options: ResponderOptions) {
    const activity = new Activity(system, files);
    const changes = new Changes(system, files.stateHome, files.history);
    this.sources = { system, files, activity, changes, timelines: new Timelines(activity, changes) };
    this.actions = new Actions(system, files, changes);
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
    if (request.method === "POST") return this.act(request, response, pathname);
    return this.show(response, url);
  }

  private async act(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const agent = this.options.refusePeer?.(request.socket);
    if (agent !== undefined) return sendJson(response, 403, { error: `an agent asks for this (${agent})` });
    const text = await readBody(request);
    if (text === undefined) return sendJson(response, 413, { error: "the body is too large" });
    const { status, body } = await this.actions.perform(path, text, this.site());
    sendJson(response, status, body);
  }

  private async show(response: ServerResponse, { pathname, searchParams }: URL): Promise<void> {
    const { sources, streams } = this;
    const { activity } = sources;
    const page = Object.hasOwn(PAGES, pathname) ? PAGES[pathname] : undefined;
    if (page !== undefined) {
      await this.isReadOnce();
      const site = this.site();
      const { html, policy } = renderPage(site, await page(sources, site, searchParams));
      response.setHeader("content-security-policy", policy);
      return sendHtml(response, 200, html);
    }
    if (pathname === "/diff") {
      const diff = await diffOf(sources, this.site(), searchParams.get("id") ?? "");
      return diff === undefined
        ? sendJson(response, 404, { error: "there is no such change any more" })
        : sendHtml(response, 200, diff.text);
    }
    if (pathname === "/api/live") {
      if (!streams.add(response, news(activity, activity.judgements.total)))
        sendJson(response, 503, { error: "too many pages are open" });
      return;
    }
    const data = Object.hasOwn(DATA, pathname) ? DATA[pathname] : undefined;
    if (data === undefined) return sendJson(response, 404, { error: "there is nothing here" });
    sendJson(response, 200, await data(sources, searchParams));
  }

  /** Long logs take a moment; what is not read by then comes with the next news. */
  private async isReadOnce(): Promise<void> {
    const { activity } = this.sources;
    if (activity.isRead) return;
    const limit = new AbortController();
    const waited = setTimeout(FIRST_READ_MS, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([activity.catchUp().catch(() => {}), waited]);
    limit.abort();
  }

  private site(): Site {
    const { system, files } = this.sources;
    const { token, whyReadOnly } = this.options;
    const titleOf: Site["titleOf"] = session => this.titles.of(session);
    return serverSite(token, { whyReadOnly, nowMs: system.clock.nowMs(), home: files.home, titleOf });
  }
}

function sendHtml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(text);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}
