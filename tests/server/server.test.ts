import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Database } from "../../src/postgres/database.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { findBrokenAnchor, makeAnchor } from "../../src/server/anchors.ts";
import { RecordQueue } from "../../src/server/record-queue.ts";
import { ROLE } from "../../src/server/tables.ts";
import type { ShippedRow } from "../../src/ship/index.ts";
import { hasPostgres } from "../postgres-server.ts";
import { row, serverScene } from "./scene.ts";

describe.skipIf(!hasPostgres)("the server of a team", () => {
  it("lets the first owner in by a link, a machine by its code, and shows what it ships", async () => {
    const scene = await serverScene();
    expect((await scene.ask("/healthz")).status).toBe(200);
    expect((await scene.ask("/readyz")).status).toBe(200);
    expect((await scene.ask("/")).status).toBe(401);
    const olga = await scene.visit("acme", "olga", "owner");
    expect(olga.cookie).toMatch(/^__Host-amplihack=[A-Za-z0-9_-]{43}$/);
    const begun = (await scene.post("/api/v1/join", undefined, { machine: "laptop" })).body;
    expect(begun).toMatchObject({
      code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      address: `${scene.url}/join?code=${begun["code"]}`,
    });
    expect((await scene.post("/api/v1/join/end", undefined, { secret: begun["secret"] })).body).toEqual({
      state: "waiting",
    });
    expect((await olga.get(`/join?code=${begun["code"]}`)).body).toContain("<b>laptop</b>");
    const yes = await olga.send("/join", { code: String(begun["code"]), team: "acme", answer: "yes" });
    expect(yes).toMatchObject({ status: 303, headers: { location: "/machines?team=acme" } });
    const { body: joined } = await scene.post("/api/v1/join/end", undefined, { secret: begun["secret"] });
    expect(joined).toMatchObject({ state: "joined", team: "acme", person: "olga" });
    // The key is told once.
    expect((await scene.post("/api/v1/join/end", undefined, { secret: begun["secret"] })).status).toBe(410);
    const key = String(joined["key"]);
    const rows = [1, 2, 3].map(number => row(number));
    const batch = { program: "0.1.0", policy: "abc", rows, head: { seq: 3, hash: "0".repeat(64) } };
    expect(await scene.post("/api/v1/records", key, batch)).toMatchObject({
      status: 200,
      body: { taken: 3 },
    });
    // What comes twice, also compressed, changes nothing.
    const again = await scene.ask("/api/v1/records", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-encoding": "gzip",
        authorization: `Bearer ${key}`,
      },
      body: gzipSync(JSON.stringify(batch)),
    });
    expect(again.status).toBe(200);
    const stored = await scene.owner.run(`SELECT team, person, machine FROM ${SCHEMA}.records`);
    expect(stored).toEqual(
      Array.from({ length: 3 }, () => ({ team: "acme", person: "olga", machine: "laptop" })),
    );
    const home = await olga.get("/");
    expect(home.status).toBe(200);
    expect(home.body).toContain("<b>3 calls</b>");
    expect(home.body).not.toContain("Only this machine");
    const machines = (await olga.get("/machines")).body;
    expect(machines).toContain("laptop");
    expect(machines).toContain("0.1.0");
    for (const path of ["/sessions", "/calls", "/search?q=Bash", "/people"])
      expect((await olga.get(path)).status).toBe(200);
    expect((await olga.get("/memory")).status).toBe(404);
    expect((await scene.ask("/metrics")).body).toContain('route="POST /api/v1/records",status="200"} 2');
    expect((await olga.send("/logout", {})).status).toBe(303);
    expect((await olga.get("/")).status).toBe(401);
    expect(scene.log).toEqual([]);
  });

  it("replaces keys that are old, and takes none that was revoked", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    await scene.owner.run(`UPDATE ${SCHEMA}.server_machines SET key_since = now() - interval '40 days'`);
    const first = await scene.post("/api/v1/seen", key, {});
    const next = String(first.body["key"]);
    expect(next).toMatch(/^[A-Za-z0-9_-]{43}$/);
    // An answer that was lost: the old one still counts, and another new one is given.
    const other = String((await scene.post("/api/v1/seen", key, {})).body["key"]);
    expect((await scene.post("/api/v1/seen", next, {})).status).toBe(401);
    expect((await scene.post("/api/v1/seen", other, {})).status).toBe(200);
    expect((await scene.post("/api/v1/seen", key, {})).status).toBe(401);
    const [row] = await scene.owner.run(`SELECT id FROM ${SCHEMA}.server_machines`);
    expect((await olga.send("/machines", { team: "acme", id: String(row?.["id"]) })).status).toBe(303);
    expect((await scene.post("/api/v1/seen", other, {})).status).toBe(401);
    expect((await olga.get("/people")).body).toContain("revoked the key of a machine");
  });

  it("anchors what was shipped, so that a change by the owner of the tables is noticed", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    const send = (number: number) => scene.post("/api/v1/records", key, { rows: [row(number)] });
    await send(1);
    const acme = scene.database.ofTeam(ROLE, "acme");
    const anchor = await makeAnchor(acme, "acme");
    expect(anchor).toMatchObject({ number: 1 });
    expect(await makeAnchor(acme, "acme")).toBeUndefined();
    expect((await send(2)).body).toMatchObject({ anchor });
    await makeAnchor(acme, "acme");
    expect(await findBrokenAnchor(acme.run)).toBeUndefined();
    expect((await scene.post("/api/v1/seen", key, { anchor })).body).toMatchObject({
      anchorHash: anchor?.hash,
    });
    await scene.owner.run(
      `UPDATE ${SCHEMA}.records SET fields = fields || '{"decision":"allow"}' WHERE id LIKE '%1'`,
    );
    expect(await findBrokenAnchor(acme.run)).toBe(1);
    // A chain that is written anew is another one for whoever kept a link.
    await scene.owner.run(`DELETE FROM ${SCHEMA}.server_anchors`);
    await makeAnchor(acme, "acme");
    const after = (await scene.post("/api/v1/seen", key, { anchor })).body;
    expect(after["anchorHash"]).not.toBe(anchor?.hash);
  });

  it("lets admins invite and remove, never above themselves, and keeps the last owner", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const invited = await olga.send("/people", {
      team: "acme",
      do: "invite",
      person: "adam@acme.example",
      role: "admin",
    });
    expect(invited.body).toContain(`${scene.url}/login?link=`);
    const adam = await scene.visit("acme", "adam@acme.example", "admin");
    const change = (who: typeof adam, fields: Record<string, string>) =>
      who.send("/people", { team: "acme", ...fields });
    expect((await change(adam, { do: "invite", person: "eve", role: "owner" })).status).toBe(403);
    expect((await change(adam, { do: "remove", person: "olga" })).status).toBe(403);
    expect((await change(adam, { do: "invite", person: "olga", role: "viewer" })).status).toBe(403);
    expect((await change(olga, { do: "remove", person: "olga" })).status).toBe(409);
    const max = await scene.visit("acme", "max", "member");
    expect((await change(max, { do: "invite", person: "eve", role: "viewer" })).status).toBe(403);
    const key = await scene.join(max, "acme", "desk");
    expect((await change(adam, { do: "remove", person: "max" })).status).toBe(303);
    expect((await max.get("/")).status).toBe(403);
    expect((await scene.post("/api/v1/seen", key, {})).status).toBe(401);
  });

  it("is one of two over one database, and ends after what is under way", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    const sent = Array.from({ length: 20 }, (_, index) =>
      scene.post("/api/v1/records", key, { rows: [row(index), row(index + 1)] }),
    );
    await Promise.all(sent);
    const [count] = await scene.owner.run(`SELECT count(*) AS count FROM ${SCHEMA}.records`);
    expect(count).toEqual({ count: "21" });
    await scene.running.close();
    await expect(scene.ask("/healthz")).rejects.toThrow();
  });

  it("leaves an older server that is still running what it uses of the tables", async () => {
    const scene = await serverScene();
    const older = scene.database.ofTeam("amplihack_server", "acme", "olga");
    // As servers wrote them before members had views.
    await older.transaction(async run => {
      expect(
        await run("SELECT revision FROM amplihack.teams WHERE team = $1 FOR NO KEY UPDATE", ["acme"]),
      ).toHaveLength(1);
      await run(
        `INSERT INTO amplihack.records (person, team, id, kind, time, machine, project, host, session, hash, fields)
         VALUES ('olga', 'acme', '1', 'runs', now(), 'm', '', '', '', '', '{}') ON CONFLICT DO NOTHING`,
      );
      await run("SELECT amplihack.take_revision($1)", ["acme"]);
      await run(
        `INSERT INTO amplihack.memories (team, project, agent, session, key, id, type, category, created_ms, updated_ms,
           fingerprint, term_count, terms, value)
         VALUES ('acme', '', 'a', '', 'k', 'i', 'text', 'context', 1, 1, '', 0, '', 'one'),
           ('acme', '', 'a', '', 'l', 'j', 'text', 'context', 1, 1, '', 0, '', 'two')`,
      );
      await run("UPDATE amplihack.memories SET value = 'three' WHERE team = 'acme' AND key = 'k'");
      await run(
        "SELECT amplihack.remove_memories(ARRAY(SELECT number FROM amplihack.memories WHERE team = 'acme' AND key = 'l'))",
      );
      await run("UPDATE amplihack.memory_removals SET removed_ms = 5 WHERE team = 'acme' AND key = 'l'");
      await run("SELECT projects FROM amplihack.members WHERE team = 'acme'");
    });
    const found = await older.run(
      `SELECT (SELECT count(*)::int FROM amplihack.records) AS records, (SELECT sum(count)::int FROM amplihack.rollups WHERE span = 'day') AS summed,
         (SELECT value FROM amplihack.memories) AS value, (SELECT value FROM amplihack.earlier_values) AS earlier,
         (SELECT removed_ms::int FROM amplihack.memory_removals) AS removed`,
    );
    expect(found).toEqual([{ records: 1, summed: 1, value: "three", earlier: "one", removed: 5 }]);
  });

  it("tells two machines of one name apart", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    for (const [index, name] of ["laptop", "laptop", "laptop"].entries()) {
      const key = await scene.join(olga, "acme", name);
      await scene.post("/api/v1/records", key, { rows: [row(index + 1)] });
    }
    const rows = await scene.owner.run(`SELECT machine FROM ${SCHEMA}.records ORDER BY machine`);
    expect(rows.map(({ machine }) => machine)).toEqual(["laptop", "laptop 2", "laptop 3"]);
  });

  it("writes what comes at the same time together, and refuses what is wrong alone", async () => {
    const scene = await serverScene();
    let transactions = 0;
    const database: Database = Object.create(scene.database);
    database.ofTeam = (...of) => {
      transactions += 1;
      return scene.database.ofTeam(...of);
    };
    const queue = new RecordQueue(database);
    const add = (name: string, number: number, more: object = {}) => {
      const machine = { id: name, team: "acme", person: `p-${name}`, machine: name, isOld: false };
      const rows = [row(number, more) as ShippedRow];
      const part = { machine: name, person: machine.person, rows, head: undefined };
      return queue.add({ machine, body: {}, part });
    };
    // The first is under way while the others come.
    await Promise.all([1, 2, 3, 4, 5, 6].map(number => add(`m${number}`, number)));
    expect(transactions).toBe(2);
    const [one, wrong, other] = await Promise.allSettled([
      add("m1", 11),
      add("m2", 12, { kind: "nothing of ours" }),
      add("m3", 13),
    ]);
    expect([one.status, wrong.status, other.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const rows = await scene.owner.run(
      `SELECT person || ' ' || machine AS whose FROM ${SCHEMA}.records ORDER BY number`,
    );
    expect(rows.map(({ whose }) => whose)).toEqual(
      ["m1", "m2", "m3", "m4", "m5", "m6", "m1", "m3"].map(name => `p-${name} ${name}`),
    );
  });
});
