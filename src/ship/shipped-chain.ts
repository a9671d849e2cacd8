import type { Database, Row, RunSql, SqlValue } from "../postgres/database.ts";
import { hasRelation, SCHEMA } from "../postgres/migrate.ts";
import { PostgresError } from "../postgres/postgres-error.ts";
import { checkTeamName, notMember } from "../postgres/teams.ts";
import type { ChainHead } from "../state/chained-log.ts";
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

/** The teams whose records the user may read. Throws where there are no records, or no such team. */
export async function readableTeams(
  database: Database,
  team: string | undefined,
): Promise<readonly string[]> {
  if (team !== undefined) checkTeamName(team);
  // Who looks at a database by mistake leaves it as it is: no tables are made.
  if (!(await hasRelation(database.run, `${SCHEMA}.records`)))
    throw new PostgresError("refused", `nothing was shipped to ${database.place} yet`, {
      fix: "let its owner run amplihack ship --once --to postgres=URL",
    });
  await makeRecordTables(database);
  const rows = await database.run(`SELECT team FROM ${SCHEMA}.teams ORDER BY team`);
  const teams = rows.map(row => String(row["team"])).filter(name => team === undefined || name === team);
  if (teams.length === 0) throw await notMember(database, team);
  return teams;
}

/** All statements of `work` see the database as it is at this moment, and can change nothing. */
export function readAtOnce<T>(database: Database, work: (run: RunSql) => Promise<T>): Promise<T> {
  return database.transaction(async run => {
    await run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return work(run);
  });
}

/** Whether the user sees every record of a team, and not those of some projects alone. */
export async function seesEveryRecord(run: RunSql, team: string): Promise<boolean> {
  const [row] = await run(
    `SELECT NOT row_security_active('${SCHEMA}.records') OR EXISTS (
       SELECT FROM ${SCHEMA}.members WHERE team = $1 AND member = session_user AND projects IS NULL
     ) AS sees_all`,
    [team],
  );
  return row?.["sees_all"] === true;
}

export async function readHeads(run: RunSql, choice: LogChoice): Promise<readonly ShippedHead[]> {
  const { condition, values } = conditionOf(choice);
  const rows = await run(
    `SELECT person, machine, seq, hash, ${RECEIVED_MS} FROM ${SCHEMA}.audit_heads WHERE ${condition}
     ORDER BY received, seq`,
    values,
  );
  return rows.map(row => ({ ...originOf(row), seq: Number(row["seq"]) }));
}

/** In the order in which they came, which is that of each log. Lines with a number below `fromSeq` are left out. */
export async function* readLinks(
  run: RunSql,
  choice: LogChoice,
  fromSeq = 0,
): AsyncGenerator<ShippedLink, void, undefined> {
  const { condition, values } = conditionOf(choice);
  const next = values.length + 1;
  for (let after = "0"; ; ) {
    const rows = await run(
      `SELECT number, person, machine, hash, ${RECEIVED_MS}, fields->>'prev' AS prev,
         CASE jsonb_typeof(fields->'seq') WHEN 'number' THEN fields->>'seq' END AS seq
       FROM ${SCHEMA}.records WHERE ${condition} AND kind = 'audit' AND number > $${next}
         AND coalesce(CASE jsonb_typeof(fields->'seq') WHEN 'number' THEN (fields->>'seq')::numeric END, $${next + 1})
           >= $${next + 1}
       ORDER BY number LIMIT ${PAGE_ROWS}`,
      [...values, after, fromSeq],
    );
    for (const row of rows) yield { ...originOf(row), seq: seqOf(row), prev: String(row["prev"] ?? "") };
    if (rows.length < PAGE_ROWS) return;
    after = String(rows.at(-1)?.["number"]);
  }
}

const RECEIVED_MS = "floor(extract(epoch FROM received) * 1000)::text AS received_ms";

function conditionOf(choice: LogChoice): {
  readonly condition: string;
  readonly values: readonly SqlValue[];
} {
  const wanted = Object.entries(choice).filter(([, value]) => value !== undefined);
  return {
    condition: wanted.map(([column], index) => `${column} = $${index + 1}`).join(" AND "),
    values: wanted.map(([, value]) => value as string),
  };
}

function originOf(row: Row): Omit<ShippedHead, "seq"> {
  return {
    person: String(row["person"]),
    machine: String(row["machine"]),
    hash: String(row["hash"]),
    receivedMs: Number(row["received_ms"]),
  };
}

/** Members can add what no log holds. */
function seqOf(row: Row): number | undefined {
  const seq = Number(row["seq"] ?? 0);
  return Number.isSafeInteger(seq) && seq > 0 ? seq : undefined;
}
