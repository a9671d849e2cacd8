import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { ROLES, type Role } from "../../src/server/tables.ts";
import { hasPostgres } from "../postgres-server.ts";
import { row, type Scene, serverScene } from "./scene.ts";

/** Every form of the server's pages, as somebody would send it who may, and the least role that may. */
const FORMS: readonly (readonly [path: string, least: Role, form: Readonly<Record<string, string>>])[] = [
  ["/machines", "admin", { id: "«machine»" }],
  ["/people", "admin", { do: "invite", person: "mallory", role: "viewer" }],
  ["/people", "admin", { do: "add", person: "mallory", role: "viewer" }],
  ["/people", "admin", { do: "remove", person: "victim" }],
  ["/questions", "approver", { id: "«question»", answer: "once" }],
  ["/questions", "approver", { id: "«question»", answer: "always", until: "2026-12-31" }],
  ["/questions", "approver", { id: "«question»", answer: "no" }],
  ["/policy", "admin", { do: "propose", text: "{}", cases: "", reason: "mine" }],
  ["/policy", "admin", { do: "roll", version: "1", share: "100" }],
  ["/settings", "admin", { four_eyes: "on", keep_months: "1", silent_hours: "1" }],
  ["/webhooks", "admin", { do: "add", url: "https://a.example/", form: "json", event: "denial", rules: "" }],
  ["/join", "member", { code: "«code»", answer: "yes" }],
];
const STATE = ["people", "links", "machines", "questions", "policies", "settings", "webhooks"];

async function stateOf(scene: Scene): Promise<string> {
  const found: unknown[] = [];
  for (const table of STATE)
    found.push(
      await scene.owner.run(
        `SELECT md5(string_agg(to_jsonb(t)::text, ',' ORDER BY to_jsonb(t)::text)) AS all FROM ${SCHEMA}.server_${table} t`,
      ),
    );
  return JSON.stringify(found);
}

