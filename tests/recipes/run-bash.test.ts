import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recipeMachine } from "./recipe-machine.ts";

describe("a bash step", () => {
  it("gives its output without trailing white space, leading white space kept", async () => {
    const { steps, document, exitCode } = await recipeMachine().runText(
      "name: r\nsteps: [{id: a, command: \"printf ' M file\\\\n\\\\n \\\\n'\", output: v}]",
    );
    expect(steps["a"]).toMatchObject({
      status: "completed",
      output: " M file",
      error: "",
      exit_code: 0,
      step_type: "bash",
    });
    expect(document).toMatchObject({
      success: true,
      status: "SUCCESS",
      recipe_name: "r",
      context: { v: " M file" },
    });
    expect(exitCode).toBe(0);
  });

  it("may be empty", async () => {
    const { steps } = await recipeMachine().runText('name: r\nsteps: [{id: a, command: ""}]');
    expect(steps["a"]).toMatchObject({ status: "completed", output: "" });
  });

  it("never reads the user's start-up files", async () => {
    const machine = recipeMachine();
    machine.write(join(machine.home, ".bashrc"), "echo noise\n");
    expect(machine.env).not.toHaveProperty("SHLVL");
    const { steps } = await machine.runText(
      "name: r\nsteps: [{id: a, command: 'echo out; bash -c \"echo in\"'}]",
    );
    expect(steps["a"]).toMatchObject({ status: "completed", output: "out\nin" });
  });

  it.each([
    ["exit 4", "Command failed (exit 4): it said nothing on stderr"],
    ["kill -9 $$", "Command failed (signal SIGKILL): it said nothing on stderr"],
  ])("that fails without a word is told so: %s", async (command, error) => {
    const { steps } = await recipeMachine().runText(`name: r\nsteps: [{id: a, command: "${command}"}]`);
    expect(steps["a"]).toMatchObject({ status: "failed", error });
  });

  it("that fails ends the recipe and keeps what it printed", async () => {
    const { results, document, exitCode } = await recipeMachine().runText(`
name: r
steps:
  - {id: a, command: "echo out; echo oops >&2; exit 3", output: v}
  - {id: b, command: echo never}
`);
    expect(results).toMatchObject([
      {
        step_id: "a",
        status: "failed",
        output: "out",
        error: "Command failed (exit 3): oops",
        exit_code: 3,
        recent_stdout: ["out"],
        recent_stderr: ["oops"],
      },
    ]);
    expect(document).toMatchObject({
      success: false,
      status: "FAILURE",
      context: {},
      failure_context: {
        step_id: "a",
        phase: "execute",
        status: "failed",
        exit_code: 3,
        recent_output: [
          { source: "step:a", stream: "stdout", line_count: 1, byte_count: 3, truncated: false, text: "out" },
          {
            source: "step:a",
            stream: "stderr",
            line_count: 1,
            byte_count: 4,
            truncated: false,
            text: "oops",
          },
        ],
      },
    });
    expect(exitCode).toBe(1);
  });

  it("that may fail sets its variable to what it printed, and the recipe goes on", async () => {
    const { document, steps, exitCode } = await recipeMachine().runText(`
name: r
steps:
  - {id: a, command: "echo 'FAILED 3 tests'; exit 1", output: v, continue_on_error: true}
  - {id: b, condition: "'FAILED' in v", command: "echo fixing {{v}}"}
`);
    expect(steps["b"]?.output).toBe("fixing FAILED 3 tests");
    expect(document).toMatchObject({ success: true, status: "PARTIAL" });
    expect(exitCode).toBe(0);
  });

  it("ended by a signal says which", async () => {
    const { steps } = await recipeMachine().runText("name: r\nsteps: [{id: a, command: 'kill -SEGV $$'}]");
    expect(steps["a"]?.error).toMatch(/^Command failed \(signal SIGSEGV\)/);
  });

  it("reads an empty stdin", async () => {
    const { steps } = await recipeMachine().runText("name: r\nsteps: [{id: a, command: 'cat; echo end'}]");
    expect(steps["a"]?.output).toBe("end");
  });

  it("has no implicit errexit or pipefail", async () => {
    const { steps } = await recipeMachine().runText(
      "name: r\nsteps: [{id: a, command: 'false; false | true; echo on'}]",
    );
    expect(steps["a"]).toMatchObject({ status: "completed", output: "on" });
  });

  it("runs in its working directory, which is relative to the run's and may be templated", async () => {
    const machine = recipeMachine();
    machine.write("sub/dir/file", "");
    const { steps } = await machine.runText(`
name: r
context: {d: dir}
steps:
  - {id: a, working_dir: "sub/{{d}}", command: pwd}
  - {id: b, command: pwd}
  - {id: c, working_dir: nowhere, command: pwd}
`);
    expect(steps["a"]?.output).toBe(join(machine.project, "sub/dir"));
    expect(steps["b"]?.output).toBe(machine.project);
    expect(steps["c"]?.error).toBe(`Working directory does not exist: ${join(machine.project, "nowhere")}`);
  });

  it("takes a script longer than an argument may be", async () => {
    const lines = Array.from({ length: 4000 }, (_, index) => `: 'line ${index} of a long script'`);
    const machine = recipeMachine();
    const { steps } = await machine.runText(
      `name: r\nsteps:\n  - id: a\n    command: |\n      ${lines.join("\n      ")}\n      echo "$TMPDIR"\n`,
    );
    const root = steps["a"]?.output ?? "";
    expect(steps["a"]?.status).toBe("completed");
    expect(root).toContain("amplihack-recipe-");
    expect(existsSync(root)).toBe(false);
  });

  it("warns about placeholders that have no value, also under nounset", async () => {
    const { steps } = await recipeMachine().runText(
      "name: r\nsteps: [{id: a, command: 'set -u; echo \"<{{gone}}>\"'}]",
    );
    expect(steps["a"]).toMatchObject({
      output: "<>",
      warnings: ["Placeholder '{{gone}}' has no value; empty text was used"],
    });
  });
});

