import { describe, expect, it } from "vitest";
import { type HostId, normalise } from "../../src/exports/hosts.ts";
import { checkInput, type JsonObject } from "../../src/protocol/index.ts";
import { fakeEnvironment } from "./fake-environment.ts";

interface Given {
  readonly host?: HostId;
  readonly event?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function understand(payload: JsonObject | string, { env, ...given }: Given = {}) {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const result = normalise(text, { ...given, env: fakeEnvironment(env) });
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result.value;
}

const bash = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };

type Sample = readonly [string, HostId, JsonObject, JsonObject, Given?];

describe("samples from the hosts' descriptions", () => {
  const samples: readonly Sample[] = [
    [
      "Claude Code",
      "claude-code",
      {
        session_id: "7c1e0f52",
        transcript_path: "/home/ines/.claude/projects/-srv-shop/7c1e0f52.jsonl",
        cwd: "/srv/shop",
        permission_mode: "acceptEdits",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "git push --force origin main", description: "publish" },
        tool_use_id: "toolu_01Zq8",
      },
      {
        event: "PreToolUse",
        canonicalToolName: "Bash",
        cwd: "/srv/shop",
        sessionId: "7c1e0f52",
        facts: { command: "git push --force origin main", paths: [] },
      },
    ],
    [
      "Copilot CLI, arguments as JSON text",
      "copilot-cli",
      {
        sessionId: "b19f",
        timestamp: 1791763200000,
        cwd: "/srv/shop",
        toolName: "bash",
        toolArgs: '{"command":"rm -rf build","description":"clean"}',
      },
      {
        nativeEvent: "preToolUse",
        toolName: "bash",
        canonicalToolName: "Bash",
        toolInput: { command: "rm -rf build", description: "clean" },
      },
      { event: "preToolUse" },
    ],
    [
      "Gemini CLI",
      "gemini-cli",
      {
        session_id: "g-41",
        transcript_path: "/home/ines/.gemini/tmp/ab/chats/s.json",
        cwd: "/srv/shop",
        hook_event_name: "BeforeTool",
        timestamp: "2026-11-02T08:00:00.000Z",
        tool_name: "run_shell_command",
        tool_input: { command: "npm publish" },
      },
      { event: "PreToolUse", canonicalToolName: "Bash", facts: { command: "npm publish", paths: [] } },
    ],
    [
      "Antigravity, without event and directory",
      "antigravity",
      {
        conversationId: "c-9",
        workspacePaths: ["/srv/shop"],
        transcriptPath: "/t.jsonl",
        toolCall: { name: "run_command", args: { CommandLine: "rm -rf build", Cwd: "/srv/shop/web" } },
      },
      {
        event: "PreToolUse",
        toolName: "run_command",
        canonicalToolName: "Bash",
        cwd: "/srv/shop/web",
        sessionId: "c-9",
        transcriptPath: "/t.jsonl",
        facts: { command: "rm -rf build", paths: [] },
      },
      { event: "PreToolUse" },
    ],
    [
      "Antigravity, a file",
      "antigravity",
      {
        conversationId: "c-9",
        workspacePaths: ["/srv/shop"],
        toolCall: { name: "write_to_file", args: { TargetFile: "/srv/shop/a.ts" } },
      },
      { canonicalToolName: "Write", cwd: "/srv/shop", facts: { command: null, paths: ["/srv/shop/a.ts"] } },
      { event: "pre-tool-use" },
    ],
    [
      "Codex",
      "codex",
      {
        session_id: "019a-55",
        turn_id: "t-3",
        transcript_path: null,
        cwd: "/srv/shop",
        hook_event_name: "PreToolUse",
        model: "gpt-5.5-codex",
        permission_mode: "default",
        tool_name: "apply_patch",
        tool_input: {
          command:
            "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** Delete File: a.ts\n*** End Patch",
        },
      },
      { canonicalToolName: "Edit", transcriptPath: null, facts: { command: null, paths: ["a.ts", "b.ts"] } },
    ],
    [
      "Cursor",
      "cursor",
      {
        conversation_id: "c-7",
        session_id: "c-7",
        hook_event_name: "preToolUse",
        cursor_version: "3.12.4",
        workspace_roots: ["/srv/shop"],
        transcript_path: null,
        cwd: "/srv/shop",
        tool_name: "Shell",
        tool_input: { command: "rm -rf build", cwd: "/srv/shop", timeout: 30000 },
      },
      { event: "PreToolUse", toolName: "Shell", canonicalToolName: "Bash" },
    ],
    [
      "Cursor, shell form",
      "cursor",
      {
        cursor_version: "3.12.4",
        conversation_id: "c-7",
        hook_event_name: "beforeShellExecution",
        command: "ls",
        cwd: "",
        workspace_roots: ["/srv/shop"],
      },
      {
        event: "PreToolUse",
        toolName: "Shell",
        canonicalToolName: "Bash",
        toolInput: { command: "ls" },
        cwd: "/srv/shop",
        sessionId: "c-7",
      },
    ],
    [
      "Cursor, MCP form with JSON text",
      "cursor",
      {
        cursor_version: "3",
        hook_event_name: "beforeMCPExecution",
        tool_name: "search",
        tool_input: '{"q":"x"}',
        url: "http://localhost",
      },
      { toolName: "search", canonicalToolName: "mcp__unknown__search", toolInput: { q: "x" } },
    ],
    [
      "Cursor, MCP tool in the general form",
      "cursor",
      { cursor_version: "3", hook_event_name: "preToolUse", tool_name: "MCP:search", tool_input: "{}" },
      { canonicalToolName: "mcp__unknown__search", toolInput: {} },
    ],
    [
      "Cursor, an edit",
      "cursor",
      {
        cursor_version: "3",
        hook_event_name: "afterFileEdit",
        file_path: "/srv/a.ts",
        edits: [{ old_string: "a", new_string: "b" }],
      },
      {
        event: "PostToolUse",
        toolName: "Edit",
        toolInput: { file_path: "/srv/a.ts", edits: [{ old_string: "a", new_string: "b" }] },
        facts: { command: null, paths: ["/srv/a.ts"] },
      },
    ],
    [
      "Windsurf, a command",
      "windsurf",
      {
        agent_action_name: "pre_run_command",
        trajectory_id: "tr-8",
        timestamp: "2026-11-02T08:00:00Z",
        tool_info: { command_line: "rm -rf build", cwd: "/srv/shop" },
      },
      {
        event: "PreToolUse",
        toolName: "Bash",
        canonicalToolName: "Bash",
        toolInput: { command: "rm -rf build" },
        cwd: "/srv/shop",
        sessionId: "tr-8",
      },
    ],
    [
      "Windsurf, MCP",
      "windsurf",
      {
        agent_action_name: "pre_mcp_tool_use",
        tool_info: { mcp_server_name: "gh", mcp_tool_name: "search", mcp_tool_arguments: { q: "x" } },
      },
      { toolName: "search", canonicalToolName: "mcp__gh__search", toolInput: { q: "x" } },
    ],
    [
      "Windsurf, a transcript",
      "windsurf",
      {
        agent_action_name: "post_cascade_response_with_transcript",
        tool_info: { transcript_path: "/t.json" },
      },
      { event: "Stop", transcriptPath: "/t.json", toolName: null, toolInput: null },
    ],
    [
      "Devin",
      "devin",
      {
        hook_event_name: "PreToolUse",
        session_id: "dv-3",
        tool_name: "exec",
        tool_input: { command: "rm -rf build", shell_id: "main" },
      },
      { canonicalToolName: "Bash", cwd: "/srv/shop" },
      { env: { DEVIN_PROJECT_DIR: "/srv/shop" } },
    ],
    [
      "Cline, newer and older form together",
      "cline",
      {
        clineVersion: "4.2.0",
        hookName: "tool_call",
        taskId: "task-5",
        workspaceRoots: ["/srv/shop"],
        tool_call: { id: "tc1", name: "run_commands", input: { commands: ["rm -rf build", "ls"] } },
        preToolUse: { toolName: "run_commands", parameters: { commands: '["rm -rf build"]' } },
      },
      {
        event: "PreToolUse",
        nativeEvent: "tool_call",
        canonicalToolName: "Bash",
        cwd: "/srv/shop",
        sessionId: "task-5",
        facts: { command: "rm -rf build\nls", paths: [] },
      },
    ],
    [
      "Cline, older form alone",
      "cline",
      {
        clineVersion: "3",
        hookName: "PreToolUse",
        preToolUse: { toolName: "run_commands", parameters: { commands: '["rm -rf build"]' } },
      },
      { canonicalToolName: "Bash", facts: { command: "rm -rf build", paths: [] } },
    ],
    [
      "Kiro",
      "kiro",
      {
        hook_event_name: "preToolUse",
        cwd: "/srv/shop",
        tool_name: "execute_bash",
        tool_input: { command: "rm -rf build" },
      },
      { event: "PreToolUse", canonicalToolName: "Bash", sessionId: null },
      { host: "kiro" },
    ],
    [
      "Kiro, MCP",
      "kiro",
      { hook_event_name: "preToolUse", tool_name: "@gh/search", tool_input: {} },
      { toolName: "@gh/search", canonicalToolName: "mcp__gh__search" },
      { host: "kiro" },
    ],
    [
      "Kiro, several reads",
      "kiro",
      {
        hook_event_name: "preToolUse",
        tool_name: "fs_read",
        tool_input: { operations: [{ mode: "Line", path: "/a" }, { path: "/b" }] },
      },
      { canonicalToolName: "Read", facts: { command: null, paths: ["/a", "/b"] } },
      { host: "kiro" },
    ],
    [
      "Qwen Code",
      "qwen-code",
      {
        session_id: "q-2",
        cwd: "/srv/shop",
        hook_event_name: "PreToolUse",
        timestamp: "2026-11-02T08:00:00.000Z",
        permission_mode: "default",
        tool_name: "run_shell_command",
        tool_input: { command: "rm -rf build" },
      },
      { canonicalToolName: "Bash" },
      { env: { QWEN_PROJECT_DIR: "/srv/shop", GEMINI_PROJECT_DIR: "/srv/shop" } },
    ],
    [
      "Factory Droid",
      "factory-droid",
      {
        session_id: "fd-1",
        transcript_path: "/home/ines/.factory/sessions/fd-1.jsonl",
        cwd: "/srv/shop",
        permission_mode: "auto-low",
        hook_event_name: "PreToolUse",
        tool_name: "Execute",
        tool_input: { command: "rm -rf build" },
      },
      { canonicalToolName: "Bash" },
    ],
    [
      "Augment",
      "augment",
      {
        hook_event_name: "PreToolUse",
        conversation_id: "au-4",
        workspace_roots: ["/srv/shop"],
        tool_name: "launch-process",
        tool_input: { command: "rm -rf build" },
        is_mcp_tool: false,
      },
      { canonicalToolName: "Bash", cwd: "/srv/shop", sessionId: "au-4" },
    ],
    [
      "Goose",
      "goose",
      {
        event: "PreToolUse",
        session_id: "20261102_3",
        matcher_context: "developer__shell",
        tool_name: "developer__shell",
        tool_input: { command: "rm -rf build" },
        working_dir: "/srv/shop",
      },
      { canonicalToolName: "Bash", cwd: "/srv/shop" },
    ],
    [
      "Goose, shell form",
      "goose",
      { event: "BeforeShellExecution", matcher_context: "rm -rf build", working_dir: "/srv/shop" },
      { toolName: "developer__shell", canonicalToolName: "Bash", toolInput: { command: "rm -rf build" } },
    ],
    [
      "Goose, shell form with a tool that nobody lists",
      "goose",
      {
        ...{ event: "BeforeShellExecution", matcher_context: "ls" },
        ...{ tool_name: "other__run", tool_input: { command: "ls" } },
      },
      { toolName: "other__run", canonicalToolName: "Bash", facts: { command: "ls", paths: [] } },
    ],
    [
      "AtomCode, from its environment",
      "atomcode",
      {},
      {
        event: "PreToolUse",
        nativeEvent: "pre_tool_use",
        canonicalToolName: "Bash",
        toolInput: { command: "ls" },
        cwd: "/srv/shop",
      },
      {
        env: {
          ATOMCODE_HOOK_CONTEXT:
            '{"event":"pre_tool_use","tool_name":"bash","tool_args":"{\\"command\\":\\"ls\\"}","session_id":"a","working_dir":"/srv/shop"}',
        },
      },
    ],
    [
      "AtomCode since version 5, on stdin",
      "atomcode",
      {
        ...{ session_id: "s", hook_event_name: "PreToolUse", call_id: "c-7", cwd: "/srv/shop" },
        ...{ tool_name: "search_replace", tool_input: { file_path: "a.ts" } },
      },
      {
        event: "PreToolUse",
        canonicalToolName: "Edit",
        toolInput: { file_path: "a.ts" },
        sessionId: "s",
        aliases: { tool_use_id: "c-7" },
      },
    ],
    [
      "Amplifier's bridge, without event, directory and session",
      "amplifier-shell",
      { tool_name: "bash", tool_input: { command: "rm -rf build" }, timestamp: "2026-11-02T08:00:00Z" },
      { event: "PreToolUse", canonicalToolName: "Bash", cwd: "/srv/shop", sessionId: "s-1" },
      { event: "PreToolUse", env: { AMPLIFIER_PROJECT_DIR: "/srv/shop", AMPLIFIER_SESSION_ID: "s-1" } },
    ],
    [
      "Amplifier itself",
      "amplifier",
      { event: "tool:pre", tool_name: "bash", tool_input: { command: "ls" }, session_id: "s-1" },
      { event: "PreToolUse", nativeEvent: "tool:pre", canonicalToolName: "Bash" },
    ],
    [
      "Amp",
      "amp",
      { tool: "Bash", input: { cmd: "ls" } },
      { event: "PreToolUse", canonicalToolName: "Bash", facts: { command: "ls", paths: [] } },
      { host: "amp", event: "tool.call" },
    ],
    [
      "OpenCode's plugin",
      "opencode",
      {
        hook_event_name: "tool.execute.before",
        cwd: "/srv/shop",
        session_id: "ses_1",
        input: { tool: "apply_patch", sessionID: "ses_1", callID: "c" },
        output: { args: { patchText: "*** Begin Patch\n*** Add File: new.ts\r\n+x\n*** End Patch" } },
      },
      {
        event: "PreToolUse",
        canonicalToolName: "Edit",
        cwd: "/srv/shop",
        sessionId: "ses_1",
        facts: { command: null, paths: ["new.ts"] },
      },
    ],
    [
      "Pi's extension",
      "pi",
      {
        type: "tool_call",
        hook_event_name: "tool_call",
        cwd: "/srv/shop",
        session_id: "p",
        toolName: "bash",
        toolCallId: "c",
        input: { command: "ls" },
      },
      { event: "PreToolUse", canonicalToolName: "Bash", toolInput: { command: "ls" } },
    ],
    [
      "VS Code",
      "vscode-copilot",
      {
        timestamp: "2026-11-02T08:00:00Z",
        hook_event_name: "PreToolUse",
        session_id: "v",
        tool_name: "run_in_terminal",
        tool_input: { command: "ls" },
        tool_use_id: "1",
      },
      { canonicalToolName: "Bash" },
    ],
  ];

  it.each(samples.map(sample => [sample[0], sample] as const))("%s", (_, sample) => {
    const [, host, payload, expected, given] = sample;
    expect(understand(payload, given)).toMatchObject({ host, warnings: [], ...expected });
  });
});

