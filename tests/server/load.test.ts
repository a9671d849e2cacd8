import { type ChildProcess, spawn } from "node:child_process";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../src/postgres/database.ts";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { readDatabaseUrl } from "../../src/postgres/url.ts";
import { hashSecret } from "../../src/server/http.ts";
import { planInit, runInit } from "../../src/server/init.ts";
import { AMPLIHACK } from "../commands/run-command.ts";
import { administer, hasPostgres, startPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { askUrl, row } from "./scene.ts";

const isLong = process.env["AMPLIHACK_TEST_LONG"] === "1";
const MACHINES = 200;
/** of each of the two rates */
const SECONDS = Number(process.env["AMPLIHACK_LOAD_SECONDS"] ?? 600);
const DECISIONS_AN_HOUR = 500;

/** A server as it is installed, in a process of its own. */
async function startServe(databaseUrl: string): Promise<{ child: ChildProcess; url: string }> {
  const [program = "", ...first] = AMPLIHACK;
  const child = spawn(program, [...first, "serve", "--url", databaseUrl, "--port", "0"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: temporaryDirectory() },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const url = await new Promise<string>(resolve =>
    child.stdout?.once("data", chunk => resolve(String(chunk).trim())),
  );
  return { child, url };
}

interface Sender {
  readonly key: string;
  /** numbers of lines that the server has not said yes to */
  waiting: number[];
}

function waitingIn(senders: readonly Sender[]): number {
  return senders.reduce((sum, { waiting }) => sum + waiting.length, 0);
}

describe.skipIf(!hasPostgres || !isLong)("200 machines", () => {
  it(
    "lose and double nothing at one and ten times the rate, while servers, the database and answers are lost",
    async () => {
      const server = await startPostgres();
      onTestFinished(() => server.stop());
      await administer(server, "CREATE DATABASE load ENCODING 'UTF8' TEMPLATE template0");
      const owner = await Database.open(readDatabaseUrl(server.url("load"), "option"));
      onTestFinished(() => owner.close());
      await runInit(owner, await planInit(owner, "acme"), "olga");
      const senders: Sender[] = Array.from({ length: MACHINES }, (_, index) => ({
        key: Buffer.alloc(32, `key-${index}-`).toString("base64url"),
        waiting: [],
      }));
      for (const [index, { key }] of senders.entries())
        await owner.run(
          `INSERT INTO ${SCHEMA}.server_machines (id, team, person, machine, hash) VALUES ($1, 'acme', $2, $3, $4)`,
          [`m${index}`, `p${index}`, `machine-${index}`, hashSecret(key)],
        );
      const databaseUrl = server.url("load", "amplihack_server");
      const servers = [await startServe(databaseUrl), await startServe(databaseUrl)];
      const took: number[] = [];
      let [next, lost] = [1, 0];
      /** Sends what waits. An answer that is cut off on its way leaves the lines waiting: they are sent again. */
      const send = async (sender: Sender, isCut: boolean): Promise<void> => {
        const numbers = [...sender.waiting];
        if (numbers.length === 0) return;
        const url = servers[Math.floor(Math.random() * servers.length)]?.url ?? "";
        const started = performance.now();
        const rows = numbers.map(number =>
          row(number % 80_000, { id: number.toString(16).padStart(32, "0") }),
        );
        const answer = await askUrl(url, "/api/v1/records", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "content-encoding": "gzip",
            authorization: `Bearer ${sender.key}`,
          },
          body: gzipSync(JSON.stringify({ program: "0.1.0", rows })),
        }).catch(() => undefined);
        if (answer?.status !== 200 || isCut) {
          lost += 1;
          return;
        }
        took.push(performance.now() - started);
        sender.waiting = sender.waiting.filter(number => !numbers.includes(number));
      };
      const measure = async () => {
        const { body } = await askUrl(servers[0]?.url ?? "", "/metrics");
        const at = (name: string) => Number(new RegExp(`^${name} ([\\d.]+)$`, "m").exec(body)?.[1]);
        return { mib: at("process_resident_memory_bytes") / 2 ** 20, cpu: at("process_cpu_seconds_total") };
      };
      for (const factor of [1, 10]) {
        const perSecond = (MACHINES * DECISIONS_AN_HOUR * factor) / 3600;
        const [begun, before] = [performance.now(), await measure()];
        const faults = [
          async () => {
            servers[1]?.child.kill("SIGKILL");
            servers[1] = await startServe(databaseUrl);
          },
          async () => {
            await server.kill();
            await server.start();
          },
        ];
        took.length = 0;
        let due = 0;
        const memory = [before.mib];
        for (let second = 0; second < SECONDS; second += 1) {
          due += perSecond;
          for (; due >= 1; due -= 1) {
            const sender = senders[next % MACHINES];
            sender?.waiting.push(next);
            next += 1;
          }
          if (second % Math.ceil(SECONDS / 4) === 0 && second > 0) memory.push((await measure()).mib);
          const fault = second % Math.ceil(SECONDS / 4) === 1 ? faults.shift() : undefined;
          const ready = senders.filter(({ waiting }) => waiting.length > 0);
          await Promise.all([fault?.(), ...ready.map(sender => send(sender, Math.random() < 0.02))]);
          const left = begun + (second + 1) * 1000 - performance.now();
          if (left > 0) await new Promise(resolve => setTimeout(resolve, left));
        }
        const [late, behind] = [performance.now() - begun - SECONDS * 1000, waitingIn(senders)];
        for (let round = 0; senders.some(({ waiting }) => waiting.length > 0); round += 1) {
          expect(round).toBeLessThan(1_000);
          await Promise.all(senders.map(sender => send(sender, false)));
        }
        const sorted = took.toSorted((one, other) => one - other);
        const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
        const after = await measure();
        memory.push(after.mib);
        console.log(
          `${factor} ×: ${Math.round(perSecond)} lines a second for ${SECONDS} s, ${took.length} uploads, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${lost} sent again, ${Math.round(late / 1000)} s late with ${behind} lines waiting, processor time of one of two servers ${(after.cpu - before.cpu).toFixed(1)} s, memory by quarters ${memory.map(Math.round).join(" → ")} MiB`,
        );
      }
      const [count] = await owner.run(
        `SELECT count(*)::int AS all, count(DISTINCT id)::int AS once,
           (SELECT sum(count)::int FROM ${SCHEMA}.rollups WHERE span = 'day' AND rule = '') AS summed
         FROM ${SCHEMA}.records`,
      );
      expect(count).toEqual({ all: next - 1, once: next - 1, summed: next - 1 });
      expect(lost).toBeGreaterThan(0);
    },
    SECONDS * 4_000 + 300_000,
  );
});
