import type { Config } from "../config/index.ts";
import { findProjectIdentity, shortHash } from "../memory/index.ts";
import {
  checkTeamName,
  Database,
  findDatabaseUrl,
  joinTeam,
  PostgresError,
  type RunSql,
  SCHEMA,
  unencryptedNotice,
} from "../postgres/index.ts";
import {
  errorText,
  type JsonObject,
  numberAt,
  objectAt,
  parseJsonObject,
  stringAt,
  stringsAt,
} from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { isAbsolute, isLoopback, type System } from "../system/index.ts";
import { clip } from "../text/index.ts";
import { version } from "../version.ts";
import { ecsLine } from "./ecs.ts";
import { type Attribute, logsRequest, metricsRequest, toAttributes } from "./otlp.ts";
import { parseLine, recordTime, type ShippedLine, sharedFields } from "./read-batch.ts";
import { makeMonths, makeRecordTables } from "./record-tables.ts";
import type { ShipBatch, ShipTarget } from "./ship.ts";

export interface RetryOptions {
  /** how often something is tried again that could succeed later */
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  /** resolves early when the signal is given */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly tell: (message: string) => void;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

export type Attempt =
  | { readonly kind: "acknowledged" }
  | (Failure & { readonly kind: "later"; readonly afterMs?: number | undefined })
  | (Failure & { readonly kind: "refused" });

interface Failure {
  readonly why: string;
  readonly fix?: string | undefined;
}

/** Tries until it is acknowledged. Throws when it never will be, or not within the retries. */
export async function untilAcknowledged(
  place: string,
  attempt: () => Promise<Attempt>,
  options: RetryOptions,
): Promise<void> {
  for (let retry = 0; ; retry++) {
    const result = await attempt();
    if (result.kind === "acknowledged") return;
    const isLast = result.kind === "refused" || retry >= options.maxRetries || options.signal.aborted;
    if (isLast)
      throw new Problem(`nothing was acknowledged by ${place}; it is sent again the next time`, {
        kind: "ship",
        causes: [result.why],
        fix: result.fix,
      });
    const delay = result.afterMs ?? Math.min(FIRST_DELAY_MS * 2 ** retry, MAX_DELAY_MS);
    options.tell(`${result.why}; next attempt in ${Math.ceil(delay / 1000)} s`);
    await options.wait(delay, options.signal);
  }
}

interface SendOptions extends RetryOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const MAX_ANSWER_BYTES = 64 * 1024;
/** The answers that OTLP/HTTP calls retryable. */
export const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Posts one document until it is acknowledged. Throws when it never will be, or not within the retries. */
export async function send(url: URL, document: JsonObject, options: SendOptions): Promise<void> {
  const body = JSON.stringify(document);
  const place = `${url.origin}${url.pathname}`;
  await untilAcknowledged(place, () => post(url, place, body, options), options);
}

async function post(url: URL, place: string, body: string, options: SendOptions): Promise<Attempt> {
  const { headers, timeoutMs, signal } = options;
  // A timer of its own: a combined signal that nobody holds may be collected before it fires, on Node 20.
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal.addEventListener("abort", abort);
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      redirect: "error",
      headers: { ...headers, "content-type": "application/json", "user-agent": "amplihack" },
      signal: limit.signal,
    });
    const text = (await response.text()).slice(0, MAX_ANSWER_BYTES);
    if (response.ok) {
      tellRejected(place, text, options);
      return { kind: "acknowledged" };
    }
    const why = `${place} answered ${response.status}`;
    if (!RETRYABLE.has(response.status)) return { kind: "refused", why };
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return { kind: "later", why, afterMs: seconds > 0 ? Math.min(seconds * 1000, MAX_DELAY_MS) : undefined };
  } catch (error) {
    if (signal.aborted) return { kind: "later", why: "it was stopped", afterMs: undefined };
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const why = limit.signal.aborted
      ? `${place} gave no answer within ${timeoutMs} ms`
      : `${place}: ${errorText(cause)}`;
    return { kind: "later", why, afterMs: undefined };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** What a receiver leaves out for good is not sent again. */
function tellRejected(place: string, text: string, { tell }: SendOptions): void {
  const partial = objectAt(parseJsonObject(text, 20), "partialSuccess");
  const count = (name: string) => numberAt(partial, name) ?? Number(stringAt(partial, name) ?? 0);
  const rejected = count("rejectedLogRecords") + count("rejectedDataPoints");
  if (rejected > 0)
    tell(
      `${place} took the request and left out ${rejected} of it: ${stringAt(partial, "errorMessage") ?? ""}`,
    );
}

export interface OtlpOptions extends SendOptions {
  /** the base of the receiver, to which `/v1/logs` is added */
  readonly url: URL;
  readonly resource: readonly Attribute[];
  readonly hasContent: boolean;
}

/** An OpenTelemetry collector, or anything else that speaks OTLP over HTTP. */
export function otlpTarget(options: OtlpOptions): ShipTarget {
  const { url, resource, hasContent } = options;
  return {
    name: url.href,
    prepare: () => Promise.resolve(),
    async send({ lines, totals, startedMs, nowMs, head }) {
      const logs = logsRequest(lines, { resource, hasContent, nowMs });
      await send(endpointUrl(url, "v1/logs"), logs, options);
      const metrics = metricsRequest(totals, { resource, startedMs, nowMs, head });
      await send(endpointUrl(url, "v1/metrics"), metrics, options);
    },
    close: () => Promise.resolve(),
  };
}

function endpointUrl(target: URL, path: string): URL {
  const url = new URL(target);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url;
}

export interface PostgresTargetOptions extends RetryOptions {
  /** closed with the target */
  readonly database: Database;
  readonly team: string;
  readonly hasContent: boolean;
  /** digest of the policy in force */
  readonly policy?: string | undefined;
}

const REPLACEMENT = "\u{fffd}";
/** A database refuses index entries of some thousand bytes. */
const MAX_NAME_LENGTH = 300;

/**
 * The database of a team. Each batch is one transaction, and a line that is there already is left as it is, so that
 * a batch that comes twice changes nothing. Whoever reads may rely on the order of `number`: one machine at a time
 * adds to a team's records.
 */
export function postgresTarget(system: System, options: PostgresTargetOptions): ShipTarget {
  const { database, team } = options;
  const machine = machineName(system);
  const toRows = rowMaker(system, options);
  let isJoined = false;
  // The owner makes the tables, who need not have anything to send.
  const prepare = async (): Promise<void> => {
    if (isJoined) return;
    await joinTeam(database, team);
    await makeRecordTables(database);
    await makeMonths(database);
    isJoined = true;
  };
  const write = async (batch: ShipBatch): Promise<void> => {
    const rows = toRows(batch);
    await database.transaction(run => addRows(run, team, [{ machine, rows, head: batch.head }]));
  };
  const untilDone = (work: () => Promise<void>): Promise<void> =>
    untilAcknowledged(database.place, () => attempt(work), options);
  return {
    name: `postgres ${database.place} ${team}`,
    prepare: () => untilDone(prepare),
    send: batch => untilDone(() => write(batch)),
    close: () => database.close(),
  };
}

/** Makes rows of lines; projects are looked up once. */
export function rowMaker(
  system: System,
  options: Pick<PostgresTargetOptions, "hasContent" | "policy">,
): (batch: ShipBatch) => readonly ShippedRow[] {
  const projects = new Map<string, string>();
  const nameProject = (path: string): string => {
    const known = projects.get(path) ?? projectName(system, path);
    projects.set(path, known);
    return known;
  };
  return ({ lines }) => lines.map(line => toRow(line, options, nameProject));
}

/** What records call this machine. */
export function machineName({ processes }: Pick<System, "processes">): string {
  return clip(processes.self.host, MAX_NAME_LENGTH);
}

async function attempt(work: () => Promise<void>): Promise<Attempt> {
  try {
    await work();
    return { kind: "acknowledged" };
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error;
    const { problem, message: why, fix } = error;
    return { kind: problem === "offline" ? "later" : "refused", why, fix };
  }
}

/** A project without a remote has a name that only says that it is the same. */
export function projectName(system: System, path: string): string {
  if (path === "") return "";
  return clip(
    (isAbsolute(path) ? findProjectIdentity(system, path) : undefined) ?? `local:${shortHash(path)}`,
    MAX_NAME_LENGTH,
  );
}

/** A line as receivers get it. */
export interface ShippedRow {
  readonly id: string;
  readonly kind: string;
  readonly ms: number;
  readonly project: string;
  readonly host: string;
  readonly session: string;
  readonly hash: string;
  readonly fields: unknown;
}

function toRow(
  { log, id, text, hash }: ShippedLine,
  { hasContent, policy }: Pick<PostgresTargetOptions, "hasContent" | "policy">,
  nameProject: (path: string) => string,
): ShippedRow {
  const line = parseLine(text);
  const fields = {
    ...sharedFields(line ?? {}, hasContent),
    program: version,
    ...(policy === undefined ? {} : { policy }),
  };
  const name = (member: string) => clip(stringAt(fields, member) ?? "", MAX_NAME_LENGTH);
  return {
    id,
    kind: log,
    // The same whenever it is sent: it belongs to what tells lines apart.
    ms: recordTime(fields, 0),
    project: nameProject(stringAt(line, "project") ?? ""),
    host: name("host"),
    session: name("session"),
    hash,
    fields,
  };
}

/** What one machine ships at once. The person is the login where none is named: only a team's server may name one. */
export interface ShippedPart extends Pick<ShipBatch, "head"> {
  readonly machine: string;
  readonly person?: string;
  readonly rows: readonly ShippedRow[];
}

/** Adds what machines of a team ship. Either all of them name a person or none does. */
export async function addRows(run: RunSql, team: string, parts: readonly ShippedPart[]): Promise<void> {
  const column = parts.some(({ person }) => person !== undefined) ? "person, " : "";
  const rows = parts.flatMap(({ machine, person, rows }) => rows.map(row => ({ ...row, machine, person })));
  const heads = parts.flatMap(({ machine, person, head }) =>
    head === undefined ? [] : [{ machine, person, seq: head.seq, hash: head.hash }],
  );
  // A row of the team, and no lock by a number: those can be held by everybody who may connect.
  await run(`SELECT FROM teams WHERE team = $1 FOR NO KEY UPDATE`, [team]);
  await run(
    `INSERT INTO ${SCHEMA}.records (${column}team, id, kind, time, machine, project, host, session, hash, fields)
     SELECT ${column}$1, id, kind, to_timestamp(ms / 1000), machine, project, host, session, hash, fields
     FROM json_to_recordset($2) AS row (id text, kind text, ms double precision, machine text, person text, project text,
       host text, session text, hash text, fields jsonb)
     ON CONFLICT DO NOTHING`,
    [team, toJson(rows)],
  );
  if (heads.length > 0)
    await run(
      `INSERT INTO ${SCHEMA}.audit_heads (${column}team, machine, seq, hash)
       SELECT ${column}$1, machine, seq, hash
       FROM json_to_recordset($2) AS head (machine text, person text, seq bigint, hash text) ON CONFLICT DO NOTHING`,
      [team, toJson(heads)],
    );
}

/** PostgreSQL has no U+0000 in texts and no half of a character. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "string"
      ? each.replaceAll("\0", REPLACEMENT).replace(/\p{Surrogate}/gu, REPLACEMENT)
      : each,
  );
}

export interface TargetOptions extends RetryOptions {
  readonly memory: Config["memory"];
  /** digest of the policy in force */
  readonly policy?: string | undefined;
  readonly team: string | undefined;
  readonly hasContent: boolean;
  readonly timeoutMs: number;
}

