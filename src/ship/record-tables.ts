import { type Database, IS_VISIBLE, type Migration, migrate, SCHEMA } from "../postgres/index.ts";

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
