import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { newUserInside } from "../commands/run-command.ts";
import { hasPostgres } from "../postgres-server.ts";
import { workerMachine } from "../recipes/workers/worker-machine.ts";
import { row, serverScene } from "./scene.ts";

const DAY_MS = 24 * 3_600_000;

/** As Claude Code records an answer. */
function answer(id: string, timeMs: number, output: number, cwd: string): string {
  return JSON.stringify({
    type: "assistant",
    uuid: id,
    sessionId: "s-1",
    cwd,
    timestamp: new Date(timeMs).toISOString(),
    message: {
      id: `msg_${id}`,
      role: "assistant",
      model: "claude-sonnet-4-5-20250929",
      content: [{ type: "text", text: "a secret plan" }],
      usage: { input_tokens: 1_000, output_tokens: output, cache_read_input_tokens: 0 },
    },
  });
}

describe.skipIf(!hasPostgres)("the pages of a team's server", () => {
  it("tell what models cost, as machines count it, each answer once", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const user = newUserInside();
    const { body } = await scene.post("/api/v1/join", undefined, { machine: "laptop" });
    await olga.send("/join", { code: String(body["code"]), team: "acme", answer: "yes" });
    const joined = (await scene.post("/api/v1/join/end", undefined, { secret: body["secret"] })).body;
    mkdirSync(join(user.home, ".amplihack"), { recursive: true });
    const { team, person, key, serverKey } = joined;
    writeFileSync(
      join(user.home, ".amplihack/server.json"),
      JSON.stringify({ url: scene.url, team, person, key, anchor: null, serverKey }),
      { mode: 0o600 },
    );
    const folder = join(user.home, ".claude/projects/-pay");
    mkdirSync(folder, { recursive: true });
    const record = (...answers: readonly string[]) =>
      writeFileSync(join(folder, "s-1.jsonl"), `${answers.join("\n")}\n`);
    const nowMs = Date.now();
    const old = answer("a", nowMs - 3 * DAY_MS, 100_000, user.project);
    record(old, answer("b", nowMs, 100_000, user.project));
    const ship = () => user.type(["ship", "--once", "--to", "server"]);
    expect(await ship()).toMatchObject({ code: 0, stderr: "" });
    const rows = () =>
      scene.owner.run(
        `SELECT to_char(day, 'YYYY-MM-DD') AS day, person, machine, host, output::int FROM ${SCHEMA}.server_usage ORDER BY day`,
      );
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const whose = { person: "olga", machine: "laptop", host: "claude-code", output: 100_000 };
    expect(await rows()).toEqual([
      { day: day(nowMs - 3 * DAY_MS), ...whose },
      { day: day(nowMs), ...whose },
    ]);
    const page = (await olga.get("/usage?by=person")).body;
    expect(page).toMatch(/<th scope="row">olga<\/th>.*\$3\.01/s);
    expect(page).not.toContain("secret plan");
    expect((await olga.get("/usage?by=model")).body).toContain("claude-sonnet-4-5");
    expect((await olga.get("/usage?by=day&person=nobody")).body).toContain("No agent recorded any use");
    await scene.post("/api/v1/records", String(key), { rows: [row(1)] });
    expect((await olga.get("/?days=7")).body).toMatch(/It cost <b>\$3\.01/);
    // Told within the hour it is not told again; whenever it is, a day has its newest sum.
    record(old, answer("b", nowMs, 100_000, user.project), answer("c", nowMs, 50_000, user.project));
    await ship();
    expect(await rows()).toHaveLength(2);
    const usage = [
      {
        ...{ day: day(nowMs), project: "p", host: "codex", model: "m" },
        ...{ answers: 2, tokens: { input: 1, output: 7 }, cost: 0.5, unpriced: 0 },
      },
    ];
    for (const answers of [2, 3, 1]) {
      const told = { usage: usage.map(each => ({ ...each, answers, cost: answers / 4 })) };
      expect((await scene.post("/api/v1/usage", String(key), told)).body).toEqual({ taken: 1 });
    }
    expect((await olga.get("/usage?by=host")).body).toMatch(/Codex.*\$0\.75/s);
    for (const broken of [
      [{}],
      [{ day: "2026-02-31" }],
      [{ ...usage[0], cost: -1 }],
      [{ ...usage[0], answers: 1e300 }],
      [...usage, ...usage],
      "x",
    ])
      expect((await scene.post("/api/v1/usage", String(key), { usage: broken })).status).toBe(400);
    const zoe = await scene.visit("zoo", "zoe", "owner");
    expect((await zoe.get("/usage?by=person&team=zoo")).body).not.toContain("olga");
    expect((await zoe.get("/usage?team=acme")).status).toBe(403);
    expect(scene.log).toEqual([]);
  });

  it("show runs of recipes of the team's own queues, and of no others", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const zoe = await scene.visit("zoo", "zoe", "owner");
    expect((await zoe.get("/?team=zoo")).body).not.toContain('data-tab="recipes"');
    const machine = await workerMachine(scene.place);
    for (const team of ["acme", "zoo"])
      await machine.database.run(`SELECT ${SCHEMA}.add_member($1, 'keeper')`, [team]);
    machine.write(
      "ours.yaml",
      JSON.stringify({ name: "ours", steps: [{ id: "greet", command: "echo hi" }] }),
    );
    machine.write("theirs.yaml", JSON.stringify({ name: "theirs", steps: [{ id: "s", command: "true" }] }));
    const ours = await machine.submit("ours.yaml", "--team", "acme");
    const theirs = await machine.submit("theirs.yaml", "--team", "zoo");
    const nobodys = await machine.submit("theirs.yaml");
    const worker = await machine.startWorker("w", "--team", "acme", "--until-empty");
    expect(await worker.ended()).toBe(0);
    const list = (await olga.get("/recipes")).body;
    expect(list).toContain(ours);
    expect(list).toMatch(/data-tab="recipes"/);
    expect((await olga.get(`/recipe?id=${ours}`)).body).toContain("greet");
    for (const other of [theirs, nobodys]) {
      expect(list).not.toContain(other);
      expect((await olga.get(`/recipe?id=${other}`)).body).toContain("There is no such run");
    }
    // Also where the server's code has a hole: its role sees no other team, and nothing that was given to a run.
    const asServer = scene.database.ofTeam("amplihack_server", "zoo");
    const runs = "amplihack_recipes.workflow_status";
    expect(await asServer.run(`SELECT workflow_uuid AS id FROM ${runs}`)).toEqual([{ id: theirs }]);
    expect(await asServer.run(`SELECT FROM ${SCHEMA}.recipe_log WHERE run_id = $1`, [ours])).toEqual([]);
    await expect(asServer.run(`SELECT inputs FROM ${runs}`)).rejects.toMatchObject({ code: "42501" });
    await expect(asServer.run(`DELETE FROM ${runs}`)).rejects.toMatchObject({ code: "42501" });
    expect(await machine.runs()).toHaveLength(3);
  });
});
