import { describe, expect, it } from "vitest";
import { assembleEngine } from "../../src/engine/create.ts";
import { webTimers } from "../../src/engine/platform.ts";
import {
  createNodeSystem,
  type Hook,
  type HookInput,
  type JsonObject,
  NO_OUTCOME,
  type Outcome,
  type System,
} from "../../src/exports/engine.ts";
import { guard } from "../../src/exports/guard.ts";
import { stockHooks } from "../../src/exports/hooks.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { BASH_CALL, claudeCommands, codesOf, makeEngine, source } from "./fixture.ts";

describe("an event without hooks", () => {
  it("has one shared frozen outcome and does not build its payload", async () => {
    const engine = makeEngine({
      sources: [source("claude", claudeCommands("PreToolUse", ["exit 2"], "Edit"))],
    });
    const payload = (): JsonObject => {
      throw new Error("built for nothing");
    };
    expect(engine.dispatch("Stop", payload)).toBe(engine.dispatch("Notification", payload));
    const outcome = await engine.dispatch("Stop", payload);
    expect(outcome).toBe(NO_OUTCOME);
    expect(Object.isFrozen(outcome)).toBe(true);
    expect(await engine.dispatch("PreToolUse", () => BASH_CALL)).toBe(NO_OUTCOME);
  });

  it("and a payload that cannot be built where it is needed rejects", async () => {
    const engine = makeEngine({ sources: [source("claude", claudeCommands("Stop", ["true"]))] });
    const broken = (): JsonObject => {
      throw new Error("host bug");
    };
    await expect(engine.dispatch("Stop", broken)).rejects.toThrow("host bug");
    await expect(engine.dispatch("Stop", 7 as unknown as JsonObject)).rejects.toThrow(/must be an object/);
  });
});

describe("names of events", () => {
  it.each(["PreToolUse", "pre_tool_use", "preToolUse", "pre-tool-use"])("%s is one event", async name => {
    const engine = makeEngine({ sources: [source("claude", claudeCommands("PreToolUse", ["exit 2"]))] });
    expect(engine.has(name, "Bash")).toBe(true);
    expect((await engine.dispatch(name, BASH_CALL)).decision.kind).toBe("deny");
  });
  it("may come without end", () => {
    const engine = makeEngine();
    for (let index = 0; index < 5000; index++) expect(engine.has(`event-${index}`)).toBe(false);
  });
});

describe("observers", () => {
  it("receive every outcome, also silence, and cannot influence any", async () => {
    const engine = makeEngine({
      sources: [
        source(
          "claude",
          claudeCommands("PreToolUse", [`echo '{"hookSpecificOutput":{"updatedInput":{"a":1}}}'`], "Bash"),
        ),
      ],
    });
    const seen: [unknown, Outcome][] = [];
    engine.observe("PreToolUse", (payload, outcome) => {
      seen.push([payload["tool_name"], outcome]);
      (outcome as { decision: unknown }).decision = { kind: "allow" };
    });
    engine.observe("PreToolUse", async () => {
      throw new Error("late");
    });
    const outcome = await engine.dispatch("PreToolUse", BASH_CALL);
    expect(outcome).toMatchObject({ decision: { kind: "none" }, input: { a: 1 } });
    expect(Object.isFrozen(outcome.input)).toBe(false);
    await engine.dispatch("PreToolUse", { ...BASH_CALL, tool_name: "Read" });
    expect(seen.map(([name, { decision }]) => [name, decision.kind])).toEqual([
      ["Bash", "none"],
      ["Read", "none"],
    ]);
  });

  it("end with their disposable", async () => {
    const engine = makeEngine();
    let calls = 0;
    const observer = engine.observe("Stop", () => void calls++);
    await engine.dispatch("Stop", {});
    observer[Symbol.dispose]();
    await engine.dispatch("Stop", {});
    expect(calls).toBe(1);
  });
});

