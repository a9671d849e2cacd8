import { describe, expect, it } from "vitest";
import { HOST_IDS, type HostId, recognise, resolveHost } from "../../src/exports/hosts.ts";
import type { JsonObject } from "../../src/protocol/index.ts";
import { fakeEnvironment } from "./fake-environment.ts";

const ISO = "2026-11-15T03:28:51.368Z";
const plain = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} };

describe("who is calling", () => {
  it.each<readonly [HostId, JsonObject]>([
    ["cursor", { cursor_version: "3.12" }],
    ["cline", { clineVersion: "4" }],
    ["windsurf", { agent_action_name: "pre_run_command" }],
    ["antigravity", { toolCall: { name: "x" }, conversationId: "c" }],
    ["goose", { event: "PreToolUse", matcher_context: "x" }],
    ["augment", { conversation_id: "c", workspace_roots: ["/x"] }],
    ["copilot-cli", { sessionId: "s", timestamp: 1794713316552 }],
    ["copilot-cli", { toolName: "bash", toolArgs: "{}" }],
    ["gemini-cli", { hook_event_name: "BeforeAgent", timestamp: ISO }],
    ["codex", { turn_id: "t", model: "gpt", hook_event_name: "Stop" }],
    ["vscode-copilot", { ...plain, timestamp: ISO, tool_use_id: "1" }],
    ["vscode-copilot", { hook_event_name: "PostToolUse", timestamp: ISO, tool_response: "text" }],
    ["vscode-copilot", { hook_event_name: "UserPromptSubmit", timestamp: ISO }],
    ["copilot-cli", { ...plain, timestamp: ISO }],
    ["copilot-cli", { hook_event_name: "Stop", timestamp: ISO, stop_reason: "end_turn" }],
    ["claude-code", { ...plain, timestamp: ISO, permission_mode: "default" }],
    ["claude-code", plain],
    ["claude-code", {}],
  ])("%s sends %j", (host, payload) => {
    expect(recognise(payload, fakeEnvironment())).toBe(host);
  });

  it.each<readonly [HostId, Readonly<Record<string, string>>]>([
    ["cursor", { CURSOR_VERSION: "3" }],
    ["copilot-cli", { COPILOT_CLI: "1" }],
    ["devin", { DEVIN_PROJECT_DIR: "/p" }],
    ["atomcode", { ATOMCODE_HOOK_EVENT: "pre_tool_use" }],
    ["atomcode", { ATOMCODE_PROJECT_DIR: "/srv/shop" }],
    ["augment", { AUGMENT_PROJECT_DIR: "/p" }],
    ["amplifier-shell", { AMPLIFIER_PROJECT_DIR: "/p" }],
    ["qwen-code", { QWEN_PROJECT_DIR: "/p", GEMINI_PROJECT_DIR: "/p" }],
    ["gemini-cli", { GEMINI_SESSION_ID: "s" }],
    ["factory-droid", { FACTORY_PROJECT_DIR: "/p" }],
    ["opencode", { OPENCODE: "1" }],
    ["pi", { PI_CODING_AGENT: "true" }],
    ["claude-code", { CLAUDECODE: "1" }],
    ["copilot-cli", { CLAUDECODE: "1", COPILOT_CLI: "1" }],
    ["claude-code", { CLAUDE_PROJECT_DIR: "/p" }],
    ["claude-code", { COPILOT_CLI: "" }],
  ])("%s is told by the environment %j when the payload does not tell", (host, env) => {
    expect(recognise(plain, fakeEnvironment(env))).toBe(host);
    expect(recognise(undefined, fakeEnvironment(env))).toBe(host);
  });

  it.each([
    ["SessionEnd", "copilot-cli"],
    ["PostToolUseFailure", "copilot-cli"],
    ["Notification", "copilot-cli"],
    ["UserPromptSubmit", "vscode-copilot"],
    ["SubagentStart", "vscode-copilot"],
  ])(
    "takes %s with a time in text for one of %s, which alone has it or cannot be told apart",
    (event, host) => {
      expect(recognise({ hook_event_name: event, timestamp: ISO }, fakeEnvironment({}))).toBe(host);
    },
  );

  it("believes the command line before the payload, and the payload before the environment", () => {
    const env = fakeEnvironment({ COPILOT_CLI: "1" });
    expect(recognise({ cursor_version: "3" }, env)).toBe("cursor");
    expect(recognise({ cursor_version: "3" }, env, "kiro")).toBe("kiro");
  });

  it("knows an agent that another agent started by its transcript", () => {
    const inherited = fakeEnvironment({ PI_CODING_AGENT: "true", GEMINI_SESSION_ID: "s" });
    const claude = { ...plain, transcript_path: "/home/x/.claude/projects/p/s.jsonl" };
    expect(recognise(claude, inherited)).toBe("claude-code");
    const gemini = { hook_event_name: "SessionStart", timestamp: ISO, transcript_path: "/h/.gemini/tmp/a/s" };
    expect(recognise(gemini, fakeEnvironment({ CLAUDECODE: "1" }))).toBe("gemini-cli");
  });
});

describe("names of hosts", () => {
  it("are the ids themselves, except that amplifier means its bridge", () => {
    for (const id of HOST_IDS) expect(resolveHost(id)).toBe(id === "amplifier" ? "amplifier-shell" : id);
  });

  it.each([
    ["claude", "claude-code"],
    ["copilot", "copilot-cli"],
    ["vscode", "vscode-copilot"],
    ["gemini", "gemini-cli"],
    ["qwen", "qwen-code"],
    ["factory", "factory-droid"],
    ["droid", "factory-droid"],
    ["amplifier", "amplifier-shell"],
    [" Claude ", "claude-code"],
    ["constructor", undefined],
    ["", undefined],
    ["emacs", undefined],
  ])("%j is %s", (name, id) => {
    expect(resolveHost(name)).toBe(id);
  });
});