describe.skipIf(!hasPostgres)("the team server", () => {
  it("takes each form from the roles that may and changes nothing for others, nor for a machine's key", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    await scene.visit("acme", "victim", "viewer");
    const key = await scene.join(olga, "acme", "laptop");
    await scene.post("/api/v1/questions", key, {
      digest: "b".repeat(64),
      nonce: "n".repeat(43),
      command: "rm x",
    });
    await olga.send("/policy", { team: "acme", do: "propose", text: "{}", cases: "", reason: "first" });
    const only = async (table: string) =>
      String((await scene.owner.run(`SELECT id FROM ${SCHEMA}.server_${table}`))[0]?.["id"]);
    const begun = (await scene.post("/api/v1/join", undefined, { machine: "second" })).body;
    const known = {
      "«machine»": await only("machines"),
      "«question»": await only("questions"),
      "«code»": String(begun["code"]),
    };
    const filled = (form: Readonly<Record<string, string>>) =>
      Object.fromEntries(
        Object.entries(form).map(([name, value]) => [name, known[value as keyof typeof known] ?? value]),
      );
    const visitors = await Promise.all(
      ROLES.map(async role => [role, await scene.visit("acme", `one.${role}`, role)] as const),
    );
    const zoe = await scene.visit("zoo", "zoe", "owner");
    const before = await stateOf(scene);
    for (const [path, least, form] of FORMS) {
      const sent = { team: "acme", ...filled(form) };
      for (const [role, browser] of visitors)
        if (ROLES.indexOf(role) < ROLES.indexOf(least)) {
          expect([path, role, (await browser.send(path, sent)).status]).toEqual([path, role, 403]);
          // Words that other programs take for another method or another person.
          const headers = {
            "x-http-method-override": "GET",
            "x-forwarded-user": "olga",
            "x-original-url": "/login",
          };
          expect([path, role, (await browser.send(path, sent, headers)).status]).toEqual([path, role, 403]);
          expect([path, role, (await browser.send(`${path}?team=zoo&role=owner`, sent)).status]).toEqual([
            path,
            role,
            403,
          ]);
        }
      expect([path, (await zoe.send(path, sent)).status]).toEqual([path, 403]);
      // An agent with the key of a machine, and the same words: as a bearer, as a cookie, and in the address.
      const body = new URLSearchParams({ ...sent, csrf: key }).toString();
      const type = { "content-type": "application/x-www-form-urlencoded", origin: scene.url };
      for (const headers of [
        { ...type, authorization: `Bearer ${key}` },
        { ...type, cookie: `__Host-amplihack=${key}` },
      ])
        expect([path, (await scene.ask(path, { method: "POST", headers, body })).status]).toEqual([
          path,
          401,
        ]);
      expect([
        path,
        (await scene.ask(`${path}?${body}`, { headers: { authorization: `Bearer ${key}` } })).status,
      ]).toEqual([path, 401]);
    }
    expect(await stateOf(scene)).toBe(before);
    expect(scene.log).toEqual([]);
  });

  it("takes nothing from a key that is not what its machine sends, and answers each with a word", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    const authorization = `Bearer ${key}`;
    const json = { "content-type": "application/json", authorization };
    const question = { digest: "b".repeat(64), nonce: "n".repeat(43), command: "rm x" };
    const long = Array.from({ length: 900 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
    ).join("");
    const send = (path: string, body: unknown) => scene.post(path, key, body as object);
    const bodies: readonly (readonly [path: string, body: unknown])[] = [
      ["records", { rows: "all" }],
      ["records", { rows: Array.from({ length: 2_001 }, (_, number) => row(number)) }],
      ["records", { rows: [row(1, { id: "../../x" })] }],
      ["records", { rows: [row(1, { kind: "server_people" })] }],
      ["records", { rows: [row(1, { ms: -1 })] }],
      ["records", { rows: [row(1, { ms: 1e300 })] }],
      ["records", { rows: [row(1, { ms: "now()" })] }],
      ["records", { rows: [row(1, { fields: null })] }],
      ["records", { rows: [row(1, { fields: [] })] }],
      ["records", { rows: [row(1, { fields: { x: "x".repeat(300_000) } })] }],
      ["records", { rows: [row(1, { hash: "'; DROP TABLE amplihack.records; --" })] }],
      ["records", { rows: [null] }],
      ["records", []],
      ["questions", {}],
      ["questions", { ...question, nonce: "short" }],
      ["questions", { ...question, digest: "g".repeat(64) }],
      ["questions", { ...question, command: "" }],
      ["questions", { ...question, command: "x".repeat(1_000_000) }],
      ["questions", { ...question, command: "a\0b" }],
      ["questions", { ...question, found: Array.from({ length: 10_000 }, () => "x") }],
      ["questions", { ...question, cwd: "x".repeat(1_000_000) }],
      ["usage", { usage: {} }],
      ["usage", { usage: [{ day: "2026-02-31" }] }],
      ["usage", { usage: [{ day: "2026-01-01", answers: -1 }] }],
      ["usage", { usage: [{ day: "2026-01-01", answers: 1e16 }] }],
      ["usage", { usage: [{ day: "2026-01-01" }, { day: "2026-01-01" }] }],
      ["memory", { do: "drop" }],
      ["memory", { do: "send", changes: "all" }],
      ["memory", { do: "send", changes: Array.from({ length: 501 }, () => ({})) }],
      ["memory", { do: "send", changes: [{ agent: "a", session: "", key: "k", memory: { value: 1 } }] }],
      ["memory", { do: "page", next: { since: "x", of: "members", last: "\\x" } }],
      ["memory", { do: "page", next: { since: 0, upTo: 1e9, of: "memories", revision: 0, last: "1; DROP" } }],
    ];
    for (const [path, body] of bodies) {
      const { status, body: said } = await send(`/api/v1/${path}`, body);
      const shown = `${path} ${JSON.stringify(body).slice(0, 80)}`;
      expect([shown, status >= 400 && status < 500, typeof said["error"]]).toEqual([shown, true, "string"]);
    }
    // Of names as long as they may be nothing is refused, whatever they are written in.
    const names = { project: long.slice(0, 300), host: long.slice(300, 600), session: long.slice(600, 900) };
    const named = await send("/api/v1/records", { rows: [row(7, names)] });
    expect([named.status, named.body["error"]]).toEqual([200, undefined]);
    // An answer that the machine writes itself, and one that it asks for in another's name.
    for (const more of [
      { answer: "once", answered_by: "olga", state: "answered" },
      { statement: "{}", signature: "AA", by: "olga" },
      { person: "olga", machine: "other", team: "acme", isSpooled: false },
    ])
      expect((await send("/api/v1/questions", { ...question, ...more })).body).toMatchObject({
        state: "waiting",
      });
    for (const [headers, body] of [
      [{ ...json, "content-encoding": "br" }, "{}"],
      [{ ...json, "content-encoding": "gzip" }, "{}"],
      [{ ...json, "content-encoding": "gzip, gzip" }, gzipSync(gzipSync("{}"))],
      [{ ...json, "content-type": "text/html" }, "{}"],
      [{ ...json, authorization: authorization.toLowerCase() }, "{}"],
      [{ ...json, authorization: `Basic ${Buffer.from(`:${key}`).toString("base64")}` }, "{}"],
      [{ ...json, authorization: `Bearer ${key}\u00a0` }, "{}"],
      [json, "\ufeff[1"],
      [json, "NaN"],
    ] as const) {
      const { status, body: said } = await scene.ask("/api/v1/seen", { method: "POST", headers, body });
      expect([headers["content-encoding" as keyof typeof headers], status >= 400 && status < 500]).toEqual([
        headers["content-encoding" as keyof typeof headers],
        true,
      ]);
      expect(said).not.toMatch(/at .*\.(ts|js):\d+/);
    }
    expect(await scene.owner.run(`SELECT count(*)::int AS count FROM ${SCHEMA}.records`)).toEqual([
      { count: 1 },
    ]);
    expect(scene.log).toEqual([]);
  });
});
