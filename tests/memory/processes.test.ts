import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Libsql from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundleProgram } from "../bundle-program.ts";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { openScene } from "./store-scene.ts";

const worker = bundleProgram(new URL("./programs/worker.ts", import.meta.url), ["libsql"]);
const PROCESSES = runs(8, 16);
const ROUNDS = runs(10, 500);
const LONG = runs(240_000, 2_400_000);

interface Worker {
  readonly name: string;
  readonly child: ChildProcess;
  /** numbers it reported as stored */
  readonly stored: number[];
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

function start(action: string, path: string, name: string): Worker {
  const child = spawn(process.execPath, [worker, action, path, name, String(ROUNDS)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const stored: number[] = [];
  createInterface(child.stdout).on("line", line => stored.push(Number(line)));
  let stderr = "";
  child.stderr.on("data", chunk => {
    stderr += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stderr }));
  return { name, child, stored, ended };
}

function startMany(action: string, path: string): readonly Worker[] {
  return Array.from({ length: PROCESSES }, (_, index) => start(action, path, `worker ${index}`));
}

async function expectNothingLost(path: string, workers: readonly Worker[]): Promise<void> {
  const { store } = await openScene(path);
  for (const { name, stored } of workers) {
    const keys = new Set((await store.list({ agent: name }, "name")).map(memory => memory.key));
    expect(stored.filter(number => !keys.has(`key ${number}`))).toEqual([]);
  }
  const database = new Libsql(path);
  expect(database.prepare("PRAGMA integrity_check").all()).toMatchObject([{ integrity_check: "ok" }]);
  database.exec("INSERT INTO memory_words (memory_words) VALUES ('integrity-check')");
  database.close();
}

describe(`${PROCESSES} processes with one database`, () => {
  it(
    "write and read, lose nothing, and none of them hears that it is locked",
    async () => {
      const path = join(temporaryDirectory(), "memory.db");
      const workers = startMany("work", path);
      const ends = await Promise.all(workers.map(({ ended }) => ended));
      expect(ends).toEqual(workers.map(() => ({ code: 0, stderr: "" })));
      for (const { stored } of workers) expect(stored).toHaveLength(ROUNDS);
      await expectNothingLost(path, workers);
      const { store } = await openScene(path);
      const learnt = await store.list({}, "name");
      const facts = learnt
        .filter(({ key }) => key.startsWith("learned/"))
        .map(({ agent, value }) => `${agent} ${value}`);
      expect(new Set(facts).size).toBe(facts.length);
    },
    LONG,
  );

  it(
    "make it together, once, and private",
    async () => {
      const path = join(temporaryDirectory(), "not", "there", "memory.db");
      const workers = startMany("open", path);
      const ends = await Promise.all(workers.map(({ ended }) => ended));
      expect(ends).toEqual(workers.map(() => ({ code: 0, stderr: "" })));
      await expectNothingLost(path, workers);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    },
    LONG,
  );
});

describe("processes killed while they write", () => {
  it(
    "leave everything that they reported, and a sound database",
    async () => {
      const path = join(temporaryDirectory(), "memory.db");
      for (let round = 0; round < 5; round++) {
        const workers = [0, 1, 2].map(index => start("churn", path, `round ${round} worker ${index}`));
        await Promise.all(
          workers.map(async ({ child, stored }) => {
            while (stored.length < 5 + round) await once(child.stdout ?? child, "data");
          }),
        );
        for (const { child } of workers) child.kill("SIGKILL");
        await Promise.all(workers.map(({ ended }) => ended));
        await expectNothingLost(path, workers);
      }
    },
    LONG,
  );
});
