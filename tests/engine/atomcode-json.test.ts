import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/engine/options.ts";
import { interpretAtomcode } from "../../src/engine/output/dialects.ts";
import {
  convert,
  describeEvent,
  type Effect,
  encodeEffect,
  type HookSource,
} from "../../src/exports/engine.ts";
import { interpretAtomcodeJson } from "../../src/handlers/atomcode-output.ts";
import { runs } from "../generated-inputs.ts";
import { codesOf, makeEngine, source, temporaryFolder } from "./fixture.ts";
import { rawResult, type Said, withoutDiagnostics } from "./output/reading.ts";

const entry = (event: string, more: Record<string, unknown> = {}) => ({ event, command: "true", ...more });
const guard = { hooks: { audit: entry("PreToolUse", { matcher: "bash|edit_file" }) } };

function interpret(event: string, said: Said): Effect {
  const options = { event: describeEvent(event), limits: DEFAULT_LIMITS };
  return withoutDiagnostics(interpretAtomcodeJson(rawResult(said), options).effect);
}

describe("atomcode-json: recognised by its shape", () => {
  const dialectOf = (data: unknown, more: Partial<HookSource> = {}) =>
    makeEngine({ sources: [source("atomcode", data, more)] }).list()[0]?.dialect;

  it.each<[string, unknown, string]>([
    [
      "alternatives in a matcher",
      { hooks: { a: entry("pre_tool_use", { matcher: "bash|edit_file" }) } },
      "atomcode-json",
    ],
    ["an event as Claude spells it", { hooks: { a: entry("PreToolUse") } }, "atomcode-json"],
    ["an event that only it has", { hooks: { a: entry("post_tool_use_failure") } }, "atomcode-json"],
    [
      "one such entry among others",
      { hooks: { a: entry("pre_tool_use"), b: entry("Stop") } },
      "atomcode-json",
    ],
    [
      "alternatives in a plugin's block",
      { hooks: { PreToolUse: [{ matcher: "bash|write*", hooks: [{ type: "command", command: "x" }] }] } },
      "atomcode-json",
    ],
    ["comments in the text", `// mine\n${JSON.stringify(guard)}`, "atomcode-json"],
    ["none of that", { hooks: { a: entry("pre_tool_use", { matcher: "edit_*" }) } }, "atomcode"],
    ["an event that only the older has", { hooks: { a: entry("Notification") } }, "atomcode"],
    ["tables", '[[hooks]]\nevent = "pre_tool_use"\ncommand = "x"\n', "atomcode"],
  ])("%s", (_, data, expected) => {
    expect(dialectOf(data)).toBe(expected);
  });

  it("by the name of its file", () => {
    const data = { hooks: { a: entry("pre_tool_use") } };
    expect(dialectOf(data, { path: "/srv/shop/.hooks.json" })).toBe("atomcode-json");
    expect(dialectOf(data, { path: "/home/x/.atomcode/hooks.json" })).toBe("atomcode");
  });

  it("where Claude's settings were expected, too", () => {
    const engine = makeEngine({ sources: [source("claude", guard)] });
    expect(engine.list()).toMatchObject([
      { dialect: "atomcode-json", event: "PreToolUse", timeoutMs: 10_000 },
    ]);
    expect(engine.report.errors).toEqual([]);
    const mixed = { hooks: { ...guard.hooks, Stop: [{ hooks: [{ type: "command", command: "x" }] }] } };
    const report = makeEngine({ sources: [source("claude", mixed)] }).report;
    expect([report.handlers, report.errors.map(({ code }) => code)]).toEqual([1, ["config-shape"]]);
  });

  it("has eight events in both spellings and no others", () => {
    const names =
      "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit SessionStart SessionEnd Stop StopFailure";
    const hooks = Object.fromEntries(names.split(" ").map(name => [name.toLowerCase(), entry(name)]));
    const engine = makeEngine({ sources: [source("atomcode", { hooks })] });
    expect(
      engine
        .list()
        .map(({ event }) => event)
        .toSorted(),
    ).toEqual(names.split(" ").toSorted());
    const odd = makeEngine({
      sources: [source("atomcode-json", { hooks: { a: entry("Notification"), b: entry("PreTool") } })],
    });
    expect(odd.report.warnings.map(({ code }) => code)).toEqual(["event-unknown", "event-unknown"]);
  });
});

