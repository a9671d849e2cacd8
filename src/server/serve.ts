import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import {
  loadTeamDashboard,
  type Markup,
  html as markup,
  NOTHING,
  type renderBare,
  SAFE_HEADERS,
  type TeamPages,
} from "../dashboard/index.ts";
import { type Database, PostgresError, SCHEMA } from "../postgres/index.ts";
import { errorText, type JsonObject, ownValue } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import {
  alertGaps,
  alertSilence,
  changeWebhooks,
  deliver,
  forgetDeliveries,
  webhooksView,
} from "./alerts.ts";
import { makeAnchor } from "./anchors.ts";
import {
  HttpError,
  LOGIN_COOKIE,
  RateLimiter,
  readForm,
  readJsonBody,
  requestOrigin,
  STRANGERS_BODY,
  sendJson,
  setCookie,
} from "./http.ts";
import type { Machine } from "./machine.ts";
import { authenticateMachine, beginJoin, endJoin, readCode, takeRecords } from "./machines.ts";
import { takeMemory } from "./memory.ts";
import { type Change, noteChange, type PageVisitor } from "./own-page.ts";
import { changePeople, joinView, linkView, machinesView, peopleView, revokeMachine } from "./pages.ts";
import { changePasskeys, newChallenge, usePasskey } from "./passkeys.ts";
import {
  findLogin,
  LOGIN_SECONDS,
  type Login,
  logIn,
  logOut,
  requireOwnOrigin,
  requireOwnPage,
  requireRole,
  useLink,
  type WayIn,
} from "./people.ts";
import { alertDrift, changePolicy, policyView, takePolicy } from "./policies.ts";
import { answerQuestion, questionsView, takeQuestion } from "./questions.ts";
import { RecordQueue } from "./record-queue.ts";
import { takeSeen } from "./seen.ts";
import { changeSettings, settingsForm } from "./settings.ts";
import { LoginProvider, type SingleSignOn } from "./single-sign-on.ts";
import { hasServerTables, ROLE, type Role } from "./tables.ts";
import { forgetUsage, takeUsage } from "./usage.ts";

export interface ServeOptions {
  readonly address: string;
  readonly port: number;
  /** how people and machines reach it; where it listens when absent */
  readonly url?: string | undefined;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly trustsProxy: boolean;
  readonly singleSignOn?: SingleSignOn | undefined;
  /** one line about each fault, for the operator */
  readonly log: (line: string) => void;
  /** webhooks may lead to this network */
  readonly allowsPrivate: boolean;
  /** how often what was shipped is anchored, and webhooks are sent */
  readonly anchorMs?: number;
  readonly deliverMs?: number;
}

