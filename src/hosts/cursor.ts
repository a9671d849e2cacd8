import type { Json, JsonObject } from "../protocol/index.ts";
import { mcpToolName } from "./canonical-tool.ts";
import { block, nestedContext, nestedInput, nestedPermission } from "./claude-words.ts";
import type { HostDescriptor, Occasion, Speech } from "./host.ts";
import { rename } from "./payload-paths.ts";

const events: Readonly<Record<string, string | null>> = {
  preToolUse: "PreToolUse",
  beforeShellExecution: "PreToolUse:Bash",
  beforeMCPExecution: "PreToolUse:mcp",
  beforeReadFile: "PreToolUse:Read",
  beforeTabFileRead: "PreToolUse:Read",
  postToolUse: "PostToolUse",
  postToolUseFailure: "PostToolUseFailure",
  afterShellExecution: "PostToolUse:Bash",
  afterMCPExecution: "PostToolUse:mcp",
  afterFileEdit: "PostToolUse:Edit",
  afterTabFileEdit: "PostToolUse:Edit",
  beforeSubmitPrompt: "UserPromptSubmit",
  afterAgentResponse: "MessageDisplay",
  afterAgentThought: null,
  stop: "Stop",
  subagentStart: "SubagentStart",
  subagentStop: "SubagentStop",
  sessionStart: "SessionStart",
  sessionEnd: "SessionEnd",
  preCompact: "PreCompact",
  workspaceOpen: null,
};

// Permission hooks are denied when an answer has members that their schema does not: only what each event lists.
function permission(kind: string, reason: string | undefined, tellsAgent: boolean): JsonObject {
  if (reason === undefined) return { permission: kind };
  const forPerson = { permission: kind, user_message: reason };
  return tellsAgent ? { ...forPerson, agent_message: reason } : forPerson;
}

const shellGate: Speech = {
  deny: reason => permission("deny", reason, true),
  ask: reason => permission("ask", reason, true),
  allow: () => ({ permission: "allow" }),
};
const toolGate: Speech = { ...shellGate, input: value => ({ updated_input: value }) };
const readGate: Speech = {
  deny: reason => permission("deny", reason, false),
  ask: reason => permission("ask", reason, false),
  allow: () => ({ permission: "allow" }),
};
const GATES: Readonly<Record<string, Speech>> = {
  beforeShellExecution: shellGate,
  beforeMCPExecution: shellGate,
  beforeReadFile: readGate,
  beforeTabFileRead: readGate,
};

const context: Speech = { context: text => ({ additional_context: text }) };
const followUp: Speech = {
  deny: reason => ({ followup_message: reason }),
  caveats: { deny: "hold → follow-up message, a limited number of times" },
};

function isMcpCall({ payload }: Occasion): boolean {
  const name = payload["tool_name"];
  return typeof name === "string" && (name.startsWith("MCP:") || name.startsWith("mcp__"));
}

function afterTool(on: Occasion): Speech {
  if (on.nativeEvent !== "postToolUse") return {};
  return isMcpCall(on)
    ? { ...context, output: (value: Json) => ({ updated_mcp_tool_output: value }) }
    : context;
}

function nativeSpeech(on: Occasion): Readonly<Record<string, Speech>> {
  return {
    PreToolUse: GATES[on.nativeEvent] ?? toolGate,
    PostToolUse: afterTool(on),
    PostToolUseFailure: {},
    UserPromptSubmit: { ...context, deny: reason => ({ continue: false, user_message: reason }) },
    MessageDisplay: {},
    Stop: followUp,
    SubagentStart: {},
    SubagentStop: followUp,
    SessionStart: context,
    SessionEnd: {},
    PreCompact: {
      message: text => ({ user_message: text }),
      ignoresExitCode: true,
    },
  };
}

/** Hooks from Claude's settings files are answered in Claude's words as well. */
function claudeFileSpeech(on: Occasion): Readonly<Record<string, Speech>> {
  const native = nativeSpeech(on);
  return {
    ...native,
    PreToolUse: {
      ...nestedContext,
      deny: (reason, at) => ({ ...permission("deny", reason, true), ...nestedPermission.deny(reason, at) }),
      ask: (reason, at) => ({ ...permission("ask", reason, true), ...nestedPermission.ask(reason, at) }),
      allow: (reason, at) => ({ permission: "allow", ...nestedPermission.allow(reason, at) }),
      input: (value, at) => ({ updated_input: value, ...nestedInput.input(value, at) }),
    },
    PostToolUse: { ...block, context: (text, at) => tellBoth(text, at) },
    UserPromptSubmit: {
      deny: reason => ({ continue: false, user_message: reason, ...block.deny(reason) }),
      context: (text, at) => tellBoth(text, at),
    },
    Stop: { ...followUp, deny: reason => ({ followup_message: reason, ...block.deny(reason) }) },
    SessionStart: { context: (text, at) => tellBoth(text, at) },
  };
}

function tellBoth(text: string, on: Occasion): JsonObject {
  return { additional_context: text, ...nestedContext.context(text, on) };
}

export const cursor: HostDescriptor = {
  id: "cursor",
  events,
  usesCanonicalEvents: true,
  tools: { Shell: "Bash", Task: "Agent" },
  reading: {
    assembledInput: {
      beforeShellExecution: { command: "command" },
      afterShellExecution: { command: "command" },
      beforeReadFile: { file_path: "file_path" },
      beforeTabFileRead: { file_path: "file_path" },
      afterFileEdit: { file_path: "file_path", edits: "edits" },
      afterTabFileEdit: { file_path: "file_path", edits: "edits" },
    },
    canonicalTool: (toolName, payload) => {
      if (toolName.startsWith("MCP:")) return mcpToolName("unknown", toolName.slice("MCP:".length));
      const isMcpEvent = /MCPExecution$/.test(String(payload["hook_event_name"]));
      return isMcpEvent && !toolName.startsWith("mcp__") ? mcpToolName("unknown", toolName) : undefined;
    },
    aliases: payload => ({
      ...rename(payload, { tool_response: "tool_output", error: "error_message" }),
      ...rename(payload, { tool_response: "result_json" }),
      ...(typeof payload["loop_count"] === "number" ? { stop_hook_active: payload["loop_count"] > 0 } : {}),
    }),
  },
  speech: on => (Object.hasOwn(events, on.nativeEvent) ? nativeSpeech(on) : claudeFileSpeech(on)),
  silence: "{}\n",
  contextLimit: 10_000,
  closed: "exit",
  registration: {
    events: {
      SessionStart: ["sessionStart"],
      Stop: ["stop"],
      PreToolUse: ["preToolUse"],
      PostToolUse: ["postToolUse"],
      PostToolUseFailure: ["postToolUseFailure"],
      UserPromptSubmit: ["beforeSubmitPrompt"],
      PreCompact: ["preCompact"],
      SessionEnd: ["sessionEnd"],
    },
    timeout: { key: "timeout", unit: "s" },
    layout: {
      kind: "flat",
      root: ["hooks"],
      commandKey: "command",
      hasType: false,
      header: { version: 1 },
      closedMember: { failClosed: true },
    },
    files: [
      { scope: "user", path: ".cursor/hooks.json", isShared: false },
      { scope: "project", path: ".cursor/hooks.json", isShared: false },
    ],
  },
};
