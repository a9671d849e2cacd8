import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/engine/options.ts";
import { interpretAtomcode } from "../../src/engine/output/dialects.ts";
import { atomcodeContext, atomcodePrompt } from "../../src/engine/run/command.ts";
import { ATOMCODE_EVENTS, findAtomcodeEvent } from "../../src/engine/source/atomcode.ts";
import {
  convert,
  describeEvent,
  type EngineOptions,
  encodeEffect,
  type Outcome,
  toAtomcodePromptResult,
  toAtomcodeToolResult,
} from "../../src/exports/engine.ts";
import { codesOf, makeEngine, source, temporaryFolder } from "./fixture.ts";
import { rawResult } from "./output/reading.ts";

type Entries = Record<string, Record<string, unknown>>;
type More = Partial<EngineOptions<Record<never, never>>>;

async function tool(entries: Entries, more: More = {}, name = "bash"): Promise<Outcome> {
  const engine = makeEngine({ ...more, sources: [source("atomcode", { hooks: entries })] });
  return engine.dispatch("PreToolUse", {
    session_id: "abc-123",
    tool_name: name,
    tool_input: { command: "ls" },
  });
}
const preTool = (command: string, more: Record<string, unknown> = {}) => ({
  event: "pre_tool_use",
  command,
  ...more,
});
const say = (answer: unknown) => preTool(`echo '${JSON.stringify(answer)}'`);

async function prompt(commands: readonly string[], more: More = {}, timeoutMs = 10_000): Promise<Outcome> {
  const hooks = Object.fromEntries(
    commands.map((command, index) => [
      `h${index}`,
      { event: "user_prompt_submit", command, timeout_ms: timeoutMs },
    ]),
  );
  const engine = makeEngine({ ...more, sources: [source("atomcode", { hooks })] });
  return engine.dispatch("UserPromptSubmit", { session_id: "s-42", prompt: "ping-payload" });
}

function interpretTool(stdout: string) {
  const reading = {
    event: describeEvent("PreToolUse"),
    limits: DEFAULT_LIMITS,
    promptNonZero: "warn" as const,
  };
  return interpretAtomcode(rawResult({ stdout }), reading).effect;
}

