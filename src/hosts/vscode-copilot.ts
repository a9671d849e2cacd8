import type { JsonObject } from "../protocol/index.ts";
import {
  block,
  doubleContext,
  doublePermission,
  nested,
  nestedInput,
  stopTurn,
  systemMessage,
} from "./claude-encoders.ts";
import type { HostDescriptor, ResponseTable } from "./host.ts";

const refuseTurn = (reason: string) => ({ ...block.deny(reason), ...stopTurn.halt(reason) });

/**
 * Answers to payloads with Claude's event names, which VS Code and one dialect of Copilot CLI send and which do not
 * always tell them apart: nested for the one, flat for the other, both in every answer.
 */
export const claudeNamesResponses = (): ResponseTable => ({
  SessionStart: doubleContext,
  UserPromptSubmit: { ...doubleContext, deny: refuseTurn },
  PreToolUse: {
    ...doubleContext,
    ...doublePermission,
    input: (value, context) => ({ modifiedArgs: value, ...nestedInput.input(value, context) }),
  },
  PostToolUse: { ...doubleContext, ...block },
  PreCompact: { deny: refuseTurn, unproven: ["deny"] },
  SubagentStart: doubleContext,
  SubagentStop: block,
  Stop: {
    deny: (reason, context) => ({ ...block.deny(reason), ...nested(context, block.deny(reason)) }),
  },
});

const tools: Readonly<Record<string, string>> = {
  run_in_terminal: "Bash",
  runTerminalCommand: "Bash",
  runInTerminal: "Bash",
  editFiles: "Edit",
  replace_string_in_file: "Edit",
  insert_edit_into_file: "Edit",
  apply_patch: "Edit",
  createFile: "Write",
  create_file: "Write",
  readFile: "Read",
  read_file: "Read",
  grep_search: "Grep",
  file_search: "Glob",
  fetch_webpage: "WebFetch",
  runSubagent: "Agent",
};

/**
 * Which of the two sent a payload with Claude's event names, an ISO time and no permission mode. VS Code numbers its
 * tool calls and keeps its own tool names; Copilot does neither, and has members and events of its own. Where
 * nothing tells, the environment does: other hosts send this form, too.
 */
export function timedCaller(
  payload: JsonObject,
  marked: HostDescriptor | undefined,
): "vscode" | "copilot" | undefined {
  const { timestamp, hook_event_name: event, permission_mode: mode, tool_name: tool } = payload;
  const isTimed = typeof timestamp === "string" && /^\d{4}-\d\d-\d\dT/.test(timestamp);
  if (typeof event !== "string" || mode !== undefined || !isTimed) return undefined;
  const isToolOfVsCode = typeof tool === "string" && Object.hasOwn(tools, tool);
  if (payload["tool_use_id"] !== undefined || typeof payload["tool_response"] === "string" || isToolOfVsCode)
    return "vscode";
  if (marked?.evidence?.sendsTimedPayloads === true) return undefined;
  const isCopilot =
    typeof tool === "string" ||
    !Object.hasOwn(claudeNamesResponses(), event) ||
    ["tool_result", "stop_reason", "initial_prompt", "parent_agent_id"].some(
      name => payload[name] !== undefined,
    );
  return isCopilot ? "copilot" : "vscode";
}

// No registration of its own: it reads the files of Claude Code and of Copilot CLI.
export const vscodeCopilot: HostDescriptor<"vscode-copilot"> = {
  id: "vscode-copilot",
  skillFolders: [".github/skills", ".claude/skills"],
  shortNames: ["vscode"],
  evidence: { sharedPayload: (payload, marked) => timedCaller(payload, marked) === "vscode" },
  events: {},
  usesCanonicalEvents: true,
  tools,
  responses: () =>
    Object.fromEntries(
      Object.entries(claudeNamesResponses()).map(([event, encoder]) => [
        event,
        { ...systemMessage, ...stopTurn, ...encoder },
      ]),
    ),
  noOpinion: "{}\n",
  answering: "may skip your own rules once a hook approves; not tested",
  closed: "exit",
  setup: () => ({
    title: "VS Code",
    folders: [".vscode", ".vscode-server"],
    programs: ["code"],
    mcp: {
      user: [".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json"],
      project: ".vscode/mcp.json",
      key: "servers",
      members: { type: "stdio" },
    },
    registeredBy: "claude-code",
    gaps: ["be sure of running: hooks are a preview there, and an organisation can switch them off"],
    live: "it needs its editor; it reads the hooks of Claude Code",
  }),
};
