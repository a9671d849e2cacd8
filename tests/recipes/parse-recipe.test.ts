import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRecipe } from "../../src/recipes/format/parse-recipe.ts";
import { runs } from "../generated-inputs.ts";

const errorsOf = (text: string): readonly string[] => parseRecipe(text).errors.map(error => error.message);
const warningsOf = (text: string): readonly string[] =>
  parseRecipe(text).warnings.map(warning => warning.message);
const step = (fields: string): string => `name: r\nsteps:\n  - id: s\n    ${fields}\n`;

describe("a recipe file", () => {
  it("gives every declared member", () => {
    const { recipe, errors, warnings } = parseRecipe(`
name: full
description: All of it
version: 1.10
author: Ada
tags: [a, b]
context: {text: "x", n: 1, nested: {list: [1, {deep: true}]}}
context_validation: {text: nonempty, n: }
recursion: {max_depth: 3, max_total_steps: 9}
hooks: {pre_step: "echo a", post_step: "echo b", on_error: "echo c"}
output: {format: text, template: "{{text}}"}
default_step_timeout: 2.5
steps:
  - id: bash-step
    name: A name
    description: what it does
    command: echo
    output: out
    condition: true
    parse_json: true
    parse_json_required: true
    timeout: 5
    working_dir: sub
    continue_on_error: true
    parallel_group: g
    when_tags: [slow]
    depends_on: []
  - {id: agent-step, agent: "ns:core:x", prompt: hi, model: m, mode: ANALYZE, auto_stage: true}
  - {id: recipe-step, recipe: other, context: {a: 1, b: 1}, sub_context: {b: 2}, recovery_on_failure: true, timeout_seconds: 3}
`);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([]);
    expect(recipe).toMatchObject({
      name: "full",
      version: "1.10",
      tags: ["a", "b"],
      context: { text: "x", n: 1, nested: { list: [1, { deep: true }] } },
      contextValidation: { text: "nonempty", n: "" },
      recursion: { maxDepth: 3, maxTotalSteps: 9 },
      hooks: { pre_step: "echo a", post_step: "echo b", on_error: "echo c" },
      output: { kind: "template", template: "{{text}}", format: "text" },
      defaultStepTimeout: 2.5,
    });
    const [bash, agent, sub] = recipe?.steps ?? [];
    expect(bash).toMatchObject({
      type: "bash",
      condition: "true",
      parseJson: true,
      timeoutSeconds: 5,
      workingDir: "sub",
      isNonFatal: true,
      parallelGroup: "g",
      whenTags: ["slow"],
    });
    expect(agent).toMatchObject({
      type: "agent",
      agent: "ns:core:x",
      model: "m",
      mode: "ANALYZE",
      autoStage: true,
    });
    expect(sub).toMatchObject({
      type: "recipe",
      subContext: { a: 1, b: 2 },
      recoveryOnFailure: true,
      timeoutSeconds: 3,
    });
  });

  it("follows the core schema: yes, no, on and off are text; a BOM is ignored", () => {
    const { recipe } = parseRecipe(
      "\uFEFFname: r\ncontext: {a: yes, b: off, c: 0x1F, d: 12345678901234567890, e: .inf}\nsteps: [{id: s, command: x}]\n",
    );
    expect(recipe?.context).toEqual({ a: "yes", b: "off", c: 31, d: "12345678901234567890", e: ".inf" });
  });

  it("knows no tags beyond the core schema: what they stand on is kept, with a warning", () => {
    const text =
      "name: r\ncontext: {a: !!omap [x: 1], b: !!binary aGk=, c: !own {k: v}}\nsteps: [{id: s, command: x}]";
    const { recipe, warnings } = parseRecipe(text);
    expect(recipe?.context).toEqual({ a: [{ x: 1 }], b: "aGk=", c: { k: "v" } });
    expect(warnings.map(({ message }) => message)).toHaveLength(3);
  });

  it("may repeat values by aliases", () => {
    const { recipe } = parseRecipe(
      "name: r\ncontext: {a: &x {k: [1]}, b: *x}\nsteps: [{id: s, command: x}]\n",
    );
    expect(recipe?.context).toEqual({ a: { k: [1] }, b: { k: [1] } });
  });
});

