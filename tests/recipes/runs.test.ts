import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listRuns } from "../../src/recipes/logs/run-records.ts";
import { newUserInside, type User } from "../commands/run-command.ts";
import { type RecipeMachine, recipeMachine } from "./recipe-machine.ts";

const TEXT = JSON.stringify({
  name: "deploy",
  context: { target: "staging" },
  steps: [
    { id: "build", command: "echo built {{target}}", output: "built" },
    { id: "never", command: "true", condition: "target == 'prod'" },
    { id: "ship", command: "echo {{built}}; test -e open || exit 7" },
    { id: "tell", command: "true" },
  ],
});
const runsOf = ({ system, home }: RecipeMachine) => listRuns(system, join(home, ".amplihack/recipes"), 10);

/** Takes the end off a log, and names another process as the one that wrote it. */
function leaveWithoutEnd(machine: RecipeMachine, runId: unknown, runner: object): void {
  const path = join(machine.home, ".amplihack/recipes/runs", `${String(runId)}.jsonl`);
  const records = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map(line => JSON.parse(line) as Record<string, unknown>);
  const left = records
    .filter(({ event, path: at }) => event !== "recipe_end" && !(event === "step_end" && at === "ship"))
    .map(record => (record["event"] === "recipe_start" ? { ...record, runner } : record));
  writeFileSync(path, left.map(record => `${JSON.stringify(record)}\n`).join(""));
}

describe("the runs that are kept", () => {
  it("tell how each ended, at which step, and whether it can go on", async () => {
    const machine = recipeMachine();
    const first = await machine.runText(TEXT);
    expect(runsOf(machine)).toMatchObject([
      {
        runId: first.document.run_id,
        recipe: "deploy",
        state: "failed",
        stepCount: 4,
        canResume: true,
        workingDir: machine.project,
        file: join(machine.project, "recipe.yaml"),
        steps: [
          { path: "build", status: "completed" },
          { path: "never", status: "skipped" },
          { path: "ship", status: "failed", exitCode: 7 },
        ],
      },
    ]);
    machine.write("open", "");
    await machine.runText(TEXT, { resume: "last" });
    expect(runsOf(machine)).toMatchObject([
      { runId: first.document.run_id, state: "done", canResume: false, durationMs: expect.any(Number) },
    ]);
    expect(runsOf(machine)[0]?.steps.map(({ status }) => status)).toEqual([
      "completed",
      "skipped",
      "completed",
      "completed",
    ]);
  });

  it("tell a killed run from one that goes on, by the process and when it began", async () => {
    const machine = recipeMachine();
    const { document } = await machine.runText(TEXT);
    const { pid, host, start = null } = machine.system.processes.self;
    const stateWith = (runner: object): unknown => {
      leaveWithoutEnd(machine, document.run_id, runner);
      return runsOf(machine)[0]?.state;
    };
    expect(stateWith({ pid, host, start })).toBe("running");
    expect(stateWith({ pid, host, start: `${start}0` })).toBe("killed");
    expect(stateWith({ pid: 2 ** 22 + 1, host, start })).toBe("killed");
    expect(stateWith({ pid, host: `${host}-other`, start })).toBe("unknown");
    expect(stateWith({})).toBe("unknown");
  });

  it("are shown although a log cannot be understood", async () => {
    const machine = recipeMachine();
    await machine.runText(TEXT);
    machine.write(
      join(machine.home, ".amplihack/recipes/runs/broken.jsonl"),
      '{"event":"recipe_start"\n[]\n',
    );
    expect(
      runsOf(machine)
        .map(({ state }) => state)
        .sort(),
    ).toEqual(["failed", "unknown"]);
  });
});

describe("amplihack recipe runs", () => {
  const runIn = async (user: User) => {
    writeFileSync(join(user.project, "deploy.yaml"), TEXT);
    return user.type(["recipe", "run", "deploy.yaml", "--format", "json"]);
  };

  it("says what to do where nothing has run", async () => {
    const { code, stdout, stderr } = await newUserInside().type(["recipe", "runs"]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("No recipe has been run yet. What there is: amplihack recipe list.");
  });

  it("lists runs, shows one by the beginning of its id, and says how to go on", async () => {
    const user = newUserInside();
    const { run_id: id } = JSON.parse((await runIn(user)).stdout) as { run_id: string };
    const { stdout, stderr } = await user.type(["recipe", "runs"]);
    expect(stdout).toBe(`${id.slice(0, 8)}  just now  deploy  failed  2/4  at ship, exit 7\n`);
    expect(stderr).toContain(`Go on: amplihack recipe run deploy.yaml --resume ${id.slice(0, 8)}\n`);
    const one = await user.type(["recipe", "runs", id.slice(0, 6)]);
    expect(one.stdout).toContain(`  Run      ${id}\n  State    failed  at ship, exit 7\n`);
    expect(one.stdout).toMatch(
      /✓ build {2}\d\.\ds\n {2}⊘ never {2}skipped {2}0.0s\n {2}✗ ship {2}failed {2}exit 7/,
    );
    expect((await user.type(["recipe", "runs", "last"])).stdout).toBe(one.stdout);
    expect(await user.json("recipe", "runs")).toMatchObject([
      { run_id: id, state: "failed", can_resume: true, steps: [{ path: "build" }, {}, {}] },
    ]);
    expect(await user.json("recipe", "runs", id)).toMatchObject({ run_id: id });
  });

  it("says what is wrong with an id", async () => {
    const user = newUserInside();
    expect(await user.type(["recipe", "runs", "nope"])).toMatchObject({
      code: 3,
      stderr: "Error: there is no run 'nope'\n  fix: amplihack recipe runs\n",
    });
    expect((await user.type(["recipe", "runs", "last"])).code).toBe(3);
    for (const id of ["aaaa-1", "aaaa-2"]) {
      await runIn(user);
      const path = join(user.home, ".amplihack/recipes/runs", `${id}.jsonl`);
      writeFileSync(path, "{}\n");
    }
    const several = await user.type(["recipe", "runs", "aaaa"]);
    expect([several.code, several.stderr]).toEqual([
      4,
      expect.stringContaining("2 runs begin with 'aaaa': aaaa-"),
    ]);
  });

  it("shows no control sequences of a log", async () => {
    const user = newUserInside();
    await runIn(user);
    const path = join(user.home, ".amplihack/recipes/runs/evil.jsonl");
    const name = "x\u001b[2J\u202e\u0007y";
    writeFileSync(
      path,
      `${JSON.stringify({ event: "recipe_start", recipe_name: name, working_dir: name, file: name })}\n` +
        `${JSON.stringify({ event: "step_end", path: name, status: name })}\n` +
        `${JSON.stringify({ event: "recipe_end", status: name, signal: name })}\n`,
    );
    for (const words of [
      ["recipe", "runs"],
      ["recipe", "runs", "evil"],
    ]) {
      const { code, stdout, stderr } = await user.type(words);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
      expect(stdout).toContain("xy");
    }
  });
});
