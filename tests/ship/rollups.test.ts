import { describe, expect, it } from "vitest";
import type { Overview } from "../../src/dashboard/activity.ts";
import type { Database } from "../../src/postgres/database.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import { SCHEMA, VIEWS } from "../../src/postgres/schema.ts";
import { makeMonths, makeRecordTables, RECORD_TABLES, sums } from "../../src/ship/record-tables.ts";
import { NOON_MS, newTeam, serveTeam } from "../dashboard/team.ts";
import { hasPostgres } from "../postgres-server.ts";

/** Lines of ten people over some days, of every outcome, in one statement as a bulk load would add them. */
const addMany = (database: Database, runs: number, audits: number, about = NOON_MS) =>
  database.run(
    `INSERT INTO ${SCHEMA}.records (team, id, kind, time, machine, project, host, session, hash, fields)
     SELECT 'acme', kind || n, kind, to_timestamp($3 / 1000.0) - n * interval '20 seconds', 'm' || n % 3,
       'github.com/acme/p' || n % 2, CASE n % 3 WHEN 0 THEN 'codex' ELSE 'claude-code' END, 's' || n / 500, '',
       CASE kind WHEN 'runs' THEN jsonb_build_object('ts', to_timestamp($3 / 1000.0) - n * interval '20 seconds',
         'hook', 'pre_tool_use', 'duration_us', n, 'event', CASE WHEN n % 11 = 0 THEN 'Stop' ELSE 'PreToolUse' END,
         'result', CASE WHEN n % 97 = 0 THEN 'error' ELSE 'ok' END,
         'decision', CASE n % 4 WHEN 0 THEN 'deny' WHEN 1 THEN 'ask' ELSE 'none' END,
         'rules', jsonb_build_array('rule.' || n % 5, 'rule.' || n % 2))
       ELSE jsonb_build_object('ts', now(), 'verdict', 'allow', 'rules', '[]'::jsonb,
         'notes', jsonb_build_array('kept: fs.rm ', 5, 'kept:')) END
     FROM (
       SELECT 'runs' AS kind, n FROM generate_series(1, $1::int) AS n
       UNION ALL SELECT 'audit', n FROM generate_series(1, $2::int) AS n
     ) AS made ORDER BY random()`,
    [runs, audits, about],
  );

