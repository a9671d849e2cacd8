import { block, nestedContext } from "./claude-words.ts";
import type { HostDescriptor, Speech } from "./host.ts";

const approve: Speech = { allow: () => ({ decision: "approve" }) };
const unprovenContext: Speech = { ...nestedContext, unproven: ["context"] };

export const devin: HostDescriptor = {
  id: "devin",
  events: { PostCompaction: "PostCompact" },
  usesCanonicalEvents: true,
  tools: {
    exec: "Bash",
    edit: "Edit",
    write: "Write",
    apply_patch: "Edit",
    notebook_edit: "NotebookEdit",
  },
  reading: { environment: { cwd: "DEVIN_PROJECT_DIR" } },
  speech: {
    PreToolUse: { ...block, ...approve },
    PermissionRequest: { ...block, ...approve, ask: () => ({}) },
    PostToolUse: { ...block, ...nestedContext },
    UserPromptSubmit: { ...block, ...unprovenContext },
    Stop: block,
    SessionStart: unprovenContext,
    SessionEnd: {},
    PostCompact: {},
  },
  silence: "",
  closed: "exit",
  registration: {
    events: {
      SessionStart: ["SessionStart"],
      Stop: ["Stop"],
      PreToolUse: ["PreToolUse"],
      PostToolUse: ["PostToolUse"],
      UserPromptSubmit: ["UserPromptSubmit"],
      SessionEnd: ["SessionEnd"],
    },
    matcher: ".*",
    timeout: { key: "timeout", unit: "s" },
    layout: { kind: "groups", root: [], commandKey: "command", hasType: true },
    files: [{ scope: "project", path: ".devin/hooks.v1.json", isShared: false }],
  },
};