export interface Running {
  readonly url: string;
  /** Answers what is under way, then ends. */
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const DELIVER_MS = 5_000;
const CLOSING_MS = 10_000;

/** Serves until it is closed. Rejects when the address cannot be had. */
export async function startServer(
  system: System,
  database: Database,
  options: ServeOptions,
): Promise<Running> {
  const handler = new Handler(system, database, options);
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void handler.answer(request, response);
  const limits = {
    requestTimeout: 60_000,
    headersTimeout: 15_000,
    keepAliveTimeout: 10_000,
    maxHeaderSize: 16_384,
  };
  const server: Server =
    options.tls === undefined
      ? createServer(limits, listener)
      : createTlsServer({ ...limits, ...options.tls }, listener);
  server.maxConnections = 5_000;
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const status =
      error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.address.includes(":") ? `[${options.address}]` : options.address;
  handler.url = options.url ?? `${options.tls === undefined ? "http" : "https"}://${host}:${port}`;
  const timers = [
    setInterval(() => void handler.hourly(), options.anchorMs ?? HOUR_MS),
    setInterval(() => void handler.deliverAll(), options.deliverMs ?? DELIVER_MS),
  ];
  for (const timer of timers) timer.unref();
  return {
    url: handler.url,
    async close() {
      for (const timer of timers) clearInterval(timer);
      handler.isClosing = true;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
      await closed;
      clearTimeout(late);
    },
  };
}

type Route = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

const MAX_TEAMS_OPEN = 20;
const BASE = "http://server.invalid";
/** Where a secret or a code could be tried. */
const GUESSABLE: readonly string[] = [
  "/login",
  "/join",
  "/api/v1/join",
  "/api/v1/join/end",
  "/login/provider",
  "/login/callback",
  "/login/challenge",
  "/login/passkey",
];

class Handler {
  url = "";
  isClosing = false;
  private readonly system: System;
  private readonly database: Database;
  private readonly records: RecordQueue;
  private readonly options: ServeOptions;
  private readonly loginProvider: LoginProvider | undefined;
  private readonly strangers: RateLimiter;
  private readonly joining: RateLimiter;
  private readonly machines: RateLimiter;
  private readonly pages = new Map<string, TeamPages>();
  private readonly counts = new Map<string, number>();
  private readonly routes: Readonly<Record<string, Route>> = {
    "GET /healthz": async (_, response) => sendJson(response, 200, { ok: true }),
    "GET /readyz": (_, response) => this.ready(response),
    "GET /metrics": (_, response) => this.metrics(response),
    "POST /api/v1/join": async (request, response) => {
      const body = await readJsonBody(request, STRANGERS_BODY);
      this.joining.take(requestOrigin(request, this.options.trustsProxy).address);
      sendJson(response, 200, await beginJoin(this.database, body, this.url));
    },
    "POST /api/v1/join/end": async (request, response) =>
      sendJson(response, 200, await endJoin(this.database, await readJsonBody(request, STRANGERS_BODY))),
    "POST /api/v1/seen": (request, response) => this.ofMachine(request, response, takeSeen),
    "POST /api/v1/records": (request, response) =>
      this.ofMachine(request, response, (_, machine, body) => takeRecords(this.records, machine, body)),
    "POST /api/v1/usage": (request, response) => this.ofMachine(request, response, takeUsage),
    "POST /api/v1/questions": (request, response) => this.ofMachine(request, response, takeQuestion),
    "POST /api/v1/memory": (request, response) =>
      this.ofMachine(request, response, (...asked) => takeMemory(this.system, ...asked)),
    "POST /api/v1/policy": (request, response) => this.ofMachine(request, response, takePolicy),
    "GET /login": async (_, response, url) =>
      this.showLogin(response, 200, url.searchParams.get("link"), new URL("/", BASE)),
    "POST /login": (request, response) => this.logIn(request, response),
    "GET /login/provider": (_, response, { searchParams }) =>
      this.provider().begin(this.database, response, this.url, ownPath(searchParams.get("to"))),
    "GET /login/callback": (request, response, url) => this.comeBack(request, response, url),
    "POST /login/challenge": async (request, response) => {
      requireOwnOrigin(request, this.url);
      sendJson(response, 200, await newChallenge(this.database));
    },
    "POST /login/passkey": async (request, response) => {
      requireOwnOrigin(request, this.url);
      const answer = (await readForm(request)).get("answer") ?? "";
      await this.comeIn(request, response, await usePasskey(this.database, answer, this.url), "/");
    },
    "POST /logout": (request, response) => this.logOut(request, response),
    "GET /join": (request, response, url) => this.showJoin(request, response, url),
    "POST /join": (request, response) => this.answerJoin(request, response),
    "POST /machines": (request, response) =>
      this.change(request, response, "machines", "admin", revokeMachine),
    "POST /people": (request, response) =>
      this.change(request, response, "people", "admin", change => changePeople(change, this.url)),
    "POST /passkeys": (request, response) =>
      this.change(request, response, "people", "viewer", async ({ database, login, person, team, form }) => {
        await changePasskeys(database, login, form, this.url);
        const word = form.get("do") === "remove" ? "removed a passkey" : "added a passkey";
        await noteChange(database.run, team, person, word, person);
        return undefined;
      }),
    "POST /questions": (request, response) =>
      this.change(request, response, "questions", "approver", answerQuestion),
    "POST /policy": (request, response) => this.change(request, response, "policy", "admin", changePolicy),
    "POST /settings": (request, response) =>
      this.change(request, response, "settings", "admin", changeSettings),
    "POST /webhooks": (request, response) =>
      this.change(request, response, "settings", "admin", change => changeWebhooks(change, this.options)),
  };

