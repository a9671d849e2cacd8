import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readDatabaseUrl } from "../../../src/postgres/url.ts";
import { openConnection, withClient } from "../../../src/recipes/workers/connection.ts";
import { DBOS_SCHEMA } from "../../../src/recipes/workers/dbos.ts";
import { newUserInside } from "../../commands/run-command.ts";
import { administer, hasPostgres, startPostgres } from "../../postgres-server.ts";
import { noneLeft } from "../marked-processes.ts";
import { cutOff, workerMachine } from "./worker-machine.ts";

const isOver = ({ state }: { readonly state: string }): boolean => state !== "running" && state !== "queued";

describe.skipIf(!hasPostgres)("a worker", () => {
  it("runs what is submitted, tells how it goes, and ends when the queue is empty", async () => {
    const machine = await workerMachine();
    machine.write(
      "two.yaml",
      JSON.stringify({
        name: "two",
        context: { who: "" },
        steps: [
          {
            id: "say",
            command: "echo hello {{who}}; echo token=ghp_0123456789abcdefghijABCDEFGHIJ",
            output: "said",
          },
          { id: "fail", command: "echo broken >&2; exit 3" },
        ],
      }),
    );
    const id = await machine.submit("two.yaml", "-c", "who=Ann");
    expect(await machine.run(id)).toMatchObject({ state: "queued", worker: null, attempts: 0, steps: [] });
    const worker = await machine.startWorker("one", "--until-empty");
    expect(worker.said()).toMatch(/Whoever can write to .* can run commands here as /);
    expect(await worker.ended()).toBe(0);

    expect(await machine.run(id)).toMatchObject({
      state: "failed",
      worker: "one",
      exit_code: 1,
      steps: [
        { path: "say", status: "completed", exit_code: 0 },
        { path: "fail", status: "failed", exit_code: 3 },
      ],
    });
    const table = await machine.type("recipe", "runs", "last", "--url");
    expect(table.stdout).toMatch(/State +failed {2}at fail, exit 3\n[\s\S]*Worker +one\n/);
    const log = await machine.type("recipe", "logs", id.slice(0, 8), "--url");
    expect(log).toMatchObject({ code: 0 });
    expect(log.stdout).toContain("hello Ann");
    expect(log.stdout).toContain("Command failed (exit 3): broken");
    expect(log.stdout).toContain("token=[redacted]");
    expect(log.stdout).not.toContain("ghp_");
    const followed = await machine.type("recipe", "logs", id, "--url", "--follow", "-f", "json");
    expect(followed.code).toBe(1);
    const events = followed.stdout
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as { event: string });
    expect(events.at(-1)).toMatchObject({ event: "recipe_end", status: "FAILURE", worker: "one" });
    const late = await machine.type("recipe", "cancel", id, "--url");
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining("is over: failed") });
    expect(await machine.type("recipe", "cancel", "nothing", "--url")).toMatchObject({ code: 3 });
  });

  it("ends the programs of a run that is cancelled, and never begins one that was cancelled before", async () => {
    const machine = await workerMachine();
    const mark = `cancel-${process.pid}`;
    machine.write(
      "long.yaml",
      JSON.stringify({
        name: "long",
        context: { n: 0 },
        steps: [{ id: "wait", command: `echo {{n}} >> began; MARK=${mark} exec sleep 1000` }],
      }),
    );
    const first = await machine.submit("long.yaml", "-c", "n=1");
    const second = await machine.submit("long.yaml", "-c", "n=2");
    const worker = await machine.startWorker("one");
    await machine.until(
      () => machine.lines("began"),
      lines => lines.length === 1,
    );
    expect(await machine.type("recipe", "cancel", second, "--url")).toMatchObject({ code: 0 });
    expect(await machine.type("recipe", "cancel", first, "--url")).toMatchObject({ code: 0 });
    await noneLeft(mark);
    await machine.until(
      () => worker.said(),
      said => said.includes("was cancelled"),
    );
    expect((await machine.runs()).map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
    const followed = await machine.type("recipe", "logs", second, "--url", "--follow");
    expect(followed).toMatchObject({ code: 1, stdout: "The run was cancelled.\n" });
    // Its place is free again.
    machine.write(
      "short.yaml",
      JSON.stringify({ name: "short", steps: [{ id: "s", command: "echo done" }] }),
    );
    const waited = await machine.type("recipe", "submit", "short.yaml", "--url", "--wait");
    expect(waited).toMatchObject({ code: 0, stdout: expect.stringContaining("Status: ✓ Success") });
    expect(machine.lines("began")).toEqual(["1"]);
  });

  it("returns its runs when it is told to stop; groups and sub-recipes go on where they were", async () => {
    const machine = await workerMachine();
    const slow = "while [ ! -e open ]; do sleep 0.05; done";
    machine.write(
      "group.yaml",
      JSON.stringify({
        name: "group",
        steps: [
          { id: "quick", parallel_group: "g", command: "echo quick >> began; echo $RANDOM", output: "quick" },
          { id: "sub", parallel_group: "g", recipe: "child", sub_context: { given: "yes" }, output: "sub" },
          { id: "end", command: "echo {{quick}} {{sub}} {{made}}", output: "all" },
        ],
        output: "all",
      }),
    );
    machine.write(
      "child.yaml",
      JSON.stringify({
        name: "child",
        steps: [
          { id: "make", command: "echo make >> began; echo {{given}}-$RANDOM", output: "made" },
          { id: "slow", command: `echo slow >> began; ${slow}; echo {{made}}`, output: "shown" },
        ],
        output: "shown",
      }),
    );
    const first = await machine.startWorker("one");
    const id = await machine.submit("group.yaml");
    await machine.until(
      async () => ({ lines: machine.lines("began"), records: await machine.records(id) }),
      ({ lines, records }) => lines.length === 3 && records.length === 2,
    );
    expect(await first.stop()).toBe(0);
    expect(await machine.run(id)).toMatchObject({ state: "queued" });
    machine.write("open", "");
    await (await machine.startWorker("two", "--until-empty")).ended();
    expect(await machine.run(id)).toMatchObject({ state: "done", worker: "two", attempts: 2 });
    expect([...machine.lines("began")].sort()).toEqual(["make", "quick", "slow", "slow"]);
    const [end] = await machine.database.run(
      `SELECT output FROM ${DBOS_SCHEMA}.operation_outputs WHERE workflow_uuid = $1 AND function_name = 'result'`,
      [id],
    );
    const { document } = (JSON.parse(String(end?.["output"])) as { result: { document: Ended } }).result;
    const [quick, sub] = document.step_results;
    expect(document.step_results.map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
    expect(sub?.output).toMatch(/^yes-\d+$/);
    expect(document.output).toBe(`${quick?.output} ${sub?.output} ${sub?.output}`);
  });

  it("adds nothing to a run that another has taken over, although it finished a step of it", async () => {
    const machine = await workerMachine();
    machine.write(
      "fenced.yaml",
      JSON.stringify({
        name: "fenced",
        steps: [
          {
            id: "slow",
            command:
              "echo $$ >> began; while [ ! -e open-$(wc -l < began) ]; do sleep 0.05; done; echo $$ >> ended; echo $$",
            output: "who",
          },
          { id: "after", command: "echo {{who}} >> after" },
        ],
      }),
    );
    const first = await machine.startWorker("one");
    const id = await machine.submit("fenced.yaml");
    await machine.until(
      () => machine.lines("began"),
      lines => lines.length === 1,
    );
    // It stands still, so it cannot notice that it was cut off; its step goes on.
    first.process.kill("SIGSTOP");
    await machine.startWorker("two");
    await cutOff(machine.database, "one");
    await machine.until(
      () => machine.lines("began"),
      lines => lines.length === 2,
    );
    machine.write("open-2", "");
    await machine.until(() => machine.run(id), isOver);
    await machine.until(
      () => machine.lines("ended"),
      lines => lines.length === 2,
    );
    first.process.kill("SIGCONT");
    await machine.until(
      () => first.said(),
      said => said.split("waits for runs").length === 3,
    );
    expect(await machine.records(id)).toEqual(["slow", "after", "result"]);
    expect(await machine.run(id)).toMatchObject({ state: "done", worker: "two" });
    expect(machine.lines("after")).toHaveLength(1);
  });

  it("waits for a database that is down when it starts, says so once, and works when it is there", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    await administer(server, "CREATE DATABASE queue ENCODING 'UTF8' TEMPLATE template0");
    const machine = await workerMachine({ server, name: "queue", url: server.url("queue") });
    machine.write(
      "one.yaml",
      JSON.stringify({ name: "one", steps: [{ id: "s", command: "echo ran >> ran" }] }),
    );
    const id = await machine.submit("one.yaml");
    await server.kill();
    const worker = await machine.startUntil("early", /Waits: .*It goes on trying/, "--until-empty");
    // It has tried several times by then, and is still there.
    await new Promise(resolve => setTimeout(resolve, 5_000));
    expect(worker.process.exitCode).toBeNull();
    const [, told = ""] = worker.said().split(/can run commands here as .*\n/);
    expect(told.trim().split("\n")).toHaveLength(1);
    await server.start();
    expect(await worker.ended()).toBe(0);
    expect(machine.lines("ran")).toEqual(["ran"]);
    expect(await machine.run(id)).toMatchObject({ state: "done", worker: "early" });
  });

  it("ends at once where what it is given cannot work, and when it is told to while it waits", async () => {
    const machine = await workerMachine();
    const gone = await machine.user.type(["recipe", "worker", "--url", machine.server.url("nowhere")]);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringMatching(/nowhere/) });
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const other = await workerMachine({ server, name: "postgres", url: server.url("postgres") });
    await server.kill();
    const worker = await other.startUntil("early", /Waits: .*It goes on trying/);
    expect(await worker.stop()).toBe(0);
    await server.start();
  });

  it("keeps to its own limit and to those of the queue, and deletes what is old when it is told to", async () => {
    const machine = await workerMachine();
    machine.write(
      "count.yaml",
      JSON.stringify({
        name: "count",
        context: { n: 0 },
        steps: [{ id: "s", command: "mkdir lock || echo twice >> clash; sleep 0.05; rmdir lock" }],
      }),
    );
    const [kept = ""] = await machine.submitMany(8, "count.yaml");
    const words = ["--concurrency", "4", "--queue-concurrency", "1", "--rate", "1000/60", "--until-empty"];
    const workers = await Promise.all([
      machine.startWorker("one", ...words),
      machine.startWorker("two", ...words),
    ]);
    await Promise.all(workers.map(worker => worker.ended()));
    expect((await machine.runs()).map(({ state }) => state)).toEqual(Array(8).fill("done"));
    expect(machine.lines("clash")).toEqual([]);
    expect(
      await machine.database.run(
        `SELECT name, concurrency, worker_concurrency, rate_limit_max, rate_limit_period_sec FROM ${DBOS_SCHEMA}.queues`,
      ),
    ).toEqual([
      {
        name: "default",
        concurrency: 1,
        worker_concurrency: null,
        rate_limit_max: 1000,
        rate_limit_period_sec: 60,
      },
    ]);

    await machine.database.run(
      `UPDATE ${DBOS_SCHEMA}.workflow_status SET completed_at = completed_at - 90000000 WHERE workflow_uuid <> $1`,
      [kept],
    );
    await (await machine.startWorker("three", "--until-empty", "--keep-days", "1")).ended();
    expect((await machine.runs()).map(({ run_id }) => run_id)).toEqual([kept]);
    for (const table of [`${DBOS_SCHEMA}.operation_outputs`, `${DBOS_SCHEMA}.workflow_output`])
      expect(await machine.database.run(`SELECT DISTINCT workflow_uuid AS id FROM ${table}`)).toEqual([
        { id: kept },
      ]);
    expect(await machine.database.run("SELECT DISTINCT run_id FROM amplihack.recipe_log")).toEqual([
      { run_id: kept },
    ]);
  });
});

