import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decideByExitCode, type Outcome, toBatutaDecision } from "../../src/exports/engine.ts";
import { codesOf, makeEngine, source, temporaryFolder } from "./fixture.ts";

function registry(entries: readonly Record<string, unknown>[], projectDir = temporaryFolder()) {
  return makeEngine({ projectDir, sources: [source("batuta", { hooks: entries })] });
}

async function run(
  entries: readonly Record<string, unknown>[],
  context = "shell",
  event = "PreToolUse",
): Promise<Outcome> {
  return registry(entries).dispatch(event, { tool_name: context, tool_input: {}, prompt: context });
}

describe("batuta: pinned by its tests", () => {
  it("decision_from_exit_code_allow", () => {
    expect(decideByExitCode(0, "ignored")).toEqual({ kind: "Allow" });
  });
  it("decision_from_exit_code_warn", () => {
    expect(decideByExitCode(1, "hi")).toEqual({ kind: "Warn", message: "hi" });
  });
  it("decision_from_exit_code_block", () => {
    expect(decideByExitCode(2, "no")).toEqual({ kind: "Block", reason: "no" });
    expect(decideByExitCode(42, "x")).toEqual({ kind: "Block", reason: "x" });
  });
  it("registry_register_and_len", () => {
    expect(registry([]).report.handlers).toBe(0);
    const engine = registry([{ event: "PreToolUse", command: "true", timeout_secs: 30 }]);
    expect(engine.report.handlers).toBe(1);
    expect(engine.has("PreToolUse")).toBe(true);
    expect(engine.has("PostToolUse")).toBe(false);
  });
  it("registry_from_configs", () => {
    const engine = registry([
      { event: "SessionStart", command: "true" },
      { event: "Stop", command: "true" },
    ]);
    expect(engine.report.handlers).toBe(2);
    expect(engine.list().map(({ event }) => event)).toEqual(["SessionStart", "Stop"]);
  });
  it("registry_run_allow_when_empty", async () => {
    expect(toBatutaDecision(await run([]))).toEqual({ kind: "Allow" });
  });
  it("registry_run_block_short_circuits", async () => {
    const projectDir = temporaryFolder();
    const engine = registry(
      [
        { event: "PreToolUse", command: "exit 2" },
        { event: "PreToolUse", command: "touch ran; exit 0" },
      ],
      projectDir,
    );
    const outcome = await engine.dispatch("PreToolUse", { tool_name: "shell", tool_input: {} });
    expect(toBatutaDecision(outcome).kind).toBe("Block");
    expect(outcome.runs.map(({ status }) => status)).toEqual(["blocked", "skipped"]);
    expect(existsSync(join(projectDir, "ran"))).toBe(false);
  });
  it("registry_matcher_filters", async () => {
    const entries = [{ event: "PreToolUse", matcher: "shell", command: "exit 2" }];
    expect(toBatutaDecision(await run(entries, "shell")).kind).toBe("Block");
    expect(toBatutaDecision(await run(entries, "file_read"))).toEqual({ kind: "Allow" });
  });
  it("hook_config_toml_roundtrip", () => {
    const data = '[[hooks]]\nevent = "PreToolUse"\nmatcher = "shell"\ncommand = "echo hi"\n';
    const engine = makeEngine({ sources: [source("batuta", data)] });
    expect(engine.list()).toMatchObject([
      { event: "PreToolUse", matcher: "shell", summary: "echo hi", timeoutMs: 30_000 },
    ]);
  });
  it("hook_config_toml_array_in_manifest_shape", () => {
    const data = [
      'name = "agent"',
      "[[hooks]]",
      'event = "SessionStart"',
      'command = "date >> /tmp/apr-session-start.log"',
      "[[hooks]]",
      'event = "PreToolUse"',
      'matcher = "shell"',
      'command = "echo pretool"',
    ].join("\n");
    const engine = makeEngine({ sources: [source("batuta", data)] });
    expect(engine.report).toMatchObject({ handlers: 2, errors: [], warnings: [] });
    expect(engine.list().map(({ event, matcher, summary }) => [event, matcher, summary])).toEqual([
      ["SessionStart", undefined, "date >> /tmp/apr-session-start.log"],
      ["PreToolUse", "shell", "echo pretool"],
    ]);
  });
});