describe("where things are found", () => {
  it("takes the first name that is there, left to right", () => {
    const named = understand({
      ...bash,
      tool_name: null,
      toolName: "bash",
      tool_input: null,
      toolInput: { command: "a" },
      toolArgs: { command: "b" },
      session_id: "",
      sessionId: "s",
    });
    expect(named).toMatchObject({ toolName: "bash", toolInput: { command: "a" }, sessionId: "s" });
  });

  it("falls back to the nested tool of old payloads", () => {
    const old = { hookEventName: "pre_tool_use", toolUse: { name: "Bash", input: { command: "ls" } } };
    expect(understand(old)).toMatchObject({ event: "PreToolUse", facts: { command: "ls" } });
  });

  it("lets the payload name the event before the command line does", () => {
    expect(understand({ hook_event_name: "Stop" }, { event: "PreToolUse" }).event).toBe("Stop");
    expect(understand({}, { event: "Stop" }).event).toBe("Stop");
  });

  it.each(["PreToolUse", "preToolUse", "pre_tool_use", "pre-tool-use"])("reads the event %s", spelling => {
    expect(understand({ ...bash, hook_event_name: spelling })).toMatchObject({
      event: "PreToolUse",
      nativeEvent: spelling,
    });
  });

  it("knows SessionStop as SessionEnd", () => {
    expect(understand({ hook_event_name: "SessionStop" }).event).toBe("SessionEnd");
  });

  it("turns a canonical name on the command line into the host's own", () => {
    const payload = { tool_name: "run_shell_command", tool_input: {} };
    expect(understand(payload, { host: "gemini-cli", event: "PreToolUse" })).toMatchObject({
      event: "PreToolUse",
      nativeEvent: "BeforeTool",
    });
  });

  it("tells Copilot's failed tools from finished ones, which call the same command", () => {
    const base = { sessionId: "s", timestamp: 1, toolName: "view", toolArgs: {} };
    const afterTool = (more: JsonObject) => understand({ ...base, ...more }, { event: "PostToolUse" });
    expect(afterTool({ error: "Path does not exist" })).toMatchObject({
      event: "PostToolUseFailure",
      nativeEvent: "postToolUseFailure",
    });
    expect(afterTool({ toolResult: {} }).event).toBe("PostToolUse");
    expect(afterTool({ toolResult: {}, error: null }).event).toBe("PostToolUse");
    expect(understand({ ...base, error: "x" }, { event: "PreToolUse" }).event).toBe("PreToolUse");
  });

  it("reads environment variables of the calling host only", () => {
    const env = { AUGMENT_PROJECT_DIR: "/other", CURSOR_VERSION: "3" };
    expect(understand(bash, { env, host: "claude-code" }).cwd).toBeNull();
    expect(understand(bash, { env, host: "augment" }).cwd).toBe("/other");
  });

  it("reports ids and paths of a wrong type and goes on to the next name", () => {
    const odd = understand({ ...bash, session_id: 7, sessionId: "s", cwd: ["/x"], transcript_path: false });
    expect(odd).toMatchObject({ sessionId: "s", cwd: null, transcriptPath: null });
    expect(odd.warnings).toEqual([
      { code: "field-wrong-type", field: "cwd" },
      { code: "field-wrong-type", field: "session_id" },
      { code: "field-wrong-type", field: "transcript_path" },
    ]);
  });

  it("keeps everything else", () => {
    expect(understand({ ...bash, surprise: [1] }).raw).toMatchObject({ surprise: [1] });
  });

  it("strips a byte order mark and forgives a trailing comma", () => {
    expect(understand(`\uFEFF${JSON.stringify(bash)}`).toolName).toBe("Bash");
    expect(understand('{"hook_event_name":"Stop",}').event).toBe("Stop");
  });

  it("ignores the environment's payload unless AtomCode calls", () => {
    const env = { ATOMCODE_HOOK_CONTEXT: '{"event":"session_start"}' };
    const claude = { ...bash, transcript_path: "/home/x/.claude/projects/p/s.jsonl" };
    expect(understand(claude, { env })).toMatchObject({ host: "claude-code", event: "PreToolUse" });
    expect(understand("", { env })).toMatchObject({ host: "atomcode", event: "SessionStart" });
  });
});

