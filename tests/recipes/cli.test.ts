import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildCli } from "./built-cli.ts";
import { recipeMachine } from "./recipe-machine.ts";

const cli = buildCli();
const GOOD = `name: good
description: A good one
version: 2.0
author: Ada
tags: [x, y]
context: {who: world}
steps:
  - {id: greet, name: Greeting, command: "echo hello {{who}}", output: said}
  - {id: left, command: "true", parallel_group: both}
  - {id: right, command: "true", parallel_group: both, condition: "said"}
  - {id: maybe, condition: "'hello' in said", command: "echo $TMPDIR", when_tags: [x], continue_on_error: true}
`;
const BAD =
  "name: bad\nsteps:\n  - id: a\n    command: echo {{x}}\n    timeout: soon\n  - id: a\n    command: y\n";

describe("recipe run", () => {
  it("prints a table by default, with progress on the other stream", () => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    const { code, stdout, stderr } = cli.run(machine, "recipe", "run", "good.yaml", "-c", "who=Ada");
    expect(code).toBe(0);
    expect(
      stdout
        .split("\n")
        .slice(0, 7)
        .map(line => line.replace(/\d+\.\d/, "N")),
    ).toEqual([
      "Recipe: good",
      expect.stringMatching(/^Run ID: [0-9a-f-]{36}$/),
      "Status: ✓ Success",
      "",
      "Steps:",
      "  ✓ greet (Greeting): completed [elapsed: N]".replace("N]", "Ns]"),
      "    Output: hello Ada",
    ]);
    const lines = stderr.split("\n");
    expect(lines[0]).toMatch(/^amplihack\.recipe\.log_pointer \{"schema_version":1,"event":"early"/);
    expect(lines).toContain("▶ greet (Greeting)");
    expect(stderr).toMatch(/^ {2}✓ greet \(\d+\.\ds\)$/m);
    expect(stderr).toContain('"event":"final"');
    const pointer = JSON.parse(lines[0]?.replace(/^\S+ /, "") ?? "") as Record<string, unknown>;
    expect(pointer).toMatchObject({
      recipe_name: "good",
      cwd: machine.project,
      run_id: expect.any(String),
      timestamp: expect.any(String),
    });
  });

  it("takes the last of the values given to a variable, by whatever option", () => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    const words = ["--set", "who=first", "-c", "who=last", "--format", "json"];
    const { stdout } = cli.run(machine, "recipe", "run", "good.yaml", ...words);
    expect(JSON.parse(stdout)).toMatchObject({ context: { who: "last" } });
  });

  it.each(["json", "yaml"])("prints one %s document and nothing else on stdout", format => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    const { stdout } = cli.run(machine, "recipe", "run", "good.yaml", `--format=${format}`);
    const document = (format === "json" ? JSON.parse(stdout) : parse(stdout)) as Record<string, unknown>;
    expect(document).toMatchObject({
      recipe_name: "good",
      success: true,
      status: "SUCCESS",
      context: { who: "world", said: "hello world" },
    });
  });

  it("tells every failure to begin in the document, on stderr and by its exit code", () => {
    const machine = recipeMachine();
    machine.write("bad.yaml", BAD);
    const cases = [
      [["bad.yaml"], 2, "parse_error", "Duplicate step id: 'a'"],
      [["nobody"], 3, "not_found", "Recipe 'nobody' not found. Searched:"],
      [["bad.yaml", "-c", "x"], 4, "bad_args", "Invalid context format 'x'"],
      [["bad.yaml", "--progress"], 4, "bad_args", "progress is already shown on stderr"],
      [["bad.yaml", "--bogus"], 4, "bad_args", "unknown option '--bogus'"],
      [[], 4, "bad_args", "missing RECIPE"],
    ] as const;
    for (const [words, exitCode, kind, message] of cases) {
      const { code, stdout, stderr } = cli.run(machine, "recipe", "run", ...words, "-f", "json");
      expect({ words, code }).toEqual({ words, code: exitCode });
      expect(JSON.parse(stdout)).toMatchObject({
        success: false,
        status: "ERROR",
        error_kind: kind,
        step_results: [],
        run_id: expect.any(String),
        error: expect.stringContaining(message),
      });
      expect(stderr).toContain(`Error: `);
      expect(stderr).toContain(message);
    }
    expect(cli.run(machine, "recipe", "run", "bad.yaml", "--format", "xml").stderr).toContain(
      "Invalid format: xml. Must be",
    );
  });

  it("points at what is wrong in a recipe", () => {
    const machine = recipeMachine();
    const path = machine.write("bad.yaml", BAD);
    const { stderr, stdout } = cli.run(machine, "recipe", "run", "bad.yaml");
    expect(stdout).toBe("");
    expect(stderr).toContain(`  ${path}:5:14\n    5 │     timeout: soon\n      │              ^\n`);
  });

  it("takes warnings for errors when it is to be strict", () => {
    const machine = recipeMachine();
    machine.write("odd.yaml", "name: r\nodd: 1\nsteps: [{id: a, command: 'true'}]\n");
    expect(cli.run(machine, "recipe", "run", "odd.yaml").code).toBe(0);
    expect(cli.run(machine, "recipe", "run", "odd.yaml", "--strict").code).toBe(2);
  });

  it("is silent but for errors when it is to be quiet", () => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    expect(cli.run(machine, "recipe", "run", "good.yaml", "--quiet").stderr).toBe("");
    machine.write("fail.yaml", "name: f\nsteps: [{id: a, command: 'echo why >&2; exit 1'}]\n");
    const { stderr } = cli.run(machine, "recipe", "run", "fail.yaml", "--quiet");
    expect(stderr).toContain("✗ a");
    expect(stderr).toContain("why");
    expect(stderr).not.toContain("▶");
  });

  it("shows what steps print when it is to be verbose", () => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    expect(cli.run(machine, "recipe", "run", "good.yaml", "-v").stderr).toContain("  │ hello world\n");
  });

  it("says how to go on after a failure, where there is a step to go on from", () => {
    const machine = recipeMachine();
    machine.write(
      "fail.yaml",
      "name: f\nsteps: [{id: a, command: 'true'}, {id: b, command: test -e ready}]\n",
    );
    const { code, stderr } = cli.run(machine, "recipe", "run", "fail.yaml");
    expect(code).toBe(1);
    const [, words = ""] =
      /go on from here: amplihack (recipe run fail\.yaml --resume [0-9a-f-]{36})/.exec(stderr) ?? [];
    machine.write("ready", "");
    expect(cli.run(machine, ...words.split(" ")).code).toBe(0);

    machine.write("first.yaml", "name: f\nsteps: [{id: a, command: exit 1}]\n");
    const first = cli.run(machine, "recipe", "run", "first.yaml");
    expect([first.code, first.stderr.includes("--resume")]).toEqual([1, false]);
  });

  it("says how to give a value that is missing", () => {
    const machine = recipeMachine();
    const { code, stderr } = cli.run(machine, "recipe", "run", "default-workflow");
    expect(code).toBe(1);
    expect(stderr).toContain("-c NAME=VALUE; to see which: amplihack recipe show default-workflow\n");
    expect(stderr).not.toContain("--resume");
  });

  it("works in the directory it is told, found by every name of that option", () => {
    const machine = recipeMachine();
    machine.write("sub/.claude/recipes/here.yaml", "name: here\nsteps: [{id: a, command: pwd}]\n");
    for (const flag of ["-w", "-C", "--working-dir"]) {
      const { stdout } = cli.run(machine, "recipe", "run", "here", flag, "sub", "-f", "json");
      expect(JSON.parse(stdout)).toMatchObject({ step_results: [{ output: join(machine.project, "sub") }] });
    }
  });

  it("writes an audit file under a harmless name, and never over another", () => {
    const machine = recipeMachine();
    machine.write(
      "r.yaml",
      "name: ../../evil name\nsteps: [{id: a, command: echo hi}, {id: b, command: exit 2}]\n",
    );
    for (let count = 0; count < 2; count++)
      cli.run(machine, "recipe", "run", "r.yaml", "--audit-dir", "audit");
    const names = readdirSync(join(machine.project, "audit"));
    expect(names).toHaveLength(2);
    const name = names[0] ?? "";
    expect(name).toMatch(/^______evil_name-\d+(-1)?\.jsonl$/);
    const path = join(machine.project, "audit", name);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as unknown);
    expect(lines).toEqual([
      {
        step_id: "a",
        status: "completed",
        duration_ms: expect.any(Number),
        error: null,
        output_len: 2,
        run_id: expect.any(String),
        exit_code: 0,
      },
      {
        step_id: "b",
        status: "failed",
        duration_ms: expect.any(Number),
        error: "Command failed (exit 2): it said nothing on stderr",
        output_len: 0,
        run_id: expect.any(String),
        exit_code: 2,
      },
    ]);
  });

  it("logs what a step prints without breaking a character", () => {
    const machine = recipeMachine({ AMPLIHACK_RECIPE_LOG_JSONL: "events.jsonl" });
    // The two halves of a character arrive apart.
    const command = "printf 'a\\303'; sleep 0.3; printf '\\251b\\360\\237'";
    machine.write("r.yaml", JSON.stringify({ name: "r", steps: [{ id: "a", command }] }));
    cli.run(machine, "recipe", "run", "r.yaml");
    const texts = readFileSync(join(machine.project, "events.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event }) => event === "output")
      .map(({ text }) => text);
    expect(texts.join("")).toBe("aéb\ufffd");
  });

  it("appends events to the log it is given", () => {
    const machine = recipeMachine({
      AMPLIHACK_RECIPE_LOG_JSONL: "events.jsonl",
      AMPLIHACK_RECIPE_HEARTBEAT_INTERVAL_SECONDS: "1",
    });
    const untilHeartbeat = "until grep -q heartbeat events.jsonl; do sleep 0.02; done";
    machine.write("r.yaml", `name: r\nsteps: [{id: a, command: 'echo "quo\\\\te"; ${untilHeartbeat}'}]\n`);
    const { stderr } = cli.run(machine, "recipe", "run", "r.yaml");
    const events = readFileSync(join(machine.project, "events.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as Record<string, unknown>);
    const kinds = events.map(event => event["event"]);
    // The first heartbeat may come before a shell that starts slowly has printed anything.
    expect(kinds.filter(kind => kind !== "heartbeat")).toEqual([
      "recipe_start",
      "step_start",
      "output",
      "step_end",
      "recipe_end",
    ]);
    expect(kinds.slice(kinds.indexOf("step_start"), kinds.indexOf("step_end"))).toContain("heartbeat");
    expect(events.find(({ event }) => event === "output")).toMatchObject({
      step_id: "a",
      stream: "stdout",
      text: "quo\\te\n",
    });
    expect(
      events.every(event => typeof event["run_id"] === "string" && typeof event["ts"] === "string"),
    ).toBe(true);
    expect(stderr).toMatch(/… a still running \(\d+\.\ds\)/);
  });

  it("refuses settings it cannot read", () => {
    for (const name of [
      "AMPLIHACK_STEP_TIMEOUT",
      "AMPLIHACK_RECIPE_SNIPPET_LINES",
      "AMPLIHACK_CONTEXT_ENV_BUDGET_BYTES",
    ]) {
      const machine = recipeMachine({ [name]: "soon" });
      machine.write("good.yaml", GOOD);
      const { code, stderr } = cli.run(machine, "recipe", "run", "good.yaml");
      expect({ name, code }).toEqual({ name, code: 4 });
      expect(stderr).toContain(name);
    }
  });

  it("reports only as much of the end as it is told", () => {
    const machine = recipeMachine({ AMPLIHACK_RECIPE_SNIPPET_LINES: "2" });
    machine.write("r.yaml", "name: r\nsteps: [{id: a, command: 'seq 1 9; exit 1'}]\n");
    const { stdout } = cli.run(machine, "recipe", "run", "r.yaml", "-f", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      step_results: [{ recent_stdout: ["8", "9"] }],
      failure_context: { recent_output: [{ truncated: true, text: "8\n9", line_count: 2, byte_count: 3 }] },
    });
  });

  it("ends quietly when nobody reads its result", async () => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    const child = cli.start(machine, "recipe", "run", "good.yaml", "-f", "json");
    child.stdout?.destroy();
    expect(await new Promise(resolve => child.once("close", resolve))).toBe(0);
  });
});

