import { describe, expect, it } from "vitest";
import { DBOS_SCHEMA } from "../../../src/recipes/workers/dbos.ts";
import { hasPostgres } from "../../postgres-server.ts";
import { cutOff, type WorkerMachine, type WorkerProcess, workerMachine } from "./worker-machine.ts";

const isLong = process.env["AMPLIHACK_TEST_LONG"] === "1";
const RUNS = isLong ? 200 : 12;
const WORKERS = isLong ? 4 : 2;
/** How many workers are lost; every third is cut off, the others are killed. */
const LOSSES = isLong ? 12 : 1;
const CONCURRENCY = 4;
const STEPS = ["make", "one", "two", "check"];

/** The value that the first step makes is another one each time it runs: the last compares what all the others saw. */
const RECIPE = JSON.stringify({
  name: "chain",
  context: { n: 0 },
  steps: [
    { id: "make", command: "echo {{n}} make >> began; echo v$RANDOM$RANDOM$RANDOM", output: "made" },
    {
      id: "one",
      parallel_group: "g",
      command: "echo {{n}} one >> began; sleep 0.5; echo {{made}}",
      output: "one",
    },
    { id: "two", parallel_group: "g", command: "echo {{n}} two >> began; echo {{made}}", output: "two" },
    {
      id: "check",
      command: "echo {{n}} check >> began; [ {{one}} = {{made}} ] && [ {{two}} = {{made}} ] && echo {{made}}",
      output: "checked",
    },
  ],
  output: "checked",
});

describe.skipIf(!hasPostgres)(`${RUNS} runs and ${WORKERS} workers, of which ${LOSSES} are lost`, () => {
  it("all end, and each step of each counts once", async () => {
    const machine = await workerMachine();
    machine.write("chain.yaml", RECIPE);
    const ids = await machine.submitMany(RUNS, "chain.yaml");
    const workers = await Promise.all(
      Array.from({ length: WORKERS }, (_, index) => start(machine, `w${index}`)),
    );
    const startedMs = performance.now();
    await loseWorkers(machine, workers);
    await machine.until(
      () => ended(machine),
      count => count === RUNS,
    );
    const seconds = (performance.now() - startedMs) / 1000;

    const runs = await machine.runs();
    expect(runs.map(({ run_id }) => run_id).sort()).toEqual([...ids].sort());
    expect(runs.filter(({ state }) => state !== "done")).toEqual([]);
    for (const id of ids)
      expect((await machine.records(id)).filter(name => name !== "group").sort()).toEqual(
        [...STEPS, "result"].sort(),
      );
    const began = machine.lines("began");
    expect(new Set(began).size).toBe(RUNS * STEPS.length);
    const again = began.length - RUNS * STEPS.length;
    // Only what was under way when a worker was lost is done again: at most a group of two for each of its runs.
    expect(again).toBeLessThanOrEqual(LOSSES * CONCURRENCY * 2);
    if (isLong) expect(again).toBeGreaterThan(0);
    if (isLong)
      console.log(
        `${RUNS} runs, ${RUNS * STEPS.length} steps in ${seconds.toFixed(1)} s with ${LOSSES} losses; ${again} steps begun again; runs by worker: ${JSON.stringify(countBy(runs.map(({ worker }) => worker ?? "")))}`,
      );
  });
});

function start(machine: WorkerMachine, name: string): Promise<WorkerProcess> {
  return machine.startWorker(name, "--concurrency", String(CONCURRENCY));
}

/** One after the other, while the runs go on; for every one that was killed a new one comes. */
async function loseWorkers(machine: WorkerMachine, workers: WorkerProcess[]): Promise<void> {
  for (let loss = 1; loss <= LOSSES; loss++) {
    await machine.until(
      () => ended(machine),
      count => count >= ((loss - 0.5) * RUNS) / (LOSSES + 1),
    );
    const index = loss % workers.length;
    const victim = workers[index];
    if (victim === undefined) continue;
    if (loss % 3 === 0) {
      await cutOff(machine.database, victim.name);
      continue;
    }
    victim.kill();
    workers[index] = await start(machine, `w${index}-${loss}`);
  }
}

async function ended({ database }: WorkerMachine): Promise<number> {
  const [row] = await database.run(
    `SELECT count(*) AS ended FROM ${DBOS_SCHEMA}.workflow_status WHERE status = 'SUCCESS'`,
  );
  return Number(row?.["ended"]);
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