describe("tool input", () => {
  it.each([
    [undefined, {}, "missing-tool-input"],
    [null, {}, "missing-tool-input"],
    ["ls -la", "ls -la", "tool-input-not-json"],
    ["", "", "tool-input-not-json"],
    ['{"command":"ls",}', '{"command":"ls",}', "tool-input-not-json"],
    [5, {}, "tool-input-wrong-type"],
    [["ls"], {}, "tool-input-wrong-type"],
    [true, {}, "tool-input-wrong-type"],
  ])("%j is %j with a warning", (given, kept, warning) => {
    const payload = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: given } as JsonObject;
    const value = understand(payload);
    expect(value.toolInput).toEqual(kept);
    expect(value.warnings.map(each => each.code)).toEqual([warning]);
    expect(value.facts.command).toBeNull();
    expect(checkInput(value).ok).toBe(false);
  });

  it("is decoded once, and what it then holds is kept", () => {
    const payload = (text: string) => ({ ...bash, tool_input: text });
    expect(understand(payload('{"command":"ls"}')).facts.command).toBe("ls");
    expect(understand(payload("5"))).toMatchObject({ toolInput: 5, warnings: [], facts: { command: null } });
    expect(understand(payload('"{}"'))).toMatchObject({ toolInput: "{}", warnings: [] });
  });

  it("may be the plain text of a patch, also where the tool goes by its canonical name", () => {
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n*** End Patch\n";
    for (const tool of ["apply_patch", "Edit"]) {
      const value = understand(
        { hook_event_name: "PreToolUse", tool_name: tool, tool_input: patch },
        {
          host: "copilot-cli",
        },
      );
      expect(value).toMatchObject({ canonicalToolName: "Edit", facts: { paths: ["src/a.ts"] } });
      expect(checkInput(value).ok).toBe(true);
    }
    const prose = { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: "change it" };
    expect(checkInput(understand(prose)).ok).toBe(false);
  });

  it("finds no patch lines in ordinary text", () => {
    const edit = { file_path: "/a.md", old_string: "x", new_string: "*** Add File: /etc/passwd" };
    const value = understand({ hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: edit });
    expect(value.facts.paths).toEqual(["/a.md"]);
  });

  it("knows shell tools whatever their case", () => {
    for (const tool of ["bash", "BASH", "shell", "Shell"])
      expect(understand({ ...bash, tool_name: tool }).canonicalToolName).toBe("Bash");
  });

  it("joins Gemini's MCP context to one name", () => {
    const payload = {
      hook_event_name: "BeforeTool",
      tool_name: "mcp_gh_search",
      tool_input: {},
      mcp_context: { server_name: "gh", tool_name: "search" },
    };
    expect(understand(payload)).toMatchObject({
      toolName: "mcp_gh_search",
      canonicalToolName: "mcp__gh__search",
    });
  });
});

