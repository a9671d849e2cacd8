import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { type PostgresTargetOptions, postgresTarget } from "../../src/ship/open-target.ts";
import { shipAll } from "../../src/ship/ship.ts";
import { findHead } from "../../src/state/chained-log.ts";
import { listRotations } from "../../src/state/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { System } from "../../src/system/system.ts";
import { version } from "../../src/version.ts";
import { bundleProgram } from "../bundle-program.ts";
import { administer, freshDatabase, hasPostgres, startPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { logsIn, writeLines } from "./logs.ts";

const system = createNodeSystem();
const TEAM = "acme";

/** A machine of another name. */
function machineNamed(host: string): System {
  const self = { ...system.processes.self, host };
  return { ...system, processes: Object.create(system.processes, { self: { value: self } }) };
}

interface Shipping {
  readonly stateHome: string;
  readonly database: Database;
  readonly on?: System;
  readonly options?: Partial<PostgresTargetOptions>;
}

async function ship({ stateHome, database, on = system, options = {} }: Shipping): Promise<number> {
  const all = {
    hasContent: false,
    maxRetries: 0,
    signal: new AbortController().signal,
    wait: async () => {},
    tell: () => {},
    ...options,
  };
  const target = postgresTarget(on, { ...all, database, team: TEAM });
  return shipAll(on, { ...all, stateHome, logs: logsIn(stateHome), target });
}

async function scene() {
  const { server, name, url } = await freshDatabase();
  const open = async (member?: string): Promise<Database> => {
    const database = await Database.open(readDatabaseUrl(server.url(name, member), "option"));
    onTestFinished(() => database.close());
    return database;
  };
  const keeper = await open();
  return {
    url,
    keeper,
    /** a login, in the team unless it has no projects at all */
    async member(who: string, projects?: string | null): Promise<Database> {
      await administer(server, `CREATE ROLE ${who} LOGIN`);
      // What was granted in a database keeps its role from being dropped before that database.
      onTestFinished(() => administer(server, `DROP ROLE ${who}`));
      if (projects !== null)
        await keeper.run(`SELECT amplihack.add_member($1, $2, $3::text[])`, [TEAM, who, projects ?? null]);
      return open(who);
    },
  };
}

async function rowsOf(database: Database, more = "") {
  return database.run(`SELECT * FROM records ${more} ORDER BY number`);
}

describe.skipIf(!hasPostgres)("shipping to PostgreSQL", () => {
  it("waits for nobody who is not in the team", async () => {
    const stateHome = temporaryDirectory();
    writeLines(stateHome, 1);
    const { keeper, member } = await scene();
    await ship({ stateHome, database: keeper });
    writeLines(stateHome, 2);
    const [ann, sid] = [await member("ann"), await member("sid", null)];
    await sid.transaction(async run => {
      await run("SELECT pg_advisory_xact_lock(hashtextextended('amplihack records acme', 0))");
      await run("SELECT FROM amplihack_views.teams FOR UPDATE");
      expect(await ship({ stateHome, database: ann })).toBe(4);
    });
  });

  it("adds both logs once, without content, in the name of who connected", async () => {
    const { keeper, member } = await scene();
    const [prepared, stateHome] = [temporaryDirectory(), temporaryDirectory()];
    expect(await ship({ stateHome: prepared, database: keeper })).toBe(0);
    expect(await rowsOf(keeper)).toEqual([]);
    writeLines(prepared, 2);
    await ship({ stateHome: prepared, database: keeper });
    const ann = await member("ann");
    writeLines(stateHome, 3);
    expect(await ship({ stateHome, database: ann })).toBe(6);
    expect(await ship({ stateHome, database: ann })).toBe(0);
    writeLines(stateHome, 1);
    expect(await ship({ stateHome, database: ann })).toBe(2);
    expect(await rowsOf(keeper)).toHaveLength(12);
    const rows = await rowsOf(ann, "WHERE person = 'ann'");
    expect(rows).toHaveLength(8);
    expect(JSON.stringify(rows)).not.toContain("secret");
    expect(rows[0]).toMatchObject({
      team: TEAM,
      kind: "audit",
      machine: system.processes.self.host,
      project: expect.stringMatching(/^local:[0-9a-f]{16}$/),
      host: "claude-code",
      session: "s-1",
      fields: {
        tool: "Bash",
        verdict: "deny",
        rules: ["fs.home"],
        level: "standard",
        seq: 1,
        prev: "",
        program: version,
      },
    });
    expect(rows[3]).toMatchObject({
      kind: "runs",
      fields: { hook: "pre_tool_use", duration_us: 4_000, result: "ok", decision: "deny" },
    });
  });

  it("sends commands and paths when asked to, and knows a project by its remote", async () => {
    const { keeper } = await scene();
    const stateHome = temporaryDirectory();
    const project = join(temporaryDirectory(), "pay");
    mkdirSync(project);
    const git = (...words: string[]) => execFileSync("git", ["-C", project, ...words]);
    git("init", "-q");
    git("remote", "add", "origin", "git@GitHub.com:acme/pay.git");
    writeLines(stateHome, 1);
    const line = { ts: "2026-11-01T10:00:00Z", project, command: "rm -rf x", verdict: "ask", notes: NOTES };
    appendFileSync(logsIn(stateHome).audit, `${JSON.stringify(line)}\n`);
    await ship({ stateHome, database: keeper, options: { hasContent: true } });
    const [, row] = await rowsOf(keeper, "WHERE kind = 'audit'");
    expect(row).toMatchObject({ project: "github.com/acme/pay" });
    expect(row?.["fields"]).toMatchObject({ command: "rm -rf x", project, notes: ["kept: fs.rm "] });
    expect((await rowsOf(keeper))[0]?.["fields"]).toMatchObject({ command: "rm -rf secret-0" });
  });
  const NOTES = ["kept: fs.rm /secret/file (amplihack undo 12)", "loses nothing: fs.rm /secret/other"];

  it("is not held up by lines that a database cannot hold as they are", async () => {
    const { keeper } = await scene();
    const stateHome = temporaryDirectory();
    writeLines(stateHome, 1);
    const long = "x".repeat(5_000);
    const lines = [
      { ts: "+275760-09-13T00:00:00.000Z", hook: "stop", session: "a\u0000b\ud800", host: long },
      { ts: "-100000-01-01T00:00:00.000Z", session: long, project: `/${long}`, rules: [3, "ok", "\udc00"] },
      { ts: 5, session: { a: 1 } },
    ];
    appendFileSync(logsIn(stateHome).runs, lines.map(line => `${JSON.stringify(line)}\n`).join(""));
    appendFileSync(logsIn(stateHome).runs, '\u0000\u0000 broken\n{"session":"\\u0000\\ud800"}\n');
    expect(await ship({ stateHome, database: keeper })).toBe(7);
    const rows = await rowsOf(keeper, "WHERE kind = 'runs'");
    expect(rows.map(row => row["session"])).toEqual([
      "s-1",
      "a\ufffdb\ufffd",
      `${"x".repeat(300)}…`,
      "",
      "",
      "\ufffd\ufffd",
    ]);
    expect(rows[2]?.["fields"]).toMatchObject({ rules: ["ok", "\ufffd"] });
  });

  it("leaves a chain on the server that proves the log, with its heads", async () => {
    const { keeper } = await scene();
    const stateHome = temporaryDirectory();
    for (const count of [2, 3]) {
      writeLines(stateHome, count, 900);
      await ship({ stateHome, database: keeper });
    }
    expect(listRotations(system, logsIn(stateHome).audit).length).toBeGreaterThan(0);
    const rows = await rowsOf(keeper, "WHERE kind = 'audit'");
    const fields = rows.map(row => row["fields"] as { seq: number; prev: string });
    expect(fields.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(fields.slice(1).map(({ prev }) => prev)).toEqual(rows.slice(0, -1).map(row => row["hash"]));
    const head = findHead(system, logsIn(stateHome).audit);
    const heads = await keeper.run("SELECT * FROM amplihack.audit_heads ORDER BY seq");
    expect(heads).toMatchObject([
      { seq: "2", hash: rows[1]?.["hash"] },
      { seq: "5", hash: head?.hash, person: "keeper", machine: system.processes.self.host },
    ]);
  });
});

describe.skipIf(!hasPostgres)("who may do what with records", () => {
  it("is decided by the server: add and read, of one's own team and projects, in one's own name", async () => {
    const { keeper, member } = await scene();
    const stateHome = temporaryDirectory();
    writeLines(stateHome, 1);
    await ship({ stateHome, database: keeper });
    const [ann, bob, eve] = [
      await member("ann"),
      await member("bob", "{github.com/acme/pay}"),
      await member("eve", null),
    ];
    const add = (who: Database, project: string, id: string) =>
      who.run(
        `INSERT INTO amplihack.records (team, id, kind, time, machine, project, host, session, hash, fields)
         VALUES ('acme', $2, 'runs', now(), 'm', $1, '', '', '', '{}')`,
        [project, id],
      );
    await add(ann, "github.com/acme/pay", "1");
    await add(ann, "github.com/acme/shop", "2");
    // Somebody who sees one project still tells of everything that happened on his machine.
    await add(bob, "github.com/acme/shop", "3");
    await add(bob, "", "4");
    await expect(add(eve, "", "5")).rejects.toMatchObject({ problem: "refused" });
    const seen = async (who: Database) =>
      (await who.run("SELECT id, person FROM amplihack_views.records WHERE machine = 'm' ORDER BY id")).map(
        row => `${row["id"]} ${row["person"]}`,
      );
    expect(await seen(ann)).toEqual(["1 ann", "2 ann", "3 bob", "4 bob"]);
    expect(await seen(bob)).toEqual(["1 ann", "4 bob"]);
    expect(await seen(eve)).toEqual([]);
    expect(await eve.run("SELECT * FROM amplihack_views.audit_heads")).toEqual([]);
    expect(await bob.run("SELECT seq FROM amplihack_views.audit_heads")).toEqual([{ seq: "1" }]);
    for (const statement of [
      "SELECT FROM amplihack.records",
      "UPDATE amplihack.records SET host = 'x'",
      "UPDATE amplihack.records SET host = 'x' WHERE person = session_user",
      "DELETE FROM amplihack.records",
      "TRUNCATE amplihack.records",
      "DO 'BEGIN LOCK TABLE amplihack.records IN ROW EXCLUSIVE MODE; END'",
      "DO 'BEGIN LOCK TABLE amplihack.audit_heads IN ROW EXCLUSIVE MODE; END'",
      "UPDATE amplihack.audit_heads SET seq = 9",
      "DELETE FROM amplihack.audit_heads",
      "INSERT INTO amplihack.records (team, id, kind, time, machine, project, host, session, hash, fields, person) VALUES ('acme', '6', 'runs', now(), 'm', '', '', '', '', '{}', 'bob')",
      "INSERT INTO amplihack.records (team, id, kind, time, machine, project, host, session, hash, fields, received) VALUES ('acme', '7', 'runs', now(), 'm', '', '', '', '', '{}', now())",
      "INSERT INTO amplihack.audit_heads (team, machine, seq, hash, person) VALUES ('acme', 'm', 1, '', 'bob')",
      "ALTER TABLE amplihack.records DISABLE ROW LEVEL SECURITY",
    ])
      await expect(ann.run(statement), statement).rejects.toMatchObject({ code: "42501" });
    await keeper.run("DELETE FROM amplihack.records WHERE id = '1'");
    expect(await seen(ann)).toEqual(["2 ann", "3 bob", "4 bob"]);
  });

  it("is told in plain words to somebody who is in no team", async () => {
    const { keeper, member } = await scene();
    const stateHome = temporaryDirectory();
    writeLines(stateHome, 1);
    await ship({ stateHome, database: keeper });
    const other = temporaryDirectory();
    writeLines(other, 1);
    const eve = await member("eve", null);
    await expect(ship({ stateHome: other, database: eve })).rejects.toMatchObject({
      causes: [expect.stringContaining("the user eve")],
      fix: expect.stringContaining("amplihack.add_member('acme', 'eve')"),
    });
  });
});

describe.skipIf(!hasPostgres)("nothing is lost or doubled", () => {
  const program = bundleProgram(new URL("./programs/shipper.ts", import.meta.url), [
    "pg",
    "@dbos-inc/dbos-sdk",
  ]);

  async function countsOf(database: Database) {
    const [row] = await database.run(
      "SELECT count(*)::int AS rows, count(DISTINCT id)::int AS ids FROM amplihack.records",
    );
    return row;
  }

  it("when shippers are killed in the middle", async () => {
    const { keeper, url } = await scene();
    const stateHome = temporaryDirectory();
    writeLines(stateHome, 2);
    await ship({ stateHome, database: keeper });
    await keeper.run("UPDATE amplihack.teams SET team = 'everyone'");
    writeLines(stateHome, 2_500, 200_000);
    const seen: number[] = [];
    for (const least of [500, 2_000, 3_500]) {
      const child = spawn(process.execPath, [program, stateHome, `postgres=${url}`], { stdio: "inherit" });
      const ended = once(child, "close");
      for (let rows = 0; rows < least && child.exitCode === null; )
        rows = Number((await countsOf(keeper))?.["rows"]);
      child.kill("SIGKILL");
      await ended;
      seen.push(Number((await countsOf(keeper))?.["rows"]));
    }
    const child = spawn(process.execPath, [program, stateHome, `postgres=${url}`], { stdio: "inherit" });
    expect(await once(child, "close")).toEqual([0, null]);
    expect(seen.every(rows => rows >= 500)).toBe(true);
    expect(await countsOf(keeper)).toEqual({ rows: 5_004, ids: 5_004 });
  });

  it("when the server is killed in the middle and comes back", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const database = await Database.open(readDatabaseUrl(server.url(), "option"), { maxConnections: 1 });
    onTestFinished(() => database.close());
    const stateHome = temporaryDirectory();
    writeLines(stateHome, 1_600);
    let transactions = 0;
    const run = database.transaction.bind(database);
    const cut: Database["transaction"] = async work => {
      if (++transactions === 4) await server.kill();
      const result = await run(work);
      // The second time it has committed, and nobody hears of it.
      if (transactions === 6) {
        await server.kill();
        await database.run("SELECT 1");
      }
      return result;
    };
    database.transaction = cut;
    const told: string[] = [];
    const sent = await ship({
      stateHome,
      database,
      options: { maxRetries: 5, wait: () => server.start(), tell: message => void told.push(message) },
    });
    expect(sent).toBe(3_200);
    expect(told).toEqual([
      expect.stringContaining("does not answer"),
      expect.stringContaining("next attempt in 1 s"),
    ]);
    expect(await countsOf(database)).toEqual({ rows: 3_200, ids: 3_200 });
  });

  it("when two machines ship at once while their logs grow and rotate", async () => {
    const { keeper } = await scene();
    const homes = [temporaryDirectory(), temporaryDirectory()];
    for (const home of homes) writeLines(home, 700, 60_000);
    const rounds = homes.map(async (stateHome, index) => {
      const on = machineNamed(`machine-${index}`);
      for (let round = 0; round < 3; round++) {
        await ship({ stateHome, database: keeper, on });
        writeLines(stateHome, 50, 60_000);
      }
      await ship({ stateHome, database: keeper, on });
    });
    await Promise.all(rounds);
    expect(listRotations(system, logsIn(homes[0] ?? "").audit).length).toBeGreaterThan(1);
    const machines = await keeper.run(
      "SELECT machine, count(*)::int AS rows, count(DISTINCT fields->>'seq')::int AS seqs FROM amplihack.records GROUP BY 1 ORDER BY 1",
    );
    expect(machines).toEqual([
      { machine: "machine-0", rows: 1_700, seqs: 850 },
      { machine: "machine-1", rows: 1_700, seqs: 850 },
    ]);
    const heads = await keeper.run(
      "SELECT machine, max(seq)::int AS seq FROM amplihack.audit_heads GROUP BY 1 ORDER BY 1",
    );
    expect(heads).toEqual([
      { machine: "machine-0", seq: 850 },
      { machine: "machine-1", seq: 850 },
    ]);
  });
});
