import type { HostDescriptor, Speech } from "./host.ts";

/** A code of 2 or more blocks, with stderr as the reason; only SessionStart is known to be called at all. */
const exitGate: Speech = { deny: () => ({}), denyExitCode: 2, unproven: ["deny"] };

/** Hooks of this host get neither stdin nor environment: only fixed policies can run, so nothing is registered. */
export const aprCode: HostDescriptor = {
  id: "apr-code",
  events: {},
  usesCanonicalEvents: true,
  tools: {},
  speech: {
    SessionStart: {},
    PreToolUse: exitGate,
    PostToolUse: {},
    UserPromptSubmit: exitGate,
    Stop: {},
    SubagentStop: {},
  },
  silence: "",
  closed: "exit",
};
