import {
  block,
  common,
  flatContext,
  nested,
  nestedContext,
  nestedInput,
  nestedPermission,
  stopTurn,
} from "./claude-encoders.ts";
import type { HostDescriptor, ResponseEncoder } from "./host.ts";
import { rename } from "./tool-input.ts";

/** Decisions that are at top level in Claude Code are nested here. */
const nestedBlock: ResponseEncoder = { deny: (reason, context) => nested(context, block.deny(reason)) };

export const augment: HostDescriptor<"augment"> = {
  id: "augment",
  evidence: {
    payload: payload => payload["conversation_id"] !== undefined && Array.isArray(payload["workspace_roots"]),
    variables: ["AUGMENT_PROJECT_DIR", "AUGMENT_CONVERSATION_ID", "AUGMENT_HOOK_EVENT", "AUGMENT_TOOL_NAME"],
    agentVariables: ["AUGMENT_AGENT", "AUGMENT_SESSION*"],
  },
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
  input: {
    environment: { cwd: "AUGMENT_PROJECT_DIR", sessionId: "AUGMENT_CONVERSATION_ID" },
    aliases: payload => rename(payload, { tool_response: "tool_output", error: "tool_error" }),
  },
  responses: () => ({
    PreToolUse: { ...common, ...flatContext, ...nestedPermission, ...nestedInput },
    PostToolUse: { ...common, ...nestedContext, ...nestedBlock },
    Stop: { ...common, ...nestedBlock },
    SessionStart: { ...common, ...nestedContext },
    SessionEnd: common,
    Notification: common,
    UserPromptSubmit: {
      ...common,
      ...flatContext,
      deny: (reason, context) => ({ ...stopTurn.halt(reason), ...nested(context, block.deny(reason)) }),
      unproven: ["deny"],
      ignoresExitCode: true,
    },
  }),
  noOpinion: "{}\n",
  answering: "may skip your own rules once a hook approves; not tested",
  closed: "exit",
  registration: {
    matcher: ".*",
    timeout: { key: "timeout", unit: "ms" },
    // The command is started without a shell, so its arguments need a place of their own.
    layout: { kind: "groups", argumentsKey: "args", hasType: true },
    files: { user: ".augment/settings.json", project: ".augment/settings.json" },
  },
  protects: { wiring: [".augment/settings*.json"], trees: [".augment"], managed: ["/etc/augment"] },
  program: { names: ["auggie"], bypass: /^--(allow-all|dangerously-skip-permissions)$/ },
  setup: () => ({
    title: "Augment",
    folders: [".augment"],
    programs: ["auggie"],
    mcp: { user: [".augment/settings.json"] },
    live: "it needs an account",
  }),
};
