import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { AMPLIHACK } from "../commands/run-command.ts";
import { RUN } from "../dashboard/machine.ts";
import { hasPostgres } from "../postgres-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { serverScene } from "./scene.ts";

/** Where a machine is killed: the server never hears of the request, or has done it and the answer is lost, or has come. */
const MOMENTS = ["before the request", "before the answer", "after the answer"] as const;
interface Kill {
  readonly path: string;
  readonly moment: (typeof MOMENTS)[number];
}

/** Passes requests on, and kills whoever sends at a moment; each of them once. */
async function relay(target: string, kills: Kill[], kill: () => Promise<void>): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const [next] = kills;
    const moment = next !== undefined && request.url === next.path ? kills.shift()?.moment : undefined;
    if (moment === "before the request") {
      await kill();
      response.destroy();
      return;
    }
    const { method, headers, url } = request;
    const sent = httpRequest(new URL(url ?? "/", target), { method, headers }, async answer => {
      const parts: Buffer[] = [];
      for await (const part of answer as AsyncIterable<Buffer>) parts.push(part);
      if (moment === "before the answer") {
        await kill();
        response.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.end(Buffer.concat(parts), () => moment === "after the answer" && void kill());
    });
    sent.end(Buffer.concat(chunks));
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!hasPostgres)("a machine that is killed while it ships", () => {
  it("loses and doubles nothing, at whatever moment it was", { timeout: 300_000 }, async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const paths = ["/api/v1/seen", "/api/v1/records", "/api/v1/records"];
    const kills = paths.flatMap(path => MOMENTS.map(moment => ({ path, moment })));
    let child: ChildProcess | undefined;
    let ended: Promise<unknown> = Promise.resolve();
    const url = await relay(scene.url, kills, async () => {
      child?.kill("SIGKILL");
      await ended;
    });
    const home = temporaryDirectory();
    const logs = join(home, ".amplihack", "logs");
    mkdirSync(logs, { recursive: true });
    const key = await scene.join(olga, "acme", "laptop");
    const joined = { url, team: "acme", person: "olga", key, anchor: null, serverKey: null };
    writeFileSync(join(home, ".amplihack", "server.json"), JSON.stringify(joined), { mode: 0o600 });
    let lines = 0;
    const write = (count: number): void => {
      const ts = new Date().toISOString();
      const texts = Array.from({ length: count }, () =>
        JSON.stringify({ ...RUN, ts, session: `s-${++lines}` }),
      );
      appendFileSync(join(logs, "runs.jsonl"), `${texts.join("\n")}\n`);
    };
    // More than one batch.
    write(1_100);
    const [program = "", ...first] = AMPLIHACK;
    let killed = 0;
    for (let round = 0; ; round += 1) {
      expect(round).toBeLessThan(kills.length + killed + 5);
      child = spawn(program, [...first, "ship", "--once", "--to", "server"], {
        env: { PATH: process.env["PATH"] ?? "", HOME: home },
        stdio: "ignore",
      });
      ended = new Promise(resolve => child?.on("close", (code, signal) => resolve(signal ?? code)));
      const end = await ended;
      if (end === "SIGKILL") killed += 1;
      if (end === 0 && kills.length === 0) break;
      write(40);
    }
    expect(kills).toEqual([]);
    // Behind the last answer it may have ended before.
    expect(killed).toBeGreaterThanOrEqual(paths.length * 2);
    const [count] = await scene.owner.run(
      `SELECT count(*)::int AS all, count(DISTINCT session)::int AS once,
         (SELECT sum(count)::int FROM ${SCHEMA}.rollups WHERE span = 'day' AND rule = '') AS summed
       FROM ${SCHEMA}.records`,
    );
    expect(count).toEqual({ all: lines, once: lines, summed: lines });
  });
});
