import {
  checkTeamName,
  type Database,
  hasRelation,
  IS_VISIBLE,
  type Migration,
  migrate,
  notMember,
  PostgresError,
  type Row,
  type RunSql,
  SCHEMA,
  type SqlValue,
} from "../postgres/index.ts";
import type { ChainHead } from "../state/index.ts";

/** Programs of ours send shorter ones. They are kept and shown by all who look. */
const MAX_NAME_LENGTH = 1_000;
const RECORDS = `${SCHEMA}.records`;
const HEADS = `${SCHEMA}.audit_heads`;

/**
 * What machines tell of. Members add and read, and change nothing: they have no right to, whatever a policy says. The
 * server itself writes who sent a line and when it came, since nobody else may fill those columns.
 */
const RECORD_TABLES: Migration = [
  `CREATE TABLE ${RECORDS} (
     number bigint GENERATED ALWAYS AS IDENTITY,
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE,
     id text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('audit', 'runs')),
     time timestamptz NOT NULL,
     received timestamptz NOT NULL DEFAULT now(),
     person name NOT NULL DEFAULT session_user,
     machine text NOT NULL,
     project text NOT NULL,
     host text NOT NULL,
     session text NOT NULL,
     hash text NOT NULL,
     fields jsonb NOT NULL,
     CHECK (length(id) + length(machine) + length(project) + length(host) + length(session) + length(hash)
       <= ${MAX_NAME_LENGTH * 6}),
     PRIMARY KEY (team, id)
   )`,
  // Who follows the records asks for those behind a number, of all or of a part.
  `CREATE INDEX records_by_number ON ${RECORDS} (team, number)`,
  `CREATE INDEX records_by_person ON ${RECORDS} (team, person, number)`,
  `CREATE INDEX records_by_project ON ${RECORDS} (team, project, number)`,
  `CREATE INDEX records_by_time ON ${RECORDS} (team, time)`,
  `CREATE TABLE ${HEADS} (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE,
     person name NOT NULL DEFAULT session_user,
     machine text NOT NULL,
     seq bigint NOT NULL,
     hash text NOT NULL,
     received timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (team, person, machine, seq, hash)
   )`,
  ...[RECORDS, HEADS].flatMap(table => [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `GRANT SELECT ON ${table} TO PUBLIC`,
    `CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${SCHEMA}.may_see(team, ''))`,
  ]),
  `CREATE POLICY reading ON ${RECORDS} FOR SELECT USING ${IS_VISIBLE}`,
  `CREATE POLICY reading ON ${HEADS} FOR SELECT USING (${SCHEMA}.may_see(team, ''))`,
  `GRANT INSERT (team, id, kind, time, machine, project, host, session, hash, fields) ON ${RECORDS} TO PUBLIC`,
  `GRANT INSERT (team, machine, seq, hash) ON ${HEADS} TO PUBLIC`,
];

export async function makeRecordTables(database: Database): Promise<void> {
  await migrate(database, "records", [RECORD_TABLES]);
}

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
      `SELECT number, person, machine, hash, ${RECEIVED_MS}, left(fields->>'prev', ${MAX_PREV}) AS prev, ${SEQ} AS seq
       FROM ${SCHEMA}.records WHERE ${condition} AND kind = 'audit' AND number > $${next}
         AND coalesce(${SEQ}, $${next + 1}) >= $${next + 1}
       ORDER BY number LIMIT ${PAGE_ROWS}`,
      [...values, after, fromSeq],
    );
    for (const row of rows) {
      const seq = row["seq"] === null ? undefined : Number(row["seq"]);
      yield { ...originOf(row), seq, prev: String(row["prev"] ?? "") };
    }
    if (rows.length < PAGE_ROWS) return;
    after = String(rows.at(-1)?.["number"]);
  }
}

const MAX_DATE_MS = 8.64e15;
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
    // An owner of the tables can write `infinity`.
    receivedMs: Math.max(-MAX_DATE_MS, Math.min(Number(row["received_ms"]), MAX_DATE_MS)),
  };
}
