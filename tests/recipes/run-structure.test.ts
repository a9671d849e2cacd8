import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/protocol/index.ts";
import { resultTable } from "../../src/recipes/views.ts";
import { recipeMachine } from "./recipe-machine.ts";

const yaml = (value: unknown): string => JSON.stringify(value);

describe("parallel steps", () => {
  it("run at the same time, see the context as it was, and are committed in order", async () => {
    const machine = recipeMachine();
    // Each member waits for the other: one after the other they would never end.
    const meet = (own: string, other: string) =>
      `touch ${own}; until [ -e ${other} ]; do sleep 0.01; done; echo {{v}}-${own}`;
    const { results, context } = await machine.runText(
      yaml({
        name: "r",
        context: { v: "old" },
        steps: [
          { id: "a", command: meet("x", "y"), parallel_group: "g", output: "v", timeout: 200 },
          { id: "b", command: meet("y", "x"), parallel_group: "g", output: "v", timeout: 200 },
          { id: "c", command: "echo {{v}}" },
        ],
      }),
    );
    expect(results.map(result => [result.step_id, result.output])).toEqual([
      ["a", "old-x"],
      ["b", "old-y"],
      ["c", "old-y"],
    ]);
    expect(context).toEqual({ v: "old-y" });
  });

  it("all run to the end when one fails, then the recipe stops", async () => {
    const { results, exitCode } = await recipeMachine().runText(
      yaml({
        name: "r",
        steps: [
          { id: "a", command: "exit 1", parallel_group: "g" },
          { id: "b", command: "sleep 0.2; echo finished", parallel_group: "g", output: "late" },
          { id: "c", command: "echo never" },
        ],
      }),
    );
    expect(results.map(result => [result.step_id, result.status])).toEqual([
      ["a", "failed"],
      ["b", "completed"],
    ]);
    expect(exitCode).toBe(1);
  });

  it("of one name, with others between them, are two groups", async () => {
    const { results } = await recipeMachine().runText(
      yaml({
        name: "r",
        steps: [
          { id: "a", command: "echo one", parallel_group: "g", output: "v" },
          { id: "b", command: "echo two", output: "w" },
          { id: "c", command: "echo {{v}} {{w}}", parallel_group: "g" },
        ],
      }),
    );
    expect(results.at(-1)?.output).toBe("one two");
  });

  it("may be sub-recipes too, and many", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        steps: [{ id: "s", command: "echo $((n * 2))".replace("n", "$N"), output: "out" }],
      }),
    );
    const steps = Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0
        ? { id: `s${index}`, recipe: "child", sub_context: { n: index }, parallel_group: "g" }
        : { id: `s${index}`, command: `echo ${index}`, parallel_group: "g" },
    );
    const { results } = await machine.runText(yaml({ name: "r", steps }));
    expect(results.map(result => result.step_id)).toEqual(steps.map(step => step.id));
    expect(results.every(result => result.status === "completed")).toBe(true);
    expect(results[10]?.sub_result?.step_results[0]?.output).toBe("20");
  });
});

describe("tags", () => {
  const text = yaml({
    name: "r",
    steps: [
      { id: "always", command: "echo a" },
      { id: "fast", command: "echo b", when_tags: ["fast"] },
      { id: "slow", command: "echo c", when_tags: ["slow", "fast"] },
    ],
  });
  it.each([
    [{}, ["completed", "completed", "completed"]],
    [{ includeTags: ["slow"] }, ["completed", "skipped", "completed"]],
    [{ excludeTags: ["slow"] }, ["completed", "completed", "skipped"]],
    [{ includeTags: ["fast"], excludeTags: ["slow"] }, ["completed", "completed", "skipped"]],
    [{ includeTags: ["other"] }, ["completed", "skipped", "skipped"]],
  ])("%j", async (request, statuses) => {
    const { results } = await recipeMachine().runText(text, request);
    expect(results.map(result => result.status)).toEqual(statuses);
  });
});