  constructor(system: System, database: Database, options: ServeOptions) {
    this.system = system;
    this.database = database;
    this.records = new RecordQueue(database);
    this.options = options;
    const nowMs = () => system.clock.monotonicMs();
    this.loginProvider =
      options.singleSignOn === undefined ? undefined : new LoginProvider(options.singleSignOn);
    this.strangers = new RateLimiter({ burst: 60, perSecond: 5 }, nowMs);
    // Joins wait for minutes, and so many can wait: nobody takes all the places.
    this.joining = new RateLimiter({ burst: 60, perSecond: 0.1 }, nowMs);
    this.machines = new RateLimiter({ burst: 60, perSecond: 5 }, nowMs);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
    const origin = requestOrigin(request, this.options.trustsProxy);
    if (origin.isEncrypted) response.setHeader("strict-transport-security", "max-age=31536000");
    if (this.isClosing) response.setHeader("connection", "close");
    try {
      const { url: asked = "/" } = request;
      // What begins with two slashes would name another host.
      if (!/^\/(?!\/)/.test(asked) || !URL.canParse(asked, BASE))
        throw new HttpError(400, "this is not an address");
      const url = new URL(asked, BASE);
      const name = `${request.method} ${url.pathname}`;
      const route = ownValue(this.routes, name);
      if (GUESSABLE.includes(url.pathname)) this.strangers.take(origin.address);
      if (route !== undefined) await route(request, response, url);
      else if (request.method === "GET") await this.showPage(request, response, url);
      else throw new HttpError(405, "this is not known here");
      this.count(name in this.routes ? name : `${request.method} page`, response.statusCode);
    } catch (error) {
      this.fail(request, response, error);
    }
  }

  /** Whoever asks is told what was wrong with it, and nothing of the inside; that is for the operator's log. */
  private fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const isKnown = error instanceof HttpError;
    const isAway = error instanceof PostgresError && error.problem === "offline";
    const status = isKnown ? error.status : isAway ? 503 : 500;
    if (!isKnown) this.options.log(`${request.method} ${this.pathOf(request)}: ${errorText(error)}`);
    this.count("refused", status);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const headers = isKnown ? error.headers : isAway ? { "retry-after": "5" } : {};
    const message = isKnown
      ? error.message
      : isAway
        ? "the database does not answer"
        : "this failed; the server's log says why";
    // What was not read of a body would be taken for the next request.
    if (!request.complete) response.setHeader("connection", "close");
    sendJson(response, status, { error: message }, headers);
  }

  private pathOf({ url = "" }: IncomingMessage): string {
    // Queries hold what people seek, and links.
    return JSON.stringify(url.split("?")[0]?.slice(0, 100) ?? "");
  }

  private count(name: string, status: number): void {
    const key = `route="${name.replace(/[^\w /-]/g, "")}",status="${status}"`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  private async ready(response: ServerResponse): Promise<void> {
    const isReady = !this.isClosing && (await hasServerTables(this.database));
    sendJson(response, isReady ? 200 : 503, { ok: isReady });
  }

  private metrics(response: ServerResponse): Promise<void> {
    const lines = [...this.counts].map(([labels, value]) => `amplihack_requests_total{${labels}} ${value}`);
    const [memory, cpu] = [process.memoryUsage(), process.cpuUsage()];
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4" });
    response.end(
      [
        "# TYPE amplihack_requests_total counter",
        ...lines,
        "# TYPE process_resident_memory_bytes gauge",
        `process_resident_memory_bytes ${memory.rss}`,
        "# TYPE process_cpu_seconds_total counter",
        `process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`,
        "",
      ].join("\n"),
    );
    return Promise.resolve();
  }

  private async ofMachine(
    request: IncomingMessage,
    response: ServerResponse,
    take: (database: Database, machine: Machine, body: JsonObject) => Promise<object>,
  ): Promise<void> {
    const machine = await authenticateMachine(this.database, request).catch((error: unknown) => {
      // Whoever tries keys is soon not answered any more.
      if (error instanceof HttpError)
        this.strangers.take(requestOrigin(request, this.options.trustsProxy).address);
      throw error;
    });
    this.machines.take(machine.id);
    sendJson(response, 200, await take(this.database, machine, await readJsonBody(request)));
  }

  private async logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireOwnOrigin(request, this.url);
    const form = await readForm(request);
    const way = await useLink(this.database, form.get("link") ?? "");
    if (way === undefined) return this.showLogin(response, 403, null, new URL("/", BASE));
    await this.comeIn(request, response, way, "/");
  }