describe("atomcode: pinned by the tests in its document", () => {
  it("hook_event_serializes_to_snake_case", () => {
    expect(ATOMCODE_EVENTS).toMatchObject({
      PreToolUse: "pre_tool_use",
      PostToolUse: "post_tool_use",
      SessionStart: "session_start",
      SessionEnd: "session_end",
      Notification: "notification",
    });
  });
  it("hook_event_deserializes_from_snake_case", () => {
    expect(findAtomcodeEvent("pre_tool_use")).toBe("PreToolUse");
    expect(findAtomcodeEvent("post_tool_use")).toBe("PostToolUse");
  });
  it("hook_config_roundtrip_json", () => {
    const entry = { event: "pre_tool_use", matcher: "bash", command: "echo ok", timeout_ms: 5000 };
    const { data, problems } = convert("atomcode", "atomcode", { hooks: { check: entry } });
    expect(problems).toEqual([]);
    expect(data).toEqual({ hooks: { check: entry } });
    expect(JSON.stringify(data)).not.toContain("plugin_root");
    const [listing] = makeEngine({ sources: [source("atomcode", JSON.stringify(data))] }).list();
    expect(listing).toMatchObject({
      event: "PreToolUse",
      matcher: "bash",
      summary: "echo ok",
      timeoutMs: 5000,
    });
  });
  it("hook_config_timeout_defaults_to_10000", () => {
    const data = '{"event":"session_start","command":"notify-send hello"}';
    const [listing] = makeEngine({ sources: [source("atomcode", data)] }).list();
    expect(listing).toMatchObject({ event: "SessionStart", timeoutMs: 10_000 });
    expect(listing).not.toHaveProperty("matcher");
  });
  it("hook_config_roundtrip_toml", () => {
    const data = 'event = "pre_tool_use"\nmatcher = "write"\ncommand = "check-write.sh"\ntimeout_ms = 3000\n';
    const [listing] = makeEngine({ sources: [source("atomcode", data)] }).list();
    expect(listing).toMatchObject({ event: "PreToolUse", matcher: "write", timeoutMs: 3000 });
    const again = stringify(convert("atomcode", "atomcode", data).data);
    expect(makeEngine({ sources: [source("atomcode", again)] }).list()[0]?.identity).toBe(listing?.identity);
  });
  it("pre_hook_result_allow_roundtrip", () => {
    const { stdout } = encodeEffect("atomcode", describeEvent("PreToolUse"), {});
    expect(stdout).toBe('{"action":"allow"}');
    expect(interpretTool(stdout)).toEqual({});
  });
  it("pre_hook_result_block_roundtrip", () => {
    const effect = { decision: { kind: "deny", reason: "unsafe" } } as const;
    const { stdout } = encodeEffect("atomcode", describeEvent("PreToolUse"), effect);
    expect(stdout).toBe('{"action":"block","reason":"unsafe"}');
    expect(interpretTool(stdout)).toEqual(effect);
  });
  it("pre_hook_result_modify_roundtrip", () => {
    const effect = { input: { path: "/safe/dir", content: "ok" } };
    const { stdout } = encodeEffect("atomcode", describeEvent("PreToolUse"), effect);
    expect(stdout).toBe('{"action":"modify","args":{"path":"/safe/dir","content":"ok"}}');
    expect(interpretTool(stdout)).toEqual(effect);
  });
  it("hook_context_full_roundtrip", () => {
    const payload = {
      tool_name: "bash",
      tool_input: { command: "ls" },
      session_id: "abc-123",
      cwd: "/home/user/project",
    };
    const context = atomcodeContext(describeEvent("PreToolUse"), payload, "/elsewhere");
    expect(JSON.parse(JSON.stringify(context))).toEqual({
      event: "pre_tool_use",
      tool_name: "bash",
      tool_args: { command: "ls" },
      tool_result: null,
      tool_success: null,
      session_id: "abc-123",
      working_dir: "/home/user/project",
    });
  });
  it("hook_context_post_tool_use", () => {
    const payload = { tool_name: "write", tool_response: "file written", session_id: "xyz-789", cwd: "/tmp" };
    const json = JSON.stringify(atomcodeContext(describeEvent("PostToolUse"), payload, "/elsewhere"));
    expect(json).toContain('"tool_success":true');
    expect(json).toContain('"tool_result":"file written"');
    expect(JSON.parse(json)).toMatchObject({
      event: "post_tool_use",
      tool_name: "write",
      tool_args: null,
      working_dir: "/tmp",
    });
  });
  it("hook_context_minimal_session_event", () => {
    const context = atomcodeContext(
      describeEvent("SessionStart"),
      { session_id: "s1", cwd: "/home" },
      "/elsewhere",
    );
    expect(JSON.stringify(context)).toBe(
      '{"event":"session_start","tool_name":null,"tool_args":null,"tool_result":null,"tool_success":null,"session_id":"s1","working_dir":"/home"}',
    );
  });
  it("gives a prompt hook exactly its four members", () => {
    const payload = { session_id: "s", prompt: "p", cwd: "/c", transcript_path: "/t", extra: 1 };
    expect(atomcodePrompt(payload, "/e")).toEqual({
      session_id: "s",
      hook_event_name: "UserPromptSubmit",
      prompt: "p",
      cwd: "/c",
    });
  });
});

describe("atomcode: no hooks", () => {
  it("allows a tool and lets a prompt go on", async () => {
    expect(toAtomcodeToolResult(await tool({}))).toEqual({ action: "allow" });
    expect(toAtomcodePromptResult(await prompt([]))).toEqual({ kind: "Continue" });
  });
});

describe("atomcode: output before a tool", () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ["allow", say({ action: "allow" }), { action: "allow" }],
    ["block", say({ action: "block", reason: "dangerous" }), { action: "block", reason: "dangerous" }],
    [
      "modify",
      say({ action: "modify", args: { command: "ls -la" } }),
      { action: "modify", args: { command: "ls -la" } },
    ],
    ["text", preTool("echo not json at all"), { action: "allow" }],
    ["nothing", preTool("true"), { action: "allow" }],
  ])("%s", async (_, entry, expected) => {
    expect(toAtomcodeToolResult(await tool({ only: entry }))).toEqual(expected);
  });
  it("a block without a reason blocks, and says that the reason is missing", async () => {
    const outcome = await tool({ only: say({ action: "block" }) });
    expect(outcome.decision.kind).toBe("deny");
    expect(codesOf(outcome)).toContain("reason-missing");
  });
  it("modify without an object changes nothing", async () => {
    const outcome = await tool({ only: say({ action: "modify", args: "x" }) });
    expect(toAtomcodeToolResult(outcome)).toEqual({ action: "allow" });
    expect(codesOf(outcome)).toEqual(["field-type"]);
  });
});

