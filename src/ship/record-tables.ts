import {
  type Database,
  FIXED_PATH,
  IS_OF_WHOLE_TEAM,
  IS_VISIBLE,
  type Migration,
  makeViewOf,
  migrate,
  OWN_TEAMS,
  SCHEMA,
  VIEWS,
} from "../postgres/index.ts";

/** Programs of ours send shorter ones. They are kept and shown by all who look. */
const MAX_NAME_LENGTH = 1_000;
const RECORDS = `${SCHEMA}.records`;
const HEADS = `${SCHEMA}.audit_heads`;
const ROLLUPS = `${SCHEMA}.rollups`;
const SESSIONS = `${SCHEMA}.sessions`;
const TOTALS = `${SCHEMA}.totals`;

/**
 * What machines tell of. Members add and read, and change nothing: they have no right to, whatever a policy says. The
 * server itself writes who sent a line and when it came, since nobody else may fill those columns.
 */
export const RECORD_TABLES: Migration = [
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

const COLUMNS =
  "number, team, id, kind, time, received, person, machine, project, host, session, hash, fields";

/** A text member of a record, as long as pages show it. */
const text = (name: string): string =>
  `CASE jsonb_typeof(fields->'${name}') WHEN 'string' THEN left(fields->>'${name}', 80) ELSE '' END`;
const numberAbove = (name: string, least: string): string =>
  `CASE jsonb_typeof(fields->'${name}') WHEN 'number' THEN (fields->'${name}')::numeric ${least} ELSE false END`;
/** Texts of a list; anything else in its place is an empty list. */
const list = (name: string): string =>
  `jsonb_array_elements(CASE jsonb_typeof(fields->'${name}') WHEN 'array' THEN fields->'${name}' ELSE '[]' END)`;

/**
 * What every record counts as: a call (a tool is about to be used), another event, a judgement of the guard, or a line
 * that no program of ours writes. The words are those of the pages.
 */
export const counted = (records: string): string => `
  SELECT team, time, person::text AS person, machine, project,
    CASE WHEN host = '' THEN 'unknown' ELSE host END AS host, session,
    CASE WHEN kind = 'audit' THEN CASE WHEN verdict = '' THEN 'unreadable' ELSE 'judgement' END
      WHEN hook = '' OR NOT has_duration THEN 'unreadable'
      WHEN event = 'PreToolUse' THEN 'call' ELSE 'event' END AS kind,
    CASE WHEN kind = 'audit' THEN
        CASE verdict WHEN 'deny' THEN 'refused' WHEN 'ask' THEN 'asked'
          ELSE CASE WHEN kept <> '{}' THEN 'kept' ELSE 'noted' END END
      WHEN decision = 'deny' THEN CASE WHEN event IN ('Stop', 'SubagentStop') THEN 'held' ELSE 'refused' END
      WHEN decision IN ('ask', 'defer') THEN 'asked'
      WHEN is_failed THEN 'unchecked'
      WHEN decision = 'allow' THEN CASE WHEN answered = '' THEN 'allowed' ELSE 'answered' END
      WHEN has_context THEN 'context' ELSE 'silent' END AS outcome,
    kind = 'runs' AND is_failed AS is_failed,
    ARRAY(SELECT DISTINCT each FROM unnest(named || kept) AS each WHERE each <> '') AS rules
  FROM (
    SELECT team, time, person, machine, project, host, session, kind,
      ${text("verdict")} AS verdict, ${text("decision")} AS decision, ${text("event")} AS event,
      ${text("answered")} AS answered, ${text("hook")} AS hook,
      ${numberAbove("duration_us", ">= 0")} AS has_duration, ${numberAbove("context", "> 0")} AS has_context,
      ${text("result")} <> 'ok' AS is_failed,
      ARRAY(SELECT left(each #>> '{}', 80) FROM ${list("rules")} AS each
        WHERE jsonb_typeof(each) = 'string' LIMIT 8) AS named,
      ARRAY(SELECT left(substring(each #>> '{}' FROM '^kept: (\\S+) '), 80) FROM ${list("notes")} AS each
        WHERE jsonb_typeof(each) = 'string' AND each #>> '{}' ~ '^kept: \\S+ ' LIMIT 8) AS kept
    FROM ${records}
    OFFSET 0
  ) AS read OFFSET 0`;

const KEY = "team, span, start, person, machine, project, host, kind, outcome, rule";

/** Sums of some records, once for the hour and once for the day, once for all and once for each rule. */
export const sums = (records: string): string => `
  SELECT team, span, date_trunc(span, hour, 'UTC') AS start, person, machine, project, host, kind, outcome, rule,
    sum(count)::bigint AS count, sum(failed)::bigint AS failed
  FROM (
    SELECT team, date_trunc('hour', time, 'UTC') AS hour, person, machine, project, host, kind, outcome, rules,
      count(*) AS count, count(*) FILTER (WHERE is_failed) AS failed
    FROM (${counted(records)}) AS one
    GROUP BY team, hour, person, machine, project, host, kind, outcome, rules
  ) AS hourly, unnest(ARRAY['hour', 'day']) AS span, unnest(array_append(rules, '')) AS rule
  GROUP BY ${KEY}`;

const sessionSums = (records: string): string => `
  SELECT team, person, machine, session, max(host) AS host,
    (array_agg(project ORDER BY time DESC))[1] AS project, min(time) AS first, max(time) AS last,
    count(*) AS records, count(*) FILTER (WHERE kind IN ('call', 'event')) AS runs,
    count(*) FILTER (WHERE kind IN ('call', 'event') AND outcome IN ('refused', 'held', 'asked')) AS stopped,
    count(*) FILTER (WHERE is_failed) AS failures
  FROM (${counted(records)}) AS one WHERE session <> '' GROUP BY team, person, machine, session`;

const adding = (records: string): readonly string[] => [
  `INSERT INTO rollups AS kept (${KEY}, count, failed) ${sums(records)}
     ON CONFLICT (${KEY}) DO UPDATE SET count = kept.count + excluded.count, failed = kept.failed + excluded.failed`,
  `INSERT INTO sessions AS kept
     (team, person, machine, session, host, project, first, last, records, runs, stopped, failures)
     ${sessionSums(records)}
     ON CONFLICT (team, person, machine, session) DO UPDATE SET
       host = CASE WHEN excluded.last >= kept.last THEN excluded.host ELSE kept.host END,
       project = CASE WHEN excluded.last >= kept.last THEN excluded.project ELSE kept.project END,
       first = least(kept.first, excluded.first), last = greatest(kept.last, excluded.last),
       records = kept.records + excluded.records, runs = kept.runs + excluded.runs,
       stopped = kept.stopped + excluded.stopped, failures = kept.failures + excluded.failures`,
];

const taking = (records: string): readonly string[] => [
  `UPDATE rollups AS kept SET count = kept.count - gone.count, failed = kept.failed - gone.failed
     FROM (${sums(records)}) AS gone
     WHERE (${KEY.split(", ")
       .map(name => `kept.${name}`)
       .join(", ")}) = (${KEY.split(", ")
       .map(name => `gone.${name}`)
       .join(", ")})`,
  "DELETE FROM rollups WHERE count <= 0",
  `UPDATE sessions AS kept SET records = kept.records - gone.records, runs = kept.runs - gone.runs,
       stopped = kept.stopped - gone.stopped, failures = kept.failures - gone.failures
     FROM (${sessionSums(records)}) AS gone
     WHERE (kept.team, kept.person, kept.machine, kept.session) = (gone.team, gone.person, gone.machine, gone.session)`,
  "DELETE FROM sessions WHERE records <= 0",
];

const trigger = (
  table: string,
  operation: string,
  tables: string,
  statements: readonly string[],
): readonly string[] => [
  `CREATE FUNCTION ${table}_${operation}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH}
     AS $count$ BEGIN ${statements.join(";\n")}; RETURN NULL; END $count$`,
  `CREATE TRIGGER count_${operation} AFTER ${operation} ON ${table} ${tables}
     FOR EACH STATEMENT EXECUTE FUNCTION ${table}_${operation}()`,
];

/** What was before a number of months can be dropped as tables; lines from other times have a table of their own. */
const MONTHS_BEFORE = 3;
const MONTHS_AHEAD = 2;

/**
 * Records in a table for each month, and their sums, kept by triggers: whatever is added, changed or removed, by
 * whomever, they are exact. Members read the sums of what they may see.
 */
const MONTHS_AND_SUMS: Migration = [
  `ALTER TABLE ${RECORDS} RENAME TO records_before`,
  `ALTER INDEX ${SCHEMA}.records_pkey RENAME TO records_before_pkey`,
  ...["number", "person", "project", "time"].map(name => `DROP INDEX ${SCHEMA}.records_by_${name}`),
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
     PRIMARY KEY (team, id, time)
   ) PARTITION BY RANGE (time)`,
  `CREATE TABLE ${SCHEMA}.records_other PARTITION OF ${RECORDS} DEFAULT`,
  `CREATE INDEX records_by_number ON ${RECORDS} (team, kind, number)`,
  ...["person", "machine", "project", "host"].map(
    name => `CREATE INDEX records_by_${name} ON ${RECORDS} (team, ${name}, kind, number)`,
  ),
  `ALTER TABLE ${RECORDS} ENABLE ROW LEVEL SECURITY`,
  `GRANT SELECT ON ${RECORDS} TO PUBLIC`,
  `CREATE POLICY adding ON ${RECORDS} FOR INSERT WITH CHECK (${SCHEMA}.may_see(team, ''))`,
  `CREATE POLICY reading ON ${RECORDS} FOR SELECT USING ${IS_VISIBLE}`,
  `GRANT INSERT (team, id, kind, time, machine, project, host, session, hash, fields) ON ${RECORDS} TO PUBLIC`,
  // Anybody may call it, and whatever they do it makes the same few tables. A row that came before its month had one
  // is taken out of the table of all others.
  `CREATE FUNCTION ${SCHEMA}.make_months() RETURNS void LANGUAGE plpgsql SECURITY DEFINER ${FIXED_PATH}
     SET timezone = 'UTC'
     AS $$
       DECLARE
         month timestamptz;
         name text;
       BEGIN
         FOR month IN SELECT generate_series(date_trunc('month', now()) - interval '${MONTHS_BEFORE} months',
             date_trunc('month', now()) + interval '${MONTHS_AHEAD} months', interval '1 month') LOOP
           name := 'records_' || to_char(month, 'YYYY_MM');
           CONTINUE WHEN to_regclass('${SCHEMA}.' || name) IS NOT NULL;
           LOCK TABLE records IN SHARE UPDATE EXCLUSIVE MODE;
           CONTINUE WHEN to_regclass('${SCHEMA}.' || name) IS NOT NULL;
           EXECUTE format('CREATE TABLE ${SCHEMA}.%I (LIKE ${RECORDS} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
           EXECUTE format('WITH moved AS (DELETE FROM records_other WHERE time >= %L AND time < %L RETURNING *)
             INSERT INTO ${SCHEMA}.%I SELECT * FROM moved', month, month + interval '1 month', name);
           EXECUTE format('ALTER TABLE records ATTACH PARTITION ${SCHEMA}.%I FOR VALUES FROM (%L) TO (%L)',
             name, month, month + interval '1 month');
         END LOOP;
       END
     $$`,
  `SELECT ${SCHEMA}.make_months()`,
  `INSERT INTO ${RECORDS} (${COLUMNS}) OVERRIDING SYSTEM VALUE SELECT ${COLUMNS} FROM ${SCHEMA}.records_before`,
  `SELECT setval(pg_get_serial_sequence('${RECORDS}', 'number'), max(number)) FROM ${RECORDS}`,
  `DROP TABLE ${SCHEMA}.records_before`,
  `CREATE TABLE ${ROLLUPS} (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     span text NOT NULL,
     start timestamptz NOT NULL,
     person text NOT NULL,
     machine text NOT NULL,
     project text NOT NULL,
     host text NOT NULL,
     kind text NOT NULL,
     outcome text NOT NULL,
     rule text NOT NULL,
     count bigint NOT NULL,
     failed bigint NOT NULL,
     PRIMARY KEY (${KEY})
   )`,
  `CREATE TABLE ${SESSIONS} (
     team text NOT NULL REFERENCES ${SCHEMA}.teams ON UPDATE CASCADE ON DELETE CASCADE,
     person text NOT NULL,
     machine text NOT NULL,
     session text NOT NULL,
     host text NOT NULL,
     project text NOT NULL,
     first timestamptz NOT NULL,
     last timestamptz NOT NULL,
     records bigint NOT NULL,
     runs bigint NOT NULL,
     stopped bigint NOT NULL,
     failures bigint NOT NULL,
     PRIMARY KEY (team, person, machine, session)
   )`,
  `CREATE INDEX sessions_by_last ON ${SESSIONS} (team, last)`,
  ...[ROLLUPS, SESSIONS].flatMap(table => [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `GRANT SELECT ON ${table} TO PUBLIC`,
    `CREATE POLICY reading ON ${table} FOR SELECT USING ${IS_VISIBLE}`,
  ]),
  ...trigger(RECORDS, "insert", "REFERENCING NEW TABLE AS added", adding("added")),
  ...trigger(RECORDS, "delete", "REFERENCING OLD TABLE AS gone", taking("gone")),
  ...trigger(RECORDS, "update", "REFERENCING OLD TABLE AS gone NEW TABLE AS added", [
    ...taking("gone"),
    ...adding("added"),
  ]),
  ...trigger(RECORDS, "truncate", "", ["DELETE FROM rollups", "DELETE FROM sessions"]),
  ...adding(RECORDS).map(statement => statement.replace("INSERT INTO ", `INSERT INTO ${SCHEMA}.`)),
];

const TOTALS_KEY = "team, part, part_name, by, start, name, kind, outcome";
/** A few of them can have most of a team's records; a person or a machine has few. */
export const TOTALLED_PARTS: readonly string[] = ["project", "host"];

/** What rollups that came and went change in the totals of days, of a team and its parts and of each name in them. */
const totalling = (rollups: string): string => `
  INSERT INTO ${TOTALS} AS kept (${TOTALS_KEY}, count, failed)
    SELECT team, part, part_name, by, start, name, kind,
      CASE WHEN by IN ('all', 'rule') THEN outcome ELSE '' END AS out, sum(count), sum(failed)
    FROM (${rollups}) AS changed CROSS JOIN LATERAL (
      VALUES ('all', ''), ${TOTALLED_PARTS.map(part => `('${part}', ${part})`).join(", ")}
    ) AS of (part, part_name) CROSS JOIN LATERAL (
      SELECT 'rule' AS by, rule AS name WHERE rule <> ''
      UNION ALL SELECT * FROM (
        VALUES ('all', ''), ('person', person), ('machine', machine), ('project', project), ('host', host)
      ) AS each WHERE rule = ''
    ) AS one
    GROUP BY team, part, part_name, by, start, name, kind, out HAVING sum(count) <> 0 OR sum(failed) <> 0
  ON CONFLICT (${TOTALS_KEY}) DO UPDATE SET count = kept.count + excluded.count, failed = kept.failed + excluded.failed`;
const selectRollups = (table: string, sign = ""): string =>
  `SELECT ${KEY}, ${sign}count AS count, ${sign}failed AS failed FROM ${table} WHERE span = 'day'`;

/**
 * Rollups by everything at once have as many rows as people have projects, hosts and rules: too many for a page about
 * the whole team. Totals have one name at a time. They are of all projects, so that members of some do not read them.
 */
const TOTALS_OF_TEAMS: Migration = [
  // A team that is renamed takes its records along, and their triggers do the rest: sums that followed by themselves
  // would be counted twice.
  ...["rollups", "sessions"].map(
    table => `ALTER TABLE ${SCHEMA}.${table} DROP CONSTRAINT ${table}_team_fkey`,
  ),
  `CREATE TABLE ${TOTALS} (
     team text NOT NULL,
     part text NOT NULL,
     part_name text NOT NULL,
     by text NOT NULL,
     start timestamptz NOT NULL,
     name text NOT NULL,
     kind text NOT NULL,
     outcome text NOT NULL,
     count bigint NOT NULL,
     failed bigint NOT NULL,
     PRIMARY KEY (${TOTALS_KEY})
   )`,
  `ALTER TABLE ${TOTALS} ENABLE ROW LEVEL SECURITY`,
  `GRANT SELECT ON ${TOTALS} TO PUBLIC`,
  `CREATE POLICY reading ON ${TOTALS} FOR SELECT USING (${IS_OF_WHOLE_TEAM})`,
  ...(
    [
      ["insert", "NEW TABLE AS added", selectRollups("added")],
      ["delete", "OLD TABLE AS gone", selectRollups("gone", "-")],
      [
        "update",
        "OLD TABLE AS gone NEW TABLE AS added",
        `${selectRollups("added")} UNION ALL ${selectRollups("gone", "-")}`,
      ],
    ] as const
  ).flatMap(([operation, tables, changed]) =>
    trigger(ROLLUPS, operation, `REFERENCING ${tables}`, [
      totalling(changed),
      ...(operation === "delete" ? ["DELETE FROM totals WHERE count <= 0"] : []),
    ]),
  ),
  totalling(selectRollups(ROLLUPS)),
  // Parts are sought by one name.
  ...["person", "machine"].map(
    name => `CREATE INDEX rollups_by_${name} ON ${ROLLUPS} (team, span, ${name}, start)`,
  ),
];

/** Members add records, and read views. */
const VIEWS_OF_RECORDS: Migration = [
  ...["records", "audit_heads", "rollups", "sessions", "totals"].map(
    table => `DROP POLICY reading ON ${SCHEMA}.${table}`,
  ),
  ...["records", "rollups", "sessions"].flatMap(table => makeViewOf(table)),
  ...makeViewOf("audit_heads", "true"),
  ...makeViewOf("totals", "own.projects IS NULL"),
  // Somebody with a login may write what no program of ours sends; pages could not show such a time.
  `ALTER TABLE ${RECORDS} ADD CONSTRAINT records_time
     CHECK (time >= '1970-01-01 00:00:00+00' AND time < '10000-01-01 00:00:00+00') NOT VALID`,
];

/** By which of them a list may be narrowed: each has an index behind the team. */
export const LISTED_PARTS = ["person", "machine", "project", "host"] as const;

const matches = (column: string, parameter: number): string => `r.${column} = (SELECT $${parameter})`;

/**
 * What lists read of one team, by its indexes: a view reads all records of the team each time. Values stand behind a
 * SELECT of their own: the plan is made without them, so that no statistics of other teams choose it. Each project of
 * whoever sees some is sought by itself.
 */
const LISTS_OF_RECORDS: Migration = [
  `CREATE FUNCTION ${VIEWS}.list_records(
     of_team text, of_kind text, behind bigint, most integer, ${LISTED_PARTS.map(part => `of_${part} text`).join(", ")}
   ) RETURNS SETOF ${RECORDS} LANGUAGE plpgsql STABLE SECURITY DEFINER ${FIXED_PATH}
     AS $list$
       DECLARE
         found_projects text[];
         conditions text := '${matches("team", 1)} AND ${matches("kind", 2)}';
         ordered text := format('ORDER BY r.number %s LIMIT %s', CASE WHEN behind IS NULL THEN 'DESC' END, most);
       BEGIN
         SELECT own.projects INTO found_projects FROM ${OWN_TEAMS} own WHERE own.team = of_team;
         IF NOT FOUND THEN RETURN; END IF;
         IF behind IS NOT NULL THEN conditions := conditions || ' AND r.number > ' || behind; END IF;
${LISTED_PARTS.map(
  (part, index) => `         IF of_${part} IS NOT NULL THEN
           conditions := conditions || ' AND ${matches(part, index + 3)}';
         END IF;
`,
).join("")}         IF found_projects IS NULL THEN
           RETURN QUERY EXECUTE 'SELECT r.* FROM records r WHERE ' || conditions || ' ' || ordered
             USING of_team, of_kind, ${LISTED_PARTS.map(part => `of_${part}`).join(", ")};
         ELSE
           RETURN QUERY EXECUTE 'SELECT r.* FROM unnest($7) AS visible (project) CROSS JOIN LATERAL (
               SELECT r.* FROM records r WHERE r.project = visible.project AND ' || conditions || ' ' || ordered || '
             ) AS r ' || ordered
             USING of_team, of_kind, ${LISTED_PARTS.map(part => `of_${part}`).join(", ")},
               ARRAY(SELECT DISTINCT unnest(array_append(found_projects, '')));
         END IF;
       END
     $list$`,
];

export async function makeRecordTables(database: Database): Promise<void> {
  const migrations = [RECORD_TABLES, MONTHS_AND_SUMS, TOTALS_OF_TEAMS, VIEWS_OF_RECORDS, LISTS_OF_RECORDS];
  await migrate(database, "records", migrations);
}

/** Before records are added: the tables of this month and the next ones. */
export async function makeMonths({ run }: Pick<Database, "run">): Promise<void> {
  await run(`SELECT ${SCHEMA}.make_months()`);
}