describe("the variable of a step", () => {
  it("is typed where nothing is lost", async () => {
    const { context, steps } = await recipeMachine().runText(`
name: r
steps:
  - {id: a, command: "echo 42", output: number}
  - {id: b, command: "echo 1.10", output: version}
  - {id: c, command: "echo '{\\"a\\": [1, 2]}'", output: object}
  - {id: d, command: "echo 12345678901234567890123", output: long}
  - {id: e, command: "echo {{object.a.1}}", output: picked}
  - {id: f, condition: "false", command: "echo x", output: never}
`);
    expect(context).toEqual({
      number: 42,
      version: "1.10",
      object: { a: [1, 2] },
      long: "12345678901234567890123",
      picked: 2,
    });
    expect(steps["c"]?.output).toBe('{"a": [1, 2]}');
    expect(steps["f"]).toMatchObject({ status: "skipped", output: "", error: "" });
  });

  it("of a failed step stays as it was", async () => {
    const { context } = await recipeMachine().runText(
      'name: r\ncontext: {v: before}\nsteps: [{id: a, command: "echo x; exit 1", output: v}]',
    );
    expect(context).toEqual({ v: "before" });
  });
});

describe("parse_json", () => {
  it("takes JSON out of other text", async () => {
    const { steps, context } = await recipeMachine().runText(`
name: r
steps: [{id: a, parse_json: true, output: v, command: "printf 'Result:\\\\n\`\`\`json\\\\n{\\"a\\": 1}\\\\n\`\`\`\\\\n'"}]
`);
    expect(steps["a"]).toMatchObject({ status: "completed", output: '{"a":1}' });
    expect(context).toEqual({ v: { a: 1 } });
  });

  it("that fails degrades the step, or fails it when required", async () => {
    const { document, steps, context } = await recipeMachine().runText(`
name: r
steps:
  - {id: a, parse_json: true, output: v, command: echo plain}
  - {id: b, parse_json: true, command: "true"}
  - {id: c, parse_json: true, parse_json_required: true, command: echo plain, continue_on_error: true, output: w}
  - {id: d, parse_json: true, parse_json_required: true, command: "true", continue_on_error: true}
`);
    expect(steps["a"]).toMatchObject({ status: "degraded", output: "plain" });
    expect(steps["b"]).toMatchObject({ status: "completed", output: "" });
    expect(steps["c"]).toMatchObject({
      status: "failed",
      output: "plain",
      error: "parse_json failed: output is not valid JSON",
    });
    expect(steps["d"]?.status).toBe("failed");
    expect(context).toEqual({ v: "plain", w: "plain" });
    expect(document).toMatchObject({ success: true, status: "PARTIAL" });
  });
});

