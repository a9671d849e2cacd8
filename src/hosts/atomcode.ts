import { block, nestedContext } from "./claude-words.ts";
import type { HostDescriptor } from "./host.ts";

export const atomcode: HostDescriptor = {
  id: "atomcode",
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
  reading: { toolInput: ["tool_args"], environment: { payload: "ATOMCODE_HOOK_CONTEXT" } },
  // Any non-zero exit code is an allow here: everything is said in words.
  speech: {
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
  },
  silence: '{"action":"allow"}\n',
  closed: "deny",
  registration: {
    events: {
      SessionStart: ["session_start"],
      PreToolUse: ["pre_tool_use"],
      PostToolUse: ["post_tool_use"],
      UserPromptSubmit: ["user_prompt_submit"],
      SessionEnd: ["session_end"],
    },
    timeout: { key: "timeout_ms", unit: "ms" },
    layout: { kind: "toml", root: ["hooks"], commandKey: "command", hasType: false },
    files: [
      { scope: "user", path: ".atomcode/hooks/amplihack.toml", isShared: false },
      { scope: "project", path: ".atomcode/hooks/amplihack.toml", isShared: false },
    ],
  },
};