/** By what was given: `server`, `otlp=URL`, `postgres=URL`, `postgres`, `ecs=FILE`; nothing leads to the collector of the environment. */
export async function openTarget(
  system: System,
  given: string | undefined,
  options: TargetOptions,
): Promise<ShipTarget> {
  const text = given ?? standardTarget(system.env.get("OTEL_EXPORTER_OTLP_ENDPOINT"));
  if (text === "server") return openServer(system, options);
  const [, kind, address = ""] = /^(otlp|postgres|ecs)(?:=(.*))?$/.exec(text) ?? [];
  if (kind === "postgres") return openPostgres(system, address, options);
  if (options.team !== undefined) throw usage("--team is for --to postgres=URL");
  if (kind === "ecs") return ecsTarget(system, address, options);
  return openOtlp(system, kind === undefined ? "" : address, options);
}

/** The server that this machine joined. */
async function openServer(system: System, options: TargetOptions): Promise<ShipTarget> {
  if (options.team !== undefined) throw usage("--team is for --to postgres=URL: a machine joins one team");
  const { serverTarget } = await import("./server-target.ts");
  return serverTarget(system, options);
}

async function openPostgres(system: System, url: string, options: TargetOptions): Promise<ShipTarget> {
  const { memory, team = memory.team, timeoutMs: statementTimeoutMs } = options;
  checkTeamName(team);
  const address = findDatabaseUrl(system, { option: "--to postgres=URL", given: url, memory });
  const notice = unencryptedNotice(address);
  if (notice !== undefined) options.tell(notice);
  const database = await Database.open(address, { statementTimeoutMs, maxConnections: 1 });
  return postgresTarget(system, { ...options, database, team });
}

