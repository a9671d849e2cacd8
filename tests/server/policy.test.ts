import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { pullPolicies } from "../../src/install/pull-policies.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { policyFor } from "../../src/server/policies.ts";
import { joinedFile } from "../../src/ship/joined-server.ts";
import { fetchServerPolicy, takenPolicy, takePolicy } from "../../src/ship/server-policy.ts";
import type { System } from "../../src/system/index.ts";
import { writeAtomically } from "../../src/system/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { hasPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Browser, type Scene, serverScene } from "./scene.ts";

const STRICT = '{ "guard": { "level": "strict" } }\n';
const CASES = "- { command: git push --force origin main, verdict: deny, rule: git.push }\n";

function propose(olga: Browser, more: Record<string, string> = {}) {
  return olga.send("/policy", { team: "acme", do: "propose", text: STRICT, reason: "audit", ...more });
}

function roll(olga: Browser, version: number, share: number) {
  return olga.send("/policy", { team: "acme", do: "roll", version: String(version), share: String(share) });
}

async function machineOf(scene: Scene, olga: Browser) {
  const key = await scene.join(olga, "acme", "laptop");
  const { body } = await scene.post("/api/v1/seen", key, {});
  const home = temporaryDirectory();
  const variables: Record<string, string> = { HOME: home };
  const system: System = {
    ...createNodeSystem(),
    env: { get: name => variables[name], names: () => Object.keys(variables) },
  };
  const stateHome = `${home}/.amplihack`;
  const joined = {
    url: scene.url,
    team: "acme",
    person: "olga",
    key,
    anchor: null,
    serverKey: String(body["serverKey"]),
  };
  joinedFile(system, stateHome).write(joined);
  const configure = (text: string) =>
    writeAtomically(system, `${stateHome}/config.jsonc`, system.text.encode(text), { mode: 0o600 });
  configure('{ "extends": ["server"] }\n');
  const level = () => loadConfig(system, { home, stateHome, projectRoot: undefined });
  return { key, system, stateHome, joined, level, configure };
}

describe("a share of the machines", () => {
  it("is about that share, grows, and is another one for each version", () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `machine-${index}`);
    const chosen = (version: number, share: number) =>
      ids.filter(id => policyFor(id, [{ version, share, sha256: "" }]) !== undefined);
    const tenth = chosen(2, 10);
    expect(tenth.length).toBeGreaterThan(60);
    expect(tenth.length).toBeLessThan(140);
    const half = new Set(chosen(2, 50));
    expect(tenth.every(id => half.has(id))).toBe(true);
    expect(chosen(2, 100)).toEqual(ids);
    expect(chosen(3, 10)).not.toEqual(tenth);
  });
});

describe.skipIf(!hasPostgres)("the policy of a team", () => {
  it("is written, tested, rolled out by shares, taken by machines and taken back", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const machine = await machineOf(scene, olga);
    const { level, system, stateHome, key } = machine;
    expect(level().config.guard.level).toBe("standard");
    const wanted = async () =>
      String(
        (await scene.post("/api/v1/seen", key, { serverPolicy: takenPolicy(system, stateHome) })).body[
          "serverPolicy"
        ],
      );
    expect((await propose(olga, { cases: CASES })).body).toContain("1 cases hold");
    // Nobody gets it before it is rolled out.
    expect(await wanted()).toBe("undefined");
    expect((await roll(olga, 1, 100)).status).toBe(303);
    expect(await takePolicy(system, stateHome, await wanted())).toBeUndefined();
    expect(level().config.guard.level).toBe("strict");
    expect(level().notices).toEqual([]);
    await propose(olga, { text: '{ "guard": { "level": "relaxed" } }\n', reason: "trial" });
    const page = (await olga.get("/policy")).body;
    for (const text of [
      "Version 2: not rolled out",
      "trial",
      "-{ &quot;guard&quot;: { &quot;level&quot;: &quot;strict&quot; } }",
    ])
      expect(page).toContain(text);
    await roll(olga, 2, 100);
    await wanted();
    expect((await olga.get("/machines")).body).toContain("<b>behind</b>");
    await takePolicy(system, stateHome, await wanted());
    expect(level().config.guard.level).toBe("relaxed");
    await wanted();
    expect((await olga.get("/machines")).body).not.toContain("<b>behind</b>");
    await roll(olga, 2, 0);
    await takePolicy(system, stateHome, await wanted());
    expect(level().config.guard.level).toBe("strict");
    expect((await olga.get("/people")).body).toContain("rolled out version 2 of the policy");
  });

  it("is refused while a case does not hold, or machines could not take it", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const wrong = await propose(olga, { cases: "- { command: git status, verdict: deny }\n" });
    expect(wrong).toMatchObject({ status: 422, body: expect.stringContaining("1 of 1 cases do not hold") });
    for (const more of [
      { text: "{" },
      { text: '{ "guard": { "level": "lax" } }' },
      { text: '{ "update": { "check": false } }' },
      { text: '{ "guard": { "trustedProjects": ["/"] } }' },
      { cases: "- { verdict: deny }" },
    ])
      expect((await propose(olga, more)).status).toBe(422);
    expect((await propose(olga, { reason: " " })).status).toBe(400);
    const max = await scene.visit("acme", "max", "approver");
    expect((await propose(max)).status).toBe(403);
    expect((await roll(olga, 1, 100)).status).toBe(404);
    expect((await roll(olga, 1, 101)).status).toBe(400);
    expect(await scene.owner.run(`SELECT FROM ${SCHEMA}.server_policies`)).toEqual([]);
  });

  it("that was changed in the database, or is signed by another key, is not taken", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const { system, stateHome, joined, level, configure } = await machineOf(scene, olga);
    await propose(olga);
    await roll(olga, 1, 100);
    const pull = () =>
      pullPolicies(system, ["server"], {
        configFile: `${stateHome}/config.jsonc`,
        mode: 0o600,
        directoryMode: 0o700,
        fromServer: () => fetchServerPolicy(system, joined),
      });
    expect(await pull()).toMatchObject([{ problem: null, pinned: "server" }]);
    await scene.owner.run(
      `UPDATE ${SCHEMA}.server_policies SET text = '{ "guard": { "level": "relaxed" } }'`,
    );
    expect(await pull()).toMatchObject([
      { problem: expect.stringContaining("not what the server signed for") },
    ]);
    // The last good one stays.
    expect(level().config.guard.level).toBe("strict");
    configure(`{ "extends": ["server"], "team": { "key": "${"A".repeat(43)}=" } }\n`);
    expect(await pull()).toMatchObject([{ problem: expect.stringContaining("signature") }]);
  });
});
