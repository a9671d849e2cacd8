import type { JsonObject } from "../protocol/index.ts";
import { allowOnceCommand } from "./allow-once.ts";
import {
  block,
  nested,
  nestedContext,
  nestedInput,
  nestedPermission,
  systemMessage,
} from "./claude-words.ts";
import type { HostDescriptor, Occasion } from "./host.ts";
import { rename } from "./payload-paths.ts";

/** The extension asks where there is a screen; elsewhere it refuses and tells how a person can permit the call. */
function ask(reason: string | undefined, on: Occasion): JsonObject {
  const command = allowOnceCommand(on.extras);
  return { ...nestedPermission.ask(reason, on), ...(command === undefined ? {} : { allowOnce: command }) };
}

// Answers go to the generated extension, which turns them into a block, a changed argument or an appended text.
export const pi: HostDescriptor = {
  id: "pi",
  events: {
    tool_call: "PreToolUse",
    tool_result: "PostToolUse",
    input: "UserPromptSubmit",
    before_agent_start: "UserPromptSubmit",
    session_start: "SessionStart",
    session_shutdown: "SessionEnd",
    session_before_compact: "PreCompact",
    session_compact: "PostCompact",
    agent_before_settle: "Stop",
    model_select: "PostModelSwitch",
  },
  usesCanonicalEvents: false,
  tools: {
    bash: "Bash",
    read: "Read",
    write: "Write",
    edit: "Edit",
    grep: "Grep",
    find: "Glob",
    ls: "LS",
  },
  reading: {
    event: ["type"],
    toolInput: ["input"],
    aliases: (payload, nativeEvent) => {
      if (nativeEvent === "input") return rename(payload, { prompt: "text" });
      if (nativeEvent === "session_start") return rename(payload, { source: "reason" });
      return nativeEvent === "tool_result" ? rename(payload, { tool_response: "content" }) : {};
    },
  },
  speech: {
    PreToolUse: { ...systemMessage, ...nestedInput, deny: nestedPermission.deny, ask },
    PostToolUse: {
      ...systemMessage,
      ...block,
      ...nestedContext,
      output: (value, on) => nested(on, { updatedToolOutput: value }),
    },
    UserPromptSubmit: { ...systemMessage, ...block, ...nestedContext },
    SessionStart: { ...systemMessage, ...nestedContext },
    SessionEnd: systemMessage,
    PreCompact: { ...systemMessage, ...block },
    PostCompact: {},
    Stop: {},
    PostModelSwitch: {},
  },
  silence: "{}\n",
  closed: "deny",
  registration: {
    events: {
      SessionStart: ["session_start"],
      PreToolUse: ["tool_call"],
      PostToolUse: ["tool_result"],
      UserPromptSubmit: ["input"],
      PreCompact: ["session_before_compact"],
      SessionEnd: ["session_shutdown"],
      Stop: ["agent_end"],
    },
    layout: { kind: "module", root: [], commandKey: "command", hasType: false },
    files: [
      { scope: "user", path: ".pi/agent/extensions/amplihack.js", isShared: false },
      { scope: "project", path: ".pi/extensions/amplihack.js", isShared: false },
    ],
    relocation: { variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent" },
  },
};