describe("hooks of the Hook type", () => {
  const hook = (more: Partial<Hook<System>>): Hook<System> => ({
    id: "stock",
    event: "PreToolUse",
    run: () => undefined,
    ...more,
  });

  it("see their input in one vocabulary and the system", async () => {
    const engine = makeEngine();
    const seen: [HookInput, boolean][] = [];
    engine.use(
      hook({
        run(input, system) {
          seen.push([input, typeof system.files.read === "function"]);
          return { decision: { kind: "deny", reason: "stock rule" } };
        },
      }),
    );
    const payload = { ...BASH_CALL, tool_name: "bash", cwd: "/c", transcript_path: "/t" };
    expect((await engine.dispatch("PreToolUse", payload)).decision).toMatchObject({
      reason: "stock rule",
      by: ["stock"],
    });
    expect(seen).toMatchObject([
      [
        {
          kind: "tool",
          event: "PreToolUse",
          sessionId: "s1",
          cwd: "/c",
          transcriptPath: "/t",
          tool: { name: "bash", canonicalName: "Bash", input: { command: "ls" }, useId: "t1" },
          facts: { command: "ls", paths: [] },
        },
        true,
      ],
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ["UserPromptSubmit", { prompt: "p" }, "prompt"],
    ["Stop", { stop_hook_active: true }, "stop"],
    ["SessionStart", { source: "startup" }, "session-start"],
    ["SessionEnd", { reason: "other" }, "session-end"],
    ["PreCompact", { trigger: "auto" }, "compact"],
    ["Notification", {}, "other"],
  ])("get the input of %s", async (event, payload, kind) => {
    const engine = makeEngine();
    const kinds: string[] = [];
    engine.use(hook({ event, run: input => void kinds.push(input.kind) as undefined }));
    await engine.dispatch(event, payload);
    expect(kinds).toEqual([kind]);
  });

  it("find a tool of the host's own name through its aliases", async () => {
    const engine = makeEngine({ aliases: tool => (tool === "my_runner" ? ["Bash"] : []) });
    const names: string[] = [];
    engine.use(
      hook({
        matcher: "Bash",
        run: input => void (input.kind === "tool" && names.push(input.tool.canonicalName)) as undefined,
      }),
    );
    await engine.dispatch("PreToolUse", { ...BASH_CALL, tool_name: "my_runner" });
    expect(names).toEqual(["Bash"]);
  });

  it("fail closed on events they can veto, and a malformed call is a failure", async () => {
    const engine = makeEngine();
    engine.use([
      hook({
        run() {
          throw new Error("bug");
        },
      }),
    ]);
    expect((await engine.dispatch("PreToolUse", BASH_CALL)).decision.kind).toBe("deny");
    const other = makeEngine();
    other.use(hook({}));
    const malformed = await other.dispatch("PreToolUse", { tool_name: "Bash" });
    expect(malformed.decision.kind).toBe("deny");
    expect(codesOf(malformed)).toEqual(["field-type", "fail-closed"]);
  });

  it("may rewrite, add context, warn and halt", async () => {
    const engine = makeEngine();
    engine.use(
      hook({
        run: async () => ({
          input: { command: "new" },
          context: "c",
          message: { text: "m", level: "warn" },
          extras: { x: 1 },
        }),
      }),
    );
    expect(await engine.dispatch("PreToolUse", BASH_CALL)).toMatchObject({
      input: { command: "new" },
      context: [{ text: "c", hook: "stock" }],
      messages: [{ text: "m", level: "warn" }],
      extras: { x: 1 },
    });
    const after = makeEngine();
    after.use(hook({ event: "PostToolUse", run: () => ({ output: "new output" }) }));
    expect((await after.dispatch("PostToolUse", { ...BASH_CALL, tool_response: "x" })).output).toBe(
      "new output",
    );
  });

  it("leave together", () => {
    const engine = makeEngine();
    const used = engine.use([hook({ id: "a" }), hook({ id: "b", event: "Stop" })]);
    expect(engine.list().map(({ id }) => id)).toEqual(["a", "b"]);
    used[Symbol.dispose]();
    expect(engine.list()).toEqual([]);
  });

  it("of the stock run on any system", async () => {
    const system = createMemorySystem({ cwd: "/home/user/project" });
    const engine = assembleEngine(
      { projectDir: "/home/user/project", env: {} },
      { system, timers: webTimers, http: { post: async () => ({ kind: "failed", reason: "none" }) } },
    );
    engine.use(stockHooks());
    const payload = { session_id: "s", cwd: "/home/user/project" };
    const after = {
      ...payload,
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_response: { stdout: "" },
    };
    for (const [event, given] of [
      ["PostToolUse", after],
      ["UserPromptSubmit", { ...payload, prompt: "hello" }],
    ] as const) {
      const outcome = await engine.dispatch(event, given);
      expect(outcome.runs.length).toBeGreaterThan(0);
      expect(outcome.runs.every(({ status }) => status === "ok")).toBe(true);
    }
    const before = await engine.dispatch("PreToolUse", {
      ...payload,
      tool_name: "Bash",
      tool_input: { command: "rm -rf /" },
    });
    expect(before.decision.kind).toBe("deny");
  });

  it("of the guard judge a shell under whatever name the agent gives it", async () => {
    const system = createMemorySystem({ cwd: "/home/user/project" });
    const engine = assembleEngine(
      { projectDir: "/home/user/project", env: {} },
      { system, timers: webTimers, http: { post: async () => ({ kind: "failed", reason: "none" }) } },
    );
    engine.use(guard());
    const judge = async (tool_name: string, command: string) => {
      const payload = { session_id: "s", cwd: "/home/user/project", tool_name, tool_input: { command } };
      return (await engine.dispatch("PreToolUse", payload)).decision.kind;
    };
    for (const name of ["Bash", "bash", "run_shell_command", "shell"]) {
      expect(await judge(name, "rm -rf /")).toBe("deny");
      expect(await judge(name, "git status")).toBe("none");
    }
  });

  it("run on the system of the process", () => {
    expect(createNodeSystem().files.inspect("/")?.kind).toBe("directory");
  });
});

describe("the Claude protocol's appendix", () => {
  it.each<[string, string | undefined, boolean]>([
    ["PreToolUse", "tool_name", true],
    ["PermissionRequest", "tool_name", true],
    ["PostToolUse", "tool_name", true],
    ["PostToolUseFailure", "tool_name", true],
    ["UserPromptSubmit", undefined, true],
    ["SessionStart", "source", false],
    ["SessionEnd", "reason", false],
    ["Notification", "notification_type", false],
    ["SubagentStart", "agent_type", false],
    ["SubagentStop", "agent_type", true],
    ["Stop", undefined, true],
    ["TeammateIdle", undefined, true],
    ["TaskCompleted", undefined, true],
    ["PreCompact", "trigger", true],
    ["ConfigChange", "source", true],
    ["WorktreeCreate", undefined, true],
    ["WorktreeRemove", undefined, false],
    ["InstructionsLoaded", "load_reason", false],
  ])("%s is matched by %s, and exit 2 decides: %s", async (event, subject, decides) => {
    const data = {
      hooks: {
        [event]: [{ matcher: "wanted", hooks: [{ type: "command", command: "echo why >&2; exit 2" }] }],
      },
    };
    const engine = makeEngine({ sources: [source("claude", data)] });
    const payload = (value: string): JsonObject => ({
      ...BASH_CALL,
      ...(subject === undefined ? {} : { [subject]: value }),
    });
    const outcome = await engine.dispatch(event, payload("wanted"));
    expect(outcome.decision.kind).toBe(decides ? "deny" : "none");
    if (!decides) expect(codesOf(outcome)).toEqual(["decision-ignored"]);
    if (!decides) expect(outcome.messages).toMatchObject([{ text: "why" }]);
    expect((await engine.dispatch(event, payload("other"))).runs).toHaveLength(subject === undefined ? 1 : 0);
  });

  it("exit 0, 2 and others proceed, block and are logged", async () => {
    const outcome = async (command: string) =>
      makeEngine({ sources: [source("claude", claudeCommands("PreToolUse", [command]))] }).dispatch(
        "PreToolUse",
        BASH_CALL,
      );
    expect(await outcome(`echo '{"systemMessage":"hi"}'`)).toMatchObject({
      decision: { kind: "none" },
      messages: [{ text: "hi" }],
    });
    expect((await outcome("echo why >&2; exit 2")).decision).toMatchObject({ kind: "deny", reason: "why" });
    expect(await outcome("echo why >&2; exit 1")).toMatchObject({
      decision: { kind: "none" },
      messages: [{ text: "why", level: "warn" }],
      runs: [{ status: "failed", exitCode: 1 }],
    });
  });

  it("a change of managed policy cannot be vetoed", async () => {
    const engine = makeEngine({ sources: [source("claude", claudeCommands("ConfigChange", ["exit 2"]))] });
    expect((await engine.dispatch("ConfigChange", { source: "policy_settings" })).decision.kind).toBe("none");
    expect((await engine.dispatch("ConfigChange", { source: "user_settings" })).decision.kind).toBe("deny");
  });

  it("a hook's allow and silence are different things", async () => {
    const engine = makeEngine({
      sources: [
        source("claude", claudeCommands("PreToolUse", ["true"], "Read")),
        source("claude", claudeCommands("PreToolUse", [`echo '{"decision":"approve"}'`], "Bash")),
      ],
    });
    expect((await engine.dispatch("PreToolUse", { ...BASH_CALL, tool_name: "Read" })).decision.kind).toBe(
      "none",
    );
    expect((await engine.dispatch("PreToolUse", BASH_CALL)).decision.kind).toBe("allow");
  });
});