describe("atomcode: output that is not UTF-8", () => {
  it("changes no input and still blocks", async () => {
    const bytes = (json: string) => preTool(`printf '${json.replace("?", "\\377")}'`);
    const modify = await tool({ only: bytes('{"action":"modify","args":{"a":"?"}}') });
    expect(modify).not.toHaveProperty("input");
    expect(codesOf(modify)).toEqual(["output-invalid-utf8", "noise-privilege-dropped"]);
    const block = await tool({ only: bytes('{"action":"block","reason":"?"}') });
    expect(block.decision.kind).toBe("deny");
  });
});

describe("atomcode: several hooks", () => {
  const modify = (value: string) => say({ action: "modify", args: { value } });
  it("a change survives a later allow", async () => {
    expect(toAtomcodeToolResult(await tool({ a: modify("first"), b: say({ action: "allow" }) }))).toEqual({
      action: "modify",
      args: { value: "first" },
    });
  });
  it("the last change in name order counts", async () => {
    expect(toAtomcodeToolResult(await tool({ b: modify("second"), a: modify("first") }))).toEqual({
      action: "modify",
      args: { value: "second" },
    });
  });
  it("the first block ends the lane", async () => {
    const projectDir = temporaryFolder();
    const outcome = await tool(
      {
        a: say({ action: "allow" }),
        b: say({ action: "block", reason: "second blocks" }),
        c: preTool("touch third"),
      },
      { projectDir },
    );
    expect(toAtomcodeToolResult(outcome)).toEqual({ action: "block", reason: "second blocks" });
    expect(existsSync(join(projectDir, "third"))).toBe(false);
    expect(outcome.runs.map(({ status }) => status)).toEqual(["ok", "blocked", "skipped"]);
  });
});

describe("atomcode: failures allow", () => {
  it("a timeout", async () => {
    const outcome = await tool({ only: preTool("sleep 10", { timeout_ms: 100 }) });
    expect(toAtomcodeToolResult(outcome)).toEqual({ action: "allow" });
    expect(codesOf(outcome)).toEqual(["timeout"]);
  });
  it("a non-zero exit, whatever was printed", async () => {
    const outcome = await tool({ only: preTool(`echo '{"action":"block","reason":"x"}'; exit 1`) });
    expect(toAtomcodeToolResult(outcome)).toEqual({ action: "allow" });
    expect(codesOf(outcome)).toEqual(["exit-nonblocking"]);
  });
  it("unless told otherwise", async () => {
    expect((await tool({ only: preTool("exit 1", { onFailure: "closed" }) })).decision.kind).toBe("deny");
  });
});

