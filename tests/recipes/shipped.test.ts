import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/hosts/index.ts";
import { validateRecipe } from "../../src/recipes/find/find-problems.ts";
import { SHIPPED_RECIPES } from "../../src/recipes/shipped-recipes.ts";
import { agentThat, type RecipeMachine, recipeMachine } from "./recipe-machine.ts";

const NAMES = readdirSync(SHIPPED_RECIPES)
  .filter(name => name.endsWith(".yaml"))
  .map(name => name.replace(/\.yaml$/, ""));

describe("the shipped recipes", () => {
  it("are these", () => {
    expect(NAMES).toEqual([
      "default-workflow",
      "hello",
      "investigate",
      "quality-check",
      "rewrite-component",
      "rewrite-master",
      "rewrite-phase",
      "task",
      "watch-and-merge",
      "workstream",
      "worktree-setup",
    ]);
  });

  it.each(NAMES)("%s is valid without a doubt, and named after its file", name => {
    const {
      errors,
      warnings,
      name: declared,
    } = validateRecipe({ recipe: name, isStrict: true }, recipeMachine().system);
    expect({ errors, warnings, declared }).toEqual({ errors: [], warnings: [], declared: name });
  });
});

describe("hello", () => {
  it("greets whoever is named, whatever the name", async () => {
    const who = "Ada \"the first\" $(id) 'Lovelace'";
    const { document, exitCode, steps } = await recipeMachine().run({ recipe: "hello", context: { who } });
    expect(exitCode).toBe(0);
    expect(document).toMatchObject({ status: "PARTIAL" });
    expect(String(document.output).split("\n")[0]).toBe(`Hello, ${who}!`);
    expect(new Set(steps["quote"]?.output.split("\n")).size).toBe(1);
  });
});

describe("quality-check", () => {
  const npmProject = (machine: RecipeMachine, scripts: Record<string, string>) =>
    machine.write("package.json", JSON.stringify({ name: "p", scripts }));

  it("finds and runs the scripts of a Node project", async () => {
    const machine = recipeMachine();
    npmProject(machine, { test: "echo testing", lint: "echo linting", typecheck: "echo typing" });
    const { steps, exitCode, document } = await machine.run({ recipe: "quality-check" });
    expect(exitCode).toBe(0);
    expect(JSON.parse(steps["detect"]?.output ?? "")).toEqual({
      test: "npm run --silent test",
      lint: "npm run --silent lint",
      types: "npm run --silent typecheck",
    });
    expect([steps["test"], steps["lint"], steps["types"]].map(step => step?.output)).toEqual([
      "$ npm run --silent test\ntesting",
      "$ npm run --silent lint\nlinting",
      "$ npm run --silent typecheck\ntyping",
    ]);
    expect(document).toMatchObject({ output: "All checks passed." });
  });

  it("runs all checks even when one fails, then fails with what that one said", async () => {
    const machine = recipeMachine();
    npmProject(machine, { test: "echo 3 tests failed; exit 1", lint: "echo fine" });
    const { steps, exitCode } = await machine.run({ recipe: "quality-check" });
    expect(exitCode).toBe(1);
    expect(steps["test"]).toMatchObject({ status: "failed", exit_code: 1 });
    expect(steps["test"]?.error).toContain("3 tests failed");
    expect(steps["lint"]?.status).toBe("completed");
    expect(steps["types"]?.status).toBe("skipped");
  });

  it.each([
    ["Makefile", "test:\n\techo ok\nlint:\n\techo ok\n", { test: "make test", lint: "make lint", types: "" }],
    [
      "package.json",
      '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}',
      { test: "", lint: "", types: "" },
    ],
    ["README.md", "nothing", { test: "", lint: "", types: "" }],
  ])("understands a project with %s", async (file, content, plan) => {
    const machine = recipeMachine();
    machine.write(file, content);
    const { steps } = await machine.run({ recipe: "quality-check" });
    expect(JSON.parse(steps["detect"]?.output ?? "")).toEqual(plan);
  });

  it("understands Python, Rust and Go projects by the tools that are there", async () => {
    for (const [file, tools, plan] of [
      [
        "pyproject.toml",
        ["pytest", "ruff", "mypy"],
        { test: "pytest -q", lint: "ruff check .", types: "mypy ." },
      ],
      ["go.mod", ["go"], { test: "go test ./...", lint: "go vet ./...", types: "go build ./..." }],
      [
        "Cargo.toml",
        ["cargo"],
        {
          test: "cargo test --quiet",
          lint: "cargo clippy --quiet --all-targets -- -D warnings",
          types: "cargo check --quiet --all-targets",
        },
      ],
    ] as const) {
      const machine = recipeMachine();
      machine.write(file, "");
      for (const tool of tools) machine.write(join(machine.home, "bin", tool), "#!/bin/sh\nexit 0\n", 0o755);
      machine.env["PATH"] = `${machine.home}/bin:${machine.env["PATH"]}`;
      const { steps, exitCode } = await machine.run({ recipe: "quality-check" });
      expect(JSON.parse(steps["detect"]?.output ?? "")).toEqual(plan);
      expect(exitCode).toBe(0);
    }
  });

  it("runs the commands it is given, elsewhere too, and leaves out what is not wanted", async () => {
    const machine = recipeMachine();
    machine.write("sub/Makefile", "lint:\n\tfalse\n");
    const { steps, exitCode } = await machine.run({
      recipe: "quality-check",
      contextPairs: ["repo_path=sub", 'test_command=pwd; echo "a  b" | cat', "lint_command=none"],
    });
    expect(exitCode).toBe(0);
    expect(steps["test"]?.output).toBe(`$ pwd; echo "a  b" | cat\n${machine.project}/sub\na  b`);
    expect(steps["lint"]?.status).toBe("skipped");
  });

  it("says what to do when there is nothing to check", async () => {
    const { exitCode, steps } = await recipeMachine().run({ recipe: "quality-check" });
    expect(exitCode).toBe(1);
    expect(steps["anything"]?.error).toContain("test_command=");
  });
});

