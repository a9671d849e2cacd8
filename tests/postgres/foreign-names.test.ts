import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTeamDatabase } from "../../src/memory/open-postgres-store.ts";
import { PostgresStore } from "../../src/memory/postgres-store.ts";
import { Database, type RunSql } from "../../src/postgres/database.ts";
import { SCHEMA, VIEWS } from "../../src/postgres/schema.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { makeRecordTables } from "../../src/ship/record-tables.ts";
import { draft, NOW_MS, systemAt } from "../memory/store-scene.ts";
import { administer, hasPostgres, type PostgresServer, sharedServer } from "../postgres-server.ts";

const DATABASE = "foreign_names";
/** Names that the other team has, and one of the same length that nobody has. */
const THEIRS = { team: "acme", text: "zebra" };
const NOBODYS = { team: "acne", text: "zebro" };
type Tried = typeof THEIRS;

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  own: ["team"],
  teams: ["team"],
  members: ["team", "member"],
  memories: ["team", "project", "key"],
  memory_removals: ["key"],
  memory_uses: ["project"],
  earlier_values: ["key"],
  records: ["team", "project"],
  audit_heads: ["machine"],
  rollups: ["project"],
  sessions: ["session"],
  totals: ["name"],
};
/** Ways to look for a name that the planner has; a login may switch the others off. */
const WAYS = ["", "seqscan, bitmapscan, hashjoin, nestloop, sort"];
const STATEMENTS = [
  "SELECT FROM «table» WHERE «column» = «name»",
  "SELECT FROM «table» WHERE «column» <= «name» ORDER BY «column» LIMIT 1",
  "SELECT FROM (VALUES («name»)) AS tried (name) JOIN «table» ON «column» = tried.name",
];
/** What members may call, with what it is asked. */
const CALLS = [
  "SELECT amplihack.may_see(«team», «name»)",
  "SELECT amplihack.take_revision(«team»)",
  "SELECT * FROM amplihack.count_memory_words('zoo', ARRAY[«name»], ARRAY[«name»], 10)",
  "SELECT * FROM amplihack.count_memory_words('zoo', ARRAY[«name» || ':*'], ARRAY[''], 10)",
  "SELECT * FROM amplihack.count_memory_words(«team», ARRAY[«name»], ARRAY[«name»], 10)",
  "SELECT * FROM amplihack.similar_memory_terms('zoo', ARRAY[«name»], left(«name», 4), 10)",
  "SELECT * FROM amplihack.search_memories('zoo', «name»::tsquery, ARRAY[«name»::tsquery], '{1}', null, null, null, null, null, null, null, null, null, 10)",
  "SELECT * FROM amplihack.search_memories('zoo', «name»::tsquery, ARRAY[«name»::tsquery], null, ARRAY[«name»], «name», «name», «name», «name», null, null, «name», null, 10)",
  "SELECT amplihack.remove_memory_uses(«team», «name», 9e15::bigint)",
  "SELECT amplihack.remove_memory_uses('zoo', «name», 9e15::bigint)",
  "SELECT amplihack.add_memory_uses(«team», '{1}', ARRAY[«name»::text], ARRAY[«name»::text], '{prompt}', '{1}')",
  ...["null", "1"].flatMap(behind =>
    ["null", "«name»"].map(
      name =>
        `SELECT number FROM amplihack_views.list_records(«team», 'audit', ${behind}, 3, ${name}, ${name}, ${name}, ${name})`,
    ),
  ),
  ...[
    "«name», null, null, null",
    "null, «name», null, null",
    "null, null, «name», null",
    "null, null, null, «name»",
  ].map(names => `SELECT number FROM amplihack_views.list_records('zoo', 'audit', null, 3, ${names})`),
  "SELECT number FROM amplihack_views.list_records('zoo', «name», null, 3, null, null, null, null)",
  "SELECT amplihack.date_removals(«team», ARRAY[amplihack.text_hash('builder', '', «name»)], '{1}')",
];
const CHANGES = [
  "INSERT INTO amplihack.records (team, id, kind, time, machine, project, host, session, hash, fields) VALUES («team», «name», 'runs', now(), '', '', '', '', '', '{}') ON CONFLICT DO NOTHING",
  "INSERT INTO amplihack.audit_heads (team, machine, seq, hash) VALUES («team», «name», 1, '')",
  "INSERT INTO amplihack.memories (team, project, agent, session, key, id, type, category, created_ms, updated_ms, fingerprint, term_count, terms, value) VALUES («team», '', 'builder', '', «name», 'n', 'text', 'context', 1, 1, '', 0, '', '')",
  "INSERT INTO amplihack.earlier_values (team, project, agent, session, key, id, value, type, category, updated_ms, replaced_ms) VALUES («team», '', 'a', '', «name», 'n', '', 'text', 'context', 1, 1)",
  "SELECT FROM amplihack_views.teams WHERE team = «team» FOR UPDATE",
  "SELECT amplihack.add_member(«team», «name»)",
  "SELECT amplihack.make_team(«team»)",
];

