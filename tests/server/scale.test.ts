import { describe, expect, it } from "vitest";
import type { Database } from "../../src/postgres/database.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { hasPostgres } from "../postgres-server.ts";
import { serverScene } from "./scene.ts";

const isLong = process.env["AMPLIHACK_TEST_LONG"] === "1";
const RECORDS = Number(process.env["AMPLIHACK_SCALE_RECORDS"] ?? 5_000_000);
/** One statement of it stays well below the time that a statement may take. */
const STEP = 100_000;
const PEOPLE = 200;
const OF_SESSION = 200;
const DAYS = 60;

const line = (members: object) =>
  `'${JSON.stringify({ ts: new Date().toISOString(), tool: "Bash", ...members })}'::jsonb`;
const judgement = (verdict: string) => line({ verdict, rules: ["git.push"] });
const RUN = { hook: "pre_tool_use", event: "PreToolUse", result: "ok", decision: "none", duration_us: 900 };

/**
 * As they are after months of use, without the months: lines first, then indexes over all of them, then what the triggers
 * would have kept. That those count rightly is for tests/ship/rollups.test.ts.
 */
async function fill(owner: Database): Promise<void> {
  const { run } = owner;
  const long = (sql: string) =>
    owner.transaction(
      async each => {
        await each("SET LOCAL work_mem = '512MB'");
        await each("SET LOCAL maintenance_work_mem = '1GB'");
        await each(sql);
      },
      { hasNoTimeLimit: true },
    );
  const records = `${SCHEMA}.records`;
  await run(`ALTER TABLE ${records} DISABLE TRIGGER count_insert`);
  await run(`ALTER TABLE ${records} DROP CONSTRAINT records_pkey`);
  const indexes = await run(
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename = 'records'",
    [SCHEMA],
  );
  for (const { indexname } of indexes) await run(`DROP INDEX ${SCHEMA}.${indexname}`);
  let next = 1;
  const add = async () => {
    while (next <= RECORDS) {
      const from = next;
      next += STEP;
      await run(
        `INSERT INTO ${records} (team, id, kind, time, person, machine, project, host, session, hash, fields)
         SELECT 'acme', lpad(to_hex(n), 32, '0'), CASE WHEN n % 4 = 0 THEN 'audit' ELSE 'runs' END,
           now() - make_interval(secs => (n % (${DAYS} * 86400))::double precision), 'p' || n % ${PEOPLE}, 'm' || n % ${PEOPLE},
           'project-' || n % 50, CASE n % 3 WHEN 0 THEN 'codex' WHEN 1 THEN 'claude' ELSE 'gemini' END,
           's-' || n / ${PEOPLE * OF_SESSION}, '${"0".repeat(64)}',
           CASE WHEN n % 12 = 0 THEN ${judgement("deny")} WHEN n % 4 = 0 THEN ${judgement("ask")} ELSE ${line(RUN)} END
         FROM generate_series($1::bigint, $2::bigint) AS n`,
        [from, Math.min(RECORDS, from + STEP - 1)],
      );
    }
  };
  await Promise.all([add(), add()]);
  for (const { indexdef } of indexes) await long(String(indexdef).replace("ON ONLY", "ON"));
  await long(`ALTER TABLE ${records} ADD CONSTRAINT records_pkey PRIMARY KEY (team, id, time)`);
  await long(
    `INSERT INTO ${SCHEMA}.rollups (team, span, start, person, machine, project, host, kind, outcome, rule, count, failed)
     SELECT 'acme', span, date_trunc(span, hour, 'UTC'), person::text, machine, project, host, kind, outcome, rule, sum(count), 0
     FROM (
       SELECT date_trunc('hour', time, 'UTC') AS hour, person, machine, project, host,
         CASE kind WHEN 'audit' THEN 'judgement' ELSE 'call' END AS kind,
         CASE WHEN kind = 'runs' THEN 'silent' WHEN fields->>'verdict' = 'deny' THEN 'refused' ELSE 'asked' END AS outcome,
         CASE kind WHEN 'audit' THEN ARRAY['git.push', ''] ELSE ARRAY[''] END AS rules, count(*) AS count
       FROM ${records} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
     ) AS hourly, unnest(ARRAY['hour', 'day']) AS span, unnest(rules) AS rule GROUP BY 2, 3, 4, 5, 6, 7, 8, 9, 10`,
  );
  await long(
    `INSERT INTO ${SCHEMA}.sessions (team, person, machine, session, host, project, first, last, records, runs, stopped, failures)
     SELECT 'acme', person::text, machine, session, max(host), max(project), min(time), max(time), count(*),
       count(*) FILTER (WHERE kind = 'runs'), 0, 0
     FROM ${records} GROUP BY person, machine, session`,
  );
  await run(`ALTER TABLE ${records} ENABLE TRIGGER count_insert`);
  await long("ANALYZE");
}

describe.skipIf(!hasPostgres || !isLong)("a team with many records", () => {
  it("has pages with exact totals; prints how long each takes", { timeout: 3_600_000 }, async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    await fill(scene.owner);
    const [sum] = await scene.owner.run(
      `SELECT sum(count)::bigint AS count FROM ${SCHEMA}.rollups WHERE span = 'day' AND rule = ''`,
    );
    expect(sum).toEqual({ count: String(RECORDS) });
    // What the pages are made of is read with the first one.
    await (await scene.visit("zoo", "zoe", "owner")).get("/");
    const paths = [
      "/",
      "/?days=30",
      "/?days=7",
      "/?person=p7",
      "/?project=project-3&days=30",
      "/sessions",
      "/calls",
      "/search?q=git",
      "/machines",
      "/questions",
      "/people",
      "/policy",
    ];
    for (const round of ["first", "again"])
      for (const path of paths) {
        const started = performance.now();
        const { status } = await olga.get(path);
        expect([path, status]).toEqual([path, 200]);
        console.log(`${round} ${path}: ${Math.round(performance.now() - started)} ms of ${RECORDS} records`);
      }
  });
});