describe("investigate", () => {
  it.each(AGENTS.map(agent => [agent]))("answers through %s", async agent => {
    const machine = recipeMachine();
    machine.write("src/login.ts", "");
    agentThat(machine, {
      "Do not answer yet": `echo '{"places": [{"path": "src/login.ts", "find_out": "all"}], "assumptions": []}'`,
      "Read these places": "echo 'login.ts:1 does it'",
      "Check each of them": `echo '{"confirmed": ["login.ts:1 does it"], "wrong": [], "open": []}'`,
      "Answer the question": "echo 'By login.ts.'",
    });
    const { document, exitCode } = await machine.run({
      recipe: "investigate",
      contextPairs: ["question=How does 'login' work?"],
      agentBinary: agent,
    });
    expect(exitCode).toBe(0);
    expect(document).toMatchObject({ status: "SUCCESS", output: "By login.ts." });
  });

  it("wants a question", async () => {
    const { exitCode, results } = await recipeMachine().run({ recipe: "investigate" });
    expect(exitCode).toBe(1);
    expect(results[0]?.error).toContain("'question' is required");
  });
});

describe("default-workflow", () => {
  const work = (machine: RecipeMachine, review: string) =>
    agentThat(machine, {
      "Read what you need": `echo '{"goal": "g", "done_when": ["add works"], "files": [], "risks": []}'`,
      "Plan the smallest": "echo '1. write add.sh'",
      "Carry out this plan": "echo 'echo $(($1 - $2))' > add.sh; echo wrote add.sh",
      "Repair the causes": "echo 'echo $(($1 + $2))' > add.sh; echo repaired",
      "Review the uncommitted": `echo '${review}'`,
      "A review of your change": "touch addressed; echo done",
    });

  it("writes, checks, repairs, reviews, and ends with green checks", async () => {
    const machine = recipeMachine();
    work(
      machine,
      '{"approved": false, "findings": [{"file": "add.sh", "problem": "p", "severity": "must"}]}',
    );
    const { document, exitCode, steps } = await machine.run({
      recipe: "default-workflow",
      context: {
        task_description: 'Add two numbers; it\'s "easy"',
        test_command: '[ "$(bash add.sh 2 3)" = 5 ]',
      },
    });
    expect(document.error).toBeUndefined();
    expect(exitCode).toBe(0);
    expect(document).toMatchObject({ status: "PARTIAL" });
    expect(steps["check"]?.status).toBe("failed");
    expect(steps["repair"]?.output).toBe("repaired");
    expect(steps["address"]?.status).toBe("completed");
    expect(steps["confirm"]?.status).toBe("completed");
    expect(String(document.output)).toContain("All checks passed.");
  });

  it("leaves out what is not needed", async () => {
    const machine = recipeMachine();
    work(machine, '{"approved": true, "findings": []}');
    const { steps, exitCode } = await machine.run({
      recipe: "default-workflow",
      context: { task_description: "x", test_command: "test -e add.sh" },
    });
    expect(exitCode).toBe(0);
    expect([steps["repair"]?.status, steps["address"]?.status]).toEqual(["skipped", "skipped"]);
  });

  it("fails when the checks are not green in the end", async () => {
    const machine = recipeMachine();
    work(machine, '{"approved": true, "findings": []}');
    const { steps, exitCode } = await machine.run({
      recipe: "default-workflow",
      context: { task_description: "x", test_command: "echo never green; false" },
    });
    expect(exitCode).toBe(1);
    expect(steps["confirm"]).toMatchObject({ status: "failed" });
    expect(steps["confirm"]?.error).toContain("never green");
  });
});

