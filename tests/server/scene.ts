import { request as httpRequest } from "node:http";
import { onTestFinished } from "vitest";
import { Database } from "../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { planInit, runInit } from "../../src/server/init.ts";
import { makeLink } from "../../src/server/people.ts";
import { type Running, type ServeOptions, startServer } from "../../src/server/serve.ts";
import { makeServerTables, type Role } from "../../src/server/tables.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { freshDatabase } from "../postgres-server.ts";

const system = createNodeSystem();

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Somebody's browser: it keeps its cookie and tells where it comes from. */
export interface Browser {
  readonly cookie: string;
  get(path: string): Promise<Answer>;
  /** with the secret of the page unless the form has its own */
  send(
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
}

export interface Scene {
  readonly owner: Database;
  /** as the server's own login */
  readonly database: Database;
  readonly url: string;
  readonly databaseUrl: string;
  /** as its owner, with the logins of others */
  readonly place: Awaited<ReturnType<typeof freshDatabase>>;
  readonly running: Running;
  readonly log: readonly string[];
  ask(path: string, asked?: Asked): Promise<Answer>;
  /** somebody comes in by a link */
  visit(team: string, person: string, role: Role): Promise<Browser>;
  /** the key of a machine that joined */
  join(browser: Browser, team: string, machine: string): Promise<string>;
  post(
    path: string,
    key: string | undefined,
    body: object,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
}

export function askUrl(
  base: string,
  path: string,
  { method = "GET", headers = {}, body }: Asked = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: hostname, port, path, method, headers }, response => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Two teams, and a server that connects as the role of `serve init`. */
export async function serverScene(options: Partial<ServeOptions> = {}): Promise<Scene> {
  const place = await freshDatabase();
  const { server, name, url: ownerUrl } = place;
  const owner = await Database.open(readDatabaseUrl(ownerUrl, "option"));
  onTestFinished(() => owner.close());
  const { link } = await runInit(owner, await planInit(owner, "acme"), "olga");
  await makeServerTables(owner, "zoo");
  const databaseUrl = server.url(name, "amplihack_server");
  const database = await Database.open(readDatabaseUrl(databaseUrl, "option"), { maxConnections: 8 });
  onTestFinished(() => database.close());
  const log: string[] = [];
  const running = await startServer(system, database, {
    address: "127.0.0.1",
    port: 0,
    trustsProxy: false,
    allowsPrivate: false,
    log: line => log.push(line),
    ...options,
  });
  onTestFinished(() => running.close());
  const { url } = running;
  const ask: Scene["ask"] = (path, asked) => askUrl(url, path, asked);
  const form = {
    "content-type": "application/x-www-form-urlencoded",
    // As browsers do from pages with the policy no-referrer.
    origin: "null",
    "sec-fetch-site": "same-origin",
  };
  let first: string | undefined = link;
  const browserOf = (cookie: string): Browser => ({
    cookie,
    get: path => ask(path, { headers: { cookie } }),
    async send(path, fields, headers = {}) {
      const page = await ask("/people", { headers: { cookie } });
      const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? [];
      const body = new URLSearchParams({ csrf, ...fields }).toString();
      return ask(path, { method: "POST", headers: { ...form, cookie, ...headers }, body });
    },
  });
  const scene: Scene = {
    owner,
    database,
    url,
    databaseUrl,
    place,
    running,
    log,
    ask,
    async visit(team, person, role) {
      const isFirst = first !== undefined && person === "olga" && team === "acme";
      const secret = isFirst ? `${first}` : await makeLink(database, { team, person, role });
      if (isFirst) first = undefined;
      const body = new URLSearchParams({ link: secret }).toString();
      const { headers } = await ask("/login", { method: "POST", headers: form, body });
      return browserOf(String(headers["set-cookie"]).split(";")[0] ?? "");
    },
    async join(browser, team, machine) {
      const begun = (await scene.post("/api/v1/join", undefined, { machine })).body;
      await browser.send("/join", { code: String(begun["code"]), team, answer: "yes" });
      const { body } = await scene.post("/api/v1/join/end", undefined, { secret: begun["secret"] });
      return String(body["key"]);
    },
    async post(path, key, body) {
      const authorization: Record<string, string> =
        key === undefined ? {} : { authorization: `Bearer ${key}` };
      const answer = await ask(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...authorization },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> };
    },
  };
  return scene;
}

const STARTED_MS = Date.now();

/** A line of a log as a machine sends it. */
export function row(number: number, more: object = {}): object {
  const ts = new Date(STARTED_MS - number * 1000).toISOString();
  return {
    id: number.toString(16).padStart(32, "0"),
    kind: "runs",
    ms: Date.parse(ts),
    project: "github.com/acme/pay",
    host: "codex",
    session: "s-1",
    hash: "0".repeat(64),
    fields: {
      ts,
      hook: "pre_tool_use",
      duration_us: 5,
      event: "PreToolUse",
      result: "ok",
      decision: "deny",
      tool: "Bash",
    },
    ...more,
  };
}