describe("recipe list", () => {
  it("shows what can be run", () => {
    const machine = recipeMachine();
    machine.write("r/good.yaml", GOOD);
    machine.write("r/plain.yml", "name: plain\nsteps: [{id: a, command: x}]\n");
    machine.write("r/bad.yaml", BAD);
    const { code, stdout, stderr } = cli.run(machine, "recipe", "list", "r");
    expect(code).toBe(0);
    expect(stdout).toBe("Available Recipes (2):\n\n• good\n  A good one\n  Tags: x, y\n\n• plain\n");
    expect(stderr).toContain("1 recipe file not listed, because of errors:");
    const verbose = cli.run(machine, "recipe", "list", "r", "-v", "-t", "x", "-t", "y").stdout;
    expect(verbose).toBe(
      "Available Recipes (1):\n\n• good\n  A good one\n  Version: 2.0\n  Author: Ada\n  Steps: 4\n  Tags: x, y\n",
    );
    expect(JSON.parse(cli.run(machine, "recipe", "list", "r", "-f", "json").stdout)).toEqual([
      { name: "good", description: "A good one" },
      { name: "plain", description: "" },
    ]);
    const detailed = parse(cli.run(machine, "recipe", "list", "r", "-v", "-f", "yaml").stdout) as unknown[];
    expect(detailed[0]).toMatchObject({
      version: "2.0",
      author: "Ada",
      tags: ["x", "y"],
      step_count: 4,
      path: expect.any(String),
      sha256: expect.any(String),
    });
    expect(cli.run(machine, "recipe", "list", "r", "-t", "none").stdout).toBe(
      "No recipes found (0 recipes)\n",
    );
    expect(cli.run(machine, "recipe", "list", "nowhere").code).toBe(3);
  });
});

