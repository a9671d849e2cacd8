import { describe, expect, it } from "vitest";
import { hasPostgres } from "../../postgres-server.ts";
import { noneLeft } from "../marked-processes.ts";
import { cutOff, openLine, type WorkerMachine, workerMachine } from "./worker-machine.ts";

/** Every step writes that it began and that it ended; the slow one waits until the file `open` is there. */
const RECIPE = JSON.stringify({
  name: "moving",
  context: { who: "" },
  steps: [
    { id: "first", command: "echo first {{who}} >> began; date +%N", output: "stamp" },
    {
      id: "slow",
      command:
        "echo slow {{who}} >> began; while [ ! -e open ]; do sleep 0.05; done; echo {{stamp}}; echo slow {{who}} >> ended",
      output: "seen",
    },
    { id: "last", command: "[ {{seen}} = {{stamp}} ] && echo last {{who}} >> ended && echo same" },
  ],
});

/** The worker `one` is in the middle of the slow step. */
async function startMoving() {
  const machine = await workerMachine();
  machine.write("moving.yaml", RECIPE);
  const first = await machine.startWorker("one");
  const id = await machine.submit("moving.yaml", "-c", "who=me");
  await begun(machine, 2);
  return { machine, first, id };
}

async function begun(machine: WorkerMachine, steps: number): Promise<void> {
  await machine.until(
    () => machine.lines("began"),
    lines => lines.length === steps,
  );
}

describe.skipIf(!hasPostgres)("a run whose worker is lost", () => {
  it("is taken over after SIGKILL: what has ended is not done again, what was under way is", async () => {
    const { machine, first, id } = await startMoving();
    const second = await machine.startWorker("two");
    first.kill();
    await begun(machine, 3);
    machine.write("open", "");
    const run = await machine.until(
      () => machine.run(id),
      ({ state }) => state !== "running" && state !== "queued",
    );
    expect(run).toMatchObject({ state: "done", worker: "two", attempts: 2, exit_code: 0 });
    expect(machine.lines("began")).toEqual(["first me", "slow me", "slow me"]);
    expect(machine.lines("ended")).toEqual(["slow me", "last me"]);
    expect(await machine.records(id)).toEqual(["first", "slow", "last", "result"]);
    expect(run.steps.map(({ path, status }) => `${path} ${status}`)).toEqual([
      "first completed",
      "slow completed",
      "last completed",
    ]);
    expect(await second.stop()).toBe(0);
  });

  it("is stopped where it was, and taken over, when the worker is cut off; the worker comes back", async () => {
    const { machine, first, id } = await startMoving();
    await machine.startWorker("two");
    await cutOff(machine.database, "one");
    await machine.until(
      () => first.said(),
      said => said.includes("does not answer"),
    );
    await machine.until(
      () => machine.run(id),
      ({ worker, state }) => worker === "two" && state === "running",
    );
    await begun(machine, 3);
    machine.write("open", "");
    await machine.until(
      () => machine.run(id),
      ({ state }) => state === "done",
    );
    // The programs of the first worker were ended before: only one reached its end.
    expect(machine.lines("ended")).toEqual(["slow me", "last me"]);
    expect(await machine.records(id)).toEqual(["first", "slow", "last", "result"]);
    await machine.until(
      () => first.said(),
      said => said.split("waits for runs").length === 3,
    );
  });

  it.runIf(process.env["AMPLIHACK_TEST_LONG"] === "1")(
    "ends its programs before others begin, also when the line falls silent without a word",
    async () => {
      const machine = await workerMachine();
      const mark = `silence-${process.pid}`;
      const command = `echo began >> began; MARK=${mark} exec sleep 1000`;
      machine.write("long.yaml", JSON.stringify({ name: "long", steps: [{ id: "wait", command }] }));
      const line = await openLine(machine.server);
      const first = await machine.startBehind(line, "one");
      const id = await machine.submit("long.yaml");
      await begun(machine, 1);
      await machine.startWorker("two");
      line.silence();
      await machine.until(
        () => first.said(),
        said => said.includes("does not answer"),
      );
      await noneLeft(mark);
      expect(await machine.run(id)).toMatchObject({ state: "running", worker: "one" });
      line.cut();
      await machine.until(
        () => machine.run(id),
        ({ worker }) => worker === "two",
      );
      expect(await machine.type("recipe", "cancel", id, "--url")).toMatchObject({ code: 0 });
      await noneLeft(mark);
    },
  );
});
