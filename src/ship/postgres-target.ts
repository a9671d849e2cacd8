import { findProjectIdentity, shortHash } from "../memory/index.ts";
import { type Database, joinTeam, PostgresError, type RunSql, SCHEMA } from "../postgres/index.ts";
import { stringAt } from "../protocol/index.ts";
import { isAbsolute, type System } from "../system/index.ts";
import { clip } from "../text/index.ts";
import type { ShippedLine } from "./read-batch.ts";
import { makeRecordTables } from "./record-tables.ts";
import { type Attempt, type RetryOptions, untilAcknowledged } from "./retry.ts";
import { parseLine, sharedFields, timeOf } from "./shared-fields.ts";
import type { ShipBatch, ShipTarget } from "./ship.ts";

export interface PostgresTargetOptions extends RetryOptions {
  /** closed with the target */
  readonly database: Database;
  readonly team: string;
  readonly hasContent: boolean;
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
  const projects = new Map<string, string>();
  const projectOf = (path: string): string => {
    const known = projects.get(path) ?? projectName(system, path);
    projects.set(path, known);
    return known;
  };
  let isJoined = false;
  // The owner makes the tables, who need not have anything to send.
  const prepare = async (): Promise<void> => {
    if (isJoined) return;
    await joinTeam(database, team);
    await makeRecordTables(database);
    isJoined = true;
  };
  const write = async (batch: ShipBatch): Promise<void> => {
    const rows = batch.lines.map(line => toRow(line, batch.nowMs, options.hasContent, projectOf));
    await database.transaction(run => addRows(run, { team, machine }, rows, batch));
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
function projectName(system: System, path: string): string {
  if (path === "") return "";
  return clip(
    (isAbsolute(path) ? findProjectIdentity(system, path) : undefined) ?? `local:${shortHash(path)}`,
    MAX_NAME_LENGTH,
  );
}

interface Row {
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
  nowMs: number,
  hasContent: boolean,
  projectOf: (path: string) => string,
): Row {
  const line = parseLine(text);
  const fields = sharedFields(line ?? {}, hasContent);
  const name = (member: string) => clip(stringAt(fields, member) ?? "", MAX_NAME_LENGTH);
  return {
    id,
    kind: log,
    ms: timeOf(fields, nowMs),
    project: projectOf(stringAt(line, "project") ?? ""),
    host: name("host"),
    session: name("session"),
    hash,
    fields,
  };
}

async function addRows(
  run: RunSql,
  { team, machine }: { readonly team: string; readonly machine: string },
  rows: readonly Row[],
  { head }: ShipBatch,
): Promise<void> {
  // A row of the team, and no lock by a number: those can be held by everybody who may connect.
  await run(`SELECT FROM ${SCHEMA}.teams WHERE team = $1 FOR NO KEY UPDATE`, [team]);
  await run(
    `INSERT INTO ${SCHEMA}.records (team, id, kind, time, machine, project, host, session, hash, fields)
     SELECT $1, id, kind, to_timestamp(ms / 1000), $2, project, host, session, hash, fields
     FROM json_to_recordset($3) AS row (id text, kind text, ms double precision, project text, host text,
       session text, hash text, fields jsonb)
     ON CONFLICT DO NOTHING`,
    [team, machine, toJson(rows)],
  );
  if (head !== undefined)
    await run(
      `INSERT INTO ${SCHEMA}.audit_heads (team, machine, seq, hash) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [team, machine, head.seq, head.hash],
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
