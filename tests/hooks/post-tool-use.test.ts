import { describe, expect, it } from "vitest";
import { openHookContext } from "../../src/hooks/program/hook-context.ts";
import { askObservers, mergeMetadata } from "../../src/hooks/program/observers.ts";
import { postToolUse, postToolUseFailure } from "../../src/hooks/stock/post-tool-use.ts";
import type { InputOf, JsonObject } from "../../src/protocol/index.ts";
import { inputOf, jsonAt, metricsOf, projectSystem, ROOT, RUNTIME, runHook } from "./run-hook.ts";

const tool = (name: string, input: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  session_id: "s1",
  tool_name: name,
  tool_input: input,
  ...more,
});
const run = (system: ReturnType<typeof projectSystem>, payload: JsonObject) =>
  runHook(postToolUse(), system, payload);
const metrics = (system: ReturnType<typeof projectSystem>) => metricsOf(system, "post_tool_use");

describe("the metrics of a tool call", () => {
  it.each([
    ["Bash", ["tool_usage=Bash", "bash_commands=1"]],
    ["bash", ["tool_usage=bash", "bash_commands=1"]],
    ["Read", ["tool_usage=Read", "file_operations=1"]],
    ["Write", ["tool_usage=Write", "file_operations=1"]],
    ["Edit", ["tool_usage=Edit", "file_operations=1"]],
    ["MultiEdit", ["tool_usage=MultiEdit", "file_operations=1"]],
    ["Grep", ["tool_usage=Grep", "search_operations=1"]],
    ["Glob", ["tool_usage=Glob", "search_operations=1"]],
    ["WebFetch", ["tool_usage=WebFetch"]],
    ["constructor", ["tool_usage=constructor"]],
  ])("%s", async (name, wanted) => {
    const system = projectSystem();
    expect(await run(system, tool(name))).toBeUndefined();
    expect(metrics(system)).toEqual(wanted);
  });

  it.each([
    ["inside the result", { tool_response: { duration_ms: 12 } }],
    ["beside the result", { duration_ms: 12, tool_response: "text" }],
  ])("have the duration when it stands %s", async (_, more) => {
    const system = projectSystem();
    await run(system, tool("Bash", {}, more));
    const [line = ""] = (system.peek(`${RUNTIME}/metrics/post_tool_use_metrics.jsonl`) ?? "").split("\n");
    expect(JSON.parse(line)).toMatchObject({ metric: "tool_usage", metadata: { duration_ms: 12 } });
  });

  it("hold nothing of what the tool was given", async () => {
    const system = projectSystem();
    await run(system, tool("Bash", { command: "echo SECRET" }, { tool_response: { stdout: "SECRET" } }));
    const files = system.files
      .list(`${RUNTIME}/metrics`)
      .map(name => system.peek(`${RUNTIME}/metrics/${name}`));
    expect(
      [...files, system.peek(`${RUNTIME}/logs/post_tool_use.log`), system.stderr()].join(),
    ).not.toContain("SECRET");
  });
});

describe("a write that reported an error", () => {
  it.each(["Write", "Edit", "MultiEdit"])("is told to the model and kept as metadata: %s", async name => {
    const effect = await run(projectSystem(), tool(name, {}, { tool_response: { error: "disk full" } }));
    expect(effect?.context).toContain(name);
    expect(effect?.extras).toEqual({ claude: { metadata: { warning: effect?.context, tool: name } } });
    expect(JSON.stringify(effect)).not.toContain("disk full");
  });

  it.each([
    ["an empty error", "Write", { error: "" }],
    ["a null error", "Write", { error: null }],
    ["no error", "Write", {}],
    ["an empty list of errors", "Write", { error: [] }],
    ["an empty object of errors", "Write", { error: {} }],
    ["false for an error", "Write", { error: false }],
    ["a text result", "Write", "error"],
    ["another tool", "Bash", { error: "x" }],
  ])("is not seen in %s", async (_, name, result) => {
    expect(await run(projectSystem(), tool(name, {}, { tool_response: result }))).toBeUndefined();
  });
});

describe("a call that the host reports as failed", () => {
  it("is counted as a failure", async () => {
    const system = projectSystem();
    await runHook(postToolUseFailure(), system, tool("Bash", {}, { error: "Exit code 3", duration_ms: 18 }));
    expect(metrics(system)).toEqual(["tool_usage=Bash", "tool_failures=Bash", "bash_commands=1"]);
  });

  it("is served by the one hook that the program has for both", async () => {
    const system = projectSystem();
    await postToolUse().run(inputOf("PostToolUseFailure", tool("Bash", {}, { error: "x" })), system);
    expect(metrics(system)).toContain("tool_failures=Bash");
  });

  it("warns when it was a write", async () => {
    const effect = await runHook(
      postToolUseFailure(),
      projectSystem(),
      tool("Edit", {}, { error: "no match" }),
    );
    expect(effect?.context).toContain("Edit");
  });
});

