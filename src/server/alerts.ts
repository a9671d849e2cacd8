import { createHmac, randomUUID } from "node:crypto";
import { lookup } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { html, line, type Markup, NOTHING } from "../dashboard/index.ts";
import { type Database, type Row, type RunSql, SCHEMA } from "../postgres/index.ts";
import { errorText, type JsonObject, stringsAt } from "../protocol/index.ts";
import { ecsLine, loadVerifyRecords, type ShippedPart } from "../ship/index.ts";
import { clip } from "../text/index.ts";
import { version } from "../version.ts";
import { HttpError, newSecret } from "./http.ts";
import { type Change, hiddenFields, moment, namesTable, noteChange, type PageVisitor } from "./own-page.ts";
import { readSettings } from "./settings.ts";

/** What somebody may be told of. */
const ALERT_EVENTS = ["denial", "question", "held", "budget", "silence", "drift", "audit"] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];
const FORMS = ["json", "slack", "ecs"] as const;
type Form = (typeof FORMS)[number];

export interface Alert {
  readonly event: AlertEvent;
  /** told once for each webhook */
  readonly key: string;
  readonly title: string;
  readonly rules: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
  /** of the page that shows more */
  readonly path?: string;
}

const WEBHOOKS = `${SCHEMA}.server_webhooks`;
const DELIVERIES = `${SCHEMA}.server_deliveries`;
const MAX_WEBHOOKS = 20;
const MAX_ATTEMPTS = 12;
const BATCH = 20;
const TIMEOUT_MS = 10_000;
const MAX_PROBLEM = 200;
const KEPT_DAYS = 30;
/** Of one webhook. Nobody reads more, and a machine that tells of thousands would hide what others tell. */
const MAX_WAITING = 1_000;
const DAY_MS = 24 * 3_600_000;

/** Puts an alert down for each webhook that wants it, in the transaction of what it tells of. */
export async function queueAlert(run: RunSql, team: string, alert: Alert): Promise<void> {
  await queueAlerts(run, team, [alert]);
}

async function queueAlerts(run: RunSql, team: string, alerts: readonly Alert[]): Promise<void> {
  if (alerts.length === 0) return;
  const hooks = await run(
    `SELECT id, form, events, rules, (SELECT count(*)::int FROM ${DELIVERIES} d WHERE d.webhook = w.id AND d.next IS NOT NULL)
       AS waiting FROM ${WEBHOOKS} w`,
  );
  const deliveries = hooks.flatMap(hook =>
    alerts
      .filter(alert => isWanted(hook, alert))
      .slice(0, Math.max(0, MAX_WAITING - Number(hook["waiting"])))
      .map(alert => ({
        webhook: String(hook["id"]),
        key: `${alert.event} ${alert.key}`,
        body: JSON.stringify(render(hook["form"] as Form, team, alert)),
      })),
  );
  if (deliveries.length === 0) return;
  const column = (name: "webhook" | "key" | "body") => deliveries.map(delivery => delivery[name]);
  await run(
    `INSERT INTO ${DELIVERIES} (team, webhook, key, body)
     SELECT $1, d.* FROM unnest($2::text[], $3::text[], $4::text[]) AS d ON CONFLICT DO NOTHING`,
    [team, column("webhook"), column("key"), column("body")],
  );
}

function isWanted({ events, rules }: Row, alert: Alert): boolean {
  const wanted = rules as readonly string[];
  const isRule = wanted.length === 0 || alert.rules.some(rule => wanted.some(each => isBelow(rule, each)));
  const needsRule = alert.event === "denial" || alert.event === "question";
  return (events as readonly string[]).includes(alert.event) && (!needsRule || isRule);
}

/** `git` stands for `git.push` and all others of its family. */
function isBelow(rule: string, wanted: string): boolean {
  return rule === wanted || rule.startsWith(`${wanted}.`);
}

function render(form: Form, team: string, { event, title, rules, facts, path }: Alert): object {
  if (form === "slack") return { text: slackText(`[${team}] ${event}: ${title}`) };
  if (form === "ecs")
    return ecsLine({
      kind: "alert",
      action: event,
      isDenied: event === "denial",
      message: title,
      rules,
      facts,
      team,
    });
  return { event, team, title, rules, facts, ...(path === undefined ? {} : { path }) };
}