describe("output beyond the limits", () => {
  it("of 100 MB keeps the first 10 MB in the result and the end in the report", async () => {
    const { steps } = await recipeMachine().runText(
      "name: r\nsteps: [{id: a, command: \"head -c 100000000 /dev/zero | tr '\\\\0' x; echo; echo THE END; exit 1\"}]",
    );
    const step = steps["a"];
    expect(step?.output.length).toBe(10_000_000);
    expect(step?.recent_stdout?.at(-1)).toBe("THE END");
    expect(step?.warnings).toEqual(["Output was longer than 10000000 bytes; the rest was cut off"]);
  });

  it("is cut between characters", async () => {
    const { steps } = await recipeMachine().runText(
      "name: r\nsteps: [{id: a, command: \"printf a; yes é | tr -d '\\\\n' | head -c 12000000\"}]",
    );
    expect(steps["a"]?.output.endsWith("é")).toBe(true);
    expect(steps["a"]?.output).not.toContain("\uFFFD");
  });
});

describe("a private directory", () => {
  it("is there for the steps, for nobody else, and gone afterwards", async () => {
    const machine = recipeMachine();
    const { steps } = await machine.runText(`
name: r
steps:
  - {id: a, command: 'echo kept > "$TMPDIR/x"; mkdir "$TMPDIR/locked"; touch "$TMPDIR/locked/y"; chmod 500 "$TMPDIR/locked"; stat -c %a "$TMPDIR"'}
  - {id: b, command: 'cat "$AMPLIHACK_RUNTIME_ROOT/x"'}
`);
    expect(steps["a"]?.output).toBe("700");
    expect(steps["b"]?.output).toBe("kept");
    expect(readdirSync(machine.env["TMPDIR"] ?? "")).toEqual([]);
  });
});

describe("the log of a run", () => {
  it("tells what happened and never what was said", async () => {
    const machine = recipeMachine();
    const { document } = await machine.runText(
      "name: r\nsteps: [{id: a, command: 'echo secret; echo secret >&2; exit 1'}]",
    );
    const path = join(machine.home, ".amplihack/recipes/runs", `${document.run_id}.jsonl`);
    const text = readFileSync(path, "utf8");
    const events = text
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(event => event["event"])).toEqual([
      "recipe_start",
      "step_start",
      "process",
      "step_end",
      "recipe_end",
    ]);
    expect(events.every(event => event["run_id"] === document.run_id)).toBe(true);
    expect(text).not.toContain("secret");
  });
});

describe("a value where the shell calculates", () => {
  const CALCULATED = [
    "a[{{x}}]=1",
    'a["{{x}}"]=1',
    "a+=([{{x}}]=1)",
    "declare a[{{x}}]=1",
    "declare -i n={{x}}",
    "declare -n r={{x}}; r=1",
    "let n={{x}}",
    "unset 'a[{{x}}]'",
    "read -r 'a[{{x}}]' <<<1",
    "printf -v 'a[{{x}}]' 1",
    "[[ {{x}} -eq 1 ]] || true",
    "[[ -v a[{{x}}] ]] || true",
    "for ((i={{x}}; i<1; i++)); do :; done",
    "echo $(( {{x}} + 1 ))",
    "echo ${a[{{x}}]}",
    "x=abc; echo ${x:{{x}}}",
  ];

  it.each(CALCULATED)("is never run: %s", async command => {
    const machine = recipeMachine();
    const marker = join(machine.home, "ran");
    const { steps } = await machine.runText(
      `name: r\ncontext: {x: 'b[$(touch ${marker})]'}\nsteps: [{id: a, command: ${JSON.stringify(command)}}]`,
    );
    expect(existsSync(marker)).toBe(false);
    expect(steps["a"]).toMatchObject({
      status: "failed",
      error: "The value of '{{x}}' is used in shell arithmetic and is not a number",
    });
  });

  it.each(CALCULATED)("may be a number: %s", async command => {
    const { steps } = await recipeMachine().runText(
      `name: r\ncontext: {x: 1}\nsteps: [{id: a, command: ${JSON.stringify(command)}}]`,
    );
    expect(steps["a"]).toMatchObject({ status: "completed" });
  });

  it.each([
    ['declare -A m; m[{{x}}]=1; printf %s "${!m[*]}"', "a b[$(false)]"],
    ['test "{{x}}" = a || printf %s "{{x}}"', "a b[$(false)]"],
    ["echo 'a[{{x}}]'", "a[a b[$(false)]]"],
  ])("is any text elsewhere: %s", async (command, output) => {
    const { steps } = await recipeMachine().runText(
      `name: r\ncontext: {x: 'a b[$(false)]'}\nsteps: [{id: a, command: ${JSON.stringify(command)}}]`,
    );
    expect(steps["a"]).toMatchObject({ status: "completed", output });
  });
});
