import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { makeLink } from "../../src/server/people.ts";
import { ROLE } from "../../src/server/tables.ts";
import { hasPostgres } from "../postgres-server.ts";
import { workerMachine } from "../recipes/workers/worker-machine.ts";
import { row, type Scene, serverScene } from "./scene.ts";

const HOSTILE = [
  `</td><script>alert(1)</script>`,
  `'; DROP TABLE amplihack.records; --`,
  `" onload="x`,
  "\u0000\u202e%00../../etc/passwd",
];

/** A secret of the right form that nobody was given. */
const UNKNOWN = "A".repeat(43);

const post = (scene: Scene, path: string, headers: Record<string, string>, body: string | Buffer) =>
  scene.ask(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

describe.skipIf(!hasPostgres)("hostile requests", () => {
  it("with no, foreign, malformed and replayed keys are refused alike", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    for (const authorization of [
      "",
      `Bearer ${UNKNOWN}`,
      `Bearer ${key}x`,
      `Basic ${key}`,
      `Bearer ${key.toUpperCase()}`,
      "Bearer ' OR 1=1 --",
    ]) {
      const answer = await post(scene, "/api/v1/records", { authorization }, JSON.stringify({ rows: [] }));
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.body).toBe('{"error":"the key is missing or not valid"}');
    }
    // The key of a machine opens no page, answers no join, and the cookie of a person ships nothing.
    const asMachine = { cookie: `__Host-amplihack=${key}`, authorization: `Bearer ${key}` };
    expect((await scene.ask("/", { headers: asMachine })).status).toBe(401);
    const begun = (await scene.post("/api/v1/join", undefined, { machine: "second" })).body;
    const form = { "content-type": "application/x-www-form-urlencoded", origin: scene.url, ...asMachine };
    const own = await scene.ask("/join", {
      method: "POST",
      headers: form,
      body: `code=${begun["code"]}&team=acme&answer=yes&csrf=${key}`,
    });
    expect(own.status).toBe(401);
    const byCookie = await post(
      scene,
      "/api/v1/records",
      { cookie: olga.cookie },
      JSON.stringify({ rows: [row(1)] }),
    );
    expect(byCookie.status).toBe(401);
    expect(await scene.owner.run(`SELECT FROM ${SCHEMA}.records`)).toEqual([]);
  });

  it("from other sites, with other origins, without the page's secret or with another's change nothing", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const max = await scene.visit("acme", "max", "member");
    const [, foreign = ""] = /name="csrf" value="([^"]+)"/.exec((await max.get("/people")).body) ?? [];
    const fields = { team: "acme", do: "invite", person: "eve", role: "viewer" };
    const tries = [
      await olga.send("/people", fields, { origin: "https://evil.example" }),
      await olga.send("/people", fields, { origin: "null", "sec-fetch-site": "cross-site" }),
      await olga.send("/people", fields, { origin: "null", "sec-fetch-site": "same-site" }),
      await olga.send("/people", fields, { origin: "null", "sec-fetch-site": "none" }),
      await olga.send("/people", fields, { "sec-fetch-site": "cross-site" }),
      await olga.send("/people", { ...fields, csrf: "" }),
      await olga.send("/people", { ...fields, csrf: foreign }),
      await olga.send("/people", fields, { "content-type": "text/plain" }),
    ];
    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403, 415]);
    for (const { status } of [
      await olga.send("/logout", { csrf: "x" }),
      await olga.send("/machines", { team: "acme", id: "x", csrf: "x" }),
    ])
      expect(status).toBe(403);
    expect(await scene.owner.run(`SELECT FROM ${SCHEMA}.server_links WHERE person = 'eve'`)).toEqual([]);
    // A link is used by the page alone, not by whoever looks at it, and counts once.
    expect((await scene.ask(`/login?link=${UNKNOWN}`)).body).toContain("lets you in once");
    const login = { method: "POST", body: `link=${UNKNOWN}` };
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: scene.url };
    expect((await scene.ask("/login", { ...login, headers })).status).toBe(403);
    expect(
      (await scene.ask("/login", { ...login, headers: { ...headers, origin: "https://evil.example" } }))
        .status,
    ).toBe(403);
  });

  it("cannot fix a session, keep an expired one, or bring two cookies", async () => {
    const scene = await serverScene();
    const planted = `__Host-amplihack=${UNKNOWN}`;
    const olga = await scene.visit("acme", "olga", "owner");
    expect(olga.cookie).not.toBe(planted);
    expect((await scene.ask("/", { headers: { cookie: planted } })).status).toBe(401);
    expect((await scene.ask("/", { headers: { cookie: `${olga.cookie}; ${planted}` } })).status).toBe(401);
    await scene.owner.run(`UPDATE ${SCHEMA}.server_logins SET expires = now()`);
    expect((await olga.get("/")).status).toBe(401);
  });

  it("for another team see and change nothing, and the database holds it back by itself", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const zoe = await scene.visit("zoo", "zoe", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    await scene.post("/api/v1/records", key, { rows: [row(1)] });
    for (const path of ["/?team=acme", "/machines?team=acme", "/people?team=acme", "/calls?team=acme"])
      expect([path, (await zoe.get(path)).status]).toEqual([path, 403]);
    const [machine] = await scene.owner.run(`SELECT id FROM ${SCHEMA}.server_machines`);
    const id = String(machine?.["id"]);
    expect((await zoe.send("/machines", { team: "acme", id })).status).toBe(403);
    // The id of another team's machine, under one's own team.
    expect((await zoe.send("/machines", { team: "zoo", id })).status).toBe(404);
    expect(
      (await zoe.send("/people", { team: "acme", do: "invite", person: "zoe", role: "owner" })).status,
    ).toBe(403);
    const begun = (await scene.post("/api/v1/join", undefined, { machine: "x" })).body;
    expect(
      (await zoe.send("/join", { code: String(begun["code"]), team: "acme", answer: "yes" })).status,
    ).toBe(403);
    // As if the server's code had a hole: whatever it asks, it sees the team that it set.
    const zoo = scene.database.ofTeam(ROLE, "zoo");
    for (const table of ["records", "rollups", "sessions", "server_machines", "server_log", "teams"]) {
      const rows = await zoo.run(`SELECT team FROM ${SCHEMA}.${table} WHERE team <> 'zoo'`);
      expect([table, rows]).toEqual([table, []]);
    }
    await expect(
      zoo.run(`UPDATE ${SCHEMA}.server_machines SET revoked = now() RETURNING id`),
    ).resolves.toEqual([]);
    await expect(
      zoo.run(`INSERT INTO ${SCHEMA}.server_people (team, person, role) VALUES ('acme', 'zoe', 'owner')`),
    ).rejects.toMatchObject({ code: "42501" });
    for (const table of ["server_logins", "server_joins", "server_links"])
      await expect(zoo.run(`SELECT * FROM ${SCHEMA}.${table}`)).rejects.toMatchObject({ code: "42501" });
    await expect(zoo.run(`DELETE FROM ${SCHEMA}.records`)).rejects.toMatchObject({ code: "42501" });
    // Without a team it sees nothing, and so does the login itself.
    expect(await scene.database.run(`SELECT team FROM ${SCHEMA}.records`)).toEqual([]);
  });

  it("with a link in the name of somebody of another team open that team alone, and so does what they add", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    await scene.visit("zoo", "zoe", "admin");
    // An admin makes a link with a name that is an owner's elsewhere, and follows it.
    const thief = await scene.visit("zoo", "olga", "viewer");
    const page = "/people?team=acme";
    expect((await thief.get(page)).status).toBe(403);
    expect((await thief.get("/people")).status).toBe(200);
    const stolen = { team: "acme", do: "invite", person: "max", role: "owner" };
    expect((await thief.send("/people", stolen)).status).toBe(403);
    const begun = (await scene.post("/api/v1/join", undefined, { machine: "x" })).body;
    const joining = { code: String(begun["code"]), team: "acme", answer: "yes" };
    expect((await thief.send("/join", joining)).status).toBe(403);
    // Whoever is in both follows both links in one browser.
    const link = await makeLink(scene.database, { team: "zoo", person: "olga", role: "member" });
    const { headers } = await scene.ask("/login", {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: scene.url,
        cookie: olga.cookie,
      },
      body: `link=${link}`,
    });
    const both = { cookie: String(headers["set-cookie"]).split(";")[0] ?? "" };
    for (const team of ["acme", "zoo"])
      expect((await scene.ask(`/people?team=${team}`, { headers: both })).status).toBe(200);
    expect((await thief.get(page)).status).toBe(403);
  });

  it("with a link from before somebody was removed, or got another role, let nobody in", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const linkOf = async (person: string) => {
      const { body } = await olga.send("/people", { team: "acme", do: "invite", person, role: "admin" });
      return /login\?link=([A-Za-z0-9_-]{43})/.exec(body)?.[1] ?? "";
    };
    const follow = async (link: string) => {
      const form = { "content-type": "application/x-www-form-urlencoded", origin: scene.url };
      return (await scene.ask("/login", { method: "POST", headers: form, body: `link=${link}` })).status;
    };
    const [removed, lessened, replaced] = [await linkOf("max"), await linkOf("ann"), await linkOf("bob")];
    await olga.send("/people", { team: "acme", do: "remove", person: "max" });
    await olga.send("/people", { team: "acme", do: "add", person: "ann", role: "viewer" });
    const newest = await linkOf("bob");
    for (const link of [removed, lessened, replaced]) expect(await follow(link)).toBe(403);
    expect(await follow(newest)).toBe(303);
  });

  it("with text that is markup or SQL in every field are stored and shown as text", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    for (const [index, text] of HOSTILE.entries()) {
      const key = await scene.join(olga, "acme", text);
      const fields = {
        ts: new Date().toISOString(),
        hook: text,
        duration_us: 1,
        event: "PreToolUse",
        result: text,
        decision: "deny",
        rules: [text],
        tool: text,
      };
      const names = { project: text, host: text, session: text };
      const { status } = await scene.post("/api/v1/records", key, {
        program: text,
        policy: text,
        autonomy: text,
        hosts: [text],
        rows: [row(index, { ...names, fields })],
      });
      expect(status).toBe(200);
      for (const path of [
        `/?q=${encodeURIComponent(text)}`,
        "/calls",
        "/sessions",
        "/machines",
        "/people",
        `/search?q=${encodeURIComponent(text)}`,
        `/join?code=${encodeURIComponent(text)}`,
        `/session?id=${encodeURIComponent(text)}`,
        `/?person=${encodeURIComponent(text)}&machine=${encodeURIComponent(text)}`,
      ]) {
        const { status: shown, body } = await olga.get(path);
        expect([path, shown]).toEqual([path, 200]);
        expect(body).not.toContain("<script>alert");
        expect(body).not.toContain('" onload="x');
      }
      const question = { command: text, cwd: text, rules: [text], found: [text], session: text, host: text };
      const asked = await scene.post("/api/v1/questions", key, {
        ...question,
        project: text,
        digest: "a".repeat(64),
        nonce: "n".repeat(43),
      });
      expect(asked.status).toBeLessThan(500);
      const team = "acme";
      for (const [path, fields] of [
        ["/questions", { id: text, answer: text, until: text }],
        ["/questions", { id: text, answer: "once" }],
        ["/policy", { do: "propose", text: `{} // ${text}`, cases: "", reason: text }],
        ["/policy", { do: "propose", text, cases: text, reason: text }],
        ["/policy", { do: "roll", version: text, share: text }],
        ["/settings", { four_eyes: text, keep_months: text, silent_hours: text }],
        ["/webhooks", { do: "add", url: text, form: text, event: text, rules: text }],
        ["/webhooks", { do: "remove", id: text }],
        ["/machines", { id: text }],
      ] as const) {
        const answer = await olga.send(path, { team, ...fields });
        expect([path, answer.status < 500, answer.body.includes("<script>alert")]).toEqual([
          path,
          true,
          false,
        ]);
      }
      for (const path of ["/questions", "/policy", "/settings", "/people"]) {
        const { status: shown, body } = await olga.get(path);
        expect([path, shown]).toEqual([path, 200]);
        expect(body).not.toContain("<script>alert");
        expect(body).not.toContain('" onload="x');
      }
      const invited = await olga.send("/people", {
        team: "acme",
        do: "invite",
        person: text,
        role: "viewer",
      });
      expect(invited.status).toBe(400);
      expect((await olga.get(`/?team=${encodeURIComponent(text)}`)).status).toBe(403);
    }
    const rows = await scene.owner.run(`SELECT FROM ${SCHEMA}.records`);
    expect(rows).toHaveLength(HOSTILE.length);
    expect(scene.log).toEqual([]);
  });

  it("that are bombs, no requests, or lie about where they come from are refused, and none fills the log", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const authorization = `Bearer ${await scene.join(olga, "acme", "laptop")}`;
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const gzip = { authorization, "content-encoding": "gzip" };
    expect((await post(scene, "/api/v1/records", gzip, bomb)).status).toBe(413);
    expect((await post(scene, "/api/v1/records", gzip, "no gzip")).status).toBe(413);
    expect(
      (await post(scene, "/api/v1/records", { authorization, "content-encoding": "br" }, "{}")).status,
    ).toBe(415);
    expect(
      (await post(scene, "/api/v1/records", { authorization }, `${"[".repeat(5_000)}${"]".repeat(5_000)}`))
        .status,
    ).toBe(400);
    expect(
      (
        await post(scene, "/api/v1/records", { authorization, "content-length": "999999999" }, "{}").catch(
          () => ({ status: 413 }),
        )
      ).status,
    ).toBe(413);
    for (const rows of [
      5,
      [5],
      [row(1, { id: "x" })],
      [row(1, { kind: "all" })],
      [row(1, { ms: -1 })],
      [row(1, { ms: "now" })],
      [row(1, { fields: 5 })],
      Array.from({ length: 2_001 }, () => row(1)),
    ])
      expect((await post(scene, "/api/v1/records", { authorization }, JSON.stringify({ rows }))).status).toBe(
        400,
      );
    expect((await scene.ask("/", { headers: { cookie: "x".repeat(20_000) } })).status).toBe(431);
    expect((await scene.ask("//evil.example/%2e%2e/", { headers: { cookie: olga.cookie } })).status).toBe(
      400,
    );
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"])
      expect((await scene.ask("/", { method })).status).toBe(405);
    // No answer leads anywhere but here, whatever the address says.
    const { headers } = await olga.send("/join", {
      code: "BCDF-GHJK",
      team: "https://evil.example",
      answer: "no",
    });
    expect(String(headers["location"] ?? "/")).toMatch(/^\/(?!\/)/);
    const host = await scene.ask("/login", {
      headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
    });
    expect(host.body).not.toContain("evil.example");
    const { port } = new URL(scene.url);
    const raw = await new Promise<string>(resolve => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write("NOT HTTP\r\n\r\n"));
      socket.on("data", data => resolve(data.toString()));
      socket.on("close", () => resolve("closed"));
    });
    expect(raw).toMatch(/^HTTP\/1\.1 400|closed/);
    expect(scene.log).toEqual([]);
  });

  it("that guess are soon not answered, and a forged X-Forwarded-For does not help", async () => {
    const scene = await serverScene();
    const statuses = new Set<number>();
    for (let index = 0; index < 90; index++) {
      const headers = { authorization: `Bearer ${UNKNOWN}`, "x-forwarded-for": `10.0.0.${index}` };
      statuses.add((await post(scene, "/api/v1/seen", headers, "{}")).status);
    }
    expect(statuses).toContain(429);
    const https = await scene.ask("/login", { headers: { "x-forwarded-proto": "https" } });
    expect(https.headers["strict-transport-security"]).toBeUndefined();
  });

  it("with numbers, names and documents that no page makes are answered, and break nothing inside", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    // Runs of recipes are there before the first page, so that their ids are looked for.
    const machine = await workerMachine(scene.place);
    await machine.database.run(`SELECT ${SCHEMA}.add_member('acme', 'keeper')`);
    machine.write("r.yaml", JSON.stringify({ name: "r", steps: [{ id: "s", command: "true" }] }));
    await machine.submit("r.yaml", "--team", "acme");
    const key = await scene.join(olga, "acme", "laptop");
    expect((await olga.get("/recipes")).body).toContain('data-key="run-');
    for (const path of [
      "/usage?days=999999999",
      "/usage?by=__proto__",
      "/usage?by=day;DROP&person=%00&project=%ED%A0%80",
      "/?days=999999999",
      "/?team=__proto__",
      "/?team=acme&team=zoo",
      "/recipe?id=%00",
      "/recipe?id=%EF%BF%BF%27%22",
      "/recipes?person=%00&machine=%25",
      "/sessions?from=999999999",
      "/session?id=%00",
      "/search?q=%00%2A%28%28",
      "/constructor",
      "/machines/..%2f..%2fetc",
    ])
      expect([path, (await olga.get(path)).status < 500]).toEqual([path, true]);
    const bomb = [
      "a: &a [x]",
      ...[..."bcdefghi"].map((name, at) => `${name}: &${name} [${`*${"abcdefgh"[at]},`.repeat(9)}]`),
    ];
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      ["/policy", { do: "propose", reason: "r", text: "[".repeat(100_000), cases: "" }],
      ["/policy", { do: "propose", reason: "r", text: '{"guard":'.repeat(20_000), cases: "" }],
      ["/policy", { do: "propose", reason: "r", text: "{}", cases: bomb.join("\n") }],
      ["/policy", { do: "propose", reason: "r", text: "{}", cases: "[".repeat(50_000) }],
      ["/policy", { do: "roll", version: "99999999999999999999", share: "1e9" }],
      ["/questions", { id: "\0", answer: "once" }],
      ["/questions", { id: "x", answer: "always", until: "2026-02-31" }],
      ["/people", { do: "link", person: "\0", role: "owner" }],
      ["/people", { do: "link", person: "max", role: "constructor" }],
      ["/people", { do: "remove", person: "\0" }],
      ["/machines", { id: "\0", do: "revoke" }],
      ["/settings", { keep_months: "1e3", silent_hours: "-0" }],
      ["/webhooks", { do: "add", url: "https://\0", event: "denial", form: "json" }],
      ["/webhooks", { do: "remove", id: "\0" }],
      ["/passkeys", { do: "remove", id: "\0" }],
    ];
    for (const [path, form] of forms) {
      const { status } = await olga.send(path, { team: "acme", ...form });
      expect([path, form["text"]?.slice(0, 9) ?? form["id"] ?? form["do"], status < 500]).toEqual([
        path,
        form["text"]?.slice(0, 9) ?? form["id"] ?? form["do"],
        true,
      ]);
    }
    for (const [path, body] of [
      ["/api/v1/records", { rows: [row(1, { ms: 253_402_214_400_000, fields: { duration_us: 1e308 } })] }],
      ["/api/v1/records", { rows: [], head: { seq: 2 ** 53, hash: "a".repeat(64) } }],
      ["/api/v1/seen", { hosts: ["\0", "\ud800"], program: "\0", anchor: { number: -1e300 } }],
      ["/api/v1/policy", { sha256: "\0" }],
      ["/api/v1/memory", { since: "\0", changes: [{ key: "\0" }] }],
      ["/api/v1/usage", { usage: [{ day: "2026-01-01", project: "\0\ud800", tokens: [] }] }],
    ] as const)
      expect([path, (await scene.post(path, key, body)).status < 500]).toEqual([path, true]);
    expect(scene.log).toEqual([]);
  });

  it("of ten further kinds are refused, and leave nothing behind", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const zoe = await scene.visit("zoo", "zoe", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    const foreign = await scene.join(zoe, "zoo", "laptop");
    const headers = { authorization: `Bearer ${key}` };
    const { port } = new URL(scene.url);
    const raw = (text: string) =>
      new Promise<string>(resolve => {
        let said = "";
        const socket = connect(Number(port), "127.0.0.1", () => socket.end(text));
        socket.on("data", data => {
          said += data.toString();
        });
        socket.on("error", () => resolve(said));
        socket.on("close", () => resolve(said));
      });

    // 1. Two lengths of one body: what a proxy takes for a body would be a request here.
    const smuggled =
      "POST /api/v1/seen HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    expect(await raw(smuggled)).toMatch(/^HTTP\/1\.1 400/);
    expect(await raw(smuggled)).not.toContain('"ok":true');
    // 2. A line break in a header's value.
    expect(await raw("GET /login HTTP/1.1\r\nhost: x\r\nx: a\rset-cookie: y\r\n\r\n")).not.toMatch(
      /set-cookie/i,
    );
    // 3. A line of one's own under the number of another team's line: both are kept, each in its team.
    await scene.post("/api/v1/records", foreign, { rows: [row(1, { session: "theirs" })] });
    expect((await scene.post("/api/v1/records", key, { rows: [row(1, { session: "ours" })] })).status).toBe(
      200,
    );
    expect(await scene.owner.run(`SELECT team, session FROM ${SCHEMA}.records ORDER BY team`)).toEqual([
      { team: "acme", session: "ours" },
      { team: "zoo", session: "theirs" },
    ]);
    // 4. A body that names another team, person or machine.
    const named = { team: "zoo", person: "zoe", machine: "other", machine_id: "x", rows: [row(2)] };
    await scene.post("/api/v1/records", key, named);
    const [mine] = await scene.owner.run(
      `SELECT team, person::text AS person, machine FROM ${SCHEMA}.records WHERE id = $1`,
      ["2".padStart(32, "0")],
    );
    expect(mine).toEqual({ team: "acme", person: "olga", machine: "laptop" });
    // 5. A head of an audit log for a machine of another team changes nothing there.
    const head = { seq: 9, hash: "a".repeat(64) };
    await scene.post("/api/v1/records", key, { rows: [], head, machine: "laptop", team: "zoo" });
    expect(await scene.owner.run(`SELECT team FROM ${SCHEMA}.audit_heads`)).toEqual([{ team: "acme" }]);
    // 6. A prototype in JSON.
    const polluted =
      '{"__proto__":{"isOld":true,"team":"zoo"},"constructor":{"prototype":{"team":"zoo"}},"rows":[]}';
    expect((await post(scene, "/api/v1/records", headers, polluted)).status).toBeLessThan(500);
    expect(({} as Record<string, unknown>)["isOld"]).toBeUndefined();
    // 7. A question of another team's, answered under one's own.
    const question = { digest: "b".repeat(64), nonce: "n".repeat(43), command: "rm x" };
    await scene.post("/api/v1/questions", key, question);
    const [asked] = await scene.owner.run(`SELECT id FROM ${SCHEMA}.server_questions`);
    const id = String(asked?.["id"]);
    expect((await zoe.send("/questions", { team: "zoo", id, answer: "once" })).status).toBeGreaterThanOrEqual(
      400,
    );
    expect((await scene.post("/api/v1/questions", foreign, question)).body).not.toHaveProperty("statement");
    expect(await scene.owner.run(`SELECT FROM ${SCHEMA}.server_questions WHERE answer IS NOT NULL`)).toEqual(
      [],
    );
    // 8. Two keys in one header, and a key in the address.
    expect(
      (await post(scene, "/api/v1/seen", { authorization: `Bearer ${key}, Bearer ${foreign}` }, "{}")).status,
    ).toBe(401);
    expect((await scene.ask(`/api/v1/seen?key=${key}`, { method: "POST", body: "{}" })).status).toBe(401);
    // 9. The same code of a join answered by two people: the first one counts.
    const begun = (await scene.post("/api/v1/join", undefined, { machine: "third" })).body;
    const code = String(begun["code"]);
    expect((await zoe.send("/join", { code, team: "zoo", answer: "yes" })).status).toBe(303);
    expect((await olga.send("/join", { code, team: "acme", answer: "yes" })).status).toBe(410);
    const secret = begun["secret"];
    expect((await scene.post("/api/v1/join/end", undefined, { secret })).body).toMatchObject({ team: "zoo" });
    expect((await scene.post("/api/v1/join/end", undefined, { secret })).status).toBe(410);
    // 10. A login goes on after its person was removed: it opens nothing any more.
    const max = await scene.visit("acme", "max", "admin");
    await olga.send("/people", { team: "acme", do: "remove", person: "max" });
    for (const path of ["/?team=acme", "/machines?team=acme", "/settings?team=acme"])
      expect([path, (await max.get(path)).status]).toEqual([path, 403]);
    expect(scene.log).toEqual([]);
  });
});