describe("conditions", () => {
  it("that cannot be evaluated fail the step when it is reached", async () => {
    const { results } = await recipeMachine().runText(
      yaml({
        name: "r",
        steps: [
          { id: "a", condition: "a ==", command: "echo x", continue_on_error: true },
          { id: "b", condition: "int('x') > 1", command: "echo x" },
          { id: "c", command: "echo never" },
        ],
      }),
    );
    expect(results).toMatchObject([
      { step_id: "a", status: "failed", error: "Condition error: unexpected end of condition" },
      { step_id: "b", status: "failed", error: "Condition error: cannot convert 'x' to int" },
    ]);
  });
});

describe("the limit of steps", () => {
  const many = (limit: number, steps: unknown[]) =>
    yaml({ name: "r", recursion: { max_total_steps: limit }, steps });
  it("fails the first step beyond it, even one that may fail", async () => {
    const { results, exitCode } = await recipeMachine().runText(
      many(2, [
        { id: "a", command: "echo a" },
        { id: "b", command: "echo b", condition: "false" },
        { id: "c", command: "echo c", continue_on_error: true },
        { id: "d", command: "echo d" },
      ]),
    );
    expect(results.map(result => [result.step_id, result.status, result.error])).toEqual([
      ["a", "completed", ""],
      ["b", "skipped", ""],
      ["c", "failed", "Total step limit (2) exceeded"],
    ]);
    expect(exitCode).toBe(1);
  });

  it("counts a whole group before it starts, and not what tags leave out", async () => {
    const machine = recipeMachine();
    const { results } = await machine.runText(
      many(3, [
        { id: "t", command: "echo t", when_tags: ["x"] },
        { id: "a", command: "echo a" },
        ...["b", "c", "d"].map(id => ({ id, command: `touch ran-${id}`, parallel_group: "g" })),
      ]),
      { excludeTags: ["x"] },
    );
    expect(results.at(-1)).toMatchObject({ step_id: "d", error: "Total step limit (3) exceeded" });
    expect(existsSync(join(machine.project, "ran-b"))).toBe(false);
  });

  it("holds for sub-recipes too, which cannot raise it", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        recursion: { max_total_steps: 100 },
        steps: ["x", "y", "z"].map(id => ({ id, command: "echo 1" })),
      }),
    );
    const { steps } = await machine.runText(many(3, [{ id: "sub", recipe: "child" }]));
    expect(steps["sub"]?.error).toContain("- z [error]: Total step limit (3) exceeded");
    expect(steps["sub"]?.error).toContain("Completed steps: x, y");
  });

  it("still holds after a sub-recipe that was allowed to fail on it", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({ name: "child", steps: ["x", "y"].map(id => ({ id, command: "echo 1" })) }),
    );
    const { results } = await machine.runText(
      many(2, [
        { id: "sub", recipe: "child", continue_on_error: true },
        { id: "next", command: "echo never" },
      ]),
    );
    expect(results.at(-1)).toMatchObject({ step_id: "next", error: "Total step limit (2) exceeded" });
  });
});