describe("batuta: stated by its code", () => {
  it.each(["SessionStart", "PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"])(
    "knows %s",
    event => {
      expect(registry([{ event, command: "true" }]).report.handlers).toBe(1);
    },
  );
  it("leaves out an entry of an unknown event, and only that", () => {
    const { report } = registry([
      { event: "SessionEnd", command: "true" },
      { event: "pre_tool_use", command: "true" },
      { event: "Stop", command: "true" },
    ]);
    expect(report.handlers).toBe(1);
    expect(report.warnings.map(({ code }) => code)).toEqual(["event-unknown", "event-unknown"]);
  });
  it("looks for the matcher in the context", async () => {
    const entries = [{ event: "PreToolUse", matcher: "ell", command: "exit 2" }];
    expect((await run(entries, "powershell")).decision.kind).toBe("deny");
    expect((await run(entries, "bash")).decision.kind).toBe("none");
  });
  it("looks for the matcher in the prompt", async () => {
    const entries = [{ event: "UserPromptSubmit", matcher: "secret", command: "exit 2" }];
    expect((await run(entries, "tell me the secret now", "UserPromptSubmit")).decision.kind).toBe("deny");
    expect((await run(entries, "hello", "UserPromptSubmit")).decision.kind).toBe("none");
  });
  it("joins warnings by a newline and trims stderr", async () => {
    const warn = (text: string) => ({ event: "PreToolUse", command: `echo '  ${text}  ' >&2; exit 1` });
    const outcome = await run([warn("first"), { event: "PreToolUse", command: "true" }, warn("second")]);
    expect(toBatutaDecision(outcome)).toEqual({ kind: "Warn", message: "first\nsecond" });
    expect(outcome.runs.map(({ status }) => status)).toEqual(["warned", "ok", "warned"]);
  });
  it("runs equal entries as often as they stand there", async () => {
    const outcome = await run([
      { event: "PreToolUse", command: "true" },
      { event: "PreToolUse", command: "true" },
    ]);
    expect(outcome.runs.map(({ status }) => status)).toEqual(["ok", "ok"]);
  });
  it("warns naming the command when it cannot be started", async () => {
    const missing = join(temporaryFolder(), "gone");
    const engine = makeEngine({
      projectDir: missing,
      env: { PATH: "/usr/bin:/bin" },
      sources: [source("batuta", { hooks: [{ event: "PreToolUse", command: "my-check" }] })],
    });
    const outcome = await engine.dispatch("PreToolUse", { tool_name: "x", tool_input: {} });
    expect(toBatutaDecision(outcome)).toMatchObject({
      kind: "Warn",
      message: expect.stringContaining("my-check"),
    });
    expect(codesOf(outcome)).toEqual(["spawn-failed"]);
  });
  it("runs through sh -c in the given directory", async () => {
    const projectDir = temporaryFolder();
    const cwd = temporaryFolder();
    const engine = registry([{ event: "PreToolUse", command: "pwd >&2; exit 3" }], projectDir);
    const outcome = await engine.dispatch("PreToolUse", { tool_name: "x", tool_input: {}, cwd });
    expect(toBatutaDecision(outcome)).toEqual({ kind: "Block", reason: cwd });
  });
  it("reports death by a signal as a failure that decides nothing", async () => {
    const outcome = await run([{ event: "PreToolUse", command: "kill -9 $$" }]);
    expect(toBatutaDecision(outcome)).toEqual({ kind: "Allow" });
    expect(codesOf(outcome)).toEqual(["signal"]);
    expect(outcome.runs).toMatchObject([{ status: "failed", signal: "SIGKILL" }]);
  });
  it("enforces the timeout, and can be told to close the gap", async () => {
    const entry = { event: "PreToolUse", command: "sleep 30", timeout_secs: 0.05 };
    expect((await run([entry])).decision.kind).toBe("none");
    const closed = await run([{ ...entry, onFailure: "closed" }]);
    expect(closed.decision).toMatchObject({ kind: "deny", reason: expect.stringContaining("timeout") });
    expect(codesOf(closed)).toEqual(["timeout", "fail-closed"]);
  });
  it("ignores stdout", async () => {
    expect(await run([{ event: "PreToolUse", command: `echo '{"decision":"block"}'` }])).toMatchObject({
      decision: { kind: "none" },
      context: [],
    });
  });
});
