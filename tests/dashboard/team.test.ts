import { describe, expect, it } from "vitest";
import type { EntryPage, Overview } from "../../src/dashboard/activity.ts";
import type { RunEntry } from "../../src/dashboard/entries.ts";
import { RecordSource } from "../../src/dashboard/team-dashboard.ts";
import { openPostgresStore } from "../../src/memory/open-postgres-store.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { administer, hasPostgres } from "../postgres-server.ts";
import { HOSTILE, type Served, until } from "./machine.ts";
import { NOON_MS, newTeam, projectWith, serveTeam } from "./team.ts";

/** What is between header and footer. */
const text = async (served: Served, path: string) =>
  /<main[\s\S]*<\/main>/.exec((await served.ask(path)).body)?.[0] ?? "";
const minutesAgo = (minutes: number) => new Date(NOON_MS - minutes * 60_000).toISOString();

/** Ann on pay and shop, Bob on shop; both call a session the same. */
async function twoPeople() {
  const team = await newTeam();
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const [pay, shop] = [
    projectWith("git@github.com:acme/pay.git"),
    projectWith("https://github.com/acme/shop"),
  ];
  ann.machine.run(
    {
      project: pay,
      session: "s-1",
      tool: "Bash",
      call: "c1",
      decision: "deny",
      rules: ["fs.home"],
      ts: minutesAgo(9),
    },
    { project: shop, session: "s-2", tool: "Edit", call: "c2", host: "codex", ts: minutesAgo(8) },
  );
  ann.machine.judge({
    project: pay,
    session: "s-1",
    call: "c1",
    ts: minutesAgo(9.01),
    command: "rm -rf ~/secret",
  });
  bob.machine.run({
    project: shop,
    session: "s-1",
    tool: "Write",
    call: "c3",
    ts: minutesAgo(7),
    duration_us: 90_000,
  });
  await ann.ship();
  await bob.ship();
  return { ...team, ann, bob, shop };
}

