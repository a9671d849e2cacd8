import { block, nestedContext } from "./claude-encoders.ts";
import type { HostDescriptor, ResponseEncoder } from "./host.ts";

const approve: ResponseEncoder = { allow: () => ({ decision: "approve" }) };
const unprovenContext: ResponseEncoder = { ...nestedContext, unproven: ["context"] };

export const devin: HostDescriptor<"devin"> = {
  id: "devin",
  evidence: { variables: ["DEVIN_PROJECT_DIR"] },
  events: { PostCompaction: "PostCompact" },
  usesCanonicalEvents: true,
  tools: {
    exec: "Bash",
    edit: "Edit",
    write: "Write",
    apply_patch: "Edit",
    notebook_edit: "NotebookEdit",
  },
  input: { environment: { cwd: "DEVIN_PROJECT_DIR" } },
  responses: () => ({
    PreToolUse: { ...block, ...approve },
    PermissionRequest: { ...block, ...approve, ask: () => ({}) },
    PostToolUse: { ...block, ...nestedContext },
    UserPromptSubmit: { ...block, ...unprovenContext },
    Stop: block,
    SessionStart: unprovenContext,
    SessionEnd: {},
    PostCompact: {},
  }),
  noOpinion: "",
  answering: "may skip your own rules once a hook approves; not tested",
  closed: "exit",
  registration: {
    matcher: ".*",
    timeout: { key: "timeout", unit: "s" },
    layout: { kind: "groups", root: [], hasType: true },
    files: { project: ".devin/hooks.v1.json" },
  },
  protects: {
    wiring: [".devin/hooks.json", ".devin/hooks/**", ".devin/config*.json", ".config/devin/config.json"],
  },
};