  private async comeIn(
    request: IncomingMessage,
    response: ServerResponse,
    way: WayIn,
    target: string,
  ): Promise<void> {
    const secret = await logIn(this.database, way, request);
    response.setHeader("set-cookie", setCookie(LOGIN_COOKIE, secret, LOGIN_SECONDS));
    response.writeHead(303, { location: target }).end();
  }

  private provider(): LoginProvider {
    if (this.loginProvider === undefined) throw new HttpError(404, "there is nothing here");
    return this.loginProvider;
  }

  private async comeBack(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { person, target } = await this.provider().end(this.database, request, url, this.url);
    await this.comeIn(request, response, { person }, target);
  }

  /** Somebody who is not known yet. */
  private showLogin(response: ServerResponse, status: number, link: string | null, url: URL): void {
    const target = `${url.pathname}${url.search}`;
    html(response, status, linkView(link, this.loginProvider && ownPath(target)));
  }

  private async logOut(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request);
    requireOwnPage(request, form, await this.login(request), this.url);
    await logOut(this.database, request);
    response.setHeader("set-cookie", setCookie(LOGIN_COOKIE, undefined, 0));
    response.writeHead(303, { location: "/login" }).end();
  }

  private async login(request: IncomingMessage): Promise<Login> {
    const login = await findLogin(this.database, request);
    if (login === undefined) throw new HttpError(401, "log in first");
    return login;
  }

  private async showJoin(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const login = await findLogin(this.database, request);
    if (login === undefined) return this.showLogin(response, 401, null, url);
    const code = readCode(url.searchParams.get("code") ?? "");
    const [row] =
      code === undefined
        ? []
        : await this.database.run(`SELECT machine FROM ${SCHEMA}.server_find_join($1)`, [code]);
    const machine = row === undefined ? undefined : String(row["machine"]);
    html(response, 200, joinView(login, code, machine));
  }

  private async answerJoin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request);
    const login = await this.login(request);
    requireOwnPage(request, form, login, this.url);
    const isYes = form.get("answer") === "yes";
    const team = form.get("team") ?? "";
    if (isYes) requireRole(login, team, "member");
    const [row] = await this.database.run(`SELECT ${SCHEMA}.server_answer_join($1, $2, $3) AS done`, [
      readCode(form.get("code") ?? "") ?? "",
      login.person,
      isYes ? team : null,
    ]);
    if (row?.["done"] !== true) throw new HttpError(410, "this code is no longer valid");
    response.writeHead(303, { location: isYes ? `/machines?team=${encodeURIComponent(team)}` : "/" }).end();
  }

  /** A form of one of the server's own pages: what it answers is shown on the page that it stands on. */
  private async change(
    request: IncomingMessage,
    response: ServerResponse,
    name: OwnPageName,
    least: Role,
    work: (change: Change) => Promise<string | undefined>,
  ): Promise<void> {
    const form = await readForm(request);
    const login = await this.login(request);
    requireOwnPage(request, form, login, this.url);
    const team = form.get("team") ?? "";
    const role = requireRole(login, team, least);
    const { person } = login;
    const database = this.database.ofTeam(ROLE, team);
    const notice = await work({
      database,
      team,
      login,
      person,
      role,
      form,
      nowMs: this.system.clock.nowMs(),
    });
    if (notice !== undefined) return this.showOwn(response, login, team, name, notice);
    response.writeHead(303, { location: `/${name}?team=${encodeURIComponent(team)}` }).end();
  }

  private async showPage(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const login = await findLogin(this.database, request);
    if (login === undefined) return this.showLogin(response, 401, null, url);
    const [first] = login.teams.keys();
    const team = url.searchParams.get("team") ?? first ?? "";
    requireRole(login, team, "viewer");
    const { pathname } = url;
    const name = pathname.slice(1);
    if (isOwnPage(name)) return this.showOwn(response, login, team, name);
    const pages = await this.pagesOf(team);
    const page = await pages.render(pathname, url.searchParams, login);
    if (page === undefined) throw new HttpError(404, "there is nothing here");
    html(response, 200, page);
  }

  private async showOwn(
    response: ServerResponse,
    login: Login,
    team: string,
    name: OwnPageName,
    notice?: string,
  ): Promise<void> {
    const { title, least, view } = OWN_PAGES[name];
    const role = requireRole(login, team, least);
    const visitor = { ...login, team, role, nowMs: this.system.clock.nowMs() };
    const body = await view(visitor, this.database.ofTeam(ROLE, team));
    const told = notice === undefined ? NOTHING : markup`<p class="notice">${notice}</p>`;
    const page = { name, title, body: markup`${told}${body}` };
    html(response, 200, await (await this.pagesOf(team)).frame(page, login));
  }

  /** Of each team what its pages read; the one looked at longest ago makes room. */
  private async pagesOf(team: string): Promise<TeamPages> {
    const { TeamPages: Pages } = await loadTeamDashboard();
    const pages = this.pages.get(team) ?? new Pages(this.system, this.database.ofTeam(ROLE, team), team);
    this.pages.delete(team);
    this.pages.set(team, pages);
    const [oldest] = this.pages.keys();
    if (this.pages.size > MAX_TEAMS_OPEN && oldest !== undefined) this.pages.delete(oldest);
    return pages;
  }

  /** Two servers at once make two links of which each holds what came between. */
  async hourly(): Promise<void> {
    await this.database
      .run(`SELECT ${SCHEMA}.server_prune()`)
      .catch((error: unknown) => this.options.log(`retention: ${errorText(error)}`));
    await this.forTeams("hourly work", async (database, team) => {
      await makeAnchor(database, team);
      await alertSilence(database, team);
      await alertDrift(database, team);
      await alertGaps(database, team);
      await forgetDeliveries(database);
      await forgetUsage(database);
    });
  }

  deliverAll(): Promise<void> {
    return this.forTeams("webhooks", async database => void (await deliver(database, this.options)));
  }

  private async forTeams(
    what: string,
    work: (database: Database, team: string) => Promise<void>,
  ): Promise<void> {
    try {
      const rows = await this.database.run(`SELECT team FROM ${SCHEMA}.server_teams()`);
      for (const { team } of rows) await work(this.database.ofTeam(ROLE, String(team)), String(team));
    } catch (error) {
      this.options.log(`${what}: ${errorText(error)}`);
    }
  }
}

