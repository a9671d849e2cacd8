import { describe, expect, it } from "vitest";
import { Interruption } from "../../src/recipes/run/interruption.ts";
import { runRecipe } from "../../src/recipes/run/run-recipe.ts";
import type { System } from "../../src/system/system.ts";
import { withEnoughTime } from "../enough-time.ts";
import { noneLeft } from "./marked-processes.ts";
import { type RecipeMachine, recipeMachine } from "./recipe-machine.ts";

function markedMachine(): { machine: RecipeMachine; mark: string } {
  const mark = `m${Math.random().toString(36).slice(2)}`;
  return { machine: recipeMachine({ MARK: mark }), mark };
}

const recipe = (step: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  JSON.stringify({ name: "r", steps: [{ id: "a", ...step }], ...more });

describe("a step that runs too long", () => {
  it("is ended with everything it started, and keeps what it printed", async () => {
    const { machine, mark } = markedMachine();
    const { steps, exitCode, timeout } = await withEnoughTime(
      async timeout => {
        const command = "echo begun; sleep 100 & sleep 100 | cat";
        return { timeout, ...(await machine.runText(recipe({ command, timeout }))) };
      },
      ran => ran.steps["a"]?.output === "begun",
    );
    expect(steps["a"]).toMatchObject({ status: "failed", output: "begun", timed_out: true });
    expect(steps["a"]?.error).toContain(`timed out after ${timeout}s`);
    expect(exitCode).toBe(1);
    await noneLeft(mark);
  });

  it("is killed when it does not listen", async () => {
    const { machine, mark } = markedMachine();
    const { steps } = await machine.runText(
      recipe({
        command: "trap '' TERM; (trap '' TERM; while :; do sleep 0.1; done) & while :; do sleep 0.1; done",
        timeout: 0.2,
      }),
    );
    expect(steps["a"]).toMatchObject({ status: "failed", timed_out: true });
    await noneLeft(mark);
  });

  it("has the default timeout of the recipe when it has none", async () => {
    const machine = recipeMachine();
    const { steps } = await machine.runText(recipe({ command: "sleep 100" }, { default_step_timeout: 0.2 }));
    expect(steps["a"]?.timed_out).toBe(true);
  });

  it("obeys the timeout of the run instead of its own", async () => {
    const machine = recipeMachine();
    const { steps } = await machine.runText(recipe({ command: "sleep 100", timeout: 90 }), {
      stepTimeoutSeconds: 0.2,
    });
    expect(steps["a"]?.error).toContain("timed out after 0.2s");
    const again = recipeMachine({ AMPLIHACK_STEP_TIMEOUT: "0.2" });
    expect((await again.runText(recipe({ command: "sleep 100" }))).steps["a"]?.timed_out).toBe(true);
  });

  it("has all the time it wants when timeouts are switched off", async () => {
    const machine = recipeMachine();
    const { steps } = await machine.runText(recipe({ command: "sleep 0.3; echo done", timeout: 0.1 }), {
      stepTimeoutSeconds: 0,
    });
    expect(steps["a"]).toMatchObject({ status: "completed", output: "done" });
    const own = await machine.runText(
      recipe({ command: "echo done", timeout: 0 }, { default_step_timeout: 0.001 }),
    );
    expect(own.steps["a"]?.status).toBe("completed");
  });
});

describe("a step that ends", () => {
  it("leaves no process behind, even one that holds its pipes", async () => {
    const { machine, mark } = markedMachine();
    const { steps } = await machine.runText(
      recipe({ command: "sleep 100 & (trap '' TERM; sleep 100) >/dev/null 2>&1 & echo done" }),
    );
    expect(steps["a"]).toMatchObject({ status: "completed", output: "done" });
    await noneLeft(mark);
  });

  it("still gets what a process substitution writes after it", async () => {
    const { system, write } = recipeMachine();
    const { processes } = system;
    const graces: number[] = [];
    // The shell behind the pipe may be late on a busy machine.
    const start: System["processes"]["start"] = request => {
      graces.push(request.pipeGraceMs ?? 0);
      return processes.start({ ...request, pipeGraceMs: 200_000 });
    };
    const command =
      'exec > >(while kill -0 $$ 2>/dev/null; do sleep 0.01; done; sed "s/^/got /"); echo one; echo two';
    const { document } = await runRecipe(
      { recipe: write("recipe.yaml", recipe({ command })) },
      { ...system, processes: { ...processes, start } },
    );
    expect(document).toMatchObject({ step_results: [{ output: "got one\ngot two" }] });
    expect(graces).toEqual([1_000]);
  });
});

describe("an interruption", () => {
  it("ends the running step, marks it, and reports with the signal's exit code", async () => {
    const { machine, mark } = markedMachine();
    const interruption = new Interruption();
    const { results, exitCode, document } = await machine.runText(
      JSON.stringify({
        name: "r",
        hooks: { on_error: "touch hook-ran" },
        steps: [
          { id: "before", command: "echo fine" },
          { id: "during", command: "echo started; sleep 100", continue_on_error: true },
          { id: "after", command: "echo never" },
        ],
      }),
      {
        interruption,
        observer: event => {
          if (event.kind === "output" && event.step.id === "during") interruption.interrupt("SIGTERM");
        },
      },
    );
    expect(results).toMatchObject([
      { step_id: "before", status: "completed" },
      { step_id: "during", status: "failed", output: "started", error: "interrupted by SIGTERM" },
    ]);
    expect(document).toMatchObject({ success: false, status: "FAILURE" });
    expect(exitCode).toBe(143);
    await noneLeft(mark);
  });

  it("ends every member of a group", async () => {
    const { machine, mark } = markedMachine();
    const interruption = new Interruption();
    let started = 0;
    const { results, exitCode } = await machine.runText(
      JSON.stringify({
        name: "r",
        steps: ["a", "b", "c"].map(id => ({ id, command: "echo up; sleep 100", parallel_group: "g" })),
      }),
      {
        interruption,
        observer: event => {
          if (event.kind === "output" && ++started === 3) interruption.interrupt("SIGINT");
        },
      },
    );
    expect(results.map(result => result.error)).toEqual(Array(3).fill("interrupted by SIGINT"));
    expect(exitCode).toBe(130);
    await noneLeft(mark);
  });
});

describe("memory", () => {
  it("stays bounded while a step prints without end", async () => {
    const machine = recipeMachine();
    const before = process.memoryUsage().rss;
    const { steps } = await machine.runText(recipe({ command: "yes | head -c 600000000; echo; exit 1" }));
    expect(steps["a"]?.output.length).toBeLessThanOrEqual(10_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
  });
});
