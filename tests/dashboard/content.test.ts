import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EntryPage, Overview } from "../../src/dashboard/activity.ts";
import { Activity } from "../../src/dashboard/activity.ts";
import type { JudgementEntry, RunEntry } from "../../src/dashboard/entries.ts";
import { LogSource } from "../../src/dashboard/entries.ts";
import { renderReport } from "../../src/dashboard/report.ts";
import type { MemoryEntry } from "../../src/dashboard/sources.ts";
import { NO_CHANGES } from "../../src/dashboard/timeline/calls.ts";
import { measureLatency, summarise, Timelines } from "../../src/dashboard/timeline/timeline.ts";
import { openStore } from "../../src/memory/sqlite-store.ts";
import type { RecordedRun } from "../../src/recipes/logs/run-records.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { recordCall } from "../commands/agent-call.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { HOSTILE, newMachine, RUN, type Served, serve, until, writeRecipeRun } from "./machine.ts";

const overviewOf = (served: Served, calls: number) =>
  until(
    () => served.json<Overview>("/api/overview"),
    overview => overview.calls === calls,
  );

describe("what the dashboard tells", () => {
  it("says of a list that is cut how many more there are", async () => {
    const machine = newMachine();
    const ts = new Date().toISOString();
    machine.run(
      ...Array.from({ length: 9 }, (_, index) => ({ ts, decision: "deny", rules: [`acme.rule${index}`] })),
    );
    const served = await serve(machine);
    await overviewOf(served, 9);
    const { body } = await served.ask("/?days=7");
    const [, rules = ""] = /id="top-rules">([\s\S]*?)<\/section>/.exec(body) ?? [];
    expect(rules.match(/<li>/g)?.length).toBe(6);
    expect(rules).toContain("and 3 more");
  });

  it("counts calls, refusals, questions, failures, hosts, rules and sessions", async () => {
    const machine = newMachine();
    machine.run(
      {},
      { decision: "deny", rules: ["fs.home"], ts: "2026-03-01T10:01:00.000Z" },
      { decision: "ask", rules: ["git.push"], host: "codex", session: "session-2" },
      { result: "error", error: "stdin was not JSON", host: "codex", session: null },
    );
    machine.judge({ ts: "2026-03-01T10:01:00.000Z" });
    const served = await serve(machine);
    const overview = await overviewOf(served, 4);
    expect(overview).toMatchObject({ denied: 1, asked: 1, failures: 1, unreadable: 0 });
    expect(overview.hosts).toEqual([
      { name: "claude-code", count: 2 },
      { name: "codex", count: 2 },
    ]);
    expect(overview.sessions).toEqual([
      expect.objectContaining({
        session: "session-1",
        calls: 2,
        refused: 1,
        last: "2026-03-01T10:01:00.000Z",
      }),
      expect.objectContaining({ session: "session-2", host: "codex", calls: 1, asked: 1, unchecked: 0 }),
      expect.objectContaining({ session: "", host: "codex", calls: 1, unchecked: 1 }),
    ]);
    await until(
      () => served.json<Overview>("/api/overview"),
      ({ rules }) => rules.map(({ name }) => name).join() === "fs.home,git.push",
    );
  });

  it("counts what agents changed, and what can be undone", async () => {
    const machine = newMachine();
    const project = temporaryDirectory();
    const home = dirname(machine.places.stateHome);
    for (const name of ["a", "b"]) {
      writeFileSync(join(project, name), name);
      const call = { command: `rm ${name}`, targets: [name], how: "delete" as const };
      await recordCall(createNodeSystem(), { home, project, stateHome: machine.places.stateHome }, call, () =>
        rmSync(join(project, name)),
      );
    }
    const served = await serve(machine);
    expect(await served.json("/api/overview")).toMatchObject({
      history: { changes: 2, files: 2, undoable: 2 },
    });
  });

  it("gives the reason of a decision in words, and what it was about", async () => {
    const machine = newMachine();
    machine.run({ decision: "deny", rules: ["fs.home", "acme.own"] });
    machine.judge({});
    const served = await serve(machine);
    await overviewOf(served, 1);
    const runs = await served.json<EntryPage<RunEntry>>("/api/runs");
    expect(runs.entries[0]?.reason).toMatch(/^[a-z].{5,}; acme\.own$/);
    const judgements = await until(
      () => served.json<EntryPage<JudgementEntry>>("/api/judgements"),
      ({ matching }) => matching === 1,
    );
    expect(judgements.entries[0]).toMatchObject({
      decision: "deny",
      subject: "rm -rf ~",
      rules: ["fs.home"],
    });
    expect(judgements.entries[0]?.reason).toMatch(/: \/home\/ada$/);
  });

  it("counts lines it cannot understand instead of failing or passing over them in silence", async () => {
    const machine = newMachine();
    machine.run({});
    appendFileSync(
      machine.places.runs,
      [
        "not json",
        "[]",
        '{"hook":"x"}',
        `{"deep":${"[".repeat(500)}`,
        "\u0000",
        '{"__proto__":{"a":1}}',
        "",
      ].join("\n"),
    );
    machine.run({ ts: "never" }, { duration_us: -1 }, { duration_us: "4" });
    machine.run({});
    const { unreadable } = await overviewOf(await serve(machine), 2);
    expect(unreadable).toBe(9);
  });

  it("shows recipe runs with their steps", async () => {
    const machine = newMachine();
    writeRecipeRun(machine, "run-1", "release");
    const served = await serve(machine);
    const [run] = await served.json<readonly RecordedRun[]>("/api/recipes");
    expect(run).toMatchObject({ runId: "run-1", recipe: "release", state: "failed", durationMs: 1510 });
    expect(run?.steps).toEqual([
      { path: "build", status: "completed", durationMs: 1200, exitCode: 0 },
      { path: "test", status: "failed", durationMs: 300, exitCode: 2 },
    ]);
    expect((await served.ask("/recipes")).body).toContain("/recipe?id=run-1");
    const page = (await served.ask("/recipe?id=run-1")).body;
    for (const text of ["<h1>release</h1>", "build", "completed", "1.2 s", "failed", "exit 2"])
      expect(page).toContain(text);
  });

  it("draws the graph of a run from its recipe, with what steps printed and how to go on", async () => {
    const machine = newMachine();
    const folder = temporaryDirectory();
    const file = join(folder, "release.yaml");
    writeFileSync(
      file,
      [
        "name: release",
        "steps:",
        "  - { id: build, type: bash, command: make, output: built }",
        "  - { id: unit, type: bash, command: make unit, parallel_group: tests }",
        "  - { id: browser, type: bash, command: make browser, parallel_group: tests }",
        `  - { id: publish, type: bash, command: "echo ${HOSTILE.slice(0, 9)}", condition: "built" }`,
        "",
      ].join("\n"),
    );
    writeRecipeRun(machine, "run-9", "release", { file, working_dir: folder });
    const checkpoints = join(dirname(machine.places.recipeRuns), "checkpoints");
    mkdirSync(checkpoints);
    writeFileSync(
      join(checkpoints, "run-9.json"),
      JSON.stringify({ recipe_name: "release", run_id: "run-9", context: { built: `done ${HOSTILE}` } }),
    );
    const page = (await (await serve(machine)).ask("/recipe?id=run-9")).body;
    expect(page).toContain("Together: tests");
    expect(page).toContain("not reached");
    expect(page).toContain("only if <code>built</code>");
    expect(page).toContain("done &lt;/script&gt;");
    expect(page).toContain("--resume run-9");
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  it("finds memories by words, and has none where there is no store", async () => {
    const machine = newMachine();
    const served = await serve(machine);
    expect(await served.json("/api/memory?text=anything")).toEqual([]);
    const store = await openStore(createNodeSystem(), machine.places.database);
    const common = { project: "", agent: "ada", session: "", type: "text", category: "learning" } as const;
    await store.put({ ...common, key: "tests", value: `Payments need the sandbox. ${HOSTILE}` });
    await store.put({ ...common, key: "style", value: "Tabs are not used." });
    store.close();
    const found = await served.json<readonly MemoryEntry[]>("/api/memory?text=payments+sandbox");
    expect(found.map(({ key }) => key)).toEqual(["tests"]);
    expect(await served.json<readonly MemoryEntry[]>("/api/memory?text=")).toHaveLength(2);
  });

  it("filters by decision, host and text, and hands out windows", async () => {
    const machine = newMachine();
    for (let index = 0; index < 30; index++) {
      const decision = index % 3 === 0 ? "deny" : "none";
      machine.run({ decision, host: index % 2 === 0 ? "codex" : "pi", session: `s${index}` });
    }
    machine.run({ result: "panic" });
    const served = await serve(machine);
    await overviewOf(served, 31);
    const ask = (query: string) => served.json<EntryPage<RunEntry>>(`/api/runs?${query}`);
    expect(await ask("decision=deny&host=codex&count=2")).toMatchObject({ matching: 5, newer: 0 });
    expect((await ask("text=S17")).entries.map(({ session }) => session)).toEqual(["s17"]);
    expect((await ask("decision=failed")).entries).toHaveLength(1);
    const first = await ask("count=10");
    const next = await ask(`count=10&before=${first.entries.at(-1)?.number}`);
    const sessions = (page: EntryPage<RunEntry>) => page.entries.map(({ session }) => session);
    expect(sessions(first).slice(0, 3)).toEqual(["session-1", "s29", "s28"]);
    expect(sessions(next).slice(0, 3)).toEqual(["s20", "s19", "s18"]);
    expect(next.newer).toBe(10);
    expect((await ask("count=999999999999999&before=abc")).entries).toHaveLength(31);
  });
});

describe("following the logs", () => {
  it("tells open pages what was stopped the moment it is written, also after a rotation", async () => {
    const machine = newMachine();
    machine.judge({ command: "first" });
    const served = await serve(machine);
    await until(
      () => served.json<EntryPage<JudgementEntry>>("/api/judgements"),
      ({ matching }) => matching === 1,
    );
    const news = listen(served);
    expect(await news.next()).toEqual({ runs: 0, judgements: 1, stopped: [] });
    machine.judge({ command: "second" });
    expect(await news.next()).toMatchObject({ judgements: 2, stopped: [{ subject: "second" }] });
    renameSync(machine.places.audit, machine.places.audit.replace(".jsonl", ".20260301_100000.jsonl"));
    machine.judge({ command: "third", verdict: "ask" });
    expect(await news.next()).toMatchObject({ judgements: 3, stopped: [{ subject: "third" }] });
    machine.run({});
    expect(await news.next()).toMatchObject({ runs: 1, judgements: 3, stopped: [] });
  });

  it("refuses more open pages than it can serve", async () => {
    const served = await serve(newMachine());
    const streams = Array.from({ length: 16 }, () => listen(served));
    for (const stream of streams) await stream.next();
    expect((await served.ask("/api/live")).status).toBe(503);
  });
});

describe("fifty thousand events and more", () => {
  it("are counted completely, kept up to a bound and handed out in windows", async () => {
    const machine = newMachine();
    const lines: string[] = [];
    for (let index = 0; index < 60_000; index++) {
      const decision = index % 100 === 0 ? "deny" : "none";
      const ts = new Date(Date.UTC(2026, 2, 1) + index * 1000).toISOString();
      lines.push(JSON.stringify({ ...RUN, decision, ts, session: `s${index % 2000}`, duration_us: index }));
    }
    writeFileSync(machine.places.runs, `${lines.join("\n")}\n`);
    const activity = new Activity(new LogSource(createNodeSystem(), machine.places));
    expect(await activity.catchUp()).toBe(true);
    expect(await activity.catchUp()).toBe(false);

    const { figures, sessions } = summarise(new Timelines(activity, NO_CHANGES).read(), [
      0,
      Number.POSITIVE_INFINITY,
    ]);
    expect(figures).toMatchObject({ calls: 60_000, refused: 600 });
    expect(sessions).toHaveLength(2_000);
    const [latency] = measureLatency(activity.runs, 0);
    expect(latency?.overall).toMatchObject({ count: 60_000, maximumUs: 59_999 });
    expect(latency?.points.length).toBeLessThanOrEqual(120);
    const page = activity.runs.page({ count: 25, decision: "deny" });
    expect(page.matching).toBe(600);
    expect(page.entries).toHaveLength(25);
    expect(page.entries[0]?.ts).toBe(new Date(Date.UTC(2026, 2, 1) + 59_900_000).toISOString());
  });
});

describe("hostile lines in the logs", () => {
  it("stand in the report as text that cannot become markup", async () => {
    const machine = newMachine();
    machine.run({ host: HOSTILE, session: HOSTILE, hook: HOSTILE, decision: HOSTILE });
    machine.judge({ command: HOSTILE, rules: [HOSTILE], targets: [HOSTILE] });
    writeRecipeRun(machine, "run-1", HOSTILE);
    const html = await renderReport(createNodeSystem(), machine.places, { hasMemories: true });
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html.match(/<\/script/g)).toHaveLength(1);
    expect(html.match(/<!--/g)).toBeNull();
    expect(html).not.toContain("<img");
    expect(html).toContain(
      "&lt;/script&gt;&lt;img src=x onerror=&quot;document.title=&#39;taken&#39;&quot;&gt;\\u2028&lt;!--",
    );
  });

  it("are answered as JSON, never as a page", async () => {
    const machine = newMachine();
    machine.run({ host: HOSTILE });
    const served = await serve(machine);
    await overviewOf(served, 1);
    const { headers, body } = await served.ask("/api/runs");
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect((JSON.parse(body) as EntryPage<RunEntry>).entries[0]?.host).toBe(HOSTILE);
  });
});

/** The messages of the live stream, one after the other. */
function listen({ url }: Served): { next(): Promise<unknown> } {
  const messages: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  let rest = "";
  const asked = get(`${url.origin}/api/live${url.search}`, response => {
    response.setEncoding("utf8").on("data", (text: string) => {
      const parts = (rest + text).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts.filter(one => one.startsWith("data: "))) {
        const message: unknown = JSON.parse(part.slice("data: ".length));
        const reader = waiting.shift();
        if (reader === undefined) messages.push(message);
        else reader(message);
      }
    });
    response.on("error", () => {});
  });
  asked.on("error", () => {});
  onTestFinished(() => {
    asked.destroy();
  });
  return {
    next: () =>
      messages.length > 0 ? Promise.resolve(messages.shift()) : new Promise(resolve => waiting.push(resolve)),
  };
}