interface Ended {
  readonly output: string;
  readonly step_results: readonly { readonly status: string; readonly output: string }[];
}

describe("the address of the runs", () => {
  it.each([
    [["recipe", "logs", "last"], "no database is named"],
    [["recipe", "worker", "--url", "postgres://ann:secret@db/agents"], "it holds a password"],
    [["recipe", "submit", "x", "--url", "postgres://db/agents?sslmode=disable"], "without encryption"],
    [["recipe", "worker", "--url", "postgres:///agents", "--queue", "a b"], "not a name for a queue"],
    [["recipe", "worker", "--url", "postgres:///agents", "--rate", "ten"], "--rate must be"],
    [["recipe", "runs", "--queue", "nightly"], "--queue needs a database"],
    [["recipe", "runs", ""], "RUN is empty:"],
    [["recipe", "cancel", "", "--url", "postgres:///agents"], "RUN is empty:"],
    [["recipe", "logs", "", "--url", "postgres:///agents"], "RUN is empty:"],
    [["recipe", "worker", "--url", "postgres:///agents", "--name", ""], "'' is not a name for a worker"],
    [["recipe", "worker", "--url", "postgres:///agents", "--name", "a\u001b[2J"], "not a name for a worker"],
    [
      ["recipe", "worker", "--url", "postgres:///agents", "--name", "n".repeat(90_000)],
      "not a name for a worker",
    ],
    [
      ["recipe", "worker", "--url", "postgres:///agents", "--queue", "q".repeat(90_000)],
      "not a name for a queue",
    ],
    [["recipe", "worker", "--url", "", "--queue-concurrency", "99999999999"], "must be a number from 0 to"],
    [["recipe", "submit", "x", "--url", "postgres://ann:12#secret@db/agents"], "an @ or a # after its host"],
  ])("%j is refused", async (words, text) => {
    const { code, stderr } = await newUserInside().type(words);
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(text) });
    expect(stderr).not.toContain("secret");
    expect(stderr.length).toBeLessThan(5_000);
  });
});

