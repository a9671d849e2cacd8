import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packRun, parseSubmittedRun, unpackRecipe } from "../../../src/recipes/workers/submit.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { recipeMachine } from "../recipe-machine.ts";

const STEP = { id: "s", command: "true" };
const recipe = (name: string, more: object = {}): string => JSON.stringify({ name, steps: [STEP], ...more });

describe("a recipe that is submitted", () => {
  it("takes along its parents and everything that it mentions, under the names that it uses", () => {
    const machine = recipeMachine();
    machine.write("top.yml", recipe("top", { extends: "base", steps: [{ id: "r", recipe: "one" }] }));
    machine.write("base.yaml", recipe("base"));
    // Found by the name that it declares.
    machine.write("other-file.yaml", recipe("one", { steps: [{ id: "r", recipe: "two" }] }));
    machine.write(".claude/recipes/two.yaml", recipe("two", { steps: [{ id: "again", recipe: "one" }] }));
    const { submitted, recipe: name, stepCount, warnings } = packRun(machine.system, { recipe: "top.yml" });
    expect({ name, stepCount, warnings }).toMatchObject({ name: "top", stepCount: 2 });
    expect(submitted.files.map(file => file.name)).toEqual(["top.yml", "base.yaml", "one.yaml", "two.yaml"]);
    const folder = temporaryDirectory();
    expect(unpackRecipe(machine.system, folder, submitted.files)).toBe(join(folder, "top.yml"));
    expect(readFileSync(join(folder, "one.yaml"), "utf8")).toContain('"name":"one"');
  });

  it("runs from its folder as it does from its own place, whatever recipes the worker has", async () => {
    const machine = recipeMachine();
    machine.write("top.yaml", recipe("top", { steps: [{ id: "r", recipe: "child", output: "said" }] }));
    machine.write(
      "child.yaml",
      recipe("child", { steps: [{ id: "c", command: "echo sent", output: "x" }], output: "x" }),
    );
    const { submitted } = packRun(machine.system, { recipe: "top.yaml" });
    const worker = recipeMachine();
    worker.write(
      "child.yaml",
      recipe("child", { steps: [{ id: "c", command: "echo mine", output: "x" }], output: "x" }),
    );
    const path = unpackRecipe(worker.system, temporaryDirectory(), submitted.files);
    const ran = await worker.run({ recipe: path, isSealed: true });
    expect(ran.context).toMatchObject({ said: "sent" });
    const missing = submitted.files.slice(0, 1) as unknown as typeof submitted.files;
    const alone = unpackRecipe(worker.system, temporaryDirectory(), missing);
    const failed = await worker.run({ recipe: alone, isSealed: true });
    expect(failed.steps["r"]?.error).toContain("Sub-recipe 'child' not found");
  });

  it("is refused when one name means two files, or when it is wrong", () => {
    const machine = recipeMachine();
    machine.write(
      "top.yaml",
      recipe("top", {
        steps: [
          { id: "r", recipe: "a" },
          { id: "q", recipe: "b" },
        ],
      }),
    );
    machine.write("a.yaml", recipe("a", { steps: [{ id: "r", recipe: "top" }] }));
    expect(packRun(machine.system, { recipe: "top.yaml" }).warnings.join()).toContain("'b' was not found");
    machine.write("b.yaml", recipe("b"));
    machine.write("dir/top.yaml", recipe("top", { steps: [{ id: "r", recipe: "x" }] }));
    machine.write("x.yaml", recipe("x", { steps: [{ id: "r", recipe: "top" }] }));
    expect(() => packRun(machine.system, { recipe: "dir/top.yaml" })).toThrow("means two files");
    machine.write(
      "wrong.yaml",
      recipe("wrong", { steps: [{ id: "s", command: "true", condition: "a ==" }] }),
    );
    expect(() => packRun(machine.system, { recipe: "wrong.yaml" })).toThrow("condition");
    expect(() => packRun(machine.system, { recipe: "nowhere" })).toThrow("not found");
  });

  it("takes along values, also those of this environment, and options", () => {
    const machine = recipeMachine({ AMPLIHACK_CONTEXT_WHO: "env", AMPLIHACK_STEP_TIMEOUT: "7" });
    machine.write("top.yaml", recipe("top", { context: { who: "", n: 1 } }));
    const { submitted } = packRun(machine.system, {
      recipe: "top.yaml",
      contextPairs: ["n=2"],
      includeTags: ["fast"],
    });
    expect(submitted).toMatchObject({
      context: { who: "env", n: 2 },
      options: { stepTimeoutSeconds: 7, includeTags: ["fast"] },
    });
    const sent: unknown = JSON.parse(JSON.stringify(submitted));
    expect(parseSubmittedRun(sent as never)).toMatchObject({ context: { who: "env", n: 2 } });
  });
});

describe("a submitted run that somebody else wrote into the database", () => {
  const file = { name: "a.yaml", text: "x" };
  it.each([
    ["nothing", undefined],
    ["a list", []],
    ["no files", { files: [], context: {} }],
    ["a file that leads out", { files: [{ ...file, name: "../a.yaml" }], context: {} }],
    ["a file in a folder", { files: [{ ...file, name: "b/a.yaml" }], context: {} }],
    ["a hidden file", { files: [{ ...file, name: ".a.yaml" }], context: {} }],
    ["a file of another kind", { files: [{ ...file, name: "a.sh" }], context: {} }],
    ["a file without text", { files: [{ name: "a.yaml" }], context: {} }],
    ["too large a file", { files: [{ ...file, text: "x".repeat(1_000_001) }], context: {} }],
    ["too many files", { files: Array.from({ length: 201 }, () => file), context: {} }],
    ["no context", { files: [file] }],
    ["options that are none", { files: [file], context: {}, options: 1 }],
  ])("is refused with %s", (_, value) => {
    expect(() => parseSubmittedRun(value as never)).toThrow(/submitted run|recipe file/);
  });
});
