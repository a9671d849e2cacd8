import {
  checkTeamName,
  type Database,
  hasRelation,
  notMember,
  PostgresError,
  type Row,
  type RunSql,
  SCHEMA,
  SERVER_ROLE,
  type SqlValue,
} from "../postgres/index.ts";
import type { ChainHead } from "../state/index.ts";
import { makeRecordTables } from "./record-tables.ts";

/** The logs that are meant: of a team, of everybody in it unless a person or a machine is named. */
export interface LogChoice {
  readonly team: string;
  readonly person?: string | undefined;
  readonly machine?: string | undefined;
}

/** A head as it was shipped. */
export interface ShippedHead extends ChainHead {
  readonly person: string;
  readonly machine: string;
  /** when the server got it, by the clock of the server */
  readonly receivedMs: number;
}

/** A line of an audit log as it was shipped. */
export interface ShippedLink extends Omit<ShippedHead, "seq"> {
  /** undefined for a line without a number */
  readonly seq: number | undefined;
  readonly prev: string;
}

const PAGE_ROWS = 5_000;
/** One more than a hash has: what is longer stays different from every hash. */
const MAX_PREV = 65;
/**
 * Members can add what no log holds. A number that no log can have is none: as text it may have 100 000 digits.
 * `CASE`, because PostgreSQL may look at conditions in any order, and only numbers can be read as one.
 */
const SEQ = `CASE jsonb_typeof(fields->'seq') WHEN 'number' THEN
  CASE WHEN (fields->'seq')::numeric BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}
      AND (fields->'seq')::numeric = trunc((fields->'seq')::numeric)
    THEN (fields->'seq')::bigint END END`;

/** The teams whose records the user may read. Throws where there are no records, or no such team. */
export async function readableTeams(
  database: Database,
  team: string | undefined,
): Promise<readonly string[]> {
  if (team !== undefined) checkTeamName(team);
  // Reading the wrong database must not change it, so no tables are created.
  if (!(await hasRelation(database.run, `${SCHEMA}.records`)))
    throw new PostgresError("refused", `nothing was shipped to ${database.place} yet`, {
      fix: "let its owner run amplihack ship --once --to postgres=URL",
    });
  await makeRecordTables(database);
  const rows = await database.run(`SELECT team FROM teams ORDER BY team`);
  const teams = rows.map(row => String(row["team"])).filter(name => team === undefined || name === team);
  if (teams.length === 0) throw await notMember(database, team);
  return teams;
}

/** Runs `work` in a read-only transaction with one snapshot. */
export function readAtOnce<T>(database: Database, work: (run: RunSql) => Promise<T>): Promise<T> {
  return database.transaction(async run => {
    await run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return work(run);
  });
}

/** Whether the user sees every record of a team, and not those of some projects alone; the team's server does. */
export async function seesEveryRecord(run: RunSql, team: string): Promise<boolean> {
  const [row] = await run(
    `SELECT NOT row_security_active('${SCHEMA}.records') OR current_user = '${SERVER_ROLE}' OR EXISTS (
       SELECT FROM members WHERE team = $1 AND member = session_user AND projects IS NULL
     ) AS sees_all`,
    [team],
  );
  return row?.["sees_all"] === true;
}

/** Whether the user reads views and functions of members in place of the tables. */
export async function readsByFunctions(run: RunSql): Promise<boolean> {
  const [row] = await run("SELECT to_regproc('list_records') IS NOT NULL AS is_member");
  return row?.["is_member"] === true;
}

export async function readHeads(run: RunSql, choice: LogChoice): Promise<readonly ShippedHead[]> {
  const { condition, values } = whereClause(choice);
  const rows = await run(
    `SELECT person, machine, seq, hash, ${RECEIVED_MS} FROM audit_heads WHERE ${condition}
     ORDER BY received, seq`,
    values,
  );
  return rows.map(row => ({ ...toOrigin(row), seq: Number(row["seq"]) }));
}

/**
 * In the order in which they came, which is that of each log. Lines with a number below `fromSeq` are left out, and
 * records up to the number `after`.
 */
export async function* readLinks(
  run: RunSql,
  choice: LogChoice,
  { fromSeq = 0, after: first = "0" }: { readonly fromSeq?: number; readonly after?: string } = {},
): AsyncGenerator<ShippedLink, void, undefined> {
  const { condition, values } = whereClause(choice);
  const next = values.length + 1;
  for (let after = first; ; ) {
    const rows = await run(
      `SELECT number, person, machine, hash, ${RECEIVED_MS}, left(fields->>'prev', ${MAX_PREV}) AS prev, ${SEQ} AS seq
       FROM records WHERE ${condition} AND kind = 'audit' AND number > $${next}
         AND coalesce(${SEQ}, $${next + 1}) >= $${next + 1}
       ORDER BY number LIMIT ${PAGE_ROWS}`,
      [...values, after, fromSeq],
    );
    for (const row of rows) {
      const seq = row["seq"] === null ? undefined : Number(row["seq"]);
      yield { ...toOrigin(row), seq, prev: String(row["prev"] ?? "") };
    }
    if (rows.length < PAGE_ROWS) return;
    after = String(rows.at(-1)?.["number"]);
  }
}

const MAX_DATE_MS = 8.64e15;
const RECEIVED_MS = "floor(extract(epoch FROM received) * 1000)::text AS received_ms";

function whereClause(choice: LogChoice): {
  readonly condition: string;
  readonly values: readonly SqlValue[];
} {
  const wanted = Object.entries(choice).filter(([, value]) => value !== undefined);
  return {
    condition: wanted.map(([column], index) => `${column} = $${index + 1}`).join(" AND "),
    values: wanted.map(([, value]) => value as string),
  };
}

function toOrigin(row: Row): Omit<ShippedHead, "seq"> {
  return {
    person: String(row["person"]),
    machine: String(row["machine"]),
    hash: String(row["hash"]),
    // An owner of the tables can write `infinity`.
    receivedMs: Math.max(-MAX_DATE_MS, Math.min(Number(row["received_ms"]), MAX_DATE_MS)),
  };
}
