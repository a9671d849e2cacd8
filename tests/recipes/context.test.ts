import { describe, expect, it } from "vitest";
import { runRecipe } from "../../src/recipes/run/run-recipe.ts";
import { recipeMachine } from "./recipe-machine.ts";

const yaml = (value: unknown): string => JSON.stringify(value);
const showing = (context: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  yaml({ name: "r", context, steps: [{ id: "a", command: "true" }], ...more });

describe("the context of a run", () => {
  it("is made of defaults, inference, file and flags, later ones winning", async () => {
    const machine = recipeMachine({
      AMPLIHACK_CONTEXT_B: "inferred",
      AMPLIHACK_CONTEXT_C: "inferred",
      AMPLIHACK_CONTEXT_D: "inferred",
    });
    const contextFile = machine.write(
      "context.yaml",
      "c: file\nd: file\nnumber: 1.10\nnested: {list: [1]}\n",
    );
    const { context } = await machine.runText(showing({ a: "default", b: "", c: "", d: null, e: "kept" }), {
      contextFile,
      contextPairs: ["d=flag", "x=1", "x=2", "eq=a=b", "empty="],
    });
    expect(context).toEqual({
      a: "default",
      b: "inferred",
      c: "file",
      d: "flag",
      e: "kept",
      number: 1.1,
      nested: { list: [1] },
      x: 2,
      eq: "a=b",
      empty: "",
    });
  });

  it("infers only what is declared empty, by its own variables last", async () => {
    const machine = recipeMachine({
      AMPLIHACK_TASK_DESCRIPTION: "do it",
      AMPLIHACK_REPO_PATH: "/repo",
      AMPLIHACK_CONTEXT_MY_KEY: "42",
      AMPLIHACK_CONTEXT_UNDECLARED: "x",
      AMPLIHACK_CONTEXT_SET: "x",
    });
    const { context } = await machine.runText(
      showing({ task_description: "", repo_path: null, "my-key": "", set: "already" }),
    );
    expect(context).toEqual({
      task_description: "do it",
      repo_path: "/repo",
      "my-key": "42",
      set: "already",
    });
    expect((await recipeMachine().runText(showing({ repo_path: "", task_description: "" }))).context).toEqual(
      {
        repo_path: ".",
        task_description: "",
      },
    );
  });

  it("takes JSON files as well", async () => {
    const machine = recipeMachine();
    const contextFile = machine.write("context.json", '{"id": 12345678901234567890, "list": [1, "two"]}');
    const { context } = await machine.runText(showing({}), { contextFile });
    expect(context).toEqual({ id: "12345678901234567890", list: [1, "two"] });
  });

  it.each([
    [
      { contextPairs: ["novalue"] },
      "Invalid context format 'novalue'. Use key=value format (e.g., -c 'question=What is X?')",
    ],
    [{ contextPairs: ["1a=x"] }, "Invalid context format '1a=x'"],
    [{ contextPairs: ["=x"] }, "Invalid context format '=x'"],
    [{ contextPairs: ["__proto__=x"] }, "Invalid context format"],
    [{ contextPairs: ["AMPLIHACK_HOME=x"] }, "Invalid context format"],
    [{ contextFile: "nowhere.json" }, "Context file not found"],
    [{ contextFile: "list.yaml" }, "must be a mapping"],
    [{ contextFile: "bad.yaml" }, "YAML parse error"],
    [{ contextFile: "reserved.yaml" }, "key 'AMPLIHACK_X' is reserved"],
    [{ workingDir: "nowhere" }, "Working directory does not exist"],
  ])("refuses %j", async (request, message) => {
    const machine = recipeMachine();
    machine.write("list.yaml", "- a\n");
    machine.write("bad.yaml", "a: [1\n");
    machine.write("reserved.yaml", "AMPLIHACK_X: 1\n");
    const { exitCode, document } = await machine.runText(showing({}), request);
    expect(exitCode).toBe(4);
    expect(document).toMatchObject({
      success: false,
      status: "ERROR",
      error_kind: "bad_args",
      step_results: [],
    });
    expect(document.error).toContain(message);
  });

  it("can be left out of the result", async () => {
    const { document } = await recipeMachine().runText(showing({ a: 1 }), { hidesContext: true });
    expect(document).not.toHaveProperty("context");
  });
});

describe("checks before the first step", () => {
  it("fail the run with all that is wrong, and nothing runs", async () => {
    const machine = recipeMachine({ GIT_CEILING_DIRECTORIES: "/" });
    machine.write("here/file", "");
    const { results, exitCode, document } = await machine.runText(
      showing(
        { task: "  ", dir: "nowhere", repo: "here", ok: "here/file", free: null },
        {
          context_validation: {
            task: "nonempty",
            dir: "path",
            repo: "git_repo",
            ok: "path",
            free: "optional",
            gone: "nonempty",
            odd: "pretty",
          },
        },
      ),
    );
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ step_id: "preflight-validation", status: "failed" });
    expect(results[0]?.error.split("\n")).toEqual([
      "=== PRE-FLIGHT VALIDATION FAILED for 'r' ===",
      "  ✗ 'task' is required but empty or missing",
      "  ✗ 'dir' path 'nowhere' does not exist",
      "  ✗ 'repo' path 'here' is not a git repository",
      "  ✗ 'gone' is required but empty or missing",
    ]);
    expect(exitCode).toBe(1);
    expect(document).toMatchObject({
      failure_context: { step_id: "preflight-validation", phase: "preflight" },
    });
    expect(document.warnings).toContain("context_validation: unknown rule 'pretty' for 'odd'");
  });

  it("pass for a directory inside a work tree", async () => {
    const machine = recipeMachine();
    machine.write("repo/.git/HEAD", "ref: refs/heads/main\n");
    machine.write("repo/sub/file", "");
    const { exitCode } = await machine.runText(
      showing({ repo: "repo/sub" }, { context_validation: { repo: "git_repo" } }),
    );
    expect(exitCode).toBe(0);
  });
});

