import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/migrate.ts";
import { hasPostgres } from "../postgres-server.ts";
import { serverScene } from "./scene.ts";

const isLong = process.env["AMPLIHACK_TEST_LONG"] === "1";
const RECORDS = Number(process.env["AMPLIHACK_SCALE_RECORDS"] ?? 5_000_000);
/** One statement of it stays well below the time that a statement may take. */
const STEP = 50_000;

describe.skipIf(!hasPostgres || !isLong)("a team with many records", () => {
  it("has pages with exact totals; prints how long each takes", { timeout: 3_600_000 }, async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    for (let from = 1; from <= RECORDS; from += STEP)
      await scene.owner.run(
        `INSERT INTO ${SCHEMA}.records (team, id, kind, time, person, machine, project, host, session, hash, fields)
         SELECT 'acme', lpad(to_hex(n), 32, '0'), CASE WHEN n % 4 = 0 THEN 'audit' ELSE 'runs' END,
           now() - make_interval(secs => (n % (60 * 86400))::double precision), 'p' || n % 200, 'm' || n % 200, 'project-' || n % 50,
           (ARRAY['codex', 'claude', 'gemini'])[1 + n % 3], 's-' || n / 200, repeat('0', 64),
           CASE WHEN n % 4 = 0
             THEN jsonb_build_object('verdict', CASE WHEN n % 12 = 0 THEN 'deny' ELSE 'ask' END, 'rules', jsonb_build_array('git.push'), 'tool', 'Bash')
             ELSE jsonb_build_object('hook', 'pre_tool_use', 'event', 'PreToolUse', 'result', 'ok', 'decision', 'none', 'duration_us', 900, 'tool', 'Bash') END
             || jsonb_build_object('ts', to_char(now() - make_interval(secs => (n % (60 * 86400))::double precision), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
         FROM generate_series($1::bigint, $2::bigint) AS n`,
        [from, Math.min(RECORDS, from + STEP - 1)],
      );
    await scene.owner.run("ANALYZE");
    const [sum] = await scene.owner.run(
      `SELECT sum(count)::bigint AS count FROM ${SCHEMA}.rollups WHERE span = 'day' AND rule = ''`,
    );
    expect(sum).toEqual({ count: String(RECORDS) });
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
