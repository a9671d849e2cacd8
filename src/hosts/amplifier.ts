import { amplifierResponses, amplifierShell, amplifierTools } from "./amplifier-shell.ts";
import type { HostDescriptor } from "./host.ts";

/**
 * Amplifier's own events, for payloads that a user's Python module hands on. Such a module translates the bridge's
 * answers; Amplifier itself starts no programs, so nothing is registered here.
 */
export const amplifier: HostDescriptor<"amplifier"> = {
  id: "amplifier",
  evidence: {
    payload: payload => /^[a-z]+:[a-z_]+$/.test(String(payload["hook_event_name"] ?? payload["event"])),
  },
  events: {
    "session:start": "SessionStart",
    "session:resume": "SessionStart",
    "session:end": "SessionEnd",
    "session:fork": "SubagentStart",
    "prompt:submit": "UserPromptSubmit",
    "tool:pre": "PreToolUse",
    "tool:post": "PostToolUse",
    "tool:error": "PostToolUseFailure",
    "orchestrator:complete": "Stop",
    "prompt:complete": "Stop",
    "context:pre_compact": "PreCompact",
    "context:post_compact": "PostCompact",
    "approval:required": "PermissionRequest",
    "approval:denied": "PermissionDenied",
    "user:notification": "Notification",
  },
  usesCanonicalEvents: false,
  tools: amplifierTools,
  input: amplifierShell.input ?? {},
  responses: () => ({
    ...amplifierResponses(),
    PostToolUseFailure: {},
    PreCompact: { ignoresExitCode: true },
    PostCompact: {},
    PermissionRequest: { ask: () => ({}), ignoresExitCode: true },
    PermissionDenied: {},
  }),
  noOpinion: "",
  contextLimit: 10_000,
  answering: "ignores hooks' approvals",
  closed: "exit",
};