describe("a run that cannot have a private directory", () => {
  it("still ends in a document", async () => {
    const machine = recipeMachine();
    const files = {
      ...machine.system.files,
      makeDirectory() {
        throw new Error("the disk is full");
      },
    };
    const recipe = machine.write("recipe.yaml", showing({}));
    const { document, exitCode } = await runRecipe({ recipe }, { ...machine.system, files });
    expect({ document, exitCode }).toMatchObject({
      exitCode: 1,
      document: { status: "ERROR", error_kind: "internal", error: "the disk is full", step_results: [] },
    });
  });
});

describe("nesting of runs", () => {
  it.each([
    [{ AMPLIHACK_SESSION_DEPTH: "6" }, "depth 6 reached configured max 6"],
    [{ AMPLIHACK_SESSION_DEPTH: "3", AMPLIHACK_MAX_DEPTH: "3" }, "depth 3 reached configured max 3"],
    [{ AMPLIHACK_SESSION_DEPTH: "32", AMPLIHACK_MAX_DEPTH: "99" }, "depth 32 reached configured max 32"],
    [{ AMPLIHACK_SESSION_DEPTH: "deep" }, "depth 6 reached configured max 6"],
  ])("%j is refused", async (env, message) => {
    const { exitCode, document } = await recipeMachine(env).runText(showing({}));
    expect(exitCode).toBe(1);
    expect(document).toMatchObject({ error_kind: "recursion_guard" });
    expect(document.error).toBe(`recipe run recursion depth guard exceeded: ${message}`);
  });

  it("below the limit is allowed", async () => {
    expect((await recipeMachine({ AMPLIHACK_SESSION_DEPTH: "5" }).runText(showing({}))).exitCode).toBe(0);
  });
});
