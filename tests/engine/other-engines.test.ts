// Behaviours that other engines' test suites pin and this one must show too.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HookLoadError, type JsonObject } from "../../src/exports/engine.ts";
import {
  BASH_CALL,
  claudeCommands,
  cleanEnvironment,
  codesOf,
  makeEngine,
  source,
  temporaryFolder,
} from "./fixture.ts";
import { World } from "./world.ts";

const DENY = '{"decision":"block","reason":"no"}';

describe("from Codex", () => {
  it("a hook that exits at once with a 1 MiB payload keeps its stdout", async () => {
    const engine = makeEngine({
      sources: [source("claude", claudeCommands("PreToolUse", [`echo '${DENY}'`]))],
    });
    const payload = { ...BASH_CALL, tool_input: { text: "x".repeat(1024 * 1024) } };
    expect((await engine.dispatch("PreToolUse", payload)).decision).toMatchObject({ reason: "no" });
  });

  it("process tokens never reach hooks", async () => {
    const projectDir = temporaryFolder();
    const env = { ...cleanEnvironment(projectDir), OPENAI_API_KEY: "sk", CODEX_TOKEN: "t" };
    const engine = makeEngine({
      projectDir,
      env,
      sources: [source("claude", claudeCommands("PreToolUse", ["env > out"]))],
    });
    await engine.dispatch("PreToolUse", BASH_CALL);
    expect(readFileSync(join(projectDir, "out"), "utf8")).not.toMatch(/OPENAI_API_KEY|CODEX_TOKEN/);
  });

  it("the fallback shell comes from the environment snapshot", async () => {
    const projectDir = temporaryFolder();
    const bin = join(projectDir, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "sh"), '#!/bin/sh\necho mine > "$HOME/which"\nexec /bin/sh "$@"\n', {
      mode: 0o755,
    });
    const engine = makeEngine({
      projectDir,
      env: { PATH: bin, HOME: projectDir },
      sources: [source("claude", claudeCommands("PreToolUse", [":"]))],
    });
    await engine.dispatch("PreToolUse", BASH_CALL);
    expect(readFileSync(join(projectDir, "which"), "utf8")).toBe("mine\n");
  });

  it("duplicate Stop handlers of a dialect without dedupe both run", async () => {
    const entry = { event: "Stop", command: "echo x >> ran" };
    const projectDir = temporaryFolder();
    const engine = makeEngine({ projectDir, sources: [source("batuta", { hooks: [entry, entry] })] });
    await engine.dispatch("Stop", {});
    expect(readFileSync(join(projectDir, "ran"), "utf8")).toBe("x\nx\n");
  });

  it("managed hooks cannot be disabled", () => {
    const sources = [
      source("claude", claudeCommands("PreToolUse", ["true"]), { kind: "managed" }),
      ...(["user", "project", "local", "session"] as const).map(kind =>
        source("claude", { disableAllHooks: true, allowManagedHooksOnly: true }, { kind }),
      ),
    ];
    expect(makeEngine({ sources }).report.handlers).toBe(1);
  });

  it("managed hooks that cannot be enforced refuse to start", () => {
    const entries: JsonObject[] = [
      { type: "command", command: "" },
      { type: "prompt", prompt: "?" },
      { type: "magic" },
    ];
    for (const entry of entries) {
      const data = { hooks: { PreToolUse: [{ hooks: [entry] }] } };
      expect(() => makeEngine({ sources: [source("claude", data, { kind: "managed" })] })).toThrow(
        HookLoadError,
      );
    }
  });

  it("a timeout at the end of a session is clamped", () => {
    const engine = makeEngine({
      sources: [source("claude", claudeCommands("SessionEnd", [{ command: "x", timeout: 3600 }]))],
    });
    expect(engine.list()[0]?.timeoutMs).toBe(60_000);
    expect(engine.report.warnings).toMatchObject([{ code: "timeout-invalid" }]);
  });
});