/** Lines of the Elastic Common Schema, in a file that a SIEM's agent follows. One that comes twice has the same `event.id`. */
function ecsTarget(system: System, path: string, options: TargetOptions): ShipTarget {
  if (!isAbsolute(path)) throw usage("--to ecs=FILE must name a file by its whole path");
  const toRows = rowMaker(system, options);
  const machine = machineName(system);
  const { files, text } = system;
  const append = async (lines: string): Promise<void> => {
    try {
      const size = files.follow(path)?.size ?? 0;
      // A disk that was full may hold half a line, which must not swallow the next one.
      const isWhole = size === 0 || text.decode(files.readRange(path, size - 1, 1)).text === "\n";
      files.append(path, text.encode(isWhole ? lines : `\n${lines}`), 0o600);
    } catch (error) {
      throw new Problem(`nothing was written to ${path}; it is written the next time`, {
        kind: "ship",
        causes: [errorText(error)],
      });
    }
  };
  return {
    name: `ecs ${path}`,
    prepare: () => append(""),
    send: batch =>
      append(
        toRows(batch)
          .map(row => `${JSON.stringify(ecsRecord(row, machine))}\n`)
          .join(""),
      ),
    close: () => Promise.resolve(),
  };
}

function ecsRecord({ id, kind, project, host, session, fields }: ShippedRow, machine: string): object {
  const record = fields as JsonObject;
  const said = stringAt(record, kind === "audit" ? "verdict" : "decision") ?? "";
  const rules = stringsAt(record, "rules");
  const action = kind === "audit" ? "guard.verdict" : "hook.run";
  return ecsLine({
    id,
    kind: "event",
    action,
    isDenied: said === "deny",
    message: [action, said, ...rules].filter(word => word !== "").join(" "),
    rules,
    facts: { ...record, machine, project, host, session },
  });
}