/** Slack takes these three for its own marks. */
function slackText(text: string): string {
  return clip(text, 2_000).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What of shipped lines somebody wants to hear: refusals, held changes, budgets that are used up. */
export function alertRows(
  run: RunSql,
  team: string,
  parts: readonly ShippedPart[],
  nowMs: number,
): Promise<void> {
  return queueAlerts(
    run,
    team,
    parts.flatMap(part => findAlerts(part, nowMs)),
  );
}

function findAlerts({ person = "", machine, rows }: ShippedPart, nowMs: number): readonly Alert[] {
  return rows.flatMap((row): readonly Alert[] => {
    const fields = row.fields as JsonObject;
    const { verdict, command, tool } = fields;
    const rules = stringsAt(fields, "rules");
    const event = alertEvent(row.kind === "audit" ? verdict : undefined, rules);
    // A machine that joins sends what it has kept for months.
    if (event === undefined || row.ms < nowMs - DAY_MS) return [];
    const what = typeof command === "string" ? clip(command, 200) : String(tool ?? "");
    const facts = { machine, person, project: row.project, host: row.host, session: row.session };
    const title = `${person} on ${machine}: ${rules.join(", ")}${what === "" ? "" : `: ${what}`}`;
    return [{ event, key: row.id, title, rules, facts: { ...fields, ...facts } }];
  });
}

function alertEvent(verdict: unknown, rules: readonly string[]): AlertEvent | undefined {
  if (rules.some(rule => rule.startsWith("budget."))) return "budget";
  if (rules.includes("sandbox.held")) return "held";
  return verdict === "deny" ? "denial" : undefined;
}

/** Machines that say nothing any more, each told once until it speaks again. */
export async function alertSilence(database: Database, team: string): Promise<void> {
  await database.transaction(async run => {
    const { silentHours } = await readSettings(run);
    const rows = await run(
      `UPDATE ${SCHEMA}.server_machines SET told_silent = now()
       WHERE revoked IS NULL AND coalesce(seen, since) < now() - make_interval(hours => $1)
         AND (told_silent IS NULL OR told_silent < seen) RETURNING id, machine, person, seen`,
      [silentHours],
    );
    await queueAlerts(
      run,
      team,
      rows.map(({ id, machine, person, seen }) => ({
        event: "silence" as const,
        key: `${String(id)} ${moment(seen)}`,
        title: `${String(person)} on ${String(machine)} has said nothing since ${moment(seen)} UTC`,
        rules: [],
        facts: { machine, person },
        path: `/machines?team=${encodeURIComponent(team)}`,
      })),
    );
  });
}

/** Audit logs that have a gap, or were rewritten, in what came since yesterday. Each break is told once. */
export async function alertGaps(database: Database, team: string): Promise<void> {
  const { followRecords } = await loadVerifyRecords();
  await database.transaction(async run => {
    const [row] = await run(
      `SELECT coalesce(max(through), 0)::text AS through FROM ${SCHEMA}.server_anchors WHERE made < now() - interval '1 day'`,
    );
    const { logs } = await followRecords(run, { team }, String(row?.["through"]));
    const alerts = logs.flatMap(({ person, machine, broken }): readonly Alert[] => {
      if (broken === undefined) return [];
      const { kind, seq, message } = broken;
      const title = `the audit log of ${person} on ${machine} has a break: ${message}`;
      const path = `/machines?team=${encodeURIComponent(team)}`;
      const key = `${person} ${machine} ${kind} ${seq}`;
      return [{ event: "audit", key, title, rules: [], facts: { machine, person, seq }, path }];
    });
    await queueAlerts(run, team, alerts);
  });
}

export interface DeliveryOptions {
  /** addresses of this network too: for a receiver that the operator runs */
  readonly allowsPrivate: boolean;
}

/** Sends what is due. Two servers at once take different ones; one that dies leaves its own for later. */
export async function deliver(database: Database, options: DeliveryOptions): Promise<number> {
  const due = await database.run(
    `UPDATE ${DELIVERIES} d SET attempts = d.attempts + 1, next = now() + interval '2 minutes'
     FROM ${WEBHOOKS} w WHERE w.id = d.webhook AND d.id IN (
       SELECT id FROM ${DELIVERIES} WHERE next <= now() ORDER BY next LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
     ) RETURNING d.id, d.body, d.attempts, d.key, w.url, w.secret`,
  );
  await Promise.all(
    due.map(async ({ id, body, attempts, key, url, secret }) => {
      const problem = await send(String(url), String(body), String(secret), String(key), options);
      const isOver = problem === undefined || Number(attempts) >= MAX_ATTEMPTS;
      // 10 s, 20 s, 40 s … about eleven hours in all.
      const seconds = 10 * 2 ** Math.min(Number(attempts) - 1, MAX_ATTEMPTS);
      await database.run(
        `UPDATE ${DELIVERIES} SET done = CASE WHEN $2 = '' THEN now() END, problem = $2,
           next = CASE WHEN $3 THEN NULL ELSE now() + make_interval(secs => $4) END WHERE id = $1`,
        [String(id), clip(problem ?? "", MAX_PROBLEM), isOver, seconds],
      );
    }),
  );
  return due.length;
}

/** What was told long ago. */
export async function forgetDeliveries({ run }: Database): Promise<void> {
  await run(`DELETE FROM ${DELIVERIES} WHERE next IS NULL AND made < now() - interval '${KEPT_DAYS} days'`);
}

/** Why it was not taken; undefined when it was. */
function send(
  address: string,
  body: string,
  secret: string,
  key: string,
  { allowsPrivate }: DeliveryOptions,
): Promise<string | undefined> {
  const url = new URL(address);
  const refusal = whyRefused(url, allowsPrivate);
  if (refusal !== undefined) return Promise.resolve(refusal);
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise(resolve => {
    const sent = request(
      url,
      {
        method: "POST",
        timeout: TIMEOUT_MS,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        // The address that was checked is the one that is connected to.
        lookup: checkedLookup(allowsPrivate),
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "user-agent": `amplihack/${version}`,
          "x-amplihack-delivery": key,
          "x-amplihack-signature": `t=${seconds},v1=${signature}`,
        },
      },
      response => {
        const { statusCode = 0 } = response;
        // Nobody reads what it says, and nobody follows where it points.
        response.destroy();
        resolve(statusCode >= 200 && statusCode < 300 ? undefined : `it answered ${statusCode}`);
      },
    );
    sent.on("error", (error: unknown) => resolve(errorText(error)));
    sent.end(body);
  });
}

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  PRIVATE.addSubnet(network, bits, "ipv4");
/** The only part of the new addresses that leads to the open network, without those that hold an old one. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet("2000::", 3, "ipv6");
const HOLDING = new BlockList();
for (const [network, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
] as const)
  HOLDING.addSubnet(network, bits, "ipv6");

/** Whether an address is one of the open network. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !PRIVATE.check(address, "ipv4");
  return family === 6 && GLOBAL.check(address, "ipv6") && !HOLDING.check(address, "ipv6");
}

/** Why nothing is sent there; names are looked at again when they are resolved. */
function whyRefused(url: URL, allowsPrivate: boolean): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (allowsPrivate) return undefined;
  if (url.protocol !== "https:") return "only https is sent to";
  return isIP(host) === 0 || isPublicAddress(host) ? undefined : "it is an address of a private network";
}

