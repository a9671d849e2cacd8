import { gate, gateAndTell, nestedInput, nestedPermission, observe, tell } from "./claude-words.ts";
import type { HostDescriptor } from "./host.ts";

export const factoryDroid: HostDescriptor = {
  id: "factory-droid",
  events: {},
  usesCanonicalEvents: true,
  tools: {
    Execute: "Bash",
    Create: "Write",
    MultiEdit: "Edit",
    ApplyPatch: "Edit",
    Task: "Agent",
    FetchUrl: "WebFetch",
  },
  speech: {
    // Documented as "the fields to change": whether it replaces or merges is not certain.
    PreToolUse: { ...tell, ...nestedPermission, ...nestedInput, inputIsMerged: true },
    PostToolUse: gateAndTell,
    Notification: observe,
    UserPromptSubmit: gateAndTell,
    Stop: gate,
    SubagentStop: gate,
    PreCompact: gate,
    SessionStart: tell,
    SessionEnd: observe,
  },
  silence: "{}\n",
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
    timeout: { key: "timeout", unit: "s" },
    layout: { kind: "groups", root: ["hooks"], commandKey: "command", hasType: true },
    files: [
      { scope: "user", path: ".factory/hooks.json", isShared: false },
      { scope: "project", path: ".factory/hooks.json", isShared: false },
    ],
  },
};