/** Pages that a team's server has beside those of every dashboard. */
const OWN_PAGES = {
  questions: { title: "Questions", least: "viewer", view: questionsView },
  machines: { title: "Machines", least: "viewer", view: machinesView },
  policy: { title: "Policy", least: "viewer", view: policyView },
  people: { title: "People", least: "viewer", view: peopleView },
  settings: {
    title: "Settings",
    least: "admin",
    view: async (visitor: PageVisitor, database: Database) =>
      markup`<h1>Settings</h1>${await settingsForm(visitor, database)}${await webhooksView(visitor, database)}`,
  },
} as const satisfies Record<
  string,
  {
    readonly title: string;
    readonly least: Role;
    readonly view: (visitor: PageVisitor, database: Database) => Promise<Markup>;
  }
>;
type OwnPageName = keyof typeof OWN_PAGES;

function isOwnPage(name: string): name is OwnPageName {
  return Object.hasOwn(OWN_PAGES, name);
}

/** A path of this server and nothing else: whoever logs in is not sent elsewhere. */
function ownPath(text: string | null): string {
  const path = text ?? "/";
  if (!/^\/(?![/\\])/.test(path) || !URL.canParse(path, BASE)) return "/";
  const { origin, pathname, search } = new URL(path, BASE);
  return origin === BASE &&
    pathname.startsWith("/") &&
    !pathname.startsWith("//") &&
    !pathname.startsWith("/login")
    ? `${pathname}${search}`
    : "/";
}

function html(response: ServerResponse, status: number, page: ReturnType<typeof renderBare>): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": page.policy,
  });
  response.end(page.html);
}

/** Throws where `serve init` has not been run, or for a login that may not do the server's work. */
export async function checkReady(database: Database): Promise<void> {
  if (!(await hasServerTables(database)))
    throw new Problem(`${database.place} is not prepared for a server of this version`, {
      kind: "refused",
      fix: "as the owner of the tables: amplihack serve update --url URL, or the first time amplihack serve init --url URL",
    });
  await database.ofTeam(ROLE, "").run(`SELECT FROM ${SCHEMA}.server_machines LIMIT 1`);
}