describe("from Gemini", () => {
  it.each<[string, unknown]>([
    [
      "definitions that are no list",
      { hooks: { PreToolUse: "x", Stop: [{ hooks: [{ type: "command", command: "true" }] }] } },
    ],
    [
      "null entries",
      {
        hooks: { PreToolUse: [null], Stop: [null, { hooks: [null, { type: "command", command: "true" }] }] },
      },
    ],
    [
      "groups without hooks",
      { hooks: { PreToolUse: [{}], Stop: [{ hooks: [{ type: "command", command: "true" }] }] } },
    ],
    [
      "entries that are no objects",
      { hooks: { PreToolUse: [7], Stop: [{ hooks: ["x", { type: "command", command: "true" }] }] } },
    ],
  ])("%s are isolated", (_, data) => {
    const engine = makeEngine({ sources: [source("claude", data)] });
    expect(engine.report.handlers).toBe(1);
    expect(engine.report.errors.length).toBeGreaterThan(0);
  });

  it("a hook is disabled by its name", async () => {
    const projectDir = temporaryFolder();
    const gate = { event: "pre_tool_use", command: "touch ran" };
    const engine = makeEngine({
      projectDir,
      sources: [
        source("atomcode", { hooks: { gate } }, { kind: "user" }),
        source("atomcode", { hooks: { gate: { ...gate, disabled: true } } }),
      ],
    });
    await engine.dispatch("PreToolUse", BASH_CALL);
    expect(existsSync(join(projectDir, "ran"))).toBe(false);
  });

  it("a sequence of functions passes the rewrite on, and a failing one's output is not chained", async () => {
    const engine = makeEngine();
    const seen: unknown[] = [];
    engine.beforeToolCall("*", () => ({ args: { step: 1 } }));
    engine.beforeToolCall(
      "*",
      () => {
        throw new Error("after it thought of { step: 2 }");
      },
      { onFailure: "open" },
    );
    engine.beforeToolCall("*", ({ args }) => void seen.push(args));
    expect((await engine.dispatch("PreToolUse", BASH_CALL)).input).toEqual({ step: 1 });
    expect(seen).toEqual([{ step: 1 }]);
  });
});

describe("defects of other engines that are designed against", () => {
  it("a guard that says no and then crashes said no", async () => {
    const engine = makeEngine({
      sources: [source("claude", claudeCommands("PreToolUse", [`echo '${DENY}'; kill -SEGV $$`]))],
    });
    expect((await engine.dispatch("PreToolUse", BASH_CALL)).decision).toMatchObject({
      kind: "deny",
      reason: "no",
    });
  });

  it("a size of 128 KiB in the arguments bypasses no guard", async () => {
    const hooks = { a: { event: "pre_tool_use", command: `echo '{"action":"block","reason":"x"}'` } };
    const engine = makeEngine({ sources: [source("atomcode", { hooks })] });
    for (const size of [96 * 1024, 131_072, 1_000_000]) {
      const outcome = await engine.dispatch("PreToolUse", {
        tool_name: "w",
        tool_input: { text: "x".repeat(size) },
      });
      expect(outcome.decision.kind).toBe("deny");
    }
  });

  it("an unknown key, a missing reason and an empty stderr bypass no guard", async () => {
    for (const command of [
      `echo '{"decision":"block","reason":"x","futureField":1}'`,
      `echo '{"decision":"block"}'`,
      "exit 2",
    ]) {
      const engine = makeEngine({ sources: [source("claude", claudeCommands("PreToolUse", [command]))] });
      expect((await engine.dispatch("PreToolUse", BASH_CALL)).decision.kind).toBe("deny");
    }
  });

  it("a hook driven past its time is a failure with its own name, and can refuse", async () => {
    const world = new World(() => ({}));
    const engine = world.engine({
      sources: [
        source("claude", claudeCommands("PreToolUse", [{ command: "x", timeout: 1, onFailure: "block" }])),
      ],
    });
    const outcome = await world.settle(engine.dispatch("PreToolUse", BASH_CALL));
    expect(outcome.decision).toMatchObject({ kind: "deny", reason: expect.stringContaining("timeout") });
    expect(outcome.decision).toMatchObject({ reason: expect.stringContaining("could not check") });
    expect(codesOf(outcome)).toEqual(["timeout", "fail-closed"]);
  });

  it("an unknown word of the failure policy is no way around it", async () => {
    const world = new World(() => ({ exitsAfterMs: 1, code: 1 }));
    const engine = world.engine({
      sources: [source("claude", claudeCommands("PreToolUse", [{ command: "x", onFailure: "blocked" }]))],
    });
    expect((await world.settle(engine.dispatch("PreToolUse", BASH_CALL))).decision.kind).toBe("deny");
  });

  it.each<[string, string]>([
    ["PreToolUse", "deny"],
    ["PostToolUse", "none"],
    ["Stop", "none"],
    ["SessionStart", "none"],
  ])("closed on %s means %s: it acts where an action can be refused", async (event, kind) => {
    const world = new World(() => ({ exitsAfterMs: 1, code: 1 }));
    const engine = world.engine({
      failurePolicy: { [event]: "closed" },
      sources: [source("claude", claudeCommands(event, ["x"]))],
    });
    expect((await world.settle(engine.dispatch(event, BASH_CALL))).decision.kind).toBe(kind);
  });

  it("a run aborted by the host is no failure, whatever the policy", async () => {
    const world = new World(() => ({}));
    const engine = world.engine({
      sources: [source("claude", claudeCommands("PostToolUse", [{ command: "x", onFailure: "closed" }]))],
    });
    const controller = new AbortController();
    const dispatch = engine.dispatch("PostToolUse", BASH_CALL, { signal: controller.signal });
    await world.runUntil(5);
    controller.abort();
    const outcome = await world.settle(dispatch);
    expect(outcome).toMatchObject({ aborted: true, decision: { kind: "none" } });
    expect(codesOf(outcome)).toEqual(["aborted"]);
  });
});
