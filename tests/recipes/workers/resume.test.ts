import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDatabaseUrl } from "../../../src/postgres/url.ts";
import { openConnection, withClient } from "../../../src/recipes/workers/connection.ts";
import { hasPostgres } from "../../postgres-server.ts";
import { workerMachine } from "./worker-machine.ts";

const recipe = (steps: readonly object[]) => JSON.stringify({ name: "r", steps });

describe.skipIf(!hasPostgres)("a submitted run", () => {
  it("is resumed where it failed, or from a step that is named", async () => {
    const machine = await workerMachine();
    machine.write(
      "r.yaml",
      recipe([
        { id: "one", command: "echo one >> did" },
        { id: "two", command: "echo two >> did; test -e there" },
        { id: "three", command: "echo three >> did" },
      ]),
    );
    const id = await machine.submit("r.yaml");
    const early = await machine.type("recipe", "resume", id, "--url");
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining("is not over: it is queued") });
    const work = async () => (await machine.startWorker("w", "--until-empty")).ended();
    expect(await work()).toBe(0);
    expect(await machine.run(id)).toMatchObject({ state: "failed" });
    machine.write("there", "");
    expect(await machine.type("recipe", "resume", id.slice(0, 8), "--url")).toMatchObject({ code: 0 });
    expect(await machine.run(id)).toMatchObject({ state: "queued" });
    await work();
    expect(await machine.run(id)).toMatchObject({ state: "done", exit_code: 0 });
    expect(machine.lines("did")).toEqual(["one", "two", "two", "three"]);
    const whole = await machine.type("recipe", "resume", id, "--url");
    expect(whole).toMatchObject({ code: 1, stderr: expect.stringContaining("--from STEP") });
    const unknown = await machine.type("recipe", "resume", id, "--from", "four", "--url");
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("one, two, three") });
    expect(await machine.type("recipe", "resume", id, "--from", "three", "--url")).toMatchObject({ code: 0 });
    await work();
    expect(machine.lines("did")).toEqual(["one", "two", "two", "three", "three"]);
  });

  it("keeps the files that a step names, also of one that fails, and none from elsewhere", async () => {
    const machine = await workerMachine();
    machine.write(
      "r.yaml",
      recipe([
        {
          id: "test",
          command:
            "mkdir -p out logs; printf '\\000<ok/>' > out/{{n}}.xml; echo a > logs/a.txt; echo b > logs/b.md",
          artifacts: ["out/{{n}}.xml", "logs/*.txt"],
        },
        {
          id: "break",
          command: "echo why > why.txt; ln -s /etc/passwd secret; head -c 9000000 /dev/zero > big; false",
          artifacts: ["why.txt", "secret", "../../etc/passwd", "/etc/passwd", "big", "*.none"],
        },
      ]),
    );
    const id = await machine.submit("r.yaml", "-c", "n=7");
    expect(await (await machine.startWorker("w", "--until-empty")).ended()).toBe(0);
    expect(await machine.run(id)).toMatchObject({ state: "failed" });
    const listed = await machine.type("recipe", "artifacts", id, "--url");
    expect(listed.stdout.split("\n").map(line => line.split("  ").slice(0, 2).join(" "))).toEqual([
      "test out/7.xml",
      "test logs/a.txt",
      "break why.txt",
      "",
    ]);
    const told = (await machine.type("recipe", "logs", id, "--url")).stdout;
    for (const why of [
      "secret: it leads out",
      "/etc/passwd: it does not lie in",
      "big: ",
      "*.none: there is no such",
    ])
      expect(told).toContain(why);
    expect(await machine.type("recipe", "artifacts", id, "--to", "got", "--url")).toMatchObject({ code: 0 });
    expect(readFileSync(join(machine.user.project, "got/test/out/7.xml"), "utf8")).toBe("\0<ok/>");
    expect(machine.lines("got/break/why.txt")).toEqual(["why"]);
    expect(await machine.type("recipe", "artifacts", id, "other", "--url")).toMatchObject({ code: 3 });
    await machine.database.run(
      "UPDATE amplihack.recipe_files SET name = '../../../evil' WHERE name = 'why.txt'",
    );
    const evil = await machine.type("recipe", "artifacts", id, "--to", "got", "--url");
    expect(evil).toMatchObject({ code: 4, stderr: expect.stringContaining("outside") });
    expect(existsSync(join(machine.user.project, "../evil"))).toBe(false);
  });

  it("is the same run for the same key, goes by priority, and tells the login that submitted it", async () => {
    const machine = await workerMachine();
    machine.write("r.yaml", recipe([{ id: "s", command: "echo {{n}} >> did" }]));
    const first = await machine.submit("r.yaml", "--key", "release-1", "--priority", "9", "-c", "n=late");
    expect(await machine.submit("r.yaml", "--key", "release-1", "-c", "n=again")).toBe(first);
    await machine.submit("r.yaml", "--priority", "2", "-c", "n=early");
    expect(await machine.runs()).toHaveLength(2);
    const worker = await machine.startWorker("w", "--until-empty");
    await worker.ended();
    expect(machine.lines("did")).toEqual(["early", "late"]);
    const [row] = await machine.database.run(
      `SELECT attributes->>'by' AS by, authenticated_user FROM amplihack_recipes.workflow_status
       WHERE workflow_uuid = $1`,
      [first],
    );
    expect(row).toMatchObject({ by: expect.stringMatching(/^keeper@/), authenticated_user: "keeper" });
    await machine.database.run(
      `UPDATE amplihack_recipes.workflow_status SET attributes = '{"by":"mallory@x"}', authenticated_user = 'mallory'`,
    );
    const forged = await machine.database.run(
      "SELECT FROM amplihack_recipes.workflow_status WHERE attributes->>'by' LIKE 'mallory%' OR authenticated_user = 'mallory'",
    );
    expect(forged).toEqual([]);
    const foreign = await machine.type("recipe", "submit", "r.yaml", "--team", "zoo", "--url");
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining("lacks the right") });
  });

  it("waits for a person, tries again what fails, and is submitted by a schedule", async () => {
    const machine = await workerMachine();
    machine.write(
      "r.yaml",
      recipe([
        { id: "flaky", command: "echo x >> tries; test $(wc -l < tries) -ge 3", retries: 3, retry_delay: 0 },
        { id: "deploy", command: "echo deployed >> did", approval: "Deploy {{what}}?" },
      ]),
    );
    const local = await machine.type("recipe", "run", "r.yaml", "-c", "what=it");
    expect(local.code).toBe(1);
    expect(local.stdout + local.stderr).toContain("A person must approve this step");
    machine.write("tries", "");
    const id = await machine.submit("r.yaml", "-c", "what=4.2");
    const worker = await machine.startWorker("w", "--until-empty");
    const asked = await machine.until(
      () => machine.type("recipe", "approve", id, "--url"),
      ({ code }) => code === 0,
    );
    expect(asked.stdout).toBe("deploy: Deploy 4.2?\n");
    expect(machine.lines("tries")).toHaveLength(3);
    expect(machine.lines("did")).toEqual([]);
    expect(await machine.type("recipe", "approve", id, "--yes", "--url")).toMatchObject({ code: 0 });
    await worker.ended();
    expect(await machine.run(id)).toMatchObject({ state: "done" });
    expect((await machine.type("recipe", "logs", id, "--url")).stdout).toContain(
      "'deploy' was approved by keeper",
    );
    await expect(
      machine.database.run("UPDATE amplihack.recipe_approvals SET is_approved = false"),
    ).rejects.toMatchObject({ code: "42501" });
    machine.write("s.yaml", recipe([{ id: "s", command: "echo tick >> ticks" }]));
    const words = ["recipe", "schedule", "s.yaml", "--name", "often", "--cron", "* * * * *", "--url"];
    expect(await machine.type(...words)).toMatchObject({ code: 0 });
    expect((await machine.type("recipe", "schedule", "--url")).stdout).toContain(
      "often  * * * * *  r  default",
    );
    const wrong = await machine.type(
      "recipe",
      "schedule",
      "s.yaml",
      "--name",
      "x",
      "--cron",
      "soon",
      "--url",
    );
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining("'soon' is not a schedule") });
    const address = readDatabaseUrl(machine.server.url(machine.databaseName), "option");
    const connection = await openConnection(address);
    // As the clock does it, but now.
    await withClient(connection, client => client.triggerSchedule("often"));
    await connection.close();
    const clock = await machine.startWorker("w");
    await machine.until(
      () => machine.lines("ticks"),
      lines => lines.length > 0,
    );
    await clock.stop();
    expect(await machine.type("recipe", "schedule", "--remove", "--name", "often", "--url")).toMatchObject({
      code: 0,
    });
    expect((await machine.type("recipe", "schedule", "--url")).stdout).toBe("No schedules.\n");
  });
});