describe("recipe show", () => {
  it("shows a recipe in every form", () => {
    const machine = recipeMachine();
    const path = machine.write("good.yaml", GOOD);
    const table = cli.run(machine, "recipe", "show", "good.yaml").stdout;
    expect(table).toContain("Recipe: good\nDescription: A good one\nVersion: 2.0\n");
    expect(table).toContain(
      "  1. greet (bash): Greeting\n     Command: echo hello {{who}}\n     Output: said\n",
    );
    const document = JSON.parse(
      cli.run(machine, "recipe", "show", "good.yaml", "-f", "json").stdout,
    ) as Record<string, unknown>;
    expect(document).toMatchObject({
      name: "good",
      version: "2.0",
      context: { who: "world" },
      recursion: { max_depth: 6, max_total_steps: 200 },
      hooks: { pre_step: null, post_step: null, on_error: null },
      extends: null,
      path,
    });
    expect((document["steps"] as unknown[])[0]).toEqual({
      id: "greet",
      type: "bash",
      command: "echo hello {{who}}",
      agent: null,
      prompt: null,
      recipe: null,
      condition: null,
      output: "said",
      parse_json: false,
      timeout: null,
      continue_on_error: false,
      parallel_group: null,
      when_tags: null,
    });
  });

  it.each(["table", "json", "yaml"])("leaves out what it is told to in %s", format => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    const { stdout } = cli.run(
      machine,
      "recipe",
      "show",
      "good.yaml",
      "-f",
      format,
      "--no-steps",
      "--no-context",
    );
    expect(stdout).not.toContain("greet");
    expect(stdout).not.toContain("world");
  });

  it("draws the steps", () => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    expect(cli.run(machine, "recipe", "show", "good.yaml", "--graph").stdout).toBe(
      [
        "good",
        "│",
        "├─ greet     bash  → said",
        "╞═ together: both",
        "│  ├─ left   bash",
        "│  │ ◇ if said",
        "│  └─ right  bash",
        "│ ◇ if 'hello' in said",
        "└─ maybe     bash  may fail  tags x",
        "",
      ].join("\n"),
    );
  });

  it("cuts previews between characters", () => {
    const machine = recipeMachine();
    machine.write("r.yaml", `name: r\nsteps: [{id: a, prompt: "${"🎉".repeat(150)}"}]\n`);
    expect(cli.run(machine, "recipe", "show", "r.yaml").stdout).toContain(
      `     Prompt: ${"🎉".repeat(100)}...\n`,
    );
  });

  it("fails with its own exit codes and one document", () => {
    const machine = recipeMachine();
    machine.write("bad.yaml", BAD);
    for (const [name, exitCode, kind] of [
      ["nobody", 3, "not_found"],
      ["bad.yaml", 2, "parse_error"],
      [".x", 4, "bad_args"],
    ] as const) {
      const { code, stdout } = cli.run(machine, "recipe", "show", name, "-f", "json");
      expect(code).toBe(exitCode);
      expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { kind } });
    }
  });
});

