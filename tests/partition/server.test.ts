import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../src/postgres/database.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { hashSecret } from "../../src/server/http.ts";
import { planInit, runInit } from "../../src/server/init.ts";
import { AMPLIHACK } from "../commands/run-command.ts";
import { startPostgres } from "../postgres-server.ts";
import { writeLines } from "../ship/logs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Machine, NETWORK, openNetwork } from "./network.ts";
import { TRIES_PARTITION, until } from "./partition-tests.ts";

/** Of each log; a batch has 500. */
const LINES = 600;
const PORT = "8484";

/** Starts one of our programs on a machine of the network. */
function start(machine: Machine, home: string, words: readonly string[], env: Record<string, string> = {}) {
  const [program, ...before] = machine.enter;
  const child = spawn(program, [...before, ...AMPLIHACK, ...words], {
    env: { PATH: process.env["PATH"], HOME: home, LC_ALL: "C.UTF-8", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", chunk => {
      said += String(chunk);
    });
  const ended = new Promise<number | null>(resolve => child.once("close", resolve));
  return { said: () => said, isOver: () => child.exitCode !== null, ended };
}

/** The database, the server and the laptops are five machines; the server's own network is cut last of all. */
describe.skipIf(!TRIES_PARTITION)("a server whose network is cut", () => {
  it("has every line once, whoever was cut off at whatever moment", async () => {
    const moments = [
      ["to the server", 2_000],
      ["to the server", 20_000],
      ["from the server", 3_000],
    ] as const;
    const { server: place, machines } = await openNetwork(1 + moments.length);
    const [office, ...laptops] = machines as [Machine, ...Machine[]];
    const postgres = await startPostgres({ network: { ...place, from: NETWORK } });
    onTestFinished(() => postgres.stop());
    const owner = await Database.open(readDatabaseUrl(postgres.url(), "option"));
    onTestFinished(() => owner.close());
    await runInit(owner, await planInit(owner, "acme"), "olga");
    const folder = temporaryDirectory();
    const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=agents"];
    const made = ["-addext", `subjectAltName=IP:${office.address}`, "-keyout", key, "-out", certificate];
    execFileSync("openssl", [...request, ...made], { stdio: "pipe" });
    const url = `https://${office.address}:${PORT}`;
    const databaseUrl = `postgres://amplihack_server@${place.address}/postgres?sslmode=disable`;
    const listening = ["--address", "0.0.0.0", "--port", PORT, "--public-url", url];
    const serving = start(office, temporaryDirectory(), [
      ...["serve", "--url", databaseUrl, ...listening],
      ...["--cert", certificate, "--key", key],
    ]);
    await until(serving.said, said => said.includes(url));
    const homes = await Promise.all(
      laptops.map(async (_, index) => {
        const home = temporaryDirectory();
        const secret = Buffer.alloc(32, `key-${index}-`).toString("base64url");
        await owner.run(
          `INSERT INTO ${SCHEMA}.server_machines (id, team, person, machine, hash) VALUES ($1, 'acme', $2, $3, $4)`,
          [`m${index}`, `p${index}`, `machine-${index}`, hashSecret(secret)],
        );
        const stateHome = join(home, ".amplihack");
        mkdirSync(stateHome);
        const joined = { url, team: "acme", person: `p${index}`, key: secret, anchor: null, serverKey: null };
        writeFileSync(join(stateHome, "server.json"), JSON.stringify(joined), { mode: 0o600 });
        return home;
      }),
    );
    const ship = (index: number, seconds: string) =>
      start(
        laptops[index] as Machine,
        homes[index] ?? "",
        ["ship", "--once", "--to", "server", "--timeout", seconds],
        { NODE_EXTRA_CA_CERTS: certificate },
      );
    const count = () =>
      owner.run(
        `SELECT machine, count(*)::int AS lines, count(DISTINCT id)::int AS ids FROM ${SCHEMA}.records
         GROUP BY machine ORDER BY machine`,
      );
    let lines = 0;
    for (const cut of [
      // Each laptop by itself, at a moment of its own.
      (index: number) =>
        laptops[index]?.cutAfter(moments[index]?.[1] ?? 0, moments[index]?.[0] ?? "to the server"),
      // The server, from laptops and database, while they send: what the database took may never be answered.
      (index: number) => index === 0 && office.cutAfter(60_000, "to the server"),
    ]) {
      for (const home of homes) writeLines(join(home, ".amplihack"), LINES);
      lines += 2 * LINES;
      const shipments = await Promise.all(
        laptops.map(async (_, index) => {
          cut(index);
          const shipping = ship(index, "2");
          await until(
            () => shipping.said().includes("next attempt") || shipping.isOver(),
            hasNoticed => hasNoticed,
          );
          expect(shipping.said()).toContain("next attempt");
          return shipping;
        }),
      );
      for (const machine of machines) machine.heal();
      for (const { ended } of shipments) await ended;
      await Promise.all(
        laptops.map((_, index) =>
          until(
            () => ship(index, "30").ended,
            code => code === 0,
          ),
        ),
      );
      expect(await count()).toEqual(
        homes.map((_, index) => ({ machine: `machine-${index}`, lines, ids: lines })),
      );
    }
    const [sums] = await owner.run(
      `SELECT sum(count)::int AS summed FROM ${SCHEMA}.rollups WHERE span = 'day' AND rule = ''`,
    );
    expect(sums).toEqual({ summed: lines * laptops.length });
  });
});