describe("sub-recipes", () => {
  it("see the parent's context and overrides, and give back what their steps set", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        context: { own: "child default", shared: "child default" },
        steps: [{ id: "s", command: "echo {{own}}/{{shared}}/{{given}}/{{typed.1}}", output: "made" }],
      }),
    );
    const { context, steps } = await machine.runText(
      yaml({
        name: "r",
        context: { shared: "parent", list: ["a", "b"], given: "unchanged" },
        steps: [
          {
            id: "sub",
            recipe: "child",
            context: { given: "x", a: 1 },
            sub_context: { given: "over {{shared}}", typed: "{{list}}" },
            output: "summary",
          },
        ],
      }),
    );
    expect(context).toEqual({
      shared: "parent",
      list: ["a", "b"],
      given: "unchanged",
      made: "child default/parent/over parent/b",
      summary: "Recipe 'child': SUCCESS\n  [completed] s",
    });
    expect(steps["sub"]?.sub_result).toMatchObject({
      recipe_name: "child",
      success: true,
      step_results: [{ step_id: "s" }],
    });
  });

  it("report their own output when they have one", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        output: { template: "made {{v}}" },
        steps: [{ id: "s", command: "echo 5", output: "v" }],
      }),
    );
    const { steps, document } = await machine.runText(
      yaml({ name: "r", output: "v", steps: [{ id: "sub", recipe: "child" }] }),
    );
    expect(steps["sub"]?.output).toBe("made 5");
    expect(document).toMatchObject({ output: "5" });
  });

  it("that fail say which steps failed and which did not", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        steps: [
          { id: "good", command: "echo 1", output: "kept" },
          { id: "bad", command: "echo why >&2; exit 2" },
        ],
      }),
    );
    const { steps, context } = await machine.runText(
      yaml({ name: "r", steps: [{ id: "sub", recipe: "child", continue_on_error: true }] }),
    );
    expect(steps["sub"]?.error).toBe(
      "Sub-recipe 'child' failed.\nFailed steps:\n- bad [error]: Command failed (exit 2): why\nCompleted steps: good",
    );
    expect(context).toEqual({});
  });

  it.each([
    ["nobody", "Sub-recipe 'nobody' not found. Searched"],
    ["../evil", "Sub-recipe name '../evil' is not allowed"],
    ["broken", "Failed to parse sub-recipe 'broken': Recipe must have a 'steps' field"],
  ])("that cannot be had fail the step: %s", async (name, message) => {
    const machine = recipeMachine();
    machine.write("broken.yaml", "name: broken\n");
    const { steps } = await machine.runText(yaml({ name: "r", steps: [{ id: "sub", recipe: name }] }));
    expect(steps["sub"]?.error).toContain(message);
  });

  it("are not found through links that lead elsewhere", async () => {
    const machine = recipeMachine();
    const outside = machine.write(
      join(machine.home, "elsewhere/child.yaml"),
      yaml({ name: "child", steps: [{ id: "s", command: "echo evil" }] }),
    );
    const { symlinkSync } = await import("node:fs");
    symlinkSync(outside, join(machine.project, "child.yaml"));
    const { steps } = await machine.runText(yaml({ name: "r", steps: [{ id: "sub", recipe: "child" }] }));
    expect(steps["sub"]?.error).toContain("not found");
  });

  it("nest as deep as allowed and no deeper", async () => {
    const machine = recipeMachine();
    machine.write(
      "loop.yaml",
      yaml({ name: "loop", recursion: { max_depth: 2 }, steps: [{ id: "again", recipe: "loop" }] }),
    );
    const { exitCode, results } = await machine.run({ recipe: "loop.yaml" });
    expect(exitCode).toBe(1);
    const inner = results[0]?.sub_result?.step_results[0]?.sub_result?.step_results[0];
    expect(inner?.error).toBe(
      "Maximum recipe recursion depth (2) exceeded. Check for circular recipe references.",
    );
  });

  it("nest a hundred levels at most, whatever a recipe allows itself", async () => {
    const machine = recipeMachine();
    const recursion = { max_depth: 1_000_000, max_total_steps: 1_000_000 };
    machine.write("loop.yaml", yaml({ name: "loop", recursion, steps: [{ id: "again", recipe: "loop" }] }));
    const { exitCode, document } = await machine.run({ recipe: "loop.yaml" });
    expect(exitCode).toBe(1);
    const text = JSON.stringify(document);
    expect(text).toContain("Maximum recipe recursion depth (100) exceeded.");
    expect(text.split('"sub_result"')).toHaveLength(101);
    expect(document.warnings).toEqual(["recursion.max_depth counts as 100, which is the most"]);
  });

  it("check their context too", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        context_validation: { need: "nonempty" },
        steps: [{ id: "s", command: "echo 1" }],
      }),
    );
    const { steps } = await machine.runText(yaml({ name: "r", steps: [{ id: "sub", recipe: "child" }] }));
    expect(steps["sub"]?.error).toContain("=== PRE-FLIGHT VALIDATION FAILED for 'child' ===");
  });

  it("may be limited in time as a whole", async () => {
    const machine = recipeMachine();
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        steps: [
          { id: "s", command: "sleep 50" },
          { id: "t", command: "echo never" },
        ],
      }),
    );
    const { steps } = await machine.runText(
      yaml({ name: "r", steps: [{ id: "sub", recipe: "child", timeout: 0.3 }] }),
    );
    expect(steps["sub"]).toMatchObject({ status: "failed", timed_out: true });
    expect(steps["sub"]?.error).toContain("timed out after 0.3s");
  });
});

