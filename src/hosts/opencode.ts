import { isJsonObject, type JsonObject, ownValue } from "../protocol/index.ts";
import {
  block,
  nested,
  nestedContext,
  nestedInput,
  nestedPermission,
  systemMessage,
} from "./claude-words.ts";
import type { HostDescriptor } from "./host.ts";
import { readPath, rename } from "./payload-paths.ts";

/** The text of a prompt is spread over the parts of its message. */
function promptOf(payload: JsonObject): JsonObject {
  const parts = readPath(payload, "output.parts");
  if (!Array.isArray(parts)) return {};
  const texts = (parts as readonly JsonObject[]).flatMap(part => {
    const text = isJsonObject(part) && part["type"] === "text" ? ownValue(part, "text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? {} : { prompt: texts.join("\n") };
}

// Answers go to the generated plugin, which turns them into a throw, a changed argument or an appended text.
export const opencode: HostDescriptor = {
  id: "opencode",
  events: {
    "tool.execute.before": "PreToolUse",
    "tool.execute.after": "PostToolUse",
    "chat.message": "UserPromptSubmit",
    "command.execute.before": "UserPromptExpansion",
    "permission.asked": "PermissionRequest",
    "session.created": "SessionStart",
    "session.idle": "Stop",
    "session.deleted": "SessionEnd",
    "session.compacted": "PostCompact",
    "experimental.session.compacting": "PreCompact",
    "session.error": "StopFailure",
    "file.edited": "FileChanged",
  },
  usesCanonicalEvents: false,
  tools: {
    bash: "Bash",
    read: "Read",
    write: "Write",
    edit: "Edit",
    apply_patch: "Edit",
    grep: "Grep",
    glob: "Glob",
    list: "LS",
    webfetch: "WebFetch",
    websearch: "WebSearch",
    task: "Agent",
    todowrite: "TodoWrite",
    skill: "Skill",
  },
  reading: {
    event: ["event.type"],
    toolName: ["input.tool", "event.properties.permission"],
    toolInput: ["output.args", "input.args", "event.properties.metadata"],
    sessionId: ["input.sessionID", "event.properties.sessionID"],
    aliases: payload => ({
      ...promptOf(payload),
      ...rename(payload, { tool_use_id: "input.callID", tool_response: "output.output" }),
    }),
  },
  speech: {
    PreToolUse: { ...systemMessage, ...nestedInput, deny: nestedPermission.deny },
    PostToolUse: {
      ...systemMessage,
      ...block,
      ...nestedContext,
      output: (value, on) => nested(on, { updatedToolOutput: value }),
    },
    UserPromptSubmit: { ...systemMessage, ...block, ...nestedContext },
    UserPromptExpansion: {},
    PermissionRequest: { ask: () => ({}) },
    SessionStart: { ...systemMessage, ...nestedContext },
    Stop: {},
    SessionEnd: systemMessage,
    PreCompact: { ...systemMessage, ...nestedContext },
    PostCompact: {},
    StopFailure: {},
    FileChanged: {},
  },
  silence: "{}\n",
  closed: "deny",
  registration: {
    events: {
      SessionStart: ["session.created"],
      PreToolUse: ["tool.execute.before"],
      PostToolUse: ["tool.execute.after"],
      UserPromptSubmit: ["chat.message"],
      PreCompact: ["experimental.session.compacting"],
      SessionEnd: ["session.deleted"],
      Stop: ["session.idle"],
    },
    layout: { kind: "module", root: [], commandKey: "command", hasType: false },
    files: [
      { scope: "user", path: ".config/opencode/plugins/amplihack.js", isShared: false },
      { scope: "project", path: ".opencode/plugins/amplihack.js", isShared: false },
    ],
    relocation: { variable: "XDG_CONFIG_HOME", folder: ".config" },
  },
};
