import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { newUserInside } from "../commands/run-command.ts";
import { hasPostgres } from "../postgres-server.ts";
import { type Browser, type Scene, serverScene } from "./scene.ts";

const PROJECT = "github.com/acme/pay";

/** A machine with a home of its own that joined, whose memories are the team's. */
async function machine(scene: Scene, browser: Browser, name: string) {
  const user = newUserInside();
  const stateHome = join(user.home, ".amplihack");
  mkdirSync(stateHome, { mode: 0o700, recursive: true });
  const key = await scene.join(browser, "acme", name);
  const joined = { url: scene.url, team: "acme", person: name, key, anchor: null, serverKey: null };
  writeFileSync(join(stateHome, "server.json"), JSON.stringify(joined), { mode: 0o600 });
  writeFileSync(
    join(stateHome, "config.jsonc"),
    JSON.stringify({ version: 1, memory: { url: scene.url, team: "acme" } }),
  );
  const run = (...words: readonly string[]) =>
    user.type(["memory", ...words], { env: { AMPLIHACK_PROJECT_ID: PROJECT } });
  return { run, key };
}

describe.skipIf(!hasPostgres)("memories over HTTPS", () => {
  it("reach the other machines of the team by their keys, with who wrote them", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const ann = await scene.visit("acme", "ann", "member");
    const [one, other] = [await machine(scene, olga, "olga-pc"), await machine(scene, ann, "ann-pc")];
    expect(await one.run("store", "deploys", "run make deploy, never kubectl \u{1f600}")).toMatchObject({
      code: 0,
    });
    expect((await one.run("sync")).stdout).toBe("1 sent, 0 fetched, 0 waiting\n");
    expect((await other.run("sync")).stdout).toBe("0 sent, 1 fetched, 0 waiting\n");
    expect((await other.run("search", "deploy")).stdout).toContain("never kubectl");
    // Ann's change is Ann's, and comes back; what was before is kept.
    await other.run("store", "deploys", "run make release");
    expect((await other.run("sync")).stdout).toContain("1 sent");
    expect((await one.run("sync")).stdout).toContain("1 fetched");
    const columns = "project, value, author";
    expect(await scene.owner.run(`SELECT ${columns} FROM ${SCHEMA}.memories`)).toEqual([
      { project: PROJECT, value: "run make release", author: "ann" },
    ]);
    expect(await scene.owner.run(`SELECT author FROM ${SCHEMA}.earlier_values`)).toEqual([
      { author: "olga" },
    ]);
    const gone = await one.run("delete", "deploys");
    expect(gone).toMatchObject({ code: 0 });
    expect((await one.run("sync")).stdout).toContain("1 sent");
    expect((await other.run("sync")).stdout).toContain("1 fetched");
    expect(await scene.owner.run(`SELECT FROM ${SCHEMA}.memories`)).toEqual([]);
    expect(scene.log).toEqual([]);
  });

  it("are those of the key's team, and what no machine of ours sends is refused", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const zora = await scene.visit("zoo", "zora", "owner");
    const key = await scene.join(olga, "acme", "pc");
    const foreign = await scene.join(zora, "zoo", "pc");
    const memory = {
      id: "a".repeat(32),
      project: PROJECT,
      agent: "general",
      session: "",
      key: "k",
      value: "v",
      type: "text",
      category: "context",
      createdMs: 1,
      updatedMs: 1,
    };
    const change = {
      agent: "general",
      session: "",
      key: "k",
      number: 1,
      changes: 1,
      base: 0,
      removedMs: 1,
      memory,
    };
    const send = (changes: unknown, by: string | undefined = key) =>
      scene.post("/api/v1/memory", by, { do: "send", changes });
    expect(await send([change])).toMatchObject({ status: 200, body: { sent: [{ isTaken: true }] } });
    // The same again changes nothing.
    expect(await send([change])).toMatchObject({ status: 200, body: { sent: [{ isTaken: true }] } });
    const page = (by: string) => scene.post("/api/v1/memory", by, { do: "page", since: 0 });
    expect((await page(key)).body["states"]).toHaveLength(1);
    expect((await page(foreign)).body["states"]).toEqual([]);
    expect(await send([{ ...change, memory: null, base: 9 }], foreign)).toMatchObject({ status: 200 });
    expect(await scene.owner.run(`SELECT team FROM ${SCHEMA}.memories`)).toEqual([{ team: "acme" }]);
    for (const wrong of [
      [{ ...change, key: "other" }],
      [{ ...change, memory: { ...memory, value: 5 } }],
      [{ ...change, memory: { ...memory, type: "exe" } }],
      [{ ...change, memory: { ...memory, key: "k".repeat(100_000) } }],
      [{ ...change, base: -1 }],
      Array.from({ length: 501 }, () => change),
      "x",
    ])
      expect((await send(wrong)).status).toBe(400);
    for (const next of [{}, { since: 0, upTo: 9, of: "memories", revision: 0, last: "1; DROP" }])
      expect((await scene.post("/api/v1/memory", key, { do: "page", next })).status).toBe(400);
    expect((await send([change], "A".repeat(43))).status).toBe(401);
    expect(scene.log).toEqual([]);
  });
});
