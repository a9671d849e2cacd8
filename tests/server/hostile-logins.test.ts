import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../src/postgres/database.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { administer, hasPostgres } from "../postgres-server.ts";
import { row, type Scene, serverScene } from "./scene.ts";

/** What anybody who may connect may call; each looks at whom it answers. */
const OPEN_FUNCTIONS = [
  "add_member",
  "add_memory_uses",
  "approval_answering",
  "author",
  "count_memory_words",
  "date_removals",
  "make_months",
  "make_team",
  "may_see",
  "memories_added",
  "memories_removed",
  "memories_replaced",
  "memory_changing",
  "memory_stays",
  "records_delete",
  "records_insert",
  "records_truncate",
  "records_update",
  "remove_memories",
  "remove_memory_uses",
  "revision_changing",
  "rollups_delete",
  "rollups_insert",
  "rollups_update",
  "run_submitting",
  "search_memories",
  "server_last_owner",
  "server_person_gone",
  "server_person_less",
  "similar_memory_terms",
  "take_revision",
  "team_terms",
  "term_query",
  "text_hash",
];

const ADD =
  "INSERT INTO amplihack.records (team, id, kind, time, machine, project, host, session, hash, fields)";

async function loginOf(scene: Scene, name: string, team?: string): Promise<Database> {
  const { server, name: database } = scene.place;
  await administer(server, `CREATE ROLE ${name} LOGIN`);
  onTestFinished(() => administer(server, `DROP ROLE ${name}`));
  if (team !== undefined) await scene.owner.run("SELECT amplihack.add_member($1, $2)", [team, name]);
  const login = await Database.open(readDatabaseUrl(server.url(database, name), "option"));
  onTestFinished(() => login.close());
  return login;
}