describe("a server that goes away while a run is submitted or cancelled", () => {
  it("is not waited for without end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const connection = await openConnection(readDatabaseUrl("postgres:///x?host=/nowhere", "option"));
    const refused = expect(withClient(connection, () => new Promise(() => {}))).rejects.toMatchObject({
      problem: "offline",
      message: "the database x on /nowhere does not answer",
    });
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
  });
});

describe.skipIf(!hasPostgres)("a database that does not let its user work", () => {
  it.each([
    ["without rights on the tables", "", "this user lacks the right"],
    ["whose transactions may only read", "SUPERUSER", "may only read"],
  ])("refuses one %s, and is left as it was", async (_, rights, why) => {
    const machine = await workerMachine();
    machine.write("r.yaml", JSON.stringify({ name: "r", steps: [{ id: "s", command: "true" }] }));
    const id = await machine.submit("r.yaml");
    const role = `looker_${process.pid}`;
    const schemas = `amplihack, ${DBOS_SCHEMA}`;
    await machine.database.run(`CREATE ROLE ${role} LOGIN ${rights}`);
    await machine.database.run(`GRANT USAGE ON SCHEMA ${schemas} TO ${role}`);
    await machine.database.run(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schemas} TO ${role}`);
    if (rights !== "")
      await machine.database.run(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
    onTestFinished(() =>
      administer(machine.server, `DROP OWNED BY ${role}; DROP ROLE ${role}`, machine.databaseName),
    );
    const url = machine.server.url(machine.databaseName, role);
    for (const words of [
      ["submit", "r.yaml"],
      ["cancel", id],
      ["worker", "--until-empty"],
    ]) {
      const { code, stdout, stderr } = await machine.user.type(["recipe", ...words, "--url", url]);
      expect([words, code, stdout]).toEqual([words, 1, ""]);
      expect(stderr).toMatch(new RegExp(`Error: the database .* refused: .*${why}.*\\n {2}fix: `));
    }
    expect(await machine.runs()).toMatchObject([{ run_id: id, state: "queued" }]);
  });
});