describe("atomcode: at the prompt", () => {
  const block = (reason: string) => `echo '{"decision":"block","reason":"${reason}"}'`;
  it.each<[string, readonly string[], unknown]>([
    ["text is injected", ["echo extra-info"], { kind: "Inject", text: "extra-info" }],
    [
      "several texts",
      ["echo first", "echo second", "echo third"],
      { kind: "Inject", text: "first\n\nsecond\n\nthird" },
    ],
    ["blanks say nothing", ["printf '  \\n '"], { kind: "Continue" }],
    ["an empty object says nothing", ["echo '{}'"], { kind: "Continue" }],
    ["allow says nothing", [`echo '{"decision":"allow"}'`], { kind: "Continue" }],
    [
      "allow with context",
      [`echo '{"decision":"allow","hookSpecificOutput":{"additionalContext":"extra"}}'`],
      { kind: "Inject", text: "extra" },
    ],
    [
      "context alone",
      [`echo '{"hookSpecificOutput":{"additionalContext":"ctx-bag"}}'`],
      { kind: "Inject", text: "ctx-bag" },
    ],
    ["a block", [block("nope")], { kind: "Block", reason: "nope" }],
    [
      "a block without a reason",
      [`echo '{"decision":"block"}'`],
      { kind: "Block", reason: "user prompt blocked by hook" },
    ],
    [
      "a block below debug lines",
      [`echo debug1; echo debug2; ${block("final")}`],
      { kind: "Block", reason: "final" },
    ],
    ["a block after an injection", ["echo text", block("stop")], { kind: "Block", reason: "stop" }],
    ["the first of two blocks", [block("one"), block("two")], { kind: "Block", reason: "one" }],
    ["a block at any exit code", [`${block("x")}; exit 3`], { kind: "Block", reason: "x" }],
  ])("%s", async (_, commands, expected) => {
    expect(toAtomcodePromptResult(await prompt(commands))).toEqual(expected);
  });
  it("a block line followed by a log line is injected whole, and said to be noise", async () => {
    const outcome = await prompt([`${block("x")}; echo log`]);
    expect(toAtomcodePromptResult(outcome)).toEqual({
      kind: "Inject",
      text: '{"decision":"block","reason":"x"}\nlog',
    });
    expect(codesOf(outcome)).toEqual(["output-noise"]);
  });
  it("a non-zero exit warns with stderr", async () => {
    const outcome = await prompt(["echo bad >&2; echo out; exit 1"]);
    expect(toAtomcodePromptResult(outcome)).toEqual({ kind: "Continue" });
    expect(outcome.messages).toMatchObject([{ text: "bad", level: "warn" }]);
  });
  it("a silent non-zero exit warns all the same", async () => {
    expect((await prompt(["exit 1"])).messages).toMatchObject([{ text: "hook exited with error" }]);
  });
  it("the older rule blocks on a non-zero exit", async () => {
    const older = { dialects: { atomcode: { promptNonZero: "block" } } } as const;
    expect(toAtomcodePromptResult(await prompt(["echo bad >&2; exit 1"], older))).toEqual({
      kind: "Block",
      reason: "bad",
    });
  });
  const readStdin = (expression: string) =>
    `node -e 'const p = JSON.parse(require("fs").readFileSync(0, "utf8")); console.log(${expression})'`;
  it("reads the prompt on stdin", async () => {
    expect(toAtomcodePromptResult(await prompt([readStdin("p.prompt")]))).toEqual({
      kind: "Inject",
      text: "ping-payload",
    });
  });
  it("reads the session id and the whole prompt on stdin", async () => {
    const hooks = {
      a: { event: "user_prompt_submit", command: readStdin("p.session_id, p.prompt.length") },
    };
    const engine = makeEngine({ sources: [source("atomcode", { hooks })] });
    const outcome = await engine.dispatch("UserPromptSubmit", { session_id: "s-42", prompt: "hello world" });
    expect(toAtomcodePromptResult(outcome)).toEqual({ kind: "Inject", text: "s-42 11" });
  });
  it("goes on after a timeout", async () => {
    expect(toAtomcodePromptResult(await prompt(["sleep 3600"], {}, 50))).toEqual({ kind: "Continue" });
  });
});

describe("atomcode: after a tool and in sessions", () => {
  it("all hooks fire, a crash stops none, and a matcher filters", async () => {
    const projectDir = temporaryFolder();
    const entry = (command: string, matcher?: string) => ({
      event: "post_tool_use",
      command,
      ...(matcher === undefined ? {} : { matcher }),
    });
    const hooks = {
      a: entry("touch a"),
      b: entry("exit 7"),
      c: entry("touch c"),
      d: entry("touch d", "grep"),
    };
    const engine = makeEngine({ projectDir, sources: [source("atomcode", { hooks })] });
    const outcome = await engine.dispatch("PostToolUse", {
      tool_name: "bash",
      tool_input: {},
      tool_response: "ok",
    });
    expect(outcome.decision).toEqual({ kind: "none" });
    expect(["a", "c", "d"].map(name => existsSync(join(projectDir, name)))).toEqual([true, true, false]);
  });
  it("session events ignore the tool matcher and survive crashes and timeouts", async () => {
    const projectDir = temporaryFolder();
    const entry = (command: string, timeout_ms = 5000) => ({
      event: "session_start",
      matcher: "bash",
      command,
      timeout_ms,
    });
    const hooks = { a: entry("touch a"), b: entry("exit 1"), c: entry("sleep 60", 50), d: entry("touch d") };
    const engine = makeEngine({ projectDir, sources: [source("atomcode", { hooks })] });
    const outcome = await engine.dispatch("SessionStart", { source: "startup" });
    expect(outcome.decision).toEqual({ kind: "none" });
    expect(["a", "d"].map(name => existsSync(join(projectDir, name)))).toEqual([true, true]);
  });
  it("what they say has no effect", async () => {
    const hooks = { a: { event: "post_tool_use", command: `echo '{"action":"block","reason":"x"}'` } };
    const engine = makeEngine({ sources: [source("atomcode", { hooks })] });
    const outcome = await engine.dispatch("PostToolUse", { tool_name: "bash", tool_input: {} });
    expect(outcome).toMatchObject({ decision: { kind: "none" }, context: [] });
  });
});

