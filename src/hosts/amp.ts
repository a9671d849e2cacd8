import type { HostDescriptor } from "./host.ts";

/** In-process only; answers are what its plugin interface takes. Third-hand, so nothing is registered. */
export const amp: HostDescriptor<"amp"> = {
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
  input: { toolName: ["tool"], toolInput: ["input"] },
  responses: () => ({
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
  }),
  noOpinion: "{}\n",
  answering: "may skip your own rules once a hook approves; not tested",
  closed: "exit",
  protects: { wiring: [".amp/settings.json", ".config/amp/settings.json"] },
  program: { names: ["amp"], package: "@sourcegraph/amp", bypass: /^--dangerously-allow-all$/ },
};