describe("the type of a step", () => {
  it.each([
    ["command: x", "bash"],
    ["recipe: x\n    command: y", "recipe"],
    ["agent: x\n    prompt: y", "agent"],
    ["prompt: y", "agent"],
    ["prompt: y\n    command: x", "bash"],
    ["type: AGENT\n    prompt: y", "agent"],
    ["type: Bash\n    command: x\n    agent: a", "bash"],
  ])("of %j is %s", (fields, type) => {
    expect(parseRecipe(step(fields)).recipe?.steps[0]?.type).toBe(type);
  });
});

describe("a failure that does not end the recipe", () => {
  it.each([
    ["continue_on_error: true", true],
    ["nonfatal: true", true],
    ["fatal: false", true],
    ["fatal: true\n    continue_on_error: true", true],
    ["fatal: true", false],
    ["continue_on_error: false", false],
  ])("%j: %s", (fields, isNonFatal) => {
    expect(parseRecipe(step(`command: x\n    ${fields}`)).recipe?.steps[0]?.isNonFatal).toBe(isNonFatal);
  });
});

describe("errors", () => {
  it.each([
    ["- a\n- b\n", "Recipe YAML must be a mapping at the top level"],
    ["", "Recipe YAML must be a mapping at the top level"],
    ["steps: [{id: a, command: b}]", "Recipe must have a 'name' field"],
    ["name: ''\nsteps: [{id: a, command: b}]", "Recipe must have a 'name' field"],
    ["name: r", "Recipe must have a 'steps' field with at least one step"],
    ["name: r\nsteps: []", "Recipe must have a 'steps' field with at least one step"],
    ["name: r\nsteps: hello", "Recipe must have a 'steps' field with at least one step"],
    ["name: r\nsteps: [{command: x}]", "Every step must have a non-empty 'id' field"],
    ["name: r\nsteps: [{id: '  ', command: x}]", "Every step must have a non-empty 'id' field"],
    ["name: r\nsteps: [x]", "Every step must have a non-empty 'id' field"],
    ["name: r\nsteps: [{id: a, command: x}, {id: a, command: y}]", "Duplicate step id: 'a'"],
    [
      step("type: shell\n    command: x"),
      "Step 's': 'shell' is not a valid step type (expected bash, agent or recipe)",
    ],
    [step("output: x"), "Step 's': bash step is missing a 'command' field"],
    [step("agent: x"), "Step 's': agent step is missing a 'prompt' field"],
    [step("type: recipe"), "Step 's': recipe step is missing a 'recipe' field"],
    [step("command: x\n    output: 12"), "Step 's': output must be a string"],
    [step("command: x\n    output: 'a b'"), "Step 's': invalid output name 'a b'"],
    [step("command: x\n    output: __proto__"), "Step 's': invalid output name '__proto__'"],
    [step("command: x\n    output: AMPLIHACK_X"), "Step 's': invalid output name 'AMPLIHACK_X'"],
    [step("command: [x]"), "Step 's': command must be a string"],
    [step("command: x\n    timeout: soon"), "Step 's': timeout must be a number"],
    [step("command: x\n    timeout: -1"), "Step 's': timeout must be a number"],
    [step("command: x\n    parse_json: yes"), "Step 's': parse_json must be a boolean"],
    [step("command: x\n    when_tags: a"), "Step 's': when_tags must be a list"],
    [step("command: x\n    depends_on: [nobody]"), "Step 's': depends_on names an unknown step 'nobody'"],
    [step("recipe: x\n    sub_context: [1]"), "Step 's': sub_context must be a mapping"],
    ["name: r\ncontext: 3\nsteps: [{id: a, command: b}]", "context must be a mapping"],
    [
      "name: r\ncontext: {AMPLIHACK_X: 1}\nsteps: [{id: a, command: b}]",
      "Context key 'AMPLIHACK_X' is reserved",
    ],
    ["name: r\ncontext: {__proto__: 1}\nsteps: [{id: a, command: b}]", "'__proto__' is not allowed as a key"],
    [
      "name: r\nrecursion: {max_depth: many}\nsteps: [{id: a, command: b}]",
      "recursion.max_depth must be an integer",
    ],
    ["name: r\noutput: [x]\nsteps: [{id: a, command: b}]", "output must be"],
    ["a: 1\na: 2\n", "YAML parse error: Map keys must be unique at line 2, column 1"],
    ["a: [1,\nb: 2", "YAML parse error:"],
    ["a: 1\n---\nb: 2", "YAML parse error:"],
    ["a: &x [*x]", "YAML parse error: alias refers to itself"],
    ["[".repeat(20_000), "YAML parse error: nested too deeply"],
    [
      `name: ${"x".repeat(1_000_001)}`,
      "Recipe file too large (1000007 bytes). Maximum allowed: 1000000 bytes",
    ],
  ])("%.60j", (text, message) => {
    expect(errorsOf(text)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
  });

  it("are all reported, each with its place", () => {
    const { errors } = parseRecipe(
      "name: r\nsteps:\n  - id: a\n    command: x\n    timeout: soon\n  - id: b\n    parse_json: 1\n",
      {
        file: "/r.yaml",
      },
    );
    expect(errors).toEqual([
      {
        message: "Step 'a': timeout must be a number of seconds, 0 or more",
        file: "/r.yaml",
        line: 5,
        column: 14,
      },
      { message: "Step 'b': bash step is missing a 'command' field", file: "/r.yaml", line: 6, column: 5 },
      {
        message: "Step 'b': parse_json must be a boolean (true or false)",
        file: "/r.yaml",
        line: 7,
        column: 17,
      },
    ]);
  });

  it("stop aliases that multiply without end", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 9; level++) {
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(", ")}]`,
      );
    }
    expect(errorsOf(`${lines.join("\n")}\n`)).toEqual([
      expect.stringContaining("aliases expand to more than"),
    ]);
  });
});

describe("warnings", () => {
  it.each([
    [
      "name: r\ncolour: red\nsteps: [{id: a, command: b}]",
      "Unrecognized top-level field 'colour' (possible typo)",
    ],
    [
      "name: r\nhooks: {before: x}\nsteps: [{id: a, command: b}]",
      "Unrecognized top-level field 'hooks.before' (possible typo)",
    ],
    [step("command: x\n    comand: y"), "Step 's': unrecognized field 'comand' (possible typo)"],
    [step("command: x\n    model: m"), "Step 's': 'model' has no effect on a bash step"],
  ])("%j", (text, message) => {
    expect(errorsOf(text)).toEqual([]);
    expect(warningsOf(text)).toEqual([message]);
  });

  it("spare every documented field", () => {
    const text = step(
      "command: x\n    fatal: false\n    nonfatal: true\n    timeout_seconds: 1\n    depends_on: [s]",
    );
    expect(warningsOf(`${text}context_validation: {a: optional}\n`)).toEqual([]);
  });
});

describe("any text", () => {
  it("is read or refused, never thrown at", () => {
    const piece = fc.constantFrom(
      "name: r\n",
      "steps:\n",
      "  - id: a\n",
      "    command: |\n      x\n",
      "&a ",
      "*a ",
      "- ",
      "{",
      "}",
      "[",
      "]",
      ": ",
      "\n",
      "'",
      '"',
      "# ",
      "!!x ",
      "\t",
      "é",
      "? ",
      "<<: ",
      "--- ",
      "null",
      "1e999",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 30 }).map(parts => parts.join("")),
          fc.string(),
        ),
        text => {
          const { recipe, errors } = parseRecipe(text);
          expect(recipe === undefined).toBe(errors.length > 0);
        },
      ),
      { numRuns: runs(1500) },
    );
  });
});