describe("atomcode: environment", () => {
  const print =
    'printf "%s|%s|%s|%s|%s" "$ATOMCODE_HOOK_EVENT" "${ATOMCODE_TOOL_NAME-unset}" "${#ATOMCODE_HOOK_CONTEXT}" "$CLAUDE_PLUGIN_ROOT" "$ATOMCODE_PLUGIN_ROOT" > env';
  async function environment(event: string, dispatched: string, more: Record<string, unknown> = {}) {
    const projectDir = temporaryFolder();
    const engine = makeEngine({
      projectDir,
      sources: [source("atomcode", { hooks: { a: { event, command: print } } }, more)],
    });
    await engine.dispatch(dispatched, {
      tool_name: "bash",
      tool_input: { command: "ls" },
      source: "startup",
    });
    const [name, tool_, length, claudeRoot, atomRoot] = readFileSync(join(projectDir, "env"), "utf8").split(
      "|",
    );
    return { name, tool: tool_, length: Number(length), claudeRoot, atomRoot };
  }
  it("names the event and the tool and carries the context", async () => {
    const env = await environment("pre_tool_use", "PreToolUse");
    expect(env).toMatchObject({ name: "pre_tool_use", tool: "bash" });
    expect(env.length).toBeGreaterThan(20);
  });
  it("has no tool name without a tool", async () => {
    expect((await environment("session_start", "SessionStart")).tool).toBe("unset");
  });
  it("exports the plugin root under both names, also with a blank in it", async () => {
    expect(await environment("pre_tool_use", "PreToolUse", { pluginRoot: "/opt/p" })).toMatchObject({
      claudeRoot: "/opt/p",
      atomRoot: "/opt/p",
    });
    expect((await environment("pre_tool_use", "PreToolUse", { pluginRoot: "/opt/my plugin" })).atomRoot).toBe(
      "/opt/my plugin",
    );
  });
  it("leaves out a context that no variable could hold, and has it on stdin", async () => {
    const projectDir = temporaryFolder();
    const entry = {
      event: "pre_tool_use",
      command: `[ -z "\${ATOMCODE_HOOK_CONTEXT+x}" ] && node -e 'const c = JSON.parse(require("fs").readFileSync(0, "utf8")); console.log(JSON.stringify({ action: "block", reason: String(c.tool_args.text.length) }))'`,
    };
    const engine = makeEngine({ projectDir, sources: [source("atomcode", { hooks: { a: entry } })] });
    const outcome = await engine.dispatch("PreToolUse", {
      tool_name: "write",
      tool_input: { text: "x".repeat(300_000) },
    });
    expect(outcome.decision).toMatchObject({ kind: "deny", reason: "300000" });
    expect(codesOf(outcome)).toEqual(["env-context-omitted"]);
  });
});

describe("atomcode: matcher", () => {
  const matches = (matcher: string | undefined, subject: string) => {
    const entry = { event: "pre_tool_use", command: "true", ...(matcher === undefined ? {} : { matcher }) };
    return makeEngine({ sources: [source("atomcode", { hooks: { a: entry } })] }).has("PreToolUse", subject);
  };
  it.each<[string | undefined, string, boolean]>([
    [undefined, "anything", true],
    ["*", "anything", true],
    ["bash", "bash", true],
    ["bash", "grep", false],
    ["bash", "bash_extra", false],
    ["edit_*", "edit_file", true],
    ["edit_*", "edit_config", true],
    ["edit_*", "edit", false],
    ["edit_*", "write_file", false],
    ["", "", true],
    ["", "bash", false],
    ["foo*bar", "foo*bar", true],
    ["foo*bar", "fooxbar", false],
  ])("%s against %s is %s", (matcher, subject, expected) => {
    expect(matches(matcher, subject)).toBe(expected);
  });
});