function checkedLookup(allowsPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const good =
        error === null ? addresses.filter(({ address }) => allowsPrivate || isPublicAddress(address)) : [];
      const [first] = good;
      if (first === undefined) {
        const problem =
          error ?? Object.assign(new Error("it is a name of a private network"), { code: "EPRIVATE" });
        return callback(problem, "", 0);
      }
      if (options.all === true) return callback(null, good);
      callback(null, first.address, first.family);
    });
  };
}

/** Adds or removes a webhook, or sends a test to one. Answers what is told once. */
export async function changeWebhooks(
  { database, team, person, form }: Change,
  options: DeliveryOptions,
): Promise<string | undefined> {
  const action = form.get("do");
  const id = form.get("id") ?? "";
  if (action === "remove") {
    const [gone] = await database.run(`DELETE FROM ${WEBHOOKS} WHERE id = $1 RETURNING url`, [id]);
    if (gone === undefined) throw new HttpError(404, "there is no such webhook");
    await noteChange(database.run, team, person, "removed a webhook", addressHost(String(gone["url"])));
    return undefined;
  }
  if (action === "test") {
    const [hook] = await database.run(`SELECT form, url, secret FROM ${WEBHOOKS} WHERE id = $1`, [id]);
    if (hook === undefined) throw new HttpError(404, "there is no such webhook");
    const alert = {
      event: "question",
      key: "test",
      title: `a test by ${person}`,
      rules: [],
      facts: {},
    } as const;
    const body = JSON.stringify(render(hook["form"] as Form, team, alert));
    const problem = await send(String(hook["url"]), body, String(hook["secret"]), "test", options);
    return problem === undefined ? "It was taken." : `It was not taken: ${problem}`;
  }
  return addWebhook({ database, team, person, form }, options);
}