describe("a call that is reported twice", () => {
  it("is counted once", async () => {
    const system = projectSystem();
    await run(system, tool("Read", {}, { tool_use_id: "toolu_1" }));
    await run(system, tool("Read", {}, { tool_use_id: "toolu_1" }));
    expect(metrics(system)).toEqual(["tool_usage=Read", "file_operations=1"]);
  });

  it("is told apart by session, by id, and by time", async () => {
    const system = projectSystem();
    await run(system, tool("Read", {}, { tool_use_id: "toolu_1" }));
    await run(system, tool("Read", {}, { tool_use_id: "toolu_2" }));
    await run(system, { ...tool("Read", {}, { tool_use_id: "toolu_1" }), session_id: "s2" });
    expect(metrics(system).filter(line => line.startsWith("tool_usage"))).toHaveLength(3);
    system.advance(61_000);
    await run(system, tool("Read", {}, { tool_use_id: "toolu_3" }));
    expect(system.files.list(`${RUNTIME}/dedupe`)).toHaveLength(1);
  });

  it("cannot be noticed without an id, or where no flag can be set; it is then counted", async () => {
    const system = projectSystem();
    await run(system, tool("Read"));
    await run(system, tool("Read"));
    expect(metrics(system).filter(line => line.startsWith("tool_usage"))).toHaveLength(2);
    const blocked = projectSystem({ files: { [`${RUNTIME}/dedupe`]: "a file in the way" } });
    await run(blocked, tool("Read", {}, { tool_use_id: "toolu_1" }));
    expect(metrics(blocked)).toContain("tool_usage=Read");
  });
});

const STATE = `${RUNTIME}/workflow-enforcement/s1.json`;
const tracking = (calls = 0, isEmitted = false, at = 1_767_323_045) =>
  JSON.stringify({ dev_invoked_at: at, tool_calls_since: calls, warning_emitted: isEmitted });

describe("tracking of the workflow", () => {
  it.each([
    "dev-orchestrator",
    "amplihack:dev",
    "amplihack:amplihack:dev",
    "default-workflow",
    "amplihack:default-workflow",
    "amplihack:amplihack:default-workflow",
    ".claude:amplihack:dev",
    ".claude:amplihack:default-workflow",
  ])("begins anew with the skill %s", async skill => {
    const system = projectSystem({ files: { [STATE]: tracking(2, true) } });
    await run(system, tool("Skill", { skill }));
    expect(jsonAt(system, STATE)).toEqual({
      dev_invoked_at: 1_767_323_045,
      tool_calls_since: 0,
      warning_emitted: false,
    });
    expect(system.files.inspect(STATE)?.mode).toBe(0o644);
  });

  it("keeps a new state to the user", async () => {
    const system = projectSystem();
    await run(system, tool("Skill", { skill: "dev-orchestrator" }));
    expect(system.files.inspect(STATE)?.mode).toBe(0o600);
  });

  it("does not begin with another skill", async () => {
    const system = projectSystem();
    await run(system, tool("Skill", { skill: "pdf" }));
    expect(system.peek(STATE)).toBeUndefined();
  });

  it.each([
    ["there is no state", undefined],
    ["the state is not JSON", "{"],
    ["the state has no start", '{"tool_calls_since":2}'],
    ["the state is not an object", "[]"],
    ["the state is older than a day", tracking(2, false, 1_767_323_045 - 86_401)],
  ])("does nothing when %s", async (_, content) => {
    const system = projectSystem({ files: content === undefined ? {} : { [STATE]: content } });
    expect(await run(system, tool("Bash", { command: "ls" }))).toBeUndefined();
    expect(system.peek(STATE)).toBe(content);
  });

  it.each([
    tool("Bash", { command: "python -c 'run_recipe_by_name(x)'" }),
    tool("Bash", { command: "cat smart-orchestrator" }),
    tool("Bash", { command: "python recipe_runner.py" }),
    tool("Bash", { command: "python -m amplihack.recipes" }),
    tool("Bash", { command: "git checkout -b x" }),
    tool("Bash", { command: "git switch -c x" }),
    tool("Bash", { command: "git branch x" }),
    tool("Bash", { command: "gh pr create" }),
    tool("Bash", { command: "gh issue create" }),
    tool("Read", { file_path: "/p/.claude/workflow/DEFAULT_WORKFLOW.md" }),
    tool("Read", { file_path: "smart-orchestrator.yaml" }),
    tool("Read", { file_path: "default-workflow.yaml" }),
    tool("Read", { file_path: "investigation-workflow.yaml" }),
    tool("TodoWrite", { todos: [{ content: "Step 1: x", status: "pending" }] }),
    tool("TodoWrite", { todos: [{ content: "x", activeForm: "running recipe runner" }] }),
    tool("TodoWrite", { todos: [{ content: "Create GitHub issue" }] }),
    tool("Agent"),
    tool("Task"),
    tool("TaskCreate"),
  ])("ends with evidence: %j", async payload => {
    const system = projectSystem({ files: { [STATE]: tracking(2) } });
    expect(await run(system, payload)).toBeUndefined();
    expect(system.peek(STATE)).toBeUndefined();
  });

  it.each([
    tool("Bash", { command: "git branch" }),
    tool("Bash", { command: "ls" }),
    tool("Read", { file_path: "README.md" }),
    tool("TodoWrite", { todos: [{ content: "do it" }] }),
    tool("TodoWrite", { todos: "none" }),
    tool("Write", { file_path: "DEFAULT_WORKFLOW.md" }),
  ])("counts a call without evidence: %j", async payload => {
    const system = projectSystem({ files: { [STATE]: tracking(0) } });
    expect(await run(system, payload)).toBeUndefined();
    expect(jsonAt(system, STATE)).toMatchObject({ tool_calls_since: 1, warning_emitted: false });
  });

  it("warns once, at the third call", async () => {
    const system = projectSystem({ files: { [STATE]: tracking(0) } });
    const effects = [];
    for (let call = 0; call < 5; call++) effects.push(await run(system, tool("Bash", { command: "ls" })));
    expect(effects.map(effect => effect?.context !== undefined)).toEqual([false, false, true, false, false]);
    expect(effects[2]?.context).toMatch(/bypass.*3 tool calls.*recipe runner.*not allowed/is);
    expect(effects[2]?.extras).toEqual({
      claude: {
        metadata: {
          workflow_enforcement: "WARNING",
          tool_calls_without_evidence: 3,
          warnings: [effects[2]?.context],
        },
      },
    });
    expect(jsonAt(system, STATE)).toMatchObject({ tool_calls_since: 5, warning_emitted: true });
  });

  it("is kept per session, and under a fixed name when nobody names one", async () => {
    const system = projectSystem({ files: { [STATE]: tracking(2) } });
    const { session_id: _, ...nobody } = tool("Skill", { skill: "amplihack:dev" });
    await run(system, nobody);
    await run(system, { ...tool("Bash", { command: "ls" }), session_id: "other" });
    expect(jsonAt(system, STATE)).toMatchObject({ tool_calls_since: 2 });
    expect(jsonAt(system, `${RUNTIME}/workflow-enforcement/current.json`)).toMatchObject({
      tool_calls_since: 0,
    });
  });

  it("tells its own errors as metadata", async () => {
    const system = projectSystem({
      files: {
        [STATE]: tracking(0),
        [`${STATE}.lock`]: JSON.stringify({ pid: 1, host: "elsewhere", nonce: "x" }),
      },
    });
    const effect = await run(system, tool("Bash", { command: "ls" }));
    expect(effect?.extras).toEqual({
      claude: { metadata: { workflow_enforcement_error: expect.stringContaining("lock") } },
    });
    expect(effect?.context).toBeUndefined();
  });

  it("joins a failed write and a warning in one answer", async () => {
    const system = projectSystem({ files: { [STATE]: tracking(2) } });
    const effect = await run(system, tool("Write", { file_path: "a" }, { tool_response: { error: "x" } }));
    expect(effect?.extras).toEqual({
      claude: {
        metadata: {
          warning: expect.any(String),
          tool: "Write",
          workflow_enforcement: "WARNING",
          tool_calls_without_evidence: 3,
          warnings: [expect.any(String)],
        },
      },
    });
    expect(effect?.context?.split("\n\n")).toHaveLength(2);
  });
});