describe("atomcode: loader", () => {
  const list = (data: unknown, more = {}) => makeEngine({ sources: [source("atomcode", data, more)] }).list();
  it("single and multiple entries, default and own timeouts", () => {
    expect(list({ hooks: { a: preTool("x") } })).toMatchObject([{ timeoutMs: 10_000 }]);
    expect(
      list({ hooks: { a: preTool("x", { timeout_ms: 500 }), b: preTool("y") } }).map(
        ({ timeoutMs }) => timeoutMs,
      ),
    ).toEqual([500, 10_000]);
  });
  it("skips a disabled entry", () => {
    const engine = makeEngine({
      sources: [source("atomcode", { hooks: { a: preTool("x", { disabled: true }), b: preTool("y") } })],
    });
    expect(engine.report.handlers).toBe(1);
    expect(engine.list().map(({ enabled }) => enabled)).toEqual([false, true]);
  });
  it.each([undefined, null, "", '{"hooks":{}}', { hooks: {} }])("nothing comes of %j", data => {
    expect(makeEngine({ sources: [source("atomcode", data)] }).report).toEqual({
      handlers: 0,
      errors: [],
      warnings: [],
    });
  });
  it("a project entry replaces the global one of its name, others survive", () => {
    const engine = makeEngine({
      sources: [
        source("atomcode", { hooks: { same: preTool("global"), other: preTool("kept") } }, { kind: "user" }),
        source("atomcode", { hooks: { same: preTool("project") } }),
      ],
    });
    expect(
      engine
        .list()
        .map(({ summary }) => summary)
        .toSorted(),
    ).toEqual(["kept", "project"]);
  });
  it("a project can switch a global entry off by its name", () => {
    const engine = makeEngine({
      sources: [
        source("atomcode", { hooks: { same: preTool("global") } }, { kind: "user" }),
        source("atomcode", { hooks: { same: preTool("global", { disabled: true }) } }),
      ],
    });
    expect(engine.has("PreToolUse", "bash")).toBe(false);
  });
  it("snake and Pascal names, and no others", () => {
    expect(
      list({
        hooks: { a: { event: "pre_tool_use", command: "x" }, b: { event: "PostToolUse", command: "y" } },
      }).map(({ event }) => event),
    ).toEqual(["PreToolUse", "PostToolUse"]);
    const engine = makeEngine({
      sources: [source("atomcode", { hooks: { a: { event: "pre_tool", command: "x" } } })],
    });
    expect(engine.report).toMatchObject({ handlers: 0, warnings: [{ code: "event-unknown" }] });
  });
  it("text that is no JSON is an error", () => {
    expect(makeEngine({ sources: [source("atomcode", "not valid json")] }).report.errors).toMatchObject([
      { code: "config-malformed" },
    ]);
  });
  it("Claude-style blocks count in seconds; unsupported events and kinds are left out", () => {
    const data = {
      hooks: {
        PreToolUse: [
          {
            matcher: "bash",
            hooks: [
              { type: "command", command: "x", timeout: 5 },
              { type: "prompt", prompt: "?" },
            ],
          },
        ],
        Stop: [{ hooks: [{ type: "command", command: "y" }] }],
      },
    };
    const engine = makeEngine({ sources: [source("atomcode", data)] });
    expect(engine.list()).toMatchObject([{ event: "PreToolUse", matcher: "bash", timeoutMs: 5000 }]);
    expect(engine.report.warnings.map(({ code }) => code)).toEqual(["handler-unsupported", "event-unknown"]);
  });
  it("prefixes plugin entries and keeps their command as it is written", () => {
    const command = "${CLAUDE_PLUGIN_ROOT}/check.sh";
    const [listing] = list(
      { hooks: { gate: preTool(command) } },
      { kind: "plugin", pluginId: "tools", pluginRoot: "/opt/p" },
    );
    expect(listing?.id).toContain("tools:gate");
    expect(listing?.summary).toBe(command);
  });
});
