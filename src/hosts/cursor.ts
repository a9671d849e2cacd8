import type { Json, JsonObject } from "../protocol/index.ts";
import { block, nestedContext, nestedInput, nestedPermission } from "./claude-encoders.ts";
import type { HostDescriptor, RenderContext, ResponseEncoder, ResponseTable } from "./host.ts";
import { mcpToolName, rename } from "./tool-input.ts";

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
function permission(
  kind: string,
  reason: string | undefined,
  { texts }: RenderContext,
  tellsAgent: boolean,
): JsonObject {
  if (reason === undefined) return { permission: kind };
  const forPerson = { permission: kind, user_message: texts?.person ?? reason };
  return tellsAgent ? { ...forPerson, agent_message: texts?.model ?? reason } : forPerson;
}

const shellGate: ResponseEncoder = {
  deny: (reason, at) => permission("deny", reason, at, true),
  ask: (reason, at) => permission("ask", reason, at, true),
  allow: () => ({ permission: "allow" }),
};
const toolGate: ResponseEncoder = { ...shellGate, input: value => ({ updated_input: value }) };
const readGate: ResponseEncoder = {
  deny: (reason, at) => permission("deny", reason, at, false),
  ask: (reason, at) => permission("ask", reason, at, false),
  allow: () => ({ permission: "allow" }),
};
const GATES: ResponseTable = {
  beforeShellExecution: shellGate,
  beforeMCPExecution: shellGate,
  beforeReadFile: readGate,
  beforeTabFileRead: readGate,
};

const withContext: ResponseEncoder = { context: text => ({ additional_context: text }) };
const followUp: ResponseEncoder = {
  deny: reason => ({ followup_message: reason }),
  caveats: { deny: "hold → follow-up message, a limited number of times" },
};

function isMcpCall({ payload }: RenderContext): boolean {
  const name = payload["tool_name"];
  return typeof name === "string" && (name.startsWith("MCP:") || name.startsWith("mcp__"));
}

function afterTool(context: RenderContext): ResponseEncoder {
  if (context.nativeEvent !== "postToolUse") return {};
  return isMcpCall(context)
    ? { ...withContext, output: (value: Json) => ({ updated_mcp_tool_output: value }) }
    : withContext;
}

function nativeResponses(context: RenderContext): ResponseTable {
  return {
    PreToolUse: GATES[context.nativeEvent] ?? toolGate,
    PostToolUse: afterTool(context),
    PostToolUseFailure: {},
    UserPromptSubmit: { ...withContext, deny: reason => ({ continue: false, user_message: reason }) },
    MessageDisplay: {},
    Stop: followUp,
    SubagentStart: {},
    SubagentStop: followUp,
    SessionStart: withContext,
    SessionEnd: {},
    PreCompact: {
      message: text => ({ user_message: text }),
      ignoresExitCode: true,
    },
  };
}

/** Hooks from Claude's settings files are answered in Claude's form as well. */
function claudeFileResponses(context: RenderContext): ResponseTable {
  return {
    ...nativeResponses(context),
    PreToolUse: {
      ...nestedContext,
      deny: (reason, at) => ({
        ...permission("deny", reason, at, true),
        ...nestedPermission.deny(reason, at),
      }),
      ask: (reason, at) => ({ ...permission("ask", reason, at, true), ...nestedPermission.ask(reason, at) }),
      allow: (reason, at) => ({ permission: "allow", ...nestedPermission.allow(reason, at) }),
      input: (value, at) => ({ updated_input: value, ...nestedInput.input(value, at) }),
    },
    PostToolUse: { ...block, context: bothContexts },
    UserPromptSubmit: {
      deny: reason => ({ continue: false, user_message: reason, ...block.deny(reason) }),
      context: bothContexts,
    },
    Stop: { ...followUp, deny: reason => ({ followup_message: reason, ...block.deny(reason) }) },
    SessionStart: { context: bothContexts },
  };
}

function bothContexts(text: string, context: RenderContext): JsonObject {
  return { additional_context: text, ...nestedContext.context(text, context) };
}

export const cursor: HostDescriptor<"cursor"> = {
  id: "cursor",
  skillFolders: [".cursor/skills", ".claude/skills", ".agents/skills"],
  evidence: {
    payload: payload => payload["cursor_version"] !== undefined,
    variables: ["CURSOR_VERSION"],
    agentVariables: ["CURSOR_AGENT", "CURSOR_TRACE_ID"],
    // Its payloads have the members by which Augment is recognised.
    precedence: 3,
  },
  events,
  usesCanonicalEvents: true,
  tools: { Shell: "Bash", Task: "Agent" },
  input: {
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
  responses: context =>
    Object.hasOwn(events, context.nativeEvent) ? nativeResponses(context) : claudeFileResponses(context),
  noOpinion: "{}\n",
  contextLimit: 10_000,
  answering: "may skip your own rules once a hook approves; not tested",
  closed: "exit",
  registration: {
    timeout: { key: "timeout", unit: "s" },
    layout: {
      kind: "flat",
      header: { version: 1 },
      closedMember: { failClosed: true },
      closedMemberSince: "any",
    },
    files: { user: ".cursor/hooks.json", project: ".cursor/hooks.json" },
  },
  protects: {
    wiring: [".cursor/hooks/**", ".cursor/cli.json", ".cursor/cli-config.json"],
    trees: [".cursor"],
    managed: ["/etc/cursor", "/Library/Application Support/Cursor"],
  },
  program: { names: ["cursor-agent"], bypass: /^(--force|-f|--yolo)$/ },
  setup: () => ({
    title: "Cursor",
    folders: [".cursor"],
    programs: ["cursor", "cursor-agent"],
    mcp: { user: [".cursor/mcp.json"], project: ".cursor/mcp.json" },
    alsoReads: [
      { host: "claude-code", scope: "user" },
      { host: "claude-code", scope: "project" },
    ],
    nextStep: { project: "Cursor: trust this workspace; else it skips .cursor/hooks.json" },
    live: "it needs its editor and an account",
  }),
};