describe("inheritance", () => {
  it("merges context, tags, steps, hooks and limits", async () => {
    const machine = recipeMachine();
    machine.write(
      "base.yaml",
      yaml({
        name: "base",
        description: "from base",
        tags: ["z", "b"],
        context: { a: 1, b: 1 },
        recursion: { max_total_steps: 5 },
        hooks: { pre_step: "echo pre {{a}} >> log" },
        output: "last",
        steps: [
          { id: "one", command: "echo base-one" },
          { id: "two", command: "echo base-two", output: "last" },
        ],
      }),
    );
    machine.write(
      "child.yaml",
      yaml({
        name: "child",
        extends: "base",
        tags: ["a"],
        context: { b: 2 },
        steps: [
          { id: "one", command: "echo child-one {{a}}{{b}}" },
          { id: "three", command: "cat log | wc -l" },
        ],
      }),
    );
    const { results, document } = await machine.run({ recipe: "child.yaml" });
    expect(results.map(result => result.output)).toEqual(["child-one 12", "base-two", "3"]);
    expect(document).toMatchObject({ recipe_name: "child", output: "base-two" });
  });

  it("may add nothing at all", async () => {
    const machine = recipeMachine();
    machine.write("base.yaml", yaml({ name: "base", steps: [{ id: "one", command: "echo hi" }] }));
    const { results } = await machine.runText("name: child\nextends: base\n");
    expect(results[0]?.output).toBe("hi");
  });

  it("is refused when it goes in circles or leads nowhere", async () => {
    const machine = recipeMachine();
    machine.write("a.yaml", "name: a\nextends: b\n");
    machine.write("b.yaml", "name: b\nextends: a\n");
    const circle = await machine.run({ recipe: "a.yaml" });
    expect(circle.document).toMatchObject({
      status: "ERROR",
      error_kind: "parse_error",
      error: "Circular extends detected: 'a' was already visited in the extends chain",
    });
    expect(circle.exitCode).toBe(2);
    const lost = await machine.runText("name: c\nextends: nobody\n");
    expect(lost.document.error).toContain("Parent recipe 'nobody' not found");
    expect(lost.exitCode).toBe(2);
  });
});

describe("hooks", () => {
  it("run around steps with what they need to know, and never decide anything", async () => {
    const machine = recipeMachine();
    const { steps, exitCode } = await machine.runText(
      yaml({
        name: "r",
        context: { tricky: "$(touch pwned)" },
        hooks: {
          pre_step: 'echo "pre $AMPLIHACK_STEP_ID ${AMPLIHACK_STEP_STATUS-none} {{tricky}}" >> log; exit 9',
          post_step: 'echo "post $AMPLIHACK_STEP_ID $AMPLIHACK_STEP_STATUS" >> log',
          on_error: 'echo "error $AMPLIHACK_STEP_ID $AMPLIHACK_STEP_STATUS $AMPLIHACK_STEP_ERROR" >> log',
        },
        steps: [
          { id: "a", command: "true" },
          { id: "b", command: "echo bad >&2; false", continue_on_error: true },
          { id: "c", command: "true", condition: "false" },
          { id: "d", command: "cat log" },
        ],
      }),
    );
    expect(steps["d"]?.output.split("\n")).toEqual([
      "pre a none $(touch pwned)",
      "post a completed",
      "pre b none $(touch pwned)",
      "error b failed Command failed (exit 1): bad",
      "pre d none $(touch pwned)",
    ]);
    expect(steps["a"]).toMatchObject({ status: "completed", warnings: ["Hook 'pre_step' failed (exit 9)"] });
    expect(exitCode).toBe(0);
    expect(existsSync(join(machine.project, "pwned"))).toBe(false);
  });

  it("say what they print to whoever watches", async () => {
    const machine = recipeMachine();
    await machine.runText(
      yaml({ name: "r", hooks: { pre_step: "echo hello from hook" }, steps: [{ id: "a", command: "true" }] }),
    );
    expect(machine.events).toContainEqual({ kind: "notice", text: "hello from hook", isWarning: false });
  });
});

