import { mcpToolName } from "./canonical-tool.ts";
import { block, gate, gateAndTell, nested, observe, tell } from "./claude-words.ts";
import type { HostDescriptor, Speech } from "./host.ts";
import { readPath } from "./payload-paths.ts";

const speech: Readonly<Record<string, Speech>> = {
  SessionStart: tell,
  SessionEnd: observe,
  UserPromptSubmit: gateAndTell,
  Stop: gate,
  // `ask` would end a headless run at once, so it is not among the words; text for the model is not read here.
  PreToolUse: {
    ...observe,
    deny: reason => ({ decision: "deny", reason }),
    allow: () => ({ decision: "allow" }),
    input: (value, on) => ({ decision: "allow", ...nested(on, { tool_input: value }) }),
    inputIsMerged: true,
  },
  PostToolUse: { ...gateAndTell, ...block, denyReplacesResult: true },
  PreCompact: { ...observe, ignoresExitCode: true },
  Notification: observe,
};

export const geminiCli: HostDescriptor = {
  id: "gemini-cli",
  events: {
    SessionStart: "SessionStart",
    SessionEnd: "SessionEnd",
    BeforeAgent: "UserPromptSubmit",
    AfterAgent: "Stop",
    BeforeTool: "PreToolUse",
    AfterTool: "PostToolUse",
    PreCompress: "PreCompact",
    Notification: "Notification",
    BeforeModel: null,
    AfterModel: null,
    BeforeToolSelection: null,
  },
  usesCanonicalEvents: false,
  answersInNativeNames: true,
  tools: {
    run_shell_command: "Bash",
    read_file: "Read",
    read_many_files: "Read",
    write_file: "Write",
    replace: "Edit",
    glob: "Glob",
    search_file_content: "Grep",
    grep_search: "Grep",
    web_fetch: "WebFetch",
    google_web_search: "WebSearch",
    write_todos: "TodoWrite",
    list_directory: "LS",
    invoke_agent: "Agent",
  },
  reading: {
    canonicalTool: (_, payload) => {
      const server = readPath(payload, "mcp_context.server_name");
      const tool = readPath(payload, "mcp_context.tool_name");
      return typeof server === "string" && typeof tool === "string" ? mcpToolName(server, tool) : undefined;
    },
  },
  speech,
  silence: "{}\n",
  closed: "exit",
  registration: {
    events: {
      SessionStart: ["SessionStart"],
      Stop: ["AfterAgent"],
      PreToolUse: ["BeforeTool"],
      PostToolUse: ["AfterTool"],
      UserPromptSubmit: ["BeforeAgent"],
      SessionEnd: ["SessionEnd"],
    },
    avoided: {
      PreCompact: "PreCompress fires before every model call, whether or not anything is compacted",
    },
    matcher: "*",
    timeout: { key: "timeout", unit: "ms" },
    layout: { kind: "groups", root: ["hooks"], commandKey: "command", hasType: true },
    files: [
      { scope: "user", path: ".gemini/settings.json", isShared: false },
      { scope: "project", path: ".gemini/settings.json", isShared: false },
    ],
    relocation: { variable: "GEMINI_CLI_HOME", folder: "" },
  },
};