/** What the sums differ in from a count over every record: nothing, in either direction. */
async function differences(database: Database): Promise<readonly unknown[]> {
  const columns = "team, span, start, person, machine, project, host, kind, outcome, rule, count, failed";
  const counted = `SELECT ${columns} FROM (${sums(`${SCHEMA}.records`)}) AS all_records`;
  const kept = `SELECT ${columns} FROM ${SCHEMA}.rollups`;
  // Of each name by itself, in the whole team and in its parts.
  const named = [
    "'all', ''",
    "'rule', rule",
    "'person', person",
    "'machine', machine",
    "'project', project",
    "'host', host",
  ];
  const counts = ["'all', ''", "'project', project", "'host', host"].flatMap(part =>
    named.map(
      (by, index) =>
        `SELECT team, start, ${part}, ${by}, kind, ${index < 2 ? "outcome" : "''"}, sum(count), sum(failed)
         FROM ${SCHEMA}.rollups WHERE span = 'day' AND rule ${index === 1 ? "<>" : "="} '' GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
    ),
  );
  const total = counts.join(" UNION ALL ");
  const totals = `SELECT team, start, part, part_name, by, name, kind, outcome, count, failed FROM ${SCHEMA}.totals`;
  const compare = (one: string, other: string) =>
    `(${one} EXCEPT ${other}) UNION ALL (${other} EXCEPT ${one})`;
  return [
    ...(await database.run(compare(counted, kept))),
    ...(await database.run(compare(`(${total})`, totals))),
  ];
}

describe.skipIf(!hasPostgres)("sums of records", () => {
  it("are exact on the page, however many there are and in whatever order they came", async () => {
    const { keeper, url } = await newTeam();
    await addMany(keeper, 6_000, 2_100);
    expect(await differences(keeper)).toEqual([]);
    const served = await serveTeam(url);
    const { body } = await served.ask("/?days=30");
    // 6 000 runs, of which every eleventh is no call.
    expect(body).toContain(`<b>${(6_000 - Math.floor(6_000 / 11)).toLocaleString("en")} calls</b>`);
    const [sessions] = await keeper.run(
      `SELECT count(DISTINCT (machine, session)) AS count FROM ${SCHEMA}.records`,
    );
    expect(body).toContain(`in ${sessions?.["count"]} sessions on 2 projects`);
    const refused = Array.from({ length: 6_000 }, (_, n) => n + 1).filter(n => n % 4 === 0 && n % 11 !== 0);
    expect(body).toContain(`<b>${refused.length.toLocaleString("en")}</b> refused`);
    expect(body).toContain("<b>2,100</b> kept");
    const overview = await served.json<Overview>("/api/overview");
    expect(overview).toMatchObject({ calls: 6_000, denied: 1_500, asked: 1_500, unreadable: 0 });
    expect(overview.failures).toBe(Math.floor(6_000 / 97));
    // Lists are capped, and say so where they stand.
    const calls = (await served.ask("/calls")).body;
    expect(calls).toContain("The newest 2,000 runs of hooks and 1,000 judgements of what is chosen.");
    const one = await served.json<Overview>("/api/overview?machine=m2&host=codex");
    const [row] = await keeper.run(
      `SELECT count(*) AS count FROM ${SCHEMA}.records WHERE machine = 'm2' AND host = 'codex' AND kind = 'runs'`,
    );
    expect(one.calls).toBe(Number(row?.["count"]));
  });

  it("follow what the owner changes and removes, and what comes twice changes nothing", async () => {
    const { keeper } = await newTeam();
    await addMany(keeper, 300, 100);
    await expect(addMany(keeper, 10, 0)).rejects.toMatchObject({ code: "23505" });
    await keeper.run(`UPDATE ${SCHEMA}.records SET machine = 'laptop until 2026-11' WHERE machine = 'm1'`);
    expect(await differences(keeper)).toEqual([]);
    await keeper.run(`DELETE FROM ${SCHEMA}.records WHERE machine = 'm2' OR session = 's1'`);
    expect(await differences(keeper)).toEqual([]);
    expect(await keeper.run(`SELECT FROM ${SCHEMA}.sessions WHERE machine = 'm2'`)).toEqual([]);
    await keeper.run(`UPDATE ${SCHEMA}.teams SET team = 'renamed' WHERE team = 'acme'`);
    expect(await differences(keeper)).toEqual([]);
    await keeper.run(`TRUNCATE ${SCHEMA}.records`);
    expect(await differences(keeper)).toEqual([]);
  });

  it("are written by nobody but the tables themselves, and seen by project", async () => {
    const { keeper, join } = await newTeam();
    await addMany(keeper, 70, 0);
    const carl = await join("carl", { projects: "{github.com/acme/p1}" });
    for (const table of ["rollups", "sessions", "totals"])
      for (const statement of [`DELETE FROM ${SCHEMA}.${table}`, `UPDATE ${SCHEMA}.${table} SET team = ''`])
        await expect(carl.database.run(statement)).rejects.toMatchObject({ code: "42501" });
    const projects = await carl.database.run(`SELECT DISTINCT project FROM ${VIEWS}.rollups`);
    expect(projects).toEqual([{ project: "github.com/acme/p1" }]);
    // Totals are of all projects.
    expect(await carl.database.run(`SELECT FROM ${VIEWS}.totals`)).toEqual([]);
    await expect(carl.database.run(`SELECT FROM ${SCHEMA}.records_other`)).rejects.toMatchObject({
      code: "42501",
    });
  });

  it("are made for what an earlier version stored, which moves into tables by month", async () => {
    const { keeper } = await newTeam();
    await keeper.run(
      `DROP TABLE ${SCHEMA}.records, ${SCHEMA}.audit_heads, ${SCHEMA}.rollups, ${SCHEMA}.sessions, ${SCHEMA}.totals CASCADE`,
    );
    for (const name of ["insert", "delete", "update"])
      await keeper.run(`DROP FUNCTION ${SCHEMA}.records_${name}, ${SCHEMA}.rollups_${name}`);
    await keeper.run(`DROP FUNCTION ${SCHEMA}.records_truncate`);
    await keeper.run(`DROP FUNCTION ${SCHEMA}.make_months`);
    await keeper.run(`DELETE FROM ${SCHEMA}.versions WHERE part = 'records'`);
    await migrate(keeper, "records", [RECORD_TABLES]);
    await addMany(keeper, 500, 50, Date.now());
    const before = await keeper.run(`SELECT number, id FROM ${SCHEMA}.records ORDER BY number`);
    await makeRecordTables(keeper);
    expect(await keeper.run(`SELECT number, id FROM ${SCHEMA}.records ORDER BY number`)).toEqual(before);
    expect(await differences(keeper)).toEqual([]);
    await addMany(keeper, 0, 51, Date.now() + 1).catch(() => {});
    expect(await keeper.run(`SELECT FROM ${SCHEMA}.records_other`)).toEqual([]);
  });

  it("have a table for each month, into which lines move that came before it was made", async () => {
    const { keeper } = await newTeam();
    await addMany(keeper, 20, 0, Date.now());
    const [month] = await keeper.run(
      `SELECT tableoid::regclass::text AS name, count(*) AS count FROM ${SCHEMA}.records GROUP BY 1 ORDER BY 2 DESC`,
    );
    await keeper.run(`ALTER TABLE ${SCHEMA}.records DETACH PARTITION ${month?.["name"]}`);
    await keeper.run(
      `INSERT INTO ${SCHEMA}.records OVERRIDING SYSTEM VALUE SELECT * FROM ${month?.["name"]}`,
    );
    await keeper.run(`DROP TABLE ${month?.["name"]}`);
    const numbers = await keeper.run(`SELECT number FROM ${SCHEMA}.records ORDER BY number`);
    expect(await keeper.run(`SELECT FROM ${SCHEMA}.records_other`)).not.toEqual([]);
    await Promise.all([makeMonths(keeper), makeMonths(keeper)]);
    expect(await keeper.run(`SELECT FROM ${SCHEMA}.records_other`)).toEqual([]);
    expect(await keeper.run(`SELECT number FROM ${SCHEMA}.records ORDER BY number`)).toEqual(numbers);
  });
});
