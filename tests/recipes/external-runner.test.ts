import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildCli } from "./built-cli.ts";
import { type RecipeMachine, recipeMachine } from "./recipe-machine.ts";

const cli = buildCli();
const recipe =
  "name: outer\ncontext: {task_description: '', n: 1}\nsteps: [{id: a, command: touch builtin-ran}]\n";

function withRunner(script: string, env: Record<string, string> = {}): RecipeMachine {
  const machine = recipeMachine({ AMPLIHACK_TASK_DESCRIPTION: "inferred", ...env });
  machine.write("recipe.yaml", recipe);
  machine.env["RECIPE_RUNNER_RS_PATH"] = machine.write(
    join(machine.home, "runner"),
    `#!/bin/bash\n${script}\n`,
    0o755,
  );
  return machine;
}

const json = (end: { stdout: string }) => JSON.parse(end.stdout) as Record<string, unknown>;

describe("the external runner", () => {
  it("sees the environment every child of a recipe sees", () => {
    const machine = withRunner(
      `printf '{"recipe_name":"x","success":true,"status":"SUCCESS","run_id":"1","step_results":[],"env":"%s"}' "$(env -0 | base64 -w0)"`,
      { CLAUDECODE: "1", AMPLIHACK_AGENT_BINARY: "copilot", AMPLIHACK_NONINTERACTIVE: "0" },
    );
    const end = cli.run(machine, "recipe", "run", "recipe.yaml", "--format", "json");
    expect(end.code).toBe(0);
    const env = Buffer.from(String(json(end)["env"]), "base64")
      .toString("utf8")
      .split("\0");
    expect(env).toContain("AMPLIHACK_NONINTERACTIVE=1");
    expect(env).toContain("AMPLIHACK_AGENT_BINARY=copilot");
    expect(env.filter(entry => entry.startsWith("CLAUDECODE="))).toEqual([]);
    expect(existsSync(join(machine.project, "builtin-ran"))).toBe(false);
  });

  it("gets the recipe, the directories and the variables as arguments", () => {
    const machine = withRunner(`printf '%s\\0' "$@" > "$HOME/argv"; echo '{"success":true}'`);
    const words = ["-R", "extra", "-c", "a=x y", "--set", 'b={"k":1}', "--dry-run", "--format", "json"];
    expect(cli.run(machine, "recipe", "run", "recipe.yaml", ...words).code).toBe(0);
    const argv = readFileSync(join(machine.home, "argv"), "utf8").split("\0").slice(0, -1);
    expect(argv).toEqual([
      join(machine.project, "recipe.yaml"),
      "--output-format",
      "json",
      "-C",
      machine.project,
      "-R",
      join(machine.project, "extra"),
      "--dry-run",
      "--set",
      "task_description=inferred",
      "--set",
      "a=x y",
      "--set",
      'b={"k":1}',
    ]);
  });

  it("has its document passed on unchanged, unknown members and all", () => {
    const document =
      '{ "success": true,\n  "novel": {"id": 12345678901234567890, "list": [1.10]},\n  "status": "SUCCESS" }';
    const machine = withRunner(`cat <<'E'\n${document}\nE\necho progress >&2`);
    const end = cli.run(machine, "recipe", "run", "recipe.yaml", "--format", "json");
    expect(end.stdout).toBe(`${document}\n`);
    expect(end.stderr).toContain("progress");
  });

  it("keeps the digits of its numbers in YAML too", () => {
    const machine = withRunner(`echo '{"success":true,"id":12345678901234567890,"part":0.5}'`);
    const end = cli.run(machine, "recipe", "run", "recipe.yaml", "--format", "yaml");
    expect(end.stdout).toBe("success: true\nid: 12345678901234567890\npart: 0.5\n");
  });

  it("is shown as a table too", () => {
    const machine = withRunner(
      `echo '{"recipe_name":"theirs","run_id":"7","success":false,"status":"FAILURE","step_results":[{"step_id":"s","status":"failed","error":"no","duration":1.5}]}'; exit 1`,
    );
    const end = cli.run(machine, "recipe", "run", "recipe.yaml");
    expect(end.code).toBe(1);
    expect(end.stdout).toContain(
      "Recipe: theirs\nRun ID: 7\nStatus: ✗ Failed\n\nSteps:\n  ✗ s: failed [elapsed: 1.5s]\n    Error: no\n",
    );
  });

  it.each([
    ["exit 0", "HOLLOW_SUCCESS", "printed no result (exit 0)"],
    ["echo 'thread panicked' >&2; exit 3", "FAILURE", "thread panicked"],
    ["echo this is not json; echo why >&2", "ERROR", "this is not json"],
  ])("that answers nothing usable is a failure: %s", (script, status, message) => {
    const end = cli.run(withRunner(script), "recipe", "run", "recipe.yaml", "--format", "json");
    expect(end.code).toBe(1);
    expect(json(end)).toMatchObject({
      success: false,
      status,
      step_results: [],
      error: expect.stringContaining(message),
    });
  });

  it("that takes too long is ended", () => {
    const machine = withRunner("trap '' TERM; sleep 100", {
      AMPLIHACK_RECIPE_RUNNER_TIMEOUT_SECS: "1",
      AMPLIHACK_TEARDOWN_GRACE_SECS: "0",
    });
    const end = cli.run(machine, "recipe", "run", "recipe.yaml", "--format", "json");
    expect(json(end)).toMatchObject({ success: false, error: "Recipe runner timed out after 1s" });
  });

  it("is not asked for what it cannot do", () => {
    const machine = withRunner("echo '{\"success\":true}'");
    const end = cli.run(machine, "recipe", "run", "recipe.yaml", "--include-tags", "a", "--format", "json");
    expect(end.code).toBe(4);
    expect(json(end)["error"]).toContain("cannot take --include-tags");
  });

  it("that is not executable is refused, not passed over", () => {
    const machine = recipeMachine({ RECIPE_RUNNER_RS_PATH: "/nowhere/runner" });
    machine.write("recipe.yaml", recipe);
    const end = cli.run(machine, "recipe", "run", "recipe.yaml", "--format", "json");
    expect(end.code).toBe(4);
    expect(json(end)).toMatchObject({ error_kind: "bad_args" });
    expect(existsSync(join(machine.project, "builtin-ran"))).toBe(false);
  });
});

describe("a failed run in a git checkout", () => {
  it.each(["builtin", "delegated"])("gets core.bare back as it was (%s)", async kind => {
    const machine = kind === "delegated" ? withRunner("git config core.bare true; exit 1") : recipeMachine();
    machine.write(
      "prepare.yaml",
      "name: p\nsteps: [{id: a, command: git init -q . && git config core.bare}]\n",
    );
    const runner = machine.env["RECIPE_RUNNER_RS_PATH"];
    delete machine.env["RECIPE_RUNNER_RS_PATH"];
    expect((await machine.run({ recipe: "prepare.yaml" })).results[0]?.output).toBe("false");
    if (runner !== undefined) machine.env["RECIPE_RUNNER_RS_PATH"] = runner;
    machine.write("recipe.yaml", "name: r\nsteps: [{id: a, command: git config core.bare true; exit 1}]\n");
    const end = cli.run(machine, "recipe", "run", "recipe.yaml");
    expect(end.stderr).toContain("core.bare");
    expect(readFileSync(join(machine.project, ".git/config"), "utf8")).toContain("bare = false");
  });
});