describe("the rewrite recipes", () => {
  /** Two small programs to port, and an agent that ports the second one wrongly at first. */
  function prepare(machine: RecipeMachine): void {
    machine.write("old/shout.sh", "tr a-z A-Z\n");
    machine.write("old/count.sh", 'n=$(wc -l); [ "$n" -gt 0 ] || exit 3; echo $((n))\n');
    agentThat(machine, {
      'component "shout" in': `echo '{"behaviours": ["upper case"]}'`,
      'component "count" in': `echo '{"behaviours": ["counts lines", "exit 3 when none"]}'`,
      'cases for the component "shout"':
        "mkdir -p golden/shout; printf 'abc\\n' > golden/shout/word.input; : > golden/shout/empty.input; echo 2",
      'cases for the component "count"':
        "mkdir -p golden/count; printf 'a\\nb\\n' > golden/count/two.input; : > golden/count/none.input; echo 2",
      'Port the component "shout"':
        "mkdir -p new; echo 'while IFS= read -r l; do echo \"${l^^}\"; done' > new/shout.sh; echo wrote",
      'Port the component "count"': "mkdir -p new; echo 'wc -l' > new/count.sh; echo wrote",
      'port of "count" in new/count.sh is not right':
        "echo 'n=$(wc -l); ((n)) || exit 3; echo $((n))' > new/count.sh; echo 'exit code'",
      'Review the port of "shout"': `echo '{"approved": false, "findings": ["blanks are not covered"]}'`,
      'review of the port of "shout"': "printf 'a  b\\n' > golden/shout/blanks.input; echo added",
      "Review the port of": `echo '{"approved": true, "findings": []}'`,
      "Look at the port as a whole": "echo 'nothing is missing'",
    });
  }
  const component = (name: string) => ({
    component: name,
    source_path: `old/${name}.sh`,
    target_path: `new/${name}.sh`,
    source_command: `bash old/${name}.sh`,
    target_command: `bash new/${name}.sh`,
  });

  it("prove a port by the answers of the original", async () => {
    const machine = recipeMachine();
    prepare(machine);
    const { document, exitCode, steps } = await machine.run({
      recipe: "rewrite-component",
      context: component("count"),
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(steps["compare"]?.output ?? "")).toEqual({ total: 2, different: ["none"] });
    expect(steps["repair"]?.output).toBe("exit code");
    expect(document).toMatchObject({ output: "count: 2 of 2 answers are the same" });
    expect(readFileSync(join(machine.project, "golden/count/none.exit"), "utf8")).toBe("3\n");
  });

  it("fail when the answers stay different, whatever the agent says", async () => {
    const machine = recipeMachine();
    prepare(machine);
    machine.write("old/count.sh", "wc -l; echo something else\n");
    const { exitCode, steps } = await machine.run({
      recipe: "rewrite-component",
      context: component("count"),
    });
    expect(exitCode).toBe(1);
    expect(steps["prove"]?.error).toContain("count answers differently");
  });

  it("refuse an original that answers differently each time", async () => {
    const machine = recipeMachine();
    prepare(machine);
    machine.write("old/count.sh", "cat /proc/sys/kernel/random/uuid\n");
    const { steps } = await machine.run({ recipe: "rewrite-component", context: component("count") });
    expect(steps["capture"]?.error).toContain("differently each time");
  });

  it("work through phases and components to one summary", async () => {
    const machine = recipeMachine();
    prepare(machine);
    const { document, exitCode } = await machine.run({
      recipe: "rewrite-master",
      context: {
        source_path: "old",
        target_path: "new",
        phases: [
          { phase: "first", components: [component("shout"), component("count")] },
          { phase: "second", components: [component("shout")] },
        ],
        test_command: "test -e new/shout.sh && test -e new/count.sh",
      },
    });
    expect(document.error).toBeUndefined();
    expect(exitCode).toBe(0);
    expect(String(document.output).split("\n")).toEqual([
      "shout: 3 of 3 answers are the same",
      "count: 2 of 2 answers are the same",
      "shout: 3 of 3 answers are the same",
      "",
      "What a review of the whole says:",
      "nothing is missing",
    ]);
    expect(existsSync(join(machine.project, "golden/shout/blanks.expected"))).toBe(true);
  });

  it("let an agent propose the phases", async () => {
    const machine = recipeMachine();
    prepare(machine);
    const proposal = JSON.stringify([{ phase: "only", components: [component("shout")] }]);
    const agent = readFileSync(machine.env["AMPLIHACK_LAUNCHER_BINARY"] ?? "", "utf8");
    machine.write(
      machine.env["AMPLIHACK_LAUNCHER_BINARY"] ?? "",
      agent.replace(
        'case "$asked" in',
        `case "$asked" in\n*"Divide it into components"*) cat <<'E'\n${proposal}\nE\n;;`,
      ),
      0o755,
    );
    const { document, exitCode } = await machine.run({
      recipe: "rewrite-master",
      context: { source_path: "old", target_path: "new" },
    });
    expect(exitCode).toBe(0);
    expect(String(document.output)).toContain("shout: 3 of 3 answers are the same");
  });
});