describe("what hosts keep under names of their own", () => {
  const inputOf = (payload: JsonObject) => {
    const checked = checkInput(understand(payload));
    if (!checked.ok) throw new Error(checked.problem);
    return checked.input;
  };

  it.each<readonly [string, JsonObject, string]>([
    ["Windsurf", { agent_action_name: "pre_user_prompt", tool_info: { user_prompt: "go" } }, "go"],
    ["Goose", { event: "UserPromptSubmit", matcher_context: "go", message: "go" }, "go"],
    [
      "Augment",
      { hook_event_name: "PromptSubmit", conversation_id: "c", workspace_roots: [], user_prompt: "go" },
      "go",
    ],
    ["Cline", { clineVersion: "4", hookName: "prompt_submit", userPromptSubmit: { prompt: "go" } }, "go"],
    ["Pi", { type: "input", hook_event_name: "input", text: "go", source: "interactive" }, "go"],
    [
      "OpenCode",
      {
        hook_event_name: "chat.message",
        input: {},
        output: { parts: [{ type: "file" }, { type: "text", text: "go" }, { type: "text", text: "on" }] },
      },
      "go\non",
    ],
    ["the old hooks", { hook_event_name: "UserPromptSubmit", userMessage: { text: "go" } }, "go"],
  ])("reads the prompt of %s", (_, payload, prompt) => {
    expect(inputOf(payload)).toMatchObject({ kind: "prompt", prompt });
  });

  it("reads results, errors and call ids", () => {
    expect(
      inputOf({
        cursor_version: "3",
        hook_event_name: "postToolUse",
        tool_name: "Shell",
        tool_input: {},
        tool_output: '{"exitCode":0}',
      }),
    ).toMatchObject({ result: '{"exitCode":0}' });
    expect(
      inputOf({
        cursor_version: "3",
        hook_event_name: "postToolUseFailure",
        tool_name: "Shell",
        tool_input: {},
        error_message: "no",
      }),
    ).toMatchObject({ error: "no" });
    expect(
      inputOf({
        hook_event_name: "tool.execute.after",
        input: { tool: "bash", callID: "c1", args: {} },
        output: { output: "done" },
      }),
    ).toMatchObject({ result: "done", tool: { useId: "c1" } });
    expect(
      inputOf({
        type: "tool_result",
        hook_event_name: "tool_result",
        toolName: "bash",
        toolCallId: "c2",
        input: {},
        content: [{ type: "text", text: "out" }],
      }),
    ).toMatchObject({ result: [{ type: "text", text: "out" }], tool: { useId: "c2" } });
  });

  it("takes a later loop of Cursor for a stop that was held before", () => {
    const stop = { cursor_version: "3", hook_event_name: "stop", status: "completed" };
    expect(inputOf({ ...stop, loop_count: 0 })).toMatchObject({ stopHookActive: false });
    expect(inputOf({ ...stop, loop_count: 2 })).toMatchObject({ stopHookActive: true });
  });

  it("reads Copilot's first prompt in both spellings", () => {
    const start = { hook_event_name: "SessionStart", session_id: "s" };
    expect(inputOf({ ...start, initialPrompt: "go" })).toMatchObject({ prompt: "go" });
    expect(inputOf({ ...start, initial_prompt: "go" })).toMatchObject({ prompt: "go" });
  });
});
