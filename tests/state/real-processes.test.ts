import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createInterface, type Interface } from "node:readline";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  AtomicFlag,
  AtomicJsonFile,
  Counter,
  EnvVar,
  envParsers,
  FileLock,
} from "../../src/exports/state.ts";
import { bundleProgram } from "../bundle-program.ts";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const worker = bundleProgram(new URL("./programs/worker.ts", import.meta.url));
const LONG = runs(900_000, 3_600_000);
const PROCESSES = runs(8, 32);
const UPDATES = runs(100, 200);
const DEATHS = runs(6, 20);
const ROUNDS = runs(25, 60);

interface Worker {
  readonly child: ChildProcess;
  readonly lines: Interface;
  readonly ended: Promise<unknown>;
}

function start(action: string, directory: string, times = 0): Worker {
  const child = spawn(process.execPath, [worker, action, directory, String(times)], {
    env: {},
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return { child, lines: createInterface(child.stdout), ended: once(child, "close") };
}

/** Everything a worker says until it ends. */
async function collect({ lines, ended }: Worker): Promise<string[]> {
  const said: string[] = [];
  lines.on("line", line => said.push(line));
  await ended;
  return said;
}

describe("many processes at once", () => {
  it(
    `lose no update: ${PROCESSES} of them, ${UPDATES} each, on one counter and one JSON file`,
    async () => {
      const directory = temporaryDirectory();
      const workers = Array.from({ length: PROCESSES }, () => start("increment", directory, UPDATES));
      const total = PROCESSES * UPDATES;
      const said = await Promise.all(workers.map(collect));
      const values = said.flatMap(lines => JSON.parse(lines[0] ?? "[]") as number[]);
      expect(values.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: total }, (_, index) => index + 1),
      );
      expect(new Counter(`${directory}/count`).read()).toBe(total);
      expect(new AtomicJsonFile(`${directory}/tally.json`, {}).read()).toMatchObject({ n: total });
      expect(readdirSync(directory).toSorted()).toEqual(["count", "tally.json"]);
    },
    LONG,
  );

  it(
    "write whole lines to one log, long ones too",
    async () => {
      const directory = temporaryDirectory();
      await Promise.all(Array.from({ length: 6 }, () => collect(start("append", directory, 60))));
      const lines = readFileSync(`${directory}/lines.jsonl`, "utf8").trimEnd().split("\n");
      const seen = lines.map(line => JSON.parse(line) as { pid: number; line: number; filler: string });
      expect(seen).toHaveLength(360);
      for (const { line, filler } of seen) expect(filler).toHaveLength(line % 3 === 0 ? 20_000 : 50);
      expect(new Set(seen.map(({ pid, line }) => `${pid} ${line}`)).size).toBe(360);
    },
    LONG,
  );
});

describe("a process killed while it updates a JSON file", () => {
  it(
    "leaves a whole value, no older than the last it reported, and no lock that holds up the next",
    async () => {
      const directory = temporaryDirectory();
      const file = new AtomicJsonFile(`${directory}/tally.json`, {});
      const [moments = []] = fc.sample(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: DEATHS, maxLength: DEATHS }),
        1,
      );
      for (const moment of moments) {
        const { child, lines, ended } = start("churn", directory);
        let reported = 0;
        let count = 0;
        lines.on("line", line => {
          reported = Number(line);
          // A reader sees a whole file whenever it looks.
          expect(file.read()).toHaveProperty("n");
          if (++count === moment) child.kill("SIGKILL");
        });
        await ended;
        expect(count, `killed after ${moments}`).toBeGreaterThanOrEqual(moment);
        const value = file.read();
        const written = Number(Reflect.get(Object(value), "n"));
        expect(written).toBeGreaterThanOrEqual(reported);
        expect(Reflect.get(Object(value), "filler")).toBe("x".repeat(((written - 1) * 7919) % 50_000));
      }
    },
    LONG,
  );
});

describe("a lock between processes", () => {
  it("is not taken while its holder lives, even stopped, and is taken once the holder was killed", async () => {
    const directory = temporaryDirectory();
    const { child, lines, ended } = start("hold", directory);
    await once(lines, "line");
    const lock = new FileLock(`${directory}/lock`, { timeoutMs: 50 });
    expect(lock.tryAcquire()).toBe(false);
    child.kill("SIGSTOP");
    expect(lock.tryAcquire()).toBe(false);
    child.kill("SIGKILL");
    await ended;
    expect(existsSync(`${directory}/lock`)).toBe(true);
    lock.acquire();
    expect(JSON.parse(readFileSync(`${directory}/lock`, "utf8"))).toMatchObject({ pid: process.pid });
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("is given back by a holder ended by %s", async signal => {
    const directory = temporaryDirectory();
    const { child, lines, ended } = start("hold", directory);
    await once(lines, "line");
    child.kill(signal);
    await ended;
    expect(child.signalCode).toBe(signal);
    expect(readdirSync(directory)).toEqual([]);
  });

  it(
    "never has two holders, however often holders are killed",
    async () => {
      const directory = temporaryDirectory();
      const said: string[] = [];
      const finished: Promise<unknown>[] = [];
      const begin = (killAfter: number) => {
        const { child, lines, ended } = start("compete", directory, ROUNDS);
        let rounds = 0;
        lines.on("line", line => {
          said.push(line);
          if (++rounds === killAfter) child.kill("SIGKILL");
        });
        finished.push(ended);
      };
      const [lasting, killed] = [runs(4, 8), runs(6, 12)];
      for (let index = 0; index < lasting; index++) begin(Number.POSITIVE_INFINITY);
      for (let index = 0; index < killed; index++) begin(1 + index * 4);
      await Promise.all(finished);
      expect(said.filter(line => line !== "round")).toEqual([]);
      expect(said.length).toBeGreaterThanOrEqual(lasting * ROUNDS);
      // Whoever was killed last may have left its lock; the next one takes it over and leaves nothing.
      await start("compete", directory, 1).ended;
      expect(existsSync(`${directory}/lock`)).toBe(false);
    },
    LONG,
  );
});

describe("the state entry of the package", () => {
  it("works on this process without being given a system", () => {
    const directory = temporaryDirectory();
    const flag = new AtomicFlag(`${directory}/flag`);
    expect([flag.set(), flag.set()]).toEqual([true, false]);
    expect(new Counter(`${directory}/count`).increment()).toBe(1);
    const file = new AtomicJsonFile(`${directory}/file.json`, {});
    expect(file.update(() => [1], [])).toEqual([1]);
    expect(new EnvVar("AMPLIHACK_SURELY_UNSET", envParsers.integer(), 5).get()).toBe(5);
    expect(new EnvVar("PATH", envParsers.text).isSet()).toBe(true);
    expect(readdirSync(directory).toSorted()).toEqual(["count", "file.json", "flag"]);
  });
});