describe("recipe validate", () => {
  it("passes a good recipe", () => {
    const machine = recipeMachine();
    machine.write("good.yaml", GOOD);
    expect(cli.run(machine, "recipe", "validate", "good.yaml", "-v")).toEqual({
      code: 0,
      stdout: "✓ Recipe is valid\n  Name: good\n  Description: A good one\n  Steps: 4\n",
      stderr: "",
    });
    expect(JSON.parse(cli.run(machine, "recipe", "validate", "good.yaml", "-f", "json").stdout)).toEqual({
      valid: true,
      errors: [],
      warnings: [],
      recipe_name: "good",
      problems: [],
    });
  });

  it("points at every error", () => {
    const machine = recipeMachine();
    const path = machine.write("bad.yaml", BAD);
    const { code, stdout } = cli.run(machine, "recipe", "validate", "bad.yaml");
    expect(code).toBe(2);
    expect(stdout).toBe(
      [
        "✗ Recipe is invalid",
        "",
        "Errors:",
        "  • Step 'a': timeout must be a number of seconds, 0 or more",
        `    ${path}:5:14`,
        "      5 │     timeout: soon",
        "        │              ^",
        "  • Duplicate step id: 'a'",
        `    ${path}:6:5`,
        "      6 │   - id: a",
        "        │     ^",
        "",
      ].join("\n"),
    );
    const document = JSON.parse(
      cli.run(machine, "recipe", "validate", "bad.yaml", "-f", "json").stdout,
    ) as Record<string, unknown>;
    expect(document).toMatchObject({
      valid: false,
      errors: ["Step 'a': timeout must be a number of seconds, 0 or more", "Duplicate step id: 'a'"],
      problems: [
        { severity: "error", file: path, line: 5, column: 14 },
        { line: 6, column: 5 },
      ],
    });
  });

  it("finds what only running would show", () => {
    const machine = recipeMachine();
    machine.write("child.yaml", "name: child\nsteps: [{id: a, command: x, output: made}]\n");
    machine.write(
      "r.yaml",
      `name: r
context: {known: 1}
steps:
  - {id: a, condition: "x ==", command: "echo {{known}} {{later}} {{made}}", output: later}
  - {id: b, recipe: nobody}
  - {id: c, agent: "ns:nobody", prompt: hi}
`,
    );
    machine.write(
      "s.yaml",
      `name: s
context: {v: 1}
steps:
  - {id: a, recipe: child}
  - {id: b, command: "echo {{made}} {{never}}"}
  - {id: c, command: "bash -c 'echo {{v}}'; eval \\"x={{v}}\\"; ssh host 'ls {{v}}'; jq '.a[{{v}}]' f; jq --arg v {{v}} '.a[$v]' f; python3 -c \\"print({{v}})\\"; echo $(( {{v}} + 1 )); python3 x.py {{v}}; trap 'rm {{v}}' EXIT; timeout 5 sh -c 'ls {{v}}'; echo sh -c {{v}}; apt install ssh {{v}}"}
  - {id: d, command: "a[{{v}}]=1"}
`,
    );
    const first = JSON.parse(cli.run(machine, "recipe", "validate", "r.yaml", "-f", "json").stdout) as Record<
      string,
      readonly string[]
    >;
    expect(first["errors"]).toEqual(["Step 'a': condition: unexpected end of condition"]);
    expect(first["warnings"]).toEqual([
      "Step 'a': nothing supplies the placeholder '{{later}}' in 'command'",
      "Step 'a': nothing supplies the placeholder '{{made}}' in 'command'",
      "Step 'b': sub-recipe 'nobody' was not found",
      "Step 'c': agent 'ns:nobody' was not found",
    ]);
    const second = JSON.parse(
      cli.run(machine, "recipe", "validate", "s.yaml", "-f", "json").stdout,
    ) as Record<string, readonly string[]>;
    const unprotected = (where: string) =>
      `Step 'c': the placeholder '{{v}}' is in ${where}, where quoting cannot protect its value`;
    expect(second["warnings"]).toEqual([
      "Step 'b': nothing supplies the placeholder '{{never}}' in 'command'",
      ...[
        "program text of bash",
        "program text of eval",
        "program text of ssh",
        "program text of jq",
        "program text of python3",
        "arithmetic",
        "program text of trap",
        "program text of sh",
      ].map(unprotected),
      unprotected("arithmetic").replace("'c'", "'d'"),
    ]);
    expect(cli.run(machine, "recipe", "validate", "s.yaml").code).toBe(0);
    expect(cli.run(machine, "recipe", "validate", "s.yaml", "--strict").code).toBe(2);
    const nobody = cli.run(machine, "recipe", "validate", "nobody");
    expect([nobody.code, nobody.stdout]).toEqual([3, ""]);
    expect(nobody.stderr.split("Recipe 'nobody' not found").length - 1).toBe(1);
  });
});