describe("a dry run", () => {
  it("executes nothing and shows every step", async () => {
    const machine = recipeMachine();
    const { results, document, exitCode } = await machine.runText(
      yaml({
        name: "r",
        hooks: { pre_step: "touch hooked" },
        context_validation: { need: "nonempty" },
        steps: [
          { id: "a", command: "touch ran", output: "v" },
          { id: "b", command: "echo", parse_json: true, condition: "int('x')" },
          { id: "c", recipe: "nobody" },
          { id: "d", command: "echo", when_tags: ["x"] },
        ],
      }),
      { isDryRun: true, excludeTags: ["x"] },
    );
    expect(results.map(result => [result.status, result.output])).toEqual([
      ["skipped", "[dry run]"],
      ["skipped", '{"dry_run":true,"step":"b"}'],
      ["skipped", "[dry run]"],
      ["skipped", ""],
    ]);
    expect(document).toMatchObject({
      success: true,
      status: "SUCCESS",
      dry_run: true,
      context: { v: "(dry-run)" },
    });
    expect(document.warnings).toEqual(
      expect.arrayContaining(["Step 'c': sub-recipe 'nobody' was not found"]),
    );
    expect(exitCode).toBe(0);
    expect(existsSync(join(machine.project, "ran")) || existsSync(join(machine.project, "hooked"))).toBe(
      false,
    );
  });

  it("shows what would run, with the values that are known", async () => {
    const { results } = await recipeMachine().runText(
      yaml({
        name: "r",
        context: { who: "Ada", at: { host: "h1" } },
        steps: [
          { id: "a", command: "greet '{{who}}' {{at.host}} \\{{who}} {{ who }}", output: "said" },
          { id: "b", command: "echo {{said}} {{nobody}}", working_dir: "{{at.host}}", condition: "said" },
          { id: "c", agent: "amplihack:reviewer", prompt: "Look at {{said}} of {{who}}" },
        ],
      }),
      { isDryRun: true },
    );
    expect(results.map(({ would_run }) => would_run)).toEqual([
      { command: "greet 'Ada' h1 {{who}} {{ who }}", output: "said" },
      { command: "echo {{said}} {{nobody}}", working_dir: "h1", condition: "said" },
      { agent: "amplihack:reviewer", prompt: "Look at {{said}} of Ada" },
    ]);
  });

  it("is told to programs as every run is, with what would run behind it", async () => {
    const { document } = await recipeMachine().runText(
      yaml({ name: "r", steps: [{ id: "a", command: "echo x" }] }),
      { isDryRun: true },
    );
    const told = resultTable({ ...document } as JsonObject, false);
    expect(told).toContain("Status: ✓ Success\n");
    expect(told).toMatch(/\n {2}⊘ a: skipped \[elapsed: [^\]]+\]\n {4}Output: \[dry run\]\n {6}\$ echo x\n$/);
    expect(resultTable({ ...document } as JsonObject, true)).toMatch(
      /nothing was executed\).*\n {2}· a\n {6}\$ echo x\n$/s,
    );
  });

  it("still refuses what is invalid, conditions included", async () => {
    const { exitCode, document } = await recipeMachine().runText(
      yaml({ name: "r", steps: [{ id: "a", command: "x", condition: "a ==" }] }),
      { isDryRun: true },
    );
    expect(exitCode).toBe(2);
    expect(document).toMatchObject({
      error: "Step 'a': condition: unexpected end of condition",
      step_results: [],
    });
  });
});
