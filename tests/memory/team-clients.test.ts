import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/memory/open-postgres-store.ts";
import { Database } from "../../src/postgres/database.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { bundleProgram } from "../bundle-program.ts";
import { runs } from "../generated-inputs.ts";
import { administer, freshDatabase, hasPostgres } from "../postgres-server.ts";
import { NOW_MS, systemAt } from "./store-scene.ts";

const CLIENTS = runs(4, 20);
const NOTES = runs(2_000, 100_000);
const TEAMS = ["red", "blue"];
const PER_TEAM = CLIENTS / TEAMS.length;

interface Client {
  readonly team: string;
  readonly child: ChildProcess;
  /** the next line that it says */
  next(): Promise<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

describe.skipIf(!hasPostgres)(`${CLIENTS} clients of ${TEAMS.length} teams with ${NOTES} notes`, () => {
  const program = bundleProgram(new URL("./programs/client.ts", import.meta.url), ["pg-native"]);

  function start(url: string, team: string, name: string): Client {
    const words = [program, url, team, name, String(NOTES / CLIENTS)];
    const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "pipe"] });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    let stderr = "";
    child.stderr.on("data", chunk => {
      stderr += chunk;
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return {
      team,
      child,
      next: async () => (await lines.next()).value ?? `ended: ${stderr}`,
      ended: once(child, "close").then(([code]) => ({ code: code as number | null, stderr })),
    };
  }

  it("lose no note, double none, show none to the other team, and all see everything in the end", async () => {
    const { server, name } = await freshDatabase();
    const address = readDatabaseUrl(server.url(name), "option");
    const clients: Client[] = [];
    for (const team of TEAMS) {
      (await openPostgresStore(systemAt({ nowMs: NOW_MS }), { address, team })).close();
      await administer(server, `CREATE ROLE ${team} LOGIN`);
      onTestFinished(() => administer(server, `DROP OWNED BY ${team}; DROP ROLE ${team}`));
      await administer(
        server,
        `SELECT amplihack.make_team('${team}'), amplihack.add_member('${team}', '${team}')`,
        name,
      );
      for (let index = 0; index < PER_TEAM; index++)
        clients.push(start(server.url(name, team), team, `client ${index}`));
    }
    const said = await Promise.all(clients.map(client => client.next()));
    expect(said).toEqual(clients.map(() => "written"));
    for (const { child } of clients) child.stdin?.end("tell\n");
    const seen = await Promise.all(
      clients.map(async client => [client.team, JSON.parse(await client.next())] as const),
    );
    const expected = NOTES / TEAMS.length + 1;
    for (const [, { count }] of seen) expect(count).toBe(expected);
    for (const team of TEAMS)
      expect(new Set(seen.filter(([of]) => of === team).map(([, { digest }]) => digest)).size).toBe(1);
    const ends = await Promise.all(clients.map(({ ended }) => ended));
    expect(ends).toEqual(clients.map(() => ({ code: 0, stderr: "" })));
    await expectConsistent(server.url(name));
  });
});

/** What the triggers keep agrees with what there is. */
async function expectConsistent(url: string): Promise<void> {
  const database = await Database.open(readDatabaseUrl(url, "option"), { statementTimeoutMs: 600_000 });
  try {
    const [revisions] = await database.run(
      `SELECT count(DISTINCT (team, revision)) <= sum(1) AS ordered,
         bool_and(revision <= (SELECT revision FROM amplihack.teams WHERE teams.team = memories.team)) AS counted
       FROM amplihack.memories`,
    );
    expect(revisions).toEqual({ ordered: true, counted: true });
    const wrong = await database.run(
      `SELECT team, term FROM amplihack.memory_terms
       FULL JOIN (
         SELECT team, unnest(array_append(tsvector_to_array(terms), '')) AS term, count(*) AS counted
         FROM amplihack.memories GROUP BY team, term
       ) AS counted USING (team, term)
       WHERE memories IS DISTINCT FROM counted LIMIT 5`,
    );
    expect(wrong).toEqual([]);
  } finally {
    await database.close();
  }
}
