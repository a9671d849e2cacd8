import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { makeLink } from "../../src/server/people.ts";
import { hasPostgres } from "../postgres-server.ts";
import { type Answer, type Browser, row, type Scene, serverScene } from "./scene.ts";

const statuses = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).sort();

/** Follows a link as a browser that nobody uses yet. */
function follow(scene: Scene, link: string): Promise<Answer> {
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: scene.url };
  return scene.ask("/login", { method: "POST", headers, body: `link=${link}` });
}

async function linkBy(browser: Browser, person: string, role: string): Promise<string> {
  const { body } = await browser.send("/people", { team: "acme", do: "invite", person, role });
  return /login\?link=([A-Za-z0-9_-]{43})/.exec(body)?.[1] ?? "";
}

function beginJoin(scene: Scene, headers: Record<string, string> = {}, body: object = { machine: "x" }) {
  return scene.ask("/api/v1/join", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

describe.skipIf(!hasPostgres)("whoever was let in and is no longer", () => {
  it("leaves no key, no open join and no link behind, whoever took the right away", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const adam = await scene.visit("acme", "adam", "admin");
    // 1. The key of a machine of somebody whose role a provider's claims take away.
    const key = await scene.join(adam, "acme", "laptop");
    // 2. A machine that he said yes to, and that has not fetched its key.
    const begun = (await scene.post("/api/v1/join", undefined, { machine: "second" })).body;
    const { secret } = begun;
    await adam.send("/join", { code: String(begun["code"]), team: "acme", answer: "yes" });
    // 3. A link that he made for a friend.
    const [friend, other] = [await linkBy(adam, "eve", "admin"), await linkBy(olga, "bob", "member")];
    await scene.owner.run(`DELETE FROM ${SCHEMA}.server_people WHERE person = 'adam'`);
    expect((await scene.post("/api/v1/records", key, { rows: [row(1)] })).status).toBe(401);
    expect((await scene.post("/api/v1/memory", key, { do: "look" })).status).toBe(401);
    expect((await scene.post("/api/v1/join/end", undefined, { secret })).status).toBe(403);
    expect(statuses([await follow(scene, friend), await follow(scene, other)])).toEqual([303, 403]);
    expect(scene.log).toEqual([]);
  });

  it("gives away nothing that they may no longer give, and has no machines as a viewer", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const adam = await scene.visit("acme", "adam", "admin");
    const key = await scene.join(adam, "acme", "laptop");
    // 4. A link of an admin who is an approver by now.
    const link = await linkBy(adam, "eve", "admin");
    await olga.send("/people", { team: "acme", do: "add", person: "adam", role: "approver" });
    expect((await follow(scene, link)).status).toBe(403);
    expect((await scene.post("/api/v1/seen", key, {})).status).toBe(200);
    // 5. The key of somebody who may only look by now.
    await olga.send("/people", { team: "acme", do: "add", person: "adam", role: "viewer" });
    expect((await scene.post("/api/v1/seen", key, {})).status).toBe(401);
    // Whoever becomes more keeps what they made.
    await olga.send("/people", { team: "acme", do: "add", person: "adam", role: "admin" });
    const later = await linkBy(adam, "eve", "viewer");
    await olga.send("/people", { team: "acme", do: "add", person: "adam", role: "owner" });
    expect((await follow(scene, later)).status).toBe(303);
    expect(scene.log).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)("at the same moment", () => {
  it("two owners cannot leave a team without one, nor can its last one", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const lessen = (browser: Browser, person: string) =>
      browser.send("/people", { team: "acme", do: "add", person, role: "viewer" });
    // 6. The last owner makes themselves less, by the form and by a link of their own.
    expect((await lessen(olga, "olga")).status).toBe(409);
    expect((await follow(scene, await linkBy(olga, "olga", "viewer"))).status).toBe(303);
    expect((await olga.get("/settings")).status).toBe(200);
    // 7. Two owners take each other's place, or remove each other.
    const adam = await scene.visit("acme", "adam", "owner");
    await Promise.all([lessen(olga, "adam"), lessen(adam, "olga")]);
    const owners = () =>
      scene.owner.run(`SELECT person FROM ${SCHEMA}.server_people WHERE team = 'acme' AND role = 'owner'`);
    expect(await owners()).toHaveLength(1);
    await scene.owner.run(`UPDATE ${SCHEMA}.server_people SET role = 'owner' WHERE team = 'acme'`);
    const remove = (browser: Browser, person: string) =>
      browser.send("/people", { team: "acme", do: "remove", person });
    await Promise.all([remove(olga, "adam"), remove(adam, "olga")]);
    expect(await owners()).toHaveLength(1);
    expect(scene.log).toEqual([]);
  });

  it("a link, an answer and a yes count once", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    // 8. One link, followed four times.
    const link = await makeLink(scene.database, { team: "acme", person: "bob", role: "admin" });
    const ways = await Promise.all(Array.from({ length: 4 }, () => follow(scene, link)));
    expect(statuses(ways)).toEqual([303, 403, 403, 403]);
    // 9. Yes and no to one question.
    const ask = (nonce: string) =>
      scene.post("/api/v1/questions", key, {
        digest: "b".repeat(64),
        nonce: nonce.repeat(43),
        command: "rm x",
      });
    const id = String((await ask("a")).body["id"]);
    const answers = await Promise.all(
      ["once", "no"].map(answer => olga.send("/questions", { team: "acme", id, answer })),
    );
    expect(statuses(answers)).toEqual([303, 409]);
    // 10. One yes, asked for four times.
    await scene.owner.run(`UPDATE ${SCHEMA}.server_questions SET answer = 'once'`);
    const heard = await Promise.all(["c", "d", "e", "f"].map(ask));
    expect(heard.filter(({ body }) => body["state"] === "answered")).toHaveLength(1);
    expect(scene.log).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)("more than anybody needs", () => {
  it("is not taken from strangers: bodies, open joins, a network full of addresses", async () => {
    const scene = await serverScene({ trustsProxy: true });
    // 11. A bomb at an address that needs no key.
    const bomb = gzipSync(JSON.stringify({ machine: "x".repeat(1024 * 1024) }));
    for (const path of ["/api/v1/join", "/api/v1/join/end"]) {
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      expect((await scene.ask(path, { method: "POST", headers, body: bomb })).status).toBe(413);
    }
    expect((await beginJoin(scene, {}, { machine: "x".repeat(9_000) })).status).toBe(413);
    // 12. All places of machines that wait, taken by one.
    const from = (address: string) => ({ "x-forwarded-for": address });
    const tried = await Promise.all(Array.from({ length: 80 }, () => beginJoin(scene, from("198.51.100.7"))));
    expect(statuses(tried).filter(status => status === 200).length).toBeLessThan(70);
    expect((await beginJoin(scene, from("198.51.100.8"))).status).toBe(200);
    // 13. A new address for each try, of a network that one customer has.
    const many = await Promise.all(
      Array.from({ length: 80 }, (_, index) => beginJoin(scene, from(`2a00:1:2:3::${index.toString(16)}:1`))),
    );
    expect(statuses(many)).toContain(429);
    expect((await beginJoin(scene, from("2a00:1:2:4::1"))).status).toBe(200);
    expect(scene.log).toEqual([]);
  });

  it("is not taken from those who were let in: alerts, cases, and what no text has", async () => {
    const scene = await serverScene({ allowsPrivate: true, deliverMs: 3_600_000 });
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    const team = "acme";
    // 14. A machine that tells of thousands of denials.
    await olga.send("/webhooks", {
      team,
      do: "add",
      url: "http://127.0.0.1:9/",
      event: "denial",
      form: "json",
    });
    const denial = (number: number) => {
      const fields = { ts: new Date().toISOString(), verdict: "deny", rules: ["git.push"], seq: number };
      return row(number, { kind: "audit", fields });
    };
    for (const first of [0, 1_000])
      await scene.post("/api/v1/records", key, {
        rows: Array.from({ length: 900 }, (_, index) => denial(first + index)),
      });
    expect(await scene.owner.run(`SELECT count(*)::int AS count FROM ${SCHEMA}.server_deliveries`)).toEqual([
      { count: 1_000 },
    ]);
    // 15. One long command that stands for hundreds.
    const cases = `- &long { command: "${"echo x; ".repeat(7_000)}", verdict: allow }\n${"- *long\n".repeat(90)}`;
    const proposed = await olga.send("/policy", { team, do: "propose", reason: "r", text: "{}", cases });
    expect([proposed.status, proposed.body.includes("too long to be tested")]).toEqual([422, true]);
    // 16. A policy that is too long for the page that compares all versions.
    const long = { reason: "r", text: `{} ${"// x\n".repeat(15_000)}`, cases: "" };
    expect((await olga.send("/policy", { team, do: "propose", ...long })).status).toBe(413);
    // 17. U+0000 wherever a page takes a word.
    for (const path of [
      "/",
      "/calls",
      "/sessions",
      "/judgements",
      "/memories",
      "/search",
      "/usage",
      "/recipes",
    ])
      for (const name of ["person", "machine", "project", "host", "q", "id", "rule", "page", "by"]) {
        const { status } = await olga.get(`${path}?${name}=%00`);
        expect([path, name, status < 500]).toEqual([path, name, true]);
      }
    expect(scene.log).toEqual([]);
  });
});
