import { block, nestedContext } from "./claude-encoders.ts";
import type { HostDescriptor } from "./host.ts";

export const atomcode: HostDescriptor<"atomcode"> = {
  id: "atomcode",
  evidence: {
    variables: ["ATOMCODE_HOOK_CONTEXT", "ATOMCODE_HOOK_EVENT", "ATOMCODE_TOOL_NAME"],
    agentVariables: ["ATOMCODE_*"],
  },
  events: {
    pre_tool_use: "PreToolUse",
    post_tool_use: "PostToolUse",
    session_start: "SessionStart",
    session_end: "SessionEnd",
    user_prompt_submit: "UserPromptSubmit",
    notification: "Notification",
  },
  usesCanonicalEvents: true,
  tools: {
    bash: "Bash",
    read_file: "Read",
    write_file: "Write",
    edit_file: "Edit",
    grep: "Grep",
    glob: "Glob",
  },
  input: { toolInput: ["tool_args"], environment: { payload: "ATOMCODE_HOOK_CONTEXT" } },
  // Any non-zero exit code is an allow here: every decision is in the JSON.
  responses: () => ({
    PreToolUse: {
      deny: reason => ({ action: "block", reason }),
      allow: () => ({ action: "allow" }),
      input: value => ({ action: "modify", args: value }),
    },
    PostToolUse: {},
    SessionStart: {},
    SessionEnd: {},
    UserPromptSubmit: { ...block, ...nestedContext },
    Notification: {},
  }),
  noOpinion: '{"action":"allow"}\n',
  closed: "deny",
  registration: {
    timeout: { key: "timeout_ms", unit: "ms" },
    layout: { kind: "toml" },
    files: { user: ".atomcode/hooks/amplihack.toml", project: ".atomcode/hooks/amplihack.toml" },
  },
  protects: { wiring: [".atomcode/hooks/**"] },
};
