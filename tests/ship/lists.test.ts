import { describe, expect, it } from "vitest";
import { RecordSource } from "../../src/dashboard/team-dashboard.ts";
import type { Database, RunSql } from "../../src/postgres/database.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { newTeam, type Team } from "../dashboard/team.ts";
import { hasPostgres } from "../postgres-server.ts";

const RECORDS = 6_000;

/** Of two teams, so that one has what the other has not. */
async function addRecords({ keeper }: Team): Promise<void> {
  await keeper.run("SELECT amplihack.make_team('zoo')");
  await keeper.run(
    `INSERT INTO ${SCHEMA}.records (team, id, kind, time, person, machine, project, host, session, hash, fields)
     SELECT CASE WHEN n % 6 = 0 THEN 'zoo' ELSE 'acme' END, 'r' || n, CASE n % 3 WHEN 0 THEN 'audit' ELSE 'runs' END,
       now() - n * interval '20 minutes', 'p' || n % 7, 'm' || n % 7, CASE n % 5 WHEN 0 THEN '' ELSE 'project-' || n % 5 END,
       CASE n % 2 WHEN 0 THEN 'codex' ELSE 'claude' END, 's', '', '{}'
     FROM generate_series(1, $1::int) AS n`,
    [RECORDS],
  );
  await keeper.run("ANALYZE");
}

const PARTS = ["person", "machine", "project", "host"] as const;
type Chosen = Partial<Record<(typeof PARTS)[number], string>>;

async function list(
  { run }: Database,
  kind: string,
  behind: number | null,
  chosen: Chosen,
  team = "acme",
): Promise<readonly string[]> {
  const values = [team, kind, behind, 20, ...PARTS.map(part => chosen[part] ?? null)];
  const rows = await run("SELECT number FROM list_records($1, $2, $3, $4, $5, $6, $7, $8)", values);
  return rows.map(({ number }) => String(number));
}

/** The same from the table, by its owner. */
async function expected(
  { keeper }: Team,
  kind: string,
  behind: number | null,
  chosen: Chosen,
  projects: readonly string[] | null,
): Promise<readonly string[]> {
  const rows = await keeper.run(
    `SELECT number FROM ${SCHEMA}.records WHERE team = 'acme' AND kind = $1 AND number > coalesce($2::bigint, 0)
       AND ($3::text[] IS NULL OR project = ANY ($3)) AND ${PARTS.map((part, index) => `coalesce(${part} = $${index + 4}, true)`).join(" AND ")}
     ORDER BY number ${behind === null ? "DESC" : "ASC"} LIMIT 20`,
    [kind, behind, projects, ...PARTS.map(part => chosen[part] ?? null)],
  );
  return rows.map(({ number }) => String(number));
}

/** How many rows and entries of the records and their indexes this statement looks at. */
async function lookedAt(database: Database, work: (run: RunSql) => Promise<unknown>): Promise<number> {
  return database.transaction(async run => {
    const count = async () => {
      const [row] = await run(
        `SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::text AS rows
         FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relname LIKE 'records%'`,
      );
      return Number(row?.["rows"]);
    };
    const before = await count();
    await work(run);
    return (await count()) - before;
  });
}

describe.skipIf(!hasPostgres)("the list of a direct member's records", () => {
  it("has what the member may see, newest first or from a number on", { timeout: 60_000 }, async () => {
    const team = await newTeam();
    const [ann, bob, eve] = [
      await team.join("list_ann"),
      await team.join("list_bob", { projects: "{project-3,project-4}" }),
      await team.join("list_eve", { team: "zoo" }),
    ];
    await addRecords(team);
    const choices: readonly Chosen[] = [
      {},
      { person: "p3" },
      { machine: "m3" },
      { project: "project-3" },
      { project: "project-1" },
      { host: "codex" },
      { person: "p3", project: "project-4", host: "claude" },
      { person: "nobody" },
    ];
    for (const kind of ["runs", "audit"])
      for (const behind of [null, 0, RECORDS - 200])
        for (const chosen of choices) {
          const about = JSON.stringify({ kind, behind, chosen });
          expect([about, await list(ann.database, kind, behind, chosen)]).toEqual([
            about,
            await expected(team, kind, behind, chosen, null),
          ]);
          expect([about, await list(bob.database, kind, behind, chosen)]).toEqual([
            about,
            await expected(team, kind, behind, chosen, ["", "project-3", "project-4"]),
          ]);
        }
    expect(await list(eve.database, "runs", null, {})).toEqual([]);
    expect(await list(eve.database, "audit", null, {}, "zoo")).not.toEqual([]);
  });

  it("costs as much as it lists, however many records the team has", { timeout: 60_000 }, async () => {
    const team = await newTeam();
    const [ann, bob] = [
      await team.join("cost_ann"),
      await team.join("cost_bob", { projects: "{project-3}" }),
    ];
    await addRecords(team);
    for (const { database } of [ann, bob]) {
      // All of it first, then what came since: a page that is open asks for that every few seconds.
      let run = database.run;
      const source = new RecordSource((sql, values) => run(sql, values), ["acme"], {}, true);
      for await (const batch of source.read()) expect(batch).toBeDefined();
      const again = await lookedAt(database, async within => {
        run = within;
        for await (const batch of source.read()) expect(batch.runs).toEqual([]);
      });
      expect(again).toBeLessThan(20);
      const newest = await lookedAt(database, run =>
        run("SELECT FROM list_records('acme', 'runs', null, 20, null, null, null, null)"),
      );
      expect(newest).toBeLessThan(250);
    }
  });
});