describe.skipIf(!hasPostgres)("the page of a team", () => {
  it("shows what everybody's agents did, whose it was, and nothing that was not shipped", async () => {
    const { ann, url } = await twoPeople();
    const served = await ann.serve();
    const home = await text(served, "/");
    expect(home).toContain("made <b>3 calls</b> in 3 sessions on 2 projects, for 2 people.");
    expect(home).toContain("The team acme, as shipped to");
    for (const word of ["People", "ann", "bob", "pay", "shop"]) expect(home).toContain(word);
    expect(await text(served, "/hooks")).toContain("How long hooks took");
    const calls = await text(served, "/calls");
    expect(calls.match(/<article class="call/g)).toHaveLength(3);
    expect(calls).toContain("command not shipped");
    expect(calls).toContain(">bob-laptop</a>");
    // Sessions of the same name on two machines are two.
    const sessions = await text(served, "/sessions");
    expect(sessions.match(/<article class="row/g)).toHaveLength(3);
    expect(sessions).not.toMatch(/\d turns?\b/);
    const one = await text(served, `/session?id=${encodeURIComponent("s-1~bob@bob-laptop/acme")}`);
    expect(one).toContain("Write");
    expect(one).not.toContain("fs.home");
    expect(await text(served, "/search?q=BOB")).toContain("Write");
    for (const page of [home, calls, sessions, one]) {
      expect(page).not.toContain("secret");
      expect(page).not.toMatch(/<button[^>]*class="undo"|data-undo|data-forget|>Recipes</);
    }
    // Its owner sees all teams.
    expect(await text(await serveTeam(url), "/")).toContain("for 2 people");
  });

  it("is narrowed by person, machine, project and host, which stay in every address", async () => {
    const { bob } = await twoPeople();
    const served = await bob.serve();
    const counts = async (query: string) => (await served.json<Overview>(`/api/overview?${query}`)).calls;
    expect(await counts("person=ann")).toBe(2);
    expect(await counts("machine=bob-laptop")).toBe(1);
    expect(await counts(`project=${encodeURIComponent("github.com/acme/shop")}`)).toBe(2);
    expect(await counts("host=codex")).toBe(1);
    expect(await counts("person=ann&host=codex")).toBe(1);
    expect(await counts("person=nobody")).toBe(0);
    expect(await counts("team=other")).toBe(3);
    const home = await text(served, "/?person=ann");
    expect(home).toContain('<option value="ann" selected>');
    expect(home).toContain('href="/calls?person=ann&amp;');
    expect(home).toContain('aria-label="Drop this filter: person"');
    expect(await text(served, "/?person=nobody")).toContain("Nothing fits.");
    const { entries } = await served.json<EntryPage<RunEntry>>("/api/runs?person=bob");
    expect(entries).toMatchObject([
      { origin: { team: "acme", person: "bob", machine: "bob-laptop" }, project: "github.com/acme/shop" },
    ]);
  });

  it("has commands where a member ships them, escaped, and follows the database", async () => {
    const { ann, bob, shop } = await twoPeople();
    const served = await ann.serve();
    await text(served, "/");
    await text(served, "/calls?person=bob");
    bob.machine.judge({ project: shop, session: "s-9", command: `rm ${HOSTILE}`, ts: minutesAgo(1) });
    await bob.ship({ hasContent: true });
    const calls = await until(
      () => text(served, "/calls?person=bob"),
      page => page.includes("onerror"),
    );
    expect(calls).toContain("rm &lt;/script&gt;&lt;img");
    expect(calls).not.toContain("<img");
    const { rules } = await until(
      () => served.json<Overview>("/api/overview"),
      ({ rules: [first] }) => first?.count !== 1,
    );
    expect(rules).toEqual([{ name: "fs.home", count: 2 }]);
  });

  it("has the memories of the team, of the projects that one belongs to", async () => {
    const { join, ann, url } = await twoPeople();
    const address = readDatabaseUrl(url, "option");
    expect(await text(await ann.serve(), "/memory")).toContain("Nothing is remembered yet.");
    const store = await openPostgresStore(createNodeSystem(), { address, team: "acme" });
    const common = { agent: "ada", session: "", type: "text", category: "learning" } as const;
    await store.put({ ...common, project: "", key: "tests", value: "Payments need the sandbox." });
    await store.put({
      ...common,
      project: "github.com/acme/shop",
      key: "till",
      value: "Shops close at six.",
    });
    store.close();
    const carl = await join("carl", { projects: "{github.com/acme/pay}" });
    const [served, ofCarl] = [await ann.serve(), await carl.serve()];
    const all = await text(served, "/memory");
    expect(all).toContain("Payments need the sandbox.");
    expect(all).toContain("Shops close at six.");
    expect(all).not.toContain("data-forget");
    expect(await text(ofCarl, "/memory")).not.toContain("Shops close");
    const found = await text(served, "/memory?q=sandboxes");
    expect(found).toContain("Payments need the sandbox.");
    expect(found).not.toContain("Shops close");
    const ofShop = await text(served, "/memory?project=github.com/acme/shop&person=bob");
    expect(ofShop).not.toContain("Payments need");
    expect(ofShop).toMatch(/Drop this filter: project/);
    expect(ofShop).not.toMatch(/Drop this filter: person/);
    expect(await text(served, "/search?q=sandbox")).toContain("Payments need the sandbox.");
  });

  it("goes on when the database was away, and says meanwhile how old it is", async () => {
    const { ann, bob, server, shop, keeper } = await twoPeople();
    const served = await ann.serve();
    expect(await text(served, "/calls")).toMatch(/3 entries/);
    const [row] = await keeper.run("SELECT current_database() AS name");
    const name = String(row?.["name"]);
    await administer(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await administer(
      server,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    const away = await until(
      () => text(served, "/calls"),
      page => page.includes('class="notice"'),
    );
    expect(away).toMatch(/What is shown was read at \d\d:\d\d: the database /);
    expect(away).toMatch(/3 entries/);
    expect(served.warnings.length).toBeGreaterThan(0);
    await administer(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    bob.machine.run({ project: shop, tool: "Late", ts: minutesAgo(1) });
    await bob.ship();
    // Parts of the data are read one by one, and each says for itself when it could not be.
    await until(
      () => text(served, "/calls"),
      page => page.includes("Late") && !page.includes('class="notice"'),
    );
  });

  it("changes nothing: its API refuses what the page of a machine can do", async () => {
    const { ann } = await twoPeople();
    const served = await ann.serve();
    for (const [path, body] of [
      ["/api/plan", { kind: "undo", ids: ["1"] }],
      ["/api/apply", { plan: "x" }],
      ["/api/forget", { agent: "a", id: "b" }],
    ] as const)
      expect(await served.act(path, body)).toMatchObject({
        status: 403,
        error: expect.stringContaining("only shows"),
      });
    expect((await served.ask("/diff?id=1")).status).toBe(404);
    expect(await text(served, "/change?id=1")).toContain("There is no such change.");
    expect((await served.ask("/?token=wrong")).status).toBe(403);
    expect((await served.ask("/", { headers: { host: "evil.example" } })).status).toBe(403);
  });

  it("shows a login its own teams and projects alone", async () => {
    const { ann, join, keeper } = await twoPeople();
    const carl = await join("carl", { projects: "{github.com/acme/pay}" });
    const zoe = await join("zoe", { team: "zoo" });
    zoe.machine.run({ tool: "Glob", ts: minutesAgo(3) });
    await zoe.ship();
    expect(await text(await carl.serve(), "/calls")).toMatch(/1 entry/);
    const seen = await text(await zoe.serve(), "/calls");
    expect(seen).toContain("Glob");
    expect(seen).not.toMatch(/\bann\b|bob|acme/);
    await expect(zoe.serve({ team: "acme" })).rejects.toMatchObject({
      message: expect.stringContaining("the user zoe of"),
      fix: "let its administrator run: SELECT amplihack.add_member('acme', 'zoe')",
    });
    // Somebody in two teams sees both, and chooses.
    await keeper.run("SELECT amplihack.add_member('zoo', 'ann')");
    const served = await ann.serve();
    expect(await text(served, "/calls")).toMatch(/4 entries/);
    const zoo = await text(served, "/calls?team=zoo");
    expect(zoo).toMatch(/1 entry/);
    expect(zoo).toContain('<option value="acme">acme</option><option value="zoo" selected>zoo</option>');
    expect(await text(await ann.serve({ team: "acme" }), "/calls?team=zoo")).toMatch(/0 entries/);
  });

  it("reads no line that is too long for anybody, and takes no such names", async () => {
    const team = await newTeam();
    const { database } = await team.join("ann");
    const add = (id: string, machine: string, length: number) =>
      database.run(
        `INSERT INTO amplihack.records (team, id, kind, time, machine, project, host, session, hash, fields)
         VALUES ('acme', $1, 'runs', now(), repeat('m', $2::int), '', '', '', '',
           jsonb_build_object('hook', 'guard', 'ts', now(), 'duration_us', 1, 'error', repeat('x', $3::int)))`,
        [id, machine, length],
      );
    await add("short", "5", 5);
    await add("long", "5", 100_000);
    await expect(add("name", "7000", 5)).rejects.toMatchObject({ code: "23514" });
    const source = new RecordSource(database.run, ["acme"], {});
    const batches = [];
    for await (const batch of source.read()) batches.push(batch);
    expect(batches).toMatchObject([{ runs: [{}], unreadable: 1 }]);
  });

  it("says when nothing was shipped, and makes no tables", async () => {
    const { keeper, url } = await newTeam();
    expect(await text(await serveTeam(url), "/")).toContain("Nothing was shipped here yet.");
    await keeper.run("DROP TABLE amplihack.records CASCADE");
    await expect(serveTeam(url)).rejects.toMatchObject({
      message: expect.stringContaining("nothing was shipped to"),
      fix: "let its owner run amplihack ship --once --to postgres=URL",
    });
    expect(await keeper.run("SELECT to_regclass('amplihack.records') AS there")).toEqual([{ there: null }]);
  });
});
