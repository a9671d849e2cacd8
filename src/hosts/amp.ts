import type { HostDescriptor } from "./host.ts";

/** In-process only; the words are those its plugin interface takes. Third-hand, so nothing is registered. */
export const amp: HostDescriptor = {
  id: "amp",
  events: {
    "session.start": "SessionStart",
    "agent.start": "UserPromptSubmit",
    "tool.call": "PreToolUse",
    "tool.result": "PostToolUse",
    "agent.end": "Stop",
  },
  usesCanonicalEvents: false,
  tools: {
    create_file: "Write",
    edit_file: "Edit",
    glob: "Glob",
    Task: "Agent",
    web_search: "WebSearch",
  },
  reading: { toolName: ["tool"], toolInput: ["input"] },
  speech: {
    SessionStart: {},
    UserPromptSubmit: {
      context: text => ({ message: text }),
      unproven: ["context"],
      ignoresExitCode: true,
    },
    PreToolUse: {
      deny: reason => ({ action: "reject-and-continue", message: reason }),
      allow: () => ({ action: "allow" }),
    },
    PostToolUse: {},
    Stop: {
      deny: reason => ({ action: "continue", userMessage: reason }),
      caveats: { deny: "hold → follow-up message, a limited number of times" },
    },
  },
  silence: "{}\n",
  closed: "exit",
};
