import { amplifierShell, amplifierSpeech, amplifierTools } from "./amplifier-shell.ts";
import type { HostDescriptor } from "./host.ts";

/**
 * Amplifier's own events, for payloads that a Python module of somebody's hands on. Such a module translates the
 * bridge's words; Amplifier itself starts no programs, so nothing is registered here.
 */
export const amplifier: HostDescriptor = {
  id: "amplifier",
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
  reading: amplifierShell.reading ?? {},
  speech: {
    ...amplifierSpeech,
    PostToolUseFailure: {},
    PreCompact: { ignoresExitCode: true },
    PostCompact: {},
    PermissionRequest: { ask: () => ({}), ignoresExitCode: true },
    PermissionDenied: {},
  },
  silence: "",
  contextLimit: 10_000,
  closed: "exit",
};