function openOtlp(system: System, address: string, options: TargetOptions): ShipTarget {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isHttp || url.username !== "" || url.password !== "")
    throw usage(
      "--to must be otlp=URL with http or https and no password in it, postgres=URL, ecs=FILE or server",
    );
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    options.tell(`${url.host} is reached without encryption`);
  const resource = toAttributes({
    "service.name": "amplihack",
    "service.version": version,
    ...(options.policy === undefined ? {} : { "amplihack.policy": options.policy }),
    "host.name": system.processes.self.host,
    ...readPairs(system.env.get("OTEL_RESOURCE_ATTRIBUTES")),
  });
  const headers = readPairs(system.env.get("OTEL_EXPORTER_OTLP_HEADERS"));
  return otlpTarget({ ...options, url, resource, headers });
}

function standardTarget(endpoint: string | undefined): string {
  if (endpoint !== undefined && endpoint !== "") return `otlp=${endpoint}`;
  throw usage(
    "say where to: --to server, --to otlp=URL, --to postgres=URL or --to ecs=FILE, or set OTEL_EXPORTER_OTLP_ENDPOINT",
  );
}

/** `key=value,key=value`, percent-encoded, as the variables of OpenTelemetry hold them. */
function readPairs(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? "").split(",").flatMap(pair => {
    const equals = pair.indexOf("=");
    if (equals < 1) return [];
    try {
      return [[pair.slice(0, equals).trim(), decodeURIComponent(pair.slice(equals + 1).trim())] as const];
    } catch {
      throw usage("OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES must be percent-encoded");
    }
  });
  return Object.fromEntries(pairs);
}

function usage(message: string): Problem {
  return new Problem(message, { kind: "usage", fix: "amplihack ship --help", exitCode: 2 });
}
