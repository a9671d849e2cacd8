import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { findBrokenAnchor, makeAnchor } from "../../src/server/anchors.ts";
import { exportPerson, forgetPerson } from "../../src/server/person-data.ts";
import { ROLE } from "../../src/server/tables.ts";
import { hasPostgres } from "../postgres-server.ts";
import { row, type Scene, serverScene } from "./scene.ts";

const counts = async ({ owner }: Scene) => {
  const [found] = await owner.run(
    `SELECT (SELECT count(*)::int FROM ${SCHEMA}.records) AS records,
       (SELECT coalesce(sum(count), 0)::int FROM ${SCHEMA}.rollups WHERE span = 'day' AND rule = '') AS summed,
       (SELECT coalesce(sum(records), 0)::int FROM ${SCHEMA}.sessions) AS sessions`,
  );
  return found;
};

/** Two months ago, in the middle. */
function oldMs(): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 15);
}

describe.skipIf(!hasPostgres)("what is kept", () => {
  it("is dropped by the month when no team keeps it, and the chain stays whole", async () => {
    const scene = await serverScene();
    const [olga, zoe] = [
      await scene.visit("acme", "olga", "owner"),
      await scene.visit("zoo", "zoe", "owner"),
    ];
    const keys = [await scene.join(olga, "acme", "laptop"), await scene.join(zoe, "zoo", "desk")];
    const acme = scene.database.ofTeam(ROLE, "acme");
    for (const [index, key] of keys.entries())
      await scene.post("/api/v1/records", key, {
        rows: [row(1), row(2, { ms: oldMs() + index, id: "f".repeat(31) + index })],
      });
    await makeAnchor(acme, "acme");
    await scene.post("/api/v1/records", keys[0] ?? "", { rows: [row(3)] });
    const newest = await makeAnchor(acme, "acme");
    const prune = () => scene.database.run(`SELECT ${SCHEMA}.server_prune()`);
    await prune();
    expect(await counts(scene)).toEqual({ records: 5, summed: 5, sessions: 5 });
    const keep = { four_eyes: "", keep_months: "1", silent_hours: "24" };
    await olga.send("/settings", { team: "acme", ...keep });
    await prune();
    // The other team keeps everything: the rows of this one alone are gone.
    expect(await counts(scene)).toEqual({ records: 4, summed: 4, sessions: 4 });
    expect(await findBrokenAnchor(acme.run)).toBeUndefined();
    expect((await scene.post("/api/v1/seen", keys[0] ?? "", { anchor: newest })).body).toMatchObject({
      anchorHash: newest?.hash,
    });
    await zoe.send("/settings", { team: "zoo", ...keep });
    await prune();
    expect(await counts(scene)).toMatchObject({ records: 3, summed: 3 });
    const month = new Date(oldMs()).toISOString().slice(0, 7);
    const table = `${SCHEMA}.records_${month.replace("-", "_")}`;
    expect(await scene.owner.run("SELECT to_regclass($1) AS there", [table])).toEqual([{ there: null }]);
    expect((await zoe.get("/people?team=zoo")).body).toContain(`dropped the records of a month: ${month}`);
    // A change is noticed as before.
    await scene.owner.run(`UPDATE ${SCHEMA}.records SET host = 'other' WHERE id LIKE '%3'`);
    expect(await findBrokenAnchor(acme.run)).toBe(2);
  });

  it("of a person is exported without secrets and deleted by one command, in one team", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const max = await scene.visit("acme", "max", "member");
    const elsewhere = await scene.visit("zoo", "max", "member");
    const key = await scene.join(max, "acme", "laptop");
    const other = await scene.join(olga, "acme", "desk");
    await scene.post("/api/v1/records", key, {
      rows: [row(1), row(2)],
      head: { seq: 2, hash: "0".repeat(64) },
    });
    await scene.post("/api/v1/records", other, { rows: [row(3)] });
    const question = { digest: "a".repeat(64), nonce: "n".repeat(43), command: "rm -rf build" };
    await scene.post("/api/v1/questions", key, question);
    const lines: string[] = [];
    const count = await exportPerson(scene.owner, "acme", "max", line => lines.push(line));
    expect(lines).toHaveLength(count);
    const tables = lines.map(line => (JSON.parse(line) as { table: string }).table);
    for (const table of [
      "records",
      "rollups",
      "sessions",
      "audit_heads",
      "server_people",
      "server_machines",
      "server_questions",
      "server_log",
    ])
      expect(tables).toContain(table);
    expect(lines.join("")).not.toMatch(/"(next_)?hash"|nonce/);
    expect(lines.join("")).not.toContain("olga");
    await makeAnchor(scene.database.ofTeam(ROLE, "acme"), "acme");
    expect(await forgetPerson(scene.owner, "acme", "max", "root")).toBe(2);
    const left: string[] = [];
    await exportPerson(scene.owner, "acme", "max", line => left.push(line));
    // What they did to others' data stays.
    expect(left.every(line => line.startsWith('{"table":"server_log"'))).toBe(true);
    expect((await scene.post("/api/v1/seen", key, {})).status).toBe(401);
    expect((await max.get("/?team=acme")).status).toBe(403);
    expect((await elsewhere.get("/?team=zoo")).status).toBe(200);
    expect(await counts(scene)).toEqual({ records: 1, summed: 1, sessions: 1 });
    expect(await findBrokenAnchor(scene.database.ofTeam(ROLE, "acme").run)).toBeUndefined();
    expect((await olga.get("/people")).body).toContain("deleted the data of a person");
    // The server itself may do neither.
    await expect(exportPerson(scene.database, "acme", "olga", () => {})).rejects.toThrow();
    await expect(
      scene.database.run(`SELECT ${SCHEMA}.server_remove('acme', NULL, 'infinity')`),
    ).rejects.toThrow();
  });
});