describe.skipIf(!hasPostgres)("a login of the database beside a server", () => {
  it("reads no table of the server, calls none of its functions, and becomes nobody else", async () => {
    const scene = await serverScene();
    const logins = [await loginOf(scene, "eve", "acme"), await loginOf(scene, "sid")];
    const tables = await scene.owner.run(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind IN ('r', 'p')
         AND relname <> 'versions'`,
    );
    expect(tables.length).toBeGreaterThan(25);
    for (const login of logins) {
      for (const { name } of tables)
        await expect(login.run(`SELECT * FROM ${SCHEMA}.${name}`), String(name)).rejects.toMatchObject({
          code: "42501",
        });
      const functions = await login.run(
        `SELECT DISTINCT p.proname AS name FROM pg_proc p WHERE p.pronamespace = '${SCHEMA}'::regnamespace
           AND has_function_privilege(p.oid, 'EXECUTE')
           AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') ORDER BY 1`,
      );
      expect(
        functions.map(row => String(row["name"])).filter(name => !OPEN_FUNCTIONS.includes(name)),
      ).toEqual([]);
      // Not for its grammar, nor because it asks for what is not there.
      for (const statement of [
        "SET ROLE amplihack_server",
        "SET SESSION AUTHORIZATION amplihack_server",
        "SELECT set_config('role', 'amplihack_server', false)",
        "GRANT amplihack_server TO CURRENT_USER",
        "ALTER ROLE amplihack_server PASSWORD 'x'",
        "CREATE TABLE amplihack.x (a int)",
        "CREATE TABLE amplihack_views.x (a int)",
        "CREATE FUNCTION amplihack_views.may_see(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        "CREATE OR REPLACE VIEW amplihack_views.own AS SELECT 'zoo' AS team, NULL::text[] AS projects",
        "ALTER VIEW amplihack_views.own OWNER TO CURRENT_USER",
        "DROP VIEW amplihack_views.own CASCADE",
        "CREATE RULE r AS ON INSERT TO amplihack_views.teams DO INSTEAD NOTHING",
        "CREATE TRIGGER t BEFORE INSERT ON amplihack.records EXECUTE FUNCTION amplihack.memory_stays()",
        "CREATE POLICY mine ON amplihack.records USING (true)",
        "ALTER TABLE amplihack.server_keys DISABLE ROW LEVEL SECURITY",
        "COMMENT ON TABLE amplihack.records IS 'mine'",
        "SET session_replication_role = replica",
        "INSERT INTO amplihack_views.own VALUES ('zoo', NULL)",
        "UPDATE amplihack_views.teams SET revision = 1",
        "DELETE FROM amplihack_views.records",
        "INSERT INTO amplihack.versions VALUES ('server', 99)",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY amplihack.versions TO PROGRAM 'cat'",
        "SELECT lo_import('/etc/passwd')",
        "ALTER SYSTEM SET log_statement = 'all'",
        "DO 'BEGIN LOCK TABLE amplihack_views.teams IN ROW EXCLUSIVE MODE; END'",
        "DO 'BEGIN LOCK TABLE amplihack_views.records IN SHARE MODE; END'",
        "TRUNCATE amplihack.records",
        `${ADD} VALUES ('zoo', 'x', 'runs', now(), '', '', '', '', '', '{}')`,
        `INSERT INTO amplihack.audit_heads (team, machine, seq, hash) VALUES ('zoo', 'm', 1, '')`,
        "INSERT INTO amplihack.server_people (team, person, role) VALUES ('acme', 'eve', 'owner')",
        "UPDATE amplihack.server_machines SET revoked = NULL",
      ])
        await expect(login.run(statement), statement).rejects.toMatchObject({
          message: expect.not.stringMatching(/42601|42883|42704|tables are not there/),
        });
    }
  });

  it("gains nothing by the names and settings that the server uses", async () => {
    const scene = await serverScene();
    const eve = await loginOf(scene, "eve", "acme");
    await scene.owner.run(`${ADD} VALUES ('zoo', 'x', 'runs', now(), '', 'p', '', '', '', '{}')`);
    const seen = await eve.transaction(async run => {
      await run(
        "SELECT set_config('amplihack.team', 'zoo', true), set_config('amplihack.person', 'zoe', true)",
      );
      await run("SET LOCAL row_security = off");
      await run("CREATE TEMP TABLE members (team text, member name, projects text[])");
      await run("INSERT INTO pg_temp.members VALUES ('zoo', 'eve', NULL)");
      await run("CREATE FUNCTION pg_temp.may_see(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'");
      await run("SET LOCAL search_path = pg_temp, amplihack_views, amplihack");
      return [
        await run("SELECT FROM records"),
        await run("SELECT FROM amplihack_views.records"),
        await run("SELECT FROM amplihack_views.own WHERE team = 'zoo'"),
        await run("SELECT WHERE amplihack.may_see('zoo', '')"),
        await run("SELECT WHERE amplihack.take_revision('zoo') IS NOT NULL"),
      ];
    });
    expect(seen.map(rows => rows.length)).toEqual([0, 0, 0, 0, 0]);
    await expect(
      eve.transaction(async run => {
        await run("SELECT set_config('amplihack.team', 'zoo', true)");
        await run(`${ADD} VALUES ('zoo', 'y', 'runs', now(), '', '', '', '', '', '{}')`);
      }),
    ).rejects.toMatchObject({ code: "42501" });
  });

  it("writes nothing that breaks the pages, the chain or the sums of its own team", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const eve = await loginOf(scene, "eve", "acme");
    let number = 0;
    const add = (time: string, fields: string, names = "''") => {
      number += 1;
      return eve
        .run(
          `${ADD} VALUES ('acme', 'r${number}', 'runs', ${time}, ${names}, ${names}, ${names}, ${names}, ${names}, ${fields})`,
        )
        .catch(() => []);
    };
    for (const time of [
      "'infinity'",
      "'-infinity'",
      "'4714-11-24 BC'",
      "'294276-12-31'",
      "'0001-01-01'",
      "'9999-12-31'",
    ])
      await add(time, `'{"hook":"x","duration_us":1,"event":"PreToolUse"}'`);
    for (const fields of [
      "'null'",
      "'[]'",
      `'"text"'`,
      "'1e300000'",
      `'{"hook":"x","duration_us":1e300000,"context":-1e300000,"event":["PreToolUse"]}'`,
      `'{"hook":{"a":1},"duration_us":"1","rules":{"a":1},"notes":[[["kept: x y"]]]}'`,
      `jsonb_build_object('hook', 'x', 'ts', 'infinity', 'duration_us', 1, 'event', 'PreToolUse', 'tool', repeat('<b>', 9000))`,
      `jsonb_build_object('verdict', 'deny', 'rules', (SELECT jsonb_agg('r' || n) FROM generate_series(1, 5000) AS n))`,
      `jsonb_build_object('hook', 'x', 'seq', 9e15, 'prev', repeat('p', 100000))`,
      `(repeat('[', 6000) || repeat(']', 6000))::jsonb`,
    ])
      await add("now()", fields);
    await add("now()", `'{"hook":"x","duration_us":1}'`, "repeat(E'\\u202e<script>', 60)");
    await add("now()", `'{"hook":"x","duration_us":1}'`, "repeat(E'\\x01\\x1b[31m', 60)");
    await eve.run(
      "INSERT INTO amplihack.audit_heads (team, machine, seq, hash) VALUES ('acme', 'm', -9223372036854775808, '')",
    );
    await scene.owner.run(`UPDATE ${SCHEMA}.records SET kind = 'audit' WHERE id = 'r9'`);
    const broken: string[] = [];
    for (const path of [
      "/",
      "/?days=1",
      "/calls",
      "/sessions",
      "/rules",
      "/usage",
      "/machines",
      "/people",
      "/search?q=x",
      "/recipes",
      "/overview",
    ]) {
      const { status } = await olga.get(path);
      if (status >= 500) broken.push(`${path} ${status}`);
    }
    const key = await scene.join(olga, "acme", "laptop");
    expect((await scene.post("/api/v1/records", key, { rows: [row(1)] })).status).toBe(200);
    expect([broken, scene.log]).toEqual([[], []]);
  });
});
