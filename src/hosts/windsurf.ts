import { memberAt } from "../protocol/index.ts";
import type { HostDescriptor, ResponseEncoder } from "./host.ts";
import { mcpToolName, rename } from "./tool-input.ts";

/** Its stdout is not read: the exit code refuses, stderr says why. */
const exitGate: ResponseEncoder = { deny: () => ({}), denyExitCode: 2 };

export const windsurf: HostDescriptor<"windsurf"> = {
  id: "windsurf",
  evidence: { payload: payload => payload["agent_action_name"] !== undefined },
  events: {
    pre_read_code: "PreToolUse:Read",
    post_read_code: "PostToolUse:Read",
    pre_write_code: "PreToolUse:Edit",
    post_write_code: "PostToolUse:Edit",
    pre_run_command: "PreToolUse:Bash",
    post_run_command: "PostToolUse:Bash",
    pre_mcp_tool_use: "PreToolUse:mcp",
    post_mcp_tool_use: "PostToolUse:mcp",
    pre_user_prompt: "UserPromptSubmit",
    post_cascade_response: "Stop",
    post_cascade_response_with_transcript: "Stop",
    post_setup_worktree: "WorktreeCreate",
  },
  usesCanonicalEvents: false,
  tools: {},
  input: {
    toolName: ["tool_info.mcp_tool_name"],
    assembledInput: {
      pre_read_code: { file_path: "tool_info.file_path" },
      post_read_code: { file_path: "tool_info.file_path" },
      pre_write_code: { file_path: "tool_info.file_path", edits: "tool_info.edits" },
      post_write_code: { file_path: "tool_info.file_path", edits: "tool_info.edits" },
      pre_run_command: { command: "tool_info.command_line" },
      post_run_command: { command: "tool_info.command_line" },
      pre_mcp_tool_use: "tool_info.mcp_tool_arguments",
      post_mcp_tool_use: "tool_info.mcp_tool_arguments",
    },
    canonicalTool: (toolName, payload) => {
      const server = memberAt(payload, "tool_info", "mcp_server_name");
      return typeof server === "string" ? mcpToolName(server, toolName) : undefined;
    },
    aliases: payload =>
      rename(payload, { prompt: "tool_info.user_prompt", tool_response: "tool_info.mcp_result" }),
  },
  responses: () => ({
    PreToolUse: exitGate,
    PostToolUse: {},
    UserPromptSubmit: exitGate,
    Stop: {},
    WorktreeCreate: { ignoresExitCode: true },
  }),
  noOpinion: "",
  answering: "ignores hooks' approvals",
  closed: "exit",
  registration: {
    events: {
      PreToolUse: ["pre_read_code", "pre_write_code", "pre_run_command", "pre_mcp_tool_use"],
      PostToolUse: ["post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use"],
      Stop: ["post_cascade_response"],
    },
    layout: { kind: "flat" },
    files: { user: ".codeium/windsurf/hooks.json", project: ".windsurf/hooks.json" },
  },
  protects: {
    wiring: [".codeium/hooks.json"],
    trees: [".windsurf"],
    managed: ["/etc/windsurf", "/Library/Application Support/Windsurf"],
  },
  setup: () => ({
    title: "Windsurf",
    folders: [".codeium/windsurf"],
    programs: ["windsurf"],
    mcp: { user: [".codeium/windsurf/mcp_config.json"] },
    live: "it needs its editor and an account",
  }),
};