async function addWebhook(
  { database, team, person, form }: Pick<Change, "database" | "team" | "person" | "form">,
  { allowsPrivate }: DeliveryOptions,
): Promise<string> {
  const address = form.get("url") ?? "";
  const url = URL.canParse(address) && address.length <= 1_000 ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new HttpError(400, "the address of a webhook is https://…");
  const refusal = whyRefused(url, allowsPrivate);
  if (refusal !== undefined) throw new HttpError(400, `nothing is sent there: ${refusal}`);
  const shape = FORMS.find(each => each === form.get("form"));
  const events = ALERT_EVENTS.filter(each => form.getAll("event").includes(each));
  if (shape === undefined || events.length === 0)
    throw new HttpError(400, "choose a form and what to tell of");
  const rules = (form.get("rules") ?? "").split(/[\s,]+/).filter(each => each !== "");
  if (rules.length > 50 || rules.some(rule => !/^[a-z0-9][a-z0-9._-]{0,63}$/.test(rule)))
    throw new HttpError(400, "rules are named like git or fs.home, separated by commas");
  const secret = newSecret();
  await database.transaction(async run => {
    const [count] = await run(`SELECT count(*)::int AS count FROM ${WEBHOOKS}`);
    if (Number(count?.["count"]) >= MAX_WEBHOOKS)
      throw new HttpError(409, `at most ${MAX_WEBHOOKS} webhooks`);
    await run(
      `INSERT INTO ${WEBHOOKS} (id, team, url, form, secret, events, rules) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [randomUUID(), team, url.href, shape, secret, events, rules],
    );
    await noteChange(run, team, person, "added a webhook", `${addressHost(url.href)}: ${events.join(", ")}`);
  });
  return `It signs with this secret, which is shown once: ${secret}`;
}

/** The rest of an address may be a secret. */
function addressHost(address: string): string {
  return new URL(address).host;
}

export async function webhooksView(visitor: PageVisitor, { run }: Database): Promise<Markup> {
  const hooks = await run(
    `SELECT w.id, w.url, w.form, w.events, w.rules, count(d.id) FILTER (WHERE d.done IS NULL AND d.next IS NOT NULL)::int AS waiting,
       count(d.id) FILTER (WHERE d.done IS NULL AND d.next IS NULL)::int AS lost, max(d.done) AS done,
       (array_agg(d.problem ORDER BY d.id DESC) FILTER (WHERE d.problem <> ''))[1] AS problem
     FROM ${WEBHOOKS} w LEFT JOIN ${DELIVERIES} d ON d.webhook = w.id GROUP BY w.id ORDER BY w.url`,
  );
  const rows = hooks.map(hook => {
    const rules = (hook["rules"] as readonly string[]).join(", ");
    return [
      html`${line(addressHost(String(hook["url"])), 60)}`,
      html`${String(hook["form"])}`,
      html`${(hook["events"] as readonly string[]).join(", ")}${rules === "" ? NOTHING : html` of ${line(rules, 100)}`}`,
      html`${moment(hook["done"])}`,
      html`${String(hook["waiting"])} wait, ${String(hook["lost"])} given up${hook["problem"] === null ? NOTHING : html`: ${line(String(hook["problem"]), 100)}`}`,
      html`<form action="/webhooks" method="post">${hiddenFields(visitor)}<input type="hidden" name="id" value="${String(hook["id"])}"><button type="submit" name="do" value="test">Test</button> <button type="submit" name="do" value="remove">Remove</button></form>`,
    ];
  });
  const titles = ["Receiver", "Form", "Tells of", "Last taken (UTC)", "Deliveries", ""];
  return html`<section class="card"><h2>Webhooks</h2>
${rows.length === 0 ? html`<p>There is none yet.</p>` : namesTable("Webhooks", titles, rows)}
<form action="/webhooks" method="post">${hiddenFields(visitor)}<p><label>Address <input name="url" type="url" required maxlength="1000"></label> <label>Form <select name="form">${FORMS.map(each => html`<option>${each}</option>`)}</select></label></p>
<p>${ALERT_EVENTS.map(each => html`<label><input type="checkbox" name="event" value="${each}"> ${each}</label> `)}</p>
<p><label>Only rules <input name="rules" maxlength="1000" placeholder="git, fs.home"></label> <button type="submit" name="do" value="add">Add</button></p></form></section>`;
}
