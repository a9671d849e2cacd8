import {
  block,
  nested,
  nestedContext,
  nestedPermission,
  permissionRequest,
  stopTurn,
} from "./claude-words.ts";
import type { HostDescriptor, Speech } from "./host.ts";

// Codex throws away an answer with any member it does not know, and then the tool runs: nothing may be added here
// that its schema for that event does not have.
const speech: Readonly<Record<string, Speech>> = {
  PreToolUse: {
    ...nestedContext,
    deny: nestedPermission.deny,
    input: (value, on) => nested(on, { permissionDecision: "allow", updatedInput: value }),
    caveats: { input: "input → allow with input" },
  },
  PermissionRequest: permissionRequest,
  PostToolUse: { ...block, ...nestedContext, ...stopTurn, denyReplacesResult: true },
  UserPromptSubmit: { ...block, ...nestedContext, ...stopTurn },
  SessionStart: { ...nestedContext, ...stopTurn },
  SessionEnd: {},
  SubagentStart: nestedContext,
  SubagentStop: { ...block, ...stopTurn },
  Stop: { ...block, ...stopTurn },
  PreCompact: { ...stopTurn, deny: stopTurn.halt },
  PostCompact: stopTurn,
};

export const codex: HostDescriptor = {
  id: "codex",
  events: { "agent-turn-complete": "Stop" },
  usesCanonicalEvents: true,
  tools: { apply_patch: "Edit", spawn_agent: "Agent", collaborationspawn_agent: "Agent" },
  speech,
  silence: "",
  closed: "exit",
  registration: {
    events: {
      SessionStart: ["SessionStart"],
      Stop: ["Stop"],
      PreToolUse: ["PreToolUse"],
      PostToolUse: ["PostToolUse"],
      UserPromptSubmit: ["UserPromptSubmit"],
      PreCompact: ["PreCompact"],
      SessionEnd: ["SessionEnd"],
    },
    matcher: "*",
    timeout: { key: "timeout", unit: "s", ceilings: { SessionEnd: 3 } },
    layout: { kind: "groups", root: ["hooks"], commandKey: "command", hasType: true },
    files: [
      { scope: "user", path: ".codex/hooks.json", isShared: false },
      { scope: "project", path: ".codex/hooks.json", isShared: false },
    ],
    relocation: { variable: "CODEX_HOME", folder: ".codex" },
  },
};
