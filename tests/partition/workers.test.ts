import { describe, expect, it, onTestFinished } from "vitest";
import { startPostgres } from "../postgres-server.ts";
import { type WorkerMachine, type WorkerProcess, workerMachine } from "../recipes/workers/worker-machine.ts";
import { type Cut, type Machine, NETWORK, openNetwork } from "./network.ts";
import { TRIES_PARTITION, until } from "./partition-tests.ts";

/** Every step writes what it does. The slow one waits for the file `open-…`, and tells when it is not alone. */
const SLOW = [
  "exec 9> lock-{{who}}",
  "flock --nonblock 9 || echo {{who}} >> overlaps",
  "echo slow {{who}} >> began",
  "while [ ! -e open-{{who}} ]; do sleep 0.2; done",
  "echo {{stamp}}",
  "echo slow {{who}} >> ended",
].join("; ");
const RECIPE = JSON.stringify({
  name: "moving",
  context: { who: "" },
  steps: [
    { id: "first", command: "echo first {{who}} >> began; date +%N", output: "stamp" },
    { id: "slow", command: SLOW, output: "seen" },
    { id: "last", command: "[ {{seen}} = {{stamp}} ] && echo last {{who}} >> ended && echo same" },
  ],
});

interface Crew {
  readonly machine: WorkerMachine;
  readonly places: readonly Machine[];
  start(number: number, name: string, concurrency?: number): Promise<WorkerProcess>;
}

async function openCrew(count: number): Promise<Crew> {
  const { server: place, machines } = await openNetwork(count);
  const server = await startPostgres({ network: { ...place, from: NETWORK } });
  onTestFinished(() => server.stop());
  const machine = await workerMachine({ server, name: "postgres", url: server.url() });
  machine.write("moving.yaml", RECIPE);
  const url = `postgres://keeper@${place.address}/postgres?sslmode=disable`;
  return {
    machine,
    places: machines,
    start: (number, name, concurrency = 1) =>
      machine.startIn(
        machines[number]?.enter ?? [],
        url,
        name,
        "--insecure",
        "--concurrency",
        String(concurrency),
      ),
  };
}

/** Submits a run when one worker alone waits for it, so that it is the one who has it. */
async function begin({ machine }: Crew, who: string): Promise<string> {
  const id = await machine.submit("moving.yaml", "-c", `who=${who}`);
  await until(
    () => machine.lines("began"),
    lines => lines.includes(`slow ${who}`),
  );
  return id;
}

const count = (lines: readonly string[], line: string): number => lines.filter(each => each === line).length;

describe.skipIf(!TRIES_PARTITION)("workers whose network is cut", () => {
  it.each([["down", "to the server"] as const, ["unplugged", "from the server"] as const])(
    "end their steps, others go on with them, and no late result counts: %s, and dropped %s",
    async (...cuts: readonly [Cut, Cut]) => {
      const crew = await openCrew(3);
      const { machine, places } = crew;
      const lost: { who: string; id: string; worker: WorkerProcess; place: Machine }[] = [];
      for (const [number, who] of ["one", "two"].entries()) {
        const worker = await crew.start(number, who);
        lost.push({ who, worker, id: await begin(crew, who), place: places[number] as Machine });
      }
      const third = await crew.start(2, "three", 2);
      for (const [index, { place }] of lost.entries()) place.cut(cuts[index] as Cut);
      // The step of the second ends while nobody can be told.
      machine.write("open-two", "");
      for (const { worker } of lost)
        await until(
          () => worker.said(),
          said => said.includes("does not answer"),
        );
      for (const { who } of lost)
        await until(
          () => machine.lines("began"),
          lines => count(lines, `slow ${who}`) === 2,
        );
      for (const { place } of lost) place.heal();
      for (const { worker } of lost)
        await until(
          () => worker.said(),
          said => said.split("waits for runs").length === 3,
        );
      machine.write("open-one", "");
      for (const { who, id } of lost) {
        const run = await until(
          () => machine.run(id),
          ({ state }) => state !== "running" && state !== "queued",
        );
        expect(run).toMatchObject({ state: "done", worker: "three", attempts: 2, exit_code: 0 });
        expect(await machine.records(id)).toEqual(["first", "slow", "last", "result"]);
        expect(count(machine.lines("began"), `first ${who}`)).toBe(1);
        expect(count(machine.lines("began"), `slow ${who}`)).toBe(2);
        expect(count(machine.lines("ended"), `last ${who}`)).toBe(1);
      }
      expect(count(machine.lines("ended"), "slow one")).toBe(1);
      expect(machine.lines("overlaps")).toEqual([]);
      expect(third.said()).not.toContain("does not answer");
      for (const worker of [third, ...lost.map(each => each.worker)]) expect(await worker.stop()).toBe(0);
    },
  );
});
