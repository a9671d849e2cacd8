import {
  block,
  flatContext,
  nested,
  nestedContext,
  nestedInput,
  nestedPermission,
  observe,
  stopTurn,
} from "./claude-words.ts";
import type { HostDescriptor, Speech } from "./host.ts";
import { rename } from "./payload-paths.ts";

/** Decisions that are at top level in Claude Code are nested here. */
const nestedBlock: Speech = { deny: (reason, on) => nested(on, block.deny(reason)) };

export const augment: HostDescriptor = {
  id: "augment",
  events: { PromptSubmit: "UserPromptSubmit" },
  usesCanonicalEvents: true,
  answersInNativeNames: true,
  tools: {
    "launch-process": "Bash",
    "str-replace-editor": "Edit",
    apply_patch: "Edit",
    "save-file": "Write",
    view: "Read",
    "web-fetch": "WebFetch",
    "web-search": "WebSearch",
  },
  reading: {
    environment: { cwd: "AUGMENT_PROJECT_DIR", sessionId: "AUGMENT_CONVERSATION_ID" },
    aliases: payload => rename(payload, { tool_response: "tool_output", error: "tool_error" }),
  },
  speech: {
    PreToolUse: { ...observe, ...flatContext, ...nestedPermission, ...nestedInput },
    PostToolUse: { ...observe, ...nestedContext, ...nestedBlock },
    Stop: { ...observe, ...nestedBlock },
    SessionStart: { ...observe, ...nestedContext },
    SessionEnd: observe,
    Notification: observe,
    UserPromptSubmit: {
      ...observe,
      ...flatContext,
      deny: (reason, on) => ({ ...stopTurn.halt(reason), ...nested(on, block.deny(reason)) }),
      unproven: ["deny"],
      ignoresExitCode: true,
    },
  },
  silence: "{}\n",
  closed: "exit",
  registration: {
    events: {
      SessionStart: ["SessionStart"],
      Stop: ["Stop"],
      PreToolUse: ["PreToolUse"],
      PostToolUse: ["PostToolUse"],
      UserPromptSubmit: ["PromptSubmit"],
      SessionEnd: ["SessionEnd"],
    },
    matcher: ".*",
    timeout: { key: "timeout", unit: "ms" },
    // The command is started without a shell, so its arguments need a place of their own.
    layout: { kind: "groups", root: ["hooks"], commandKey: "command", argumentsKey: "args", hasType: true },
    files: [
      { scope: "user", path: ".augment/settings.json", isShared: false },
      { scope: "project", path: ".augment/settings.json", isShared: false },
    ],
  },
};