describe("observers", () => {
  const input = inputOf("PostToolUse", tool("Bash")) as InputOf<"tool">;
  const context = () => openHookContext(input, projectSystem(), "post_tool_use");

  it("run in order; a failing one becomes a warning and stops nobody", () => {
    const seen: string[] = [];
    const observed = askObservers(
      [
        {
          name: "bad",
          observe() {
            seen.push("bad");
            throw new Error("oops");
          },
        },
        {
          name: "good",
          observe() {
            seen.push("good");
            return { metadata: { a: 1 } };
          },
        },
      ],
      input,
      context(),
    );
    expect(seen).toEqual(["bad", "good"]);
    expect(observed).toEqual({ warnings: ["observer bad failed: oops"], metadata: { error: "oops", a: 1 } });
  });

  it("may skip the rest", () => {
    const observed = askObservers(
      [
        { name: "a", observe: () => ({ skipRest: true, warnings: ["w"] }) },
        { name: "b", observe: () => ({ warnings: ["never"] }) },
      ],
      input,
      context(),
    );
    expect(observed.warnings).toEqual(["w"]);
  });

  it("that answer with something else become a warning", () => {
    const observed = askObservers([{ name: "odd", observe: () => "text" as never }], input, context());
    expect(observed.warnings).toEqual(["observer odd answered with something that is not an observation"]);
  });

  it("merge metadata: first writer wins, lists join, other clashes get a second key", () => {
    expect(mergeMetadata({ a: 1, l: [1] }, { a: 2, l: [2], b: 3 })).toEqual({
      a: 1,
      a_2: 2,
      l: [1, 2],
      b: 3,
    });
  });
});

describe("a project whose runtime cannot be written", () => {
  it("still gets its answer", async () => {
    const system = projectSystem({ files: { [RUNTIME]: "a file in the way" } });
    expect(await run(system, tool("Bash", {}, { tool_use_id: "1" }))).toBeUndefined();
    expect(system.stderr()).toContain("log cannot be written");
    expect(system.peek(`${ROOT}/.claude/runtime`)).toBe("a file in the way");
  });
});