let server: PostgresServer;

describe.skipIf(!hasPostgres)("names of other teams", () => {
  const open = async (who?: string) =>
    Database.open(readDatabaseUrl(server.url(DATABASE, who), "option"), { maxConnections: 1 });

  beforeAll(async () => {
    server = await sharedServer();
    await administer(server, `CREATE DATABASE ${DATABASE}`);
    await administer(server, "CREATE ROLE eve LOGIN");
    const address = readDatabaseUrl(server.url(DATABASE), "option");
    const keeper = await openTeamDatabase({ address, team: THEIRS.team });
    await makeRecordTables(keeper);
    await keeper.run("SELECT amplihack.make_team('zoo'), amplihack.add_member('zoo', 'eve')");
    const addRecord = (run: RunSql, team: string, name: string, number: number) =>
      run(
        `INSERT INTO amplihack.records (team, id, kind, time, machine, project, host, session, hash, fields)
         VALUES ($1, $2 || $3, 'audit', now(), $2, $2, $2, $2, $2, jsonb_build_object('verdict', 'deny', 'rules', ARRAY[$2]))`,
        [team, name, number === 0 ? "" : String(number)],
      );
    for (let number = 0; number < 40; number++) {
      await addRecord(keeper.run, THEIRS.team, THEIRS.text, number);
      await addRecord(keeper.run, "zoo", "other", number);
    }
    await keeper.run("INSERT INTO amplihack.audit_heads (team, machine, seq, hash) VALUES ($1, $2, 1, $2)", [
      THEIRS.team,
      THEIRS.text,
    ]);
    const system = systemAt({ nowMs: NOW_MS });
    for (const [team, text] of [
      [THEIRS.team, THEIRS.text],
      ["zoo", "other"],
    ] as const) {
      const store = new PostgresStore(keeper, team, system);
      for (let number = 0; number < 40; number++) {
        const given = { project: text, key: number === 0 ? text : `${text}${number}`, session: text };
        await store.put(draft({ ...given, agent: text, value: `${text} first` }));
        const { memory } = await store.put(draft({ ...given, agent: text, value: text }));
        await store.recordUse([memory], { project: text, session: text, occasion: "prompt" });
        if (number > 30) await store.remove([memory]);
      }
    }
    // What was removed is looked at once more by whoever comes first.
    await keeper.run("VACUUM ANALYZE");
    await keeper.close();
  }, 60_000);

  afterAll(async () => {
    await administer(server, `DROP DATABASE ${DATABASE} WITH (FORCE)`);
    await administer(server, "DROP ROLE eve");
  });

  const fill = (sql: string, { team, text }: Tried): string =>
    sql.replaceAll("«name»", `'${text}'`).replaceAll("«team»", `'${team}'`);
  const hideNames = (text: string): string =>
    [THEIRS, NOBODYS].reduce(
      (all, { team, text: name }) => all.replaceAll(team, "T").replaceAll(name, "N"),
      text,
    );
  /** How many rows and entries of each table and index this session has looked at, which every login may ask. */
  const lookedAt = async (run: RunSql): Promise<ReadonlyMap<string, number>> => {
    const rows = await run(
      `SELECT oid::regclass AS name, pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid) AS rows
       FROM pg_class WHERE relnamespace IN ('${SCHEMA}'::regnamespace, '${VIEWS}'::regnamespace)`,
    );
    return new Map(rows.map(row => [String(row["name"]), Number(row["rows"])]));
  };
  /** What a statement tells: its rows or error, and how many rows and entries were looked at for it. */
  const tell = async (database: Database, sql: string): Promise<string> => {
    const told: string[] = [];
    const attempt = database.transaction(async run => {
      const before = await lookedAt(run);
      await run("SAVEPOINT before");
      try {
        for (const row of await run(sql)) told.push(JSON.stringify(row));
      } catch (error) {
        told.push((error as Error).message);
      }
      await run("ROLLBACK TO before");
      for (const [name, rows] of await lookedAt(run))
        if (rows !== before.get(name)) told.push(`${name}: ${rows - (before.get(name) ?? 0)}`);
      throw new Error("only tried");
    });
    await expect(attempt).rejects.toThrow();
    return hideNames(told.join("\n"));
  };
  const same = async (sql: string): Promise<void> => {
    const database = await open("eve");
    for (const seqscan of ["on", "off"]) {
      await database.run(`SET enable_seqscan = ${seqscan}`);
      const [theirs, nobodys] = [
        await tell(database, fill(sql, THEIRS)),
        await tell(database, fill(sql, NOBODYS)),
      ];
      expect(theirs).toBe(nobodys);
    }
    await database.close();
  };

  it.each(Object.entries(COLUMNS))("are not told by the plans of %s", async (table, columns) => {
    const statements = columns.flatMap(column =>
      STATEMENTS.map(sql =>
        sql.replaceAll("«table»", `${VIEWS}.${table}`).replaceAll("«column»", `${table}.${column}`),
      ),
    );
    const database = await open("eve");
    await database.run(`CREATE FUNCTION pg_temp.plan(sql text, off text) RETURNS text LANGUAGE plpgsql AS $$
      DECLARE line text; told text := '';
      BEGIN
        FOREACH line IN ARRAY string_to_array('seqscan, indexscan, bitmapscan, hashjoin, mergejoin, nestloop, sort', ', ') LOOP
          PERFORM set_config('enable_' || line,
            CASE WHEN line = ANY (string_to_array(off, ', ')) THEN 'off' ELSE 'on' END, true);
        END LOOP;
        FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) ' || sql LOOP told := told || line || E'\\n'; END LOOP;
        RETURN told;
      END $$`);
    const plans = async (tried: Tried): Promise<string> => {
      const rows = await database.run(
        `SELECT sql, pg_temp.plan(sql, off) AS plan FROM unnest($1::text[]) AS sql, unnest($2::text[]) AS off`,
        [statements.map(sql => fill(sql, tried)), WAYS],
      );
      return hideNames(rows.map(row => `${row["sql"]}\n${row["plan"]}`).join("\n"));
    };
    // PostgreSQL 18 shows what planning reads, which is more the first time.
    await plans(NOBODYS);
    expect(await plans(THEIRS)).toBe(await plans(NOBODYS));
    await database.close();
  });

  it.each(CALLS)("are not told by what %s looks at", same);

  it.each(CHANGES)("are not told by what refuses %s", same);

  it("stand in no table that a login reads, but for numbers of memories and versions", async () => {
    const eve = await open("eve");
    const rows = await eve.run(
      `SELECT c.relname AS name, array_agg(a.attname::text) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
       WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
         AND has_column_privilege(c.oid, a.attnum, 'SELECT') GROUP BY 1 ORDER BY 1`,
    );
    const shown = await eve.run(
      "SELECT tablename FROM pg_stats WHERE schemaname LIKE 'amplihack%' AND attname <> 'number'",
    );
    await eve.close();
    expect(rows).toEqual([
      { name: "memories", columns: ["number"] },
      { name: "versions", columns: ["part", "version"] },
    ]);
    expect(shown.filter(row => row["tablename"] !== "versions")).toEqual([]);
  });
});