describe("atomcode-json: matcher", () => {
  it.each<[string | undefined, string, boolean]>([
    [undefined, "x", true],
    ["", "x", true],
    ["*", "x", true],
    ["bash|edit_file", "edit_file", true],
    ["bash | edit_file", "bash", true],
    ["bash|edit_file", "bash_extra", false],
    ["write*", "write_file", true],
    ["*_file", "edit_file", true],
    ["*_file|bash", "grep", false],
    ["mcp__git*__get", "mcp__github__get", true],
    ["Edit.", "Edits", false],
  ])("%s against %s is %s", (matcher, subject, expected) => {
    const hooks = { a: entry("PreToolUse", matcher === undefined ? {} : { matcher }) };
    const engine = makeEngine({ sources: [source("atomcode-json", { hooks })] });
    expect(engine.has("PreToolUse", subject)).toBe(expected);
  });
});

describe("atomcode-json: what a hook says", () => {
  const deny = (reason?: string) => ({
    decision: { kind: "deny", ...(reason === undefined ? {} : { reason }) },
  });
  it.each<[string, string, Said, unknown]>([
    ["exit 2 with stderr", "PreToolUse", { code: 2, stderr: "no" }, deny("no")],
    ["exit 2 with a reason on stdout", "PreToolUse", { code: 2, stdout: "outside\n" }, deny("outside")],
    ["exit 2 without a word", "PreToolUse", { code: 2 }, deny()],
    ["exit 1", "PreToolUse", { code: 1 }, {}],
    ["an action", "PreToolUse", { stdout: '{"action":"block","reason":"no"}' }, deny("no")],
    [
      "an action at another code",
      "PreToolUse",
      { code: 3, stdout: '{"action":"block","reason":"no"}' },
      deny("no"),
    ],
    [
      "an action below log lines",
      "PreToolUse",
      { stdout: 'log\n{"action":"block","reason":"no"}\n' },
      deny("no"),
    ],
    [
      "a deny above a log line",
      "PreToolUse",
      { stdout: '{"decision":"block","reason":"no"}\nlog' },
      deny("no"),
    ],
    [
      "a change below log lines",
      "PreToolUse",
      { stdout: 'log\n{"action":"modify","args":{"command":"ls"}}' },
      { input: { command: "ls" } },
    ],
    ["a change that is none", "PreToolUse", { stdout: '{"action":"modify","args":"x"}' }, {}],
    ["an allow", "PreToolUse", { stdout: '{"action":"allow"}' }, { decision: { kind: "allow" } }],
    [
      "an allow beside a deny",
      "PreToolUse",
      { stdout: '{"action":"allow","hookSpecificOutput":{"permissionDecision":"deny"}}' },
      deny(),
    ],
    [
      "Claude's question",
      "PreToolUse",
      { stdout: '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}' },
      { decision: { kind: "ask", reason: "sure?" } },
    ],
    ["an unknown action", "PreToolUse", { stdout: '{"action":"blok"}' }, {}],
    ["text", "PreToolUse", { stdout: "hello" }, {}],
    ["a mistyped member", "PreToolUse", { stdout: '{"action":"allow","hookSpecificOutput":3}' }, {}],
    [
      "a new output",
      "PostToolUse",
      { stdout: '{"hookSpecificOutput":{"updatedToolOutput":"redacted"}}' },
      { output: "redacted" },
    ],
    ["a block after the tool", "PostToolUse", { stdout: '{"decision":"block","reason":"no"}' }, deny("no")],
    [
      "an action at the prompt",
      "UserPromptSubmit",
      { stdout: '{"action":"block","reason":"no"}' },
      deny("no"),
    ],
    ["allow at the prompt", "UserPromptSubmit", { stdout: '{"action":"allow"}' }, {}],
    ["text at the prompt", "UserPromptSubmit", { stdout: "more" }, { context: "more" }],
    ["text at the start", "SessionStart", { stdout: "hello" }, { context: "hello" }],
    ["exit 2 at the stop", "Stop", { code: 2, stderr: "go on" }, {}],
    ["anything at the end", "SessionEnd", { stdout: '{"decision":"block"}' }, {}],
  ])("%s", (_, event, said, expected) => {
    expect(interpret(event, said)).toEqual(expected);
  });

  it("a block survives an output that was cut", () => {
    const stdout = `${"x".repeat(5000)}\n{"action":"block","reason":"no"}\n`;
    expect(interpret("PreToolUse", { stdout, limits: { stdoutBytes: 100 } })).toEqual(deny("no"));
    const change = `${"x".repeat(5000)}\n{"action":"modify","args":{}}\n`;
    expect(interpret("PreToolUse", { stdout: change, limits: { stdoutBytes: 100 } })).toEqual({});
  });

  it("comes back as it was encoded, as far as AtomCode reads it", () => {
    const reason = fc.constantFrom("no", "keep it");
    const effects = fc.record(
      {
        decision: fc.record({ kind: fc.constantFrom("allow", "ask", "deny"), reason }),
        input: fc.constant({ command: "ls" }),
        output: fc.constant("text"),
        context: fc.constant("more"),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Effect>;
    const event = fc.constantFrom("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop");
    fc.assert(
      fc.property(event, effects, (name, effect) => {
        const { stdout, stderr, exitCode, lost } = encodeEffect("atomcode-json", describeEvent(name), effect);
        const kept = Object.entries(effect).filter(([member]) => !lost.some(one => one === member));
        expect(interpret(name, { stdout, stderr, code: exitCode })).toEqual(Object.fromEntries(kept));
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("atomcode: a guard of the present form in a file that looks like the older one", () => {
  const refuse = (said: Said, event = "PreToolUse") => {
    const options = { event: describeEvent(event), limits: DEFAULT_LIMITS, promptNonZero: "warn" as const };
    return withoutDiagnostics(interpretAtomcode(rawResult(said), options).effect);
  };
  it.each<[string, Said, string, unknown]>([
    ["exit 2", { code: 2, stderr: "no" }, "PreToolUse", { decision: { kind: "deny", reason: "no" } }],
    [
      "exit 2 at the prompt",
      { code: 2, stderr: "no" },
      "UserPromptSubmit",
      { decision: { kind: "deny", reason: "no" } },
    ],
    [
      "Claude's deny",
      { stdout: '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}' },
      "PreToolUse",
      { decision: { kind: "deny", reason: "no" } },
    ],
    ["Claude's allow", { stdout: '{"hookSpecificOutput":{"permissionDecision":"allow"}}' }, "PreToolUse", {}],
    ["a silent exit 2", { code: 2 }, "PreToolUse", {}],
    ["exit 2 after a tool", { code: 2, stderr: "no" }, "PostToolUse", {}],
  ])("%s", (_, said, event, expected) => {
    expect(refuse(said, event)).toEqual(expected);
  });
});

describe("atomcode-json: running", () => {
  it("stops what its guard refuses, with the payload that AtomCode sends", async () => {
    const projectDir = temporaryFolder();
    const script = `#!/bin/sh\ncat > payload\nprintf '%s|%s' "$ATOMCODE_PROJECT_DIR" "$ATOMCODE_HOOK_EVENT" > env\necho "not here" >&2\nexit 2\n`;
    writeFileSync(join(projectDir, "guard.sh"), script, { mode: 0o755 });
    const hooks = {
      b: { event: "PreToolUse", matcher: "bash|edit_file", command: "./guard.sh" },
      c: { event: "PreToolUse", command: "touch after" },
    };
    const engine = makeEngine({ projectDir, sources: [source("atomcode", JSON.stringify({ hooks }))] });
    const outcome = await engine.dispatch("PreToolUse", {
      session_id: "s-1",
      tool_name: "edit_file",
      tool_input: { file_path: "a.ts" },
      tool_use_id: "c-7",
    });
    expect(outcome.decision).toMatchObject({ kind: "deny", reason: "not here" });
    expect(outcome.runs.map(({ status }) => status)).toEqual(["blocked", "skipped"]);
    expect(JSON.parse(readFileSync(join(projectDir, "payload"), "utf8"))).toMatchObject({
      session_id: "s-1",
      hook_event_name: "PreToolUse",
      call_id: "c-7",
      tool_name: "edit_file",
      tool_input: { file_path: "a.ts" },
      cwd: projectDir,
      tool_args: { file_path: "a.ts" },
    });
    expect(readFileSync(join(projectDir, "env"), "utf8")).toBe(`${projectDir}|pre_tool_use`);
  });

  it("gives the result as text, and says after a failure that it was none", async () => {
    const projectDir = temporaryFolder();
    const hooks = { a: entry("PostToolUseFailure", { command: "cat > payload" }) };
    const engine = makeEngine({ projectDir, sources: [source("atomcode", { hooks })] });
    await engine.dispatch("PostToolUseFailure", {
      tool_name: "bash",
      tool_input: {},
      tool_response: { code: 1 },
    });
    expect(JSON.parse(readFileSync(join(projectDir, "payload"), "utf8"))).toMatchObject({
      tool_response: '{"code":1}',
      tool_success: false,
      call_id: null,
    });
  });

  it("adds a project's entries to the user's, sorted by name, and replaces none", () => {
    const of = (...names: string[]) => ({
      hooks: Object.fromEntries(names.map(name => [name, entry("Stop", { command: name })])),
    });
    const sources = [source("atomcode", of("same", "a"), { kind: "user" }), source("atomcode", of("same"))];
    const engine = makeEngine({ sources });
    expect(engine.list().map(({ summary }) => summary)).toEqual(["a", "same", "same"]);
  });

  it("fails by the failure policy", async () => {
    const hooks = { a: entry("PreToolUse", { command: "exit 7", onFailure: "closed" }) };
    const engine = makeEngine({ sources: [source("atomcode", { hooks })] });
    const outcome = await engine.dispatch("PreToolUse", { tool_name: "bash", tool_input: {} });
    expect([outcome.decision.kind, codesOf(outcome)]).toEqual(["deny", ["exit-nonblocking", "fail-closed"]]);
  });
});

describe("atomcode-json: converting", () => {
  it("to Claude's settings and back", () => {
    const data = {
      hooks: {
        "PreToolUse-001": { event: "PreToolUse", matcher: "bash|edit_file", command: "x", timeout_ms: 5000 },
        "Stop-002": { event: "Stop", command: "y", timeout_ms: 10_000 },
      },
    };
    const there = convert("atomcode", "claude", data);
    expect(there).toEqual({
      data: {
        hooks: {
          PreToolUse: [{ matcher: "bash|edit_file", hooks: [{ type: "command", command: "x", timeout: 5 }] }],
          Stop: [{ hooks: [{ type: "command", command: "y", timeout: 10 }] }],
        },
      },
      problems: [],
    });
    expect(convert("claude", "atomcode-json", there.data)).toEqual({ data, problems: [] });
  });

  it.each<[string, string | undefined]>([
    ["write*", "^write.*"],
    ["*_file", "^(?:.*_file)$"],
    ["a*b|c.d", "^(?:a.*b|c\\.d)$"],
    ["", undefined],
  ])("matcher %s", (matcher, expected) => {
    const { data } = convert("atomcode-json", "claude", { hooks: { a: entry("PreToolUse", { matcher }) } });
    expect(data).toMatchObject({ hooks: { PreToolUse: [{}] } });
    expect(JSON.parse(JSON.stringify(data)).hooks.PreToolUse[0].matcher).toBe(expected);
  });

  it.each<[string, string | undefined]>([
    ["^edit.*", "edit*"],
    [".*edit.*", "*edit*"],
    ["^a b$|x", undefined],
    ["^a\\*$", undefined],
  ])("Claude's matcher %s", (matcher, expected) => {
    const settings = { hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command: "x" }] }] } };
    const { data, problems } = convert("claude", "atomcode-json", settings);
    const [one] = Object.values(data["hooks"] as Record<string, { matcher?: string }>);
    expect(one?.matcher).toBe(expected);
    expect(problems.map(({ code }) => code)).toEqual(expected === undefined ? ["handler-unsupported"] : []);
  });
});
