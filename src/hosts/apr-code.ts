import type { HostDescriptor, ResponseEncoder } from "./host.ts";

/** A code of 2 or more blocks, with stderr as the reason; only SessionStart is known to be called at all. */
const exitGate: ResponseEncoder = { deny: () => ({}), denyExitCode: 2, unproven: ["deny"] };

/** Hooks of this host get neither stdin nor environment: only fixed policies can run, so nothing is registered. */
export const aprCode: HostDescriptor<"apr-code"> = {
  id: "apr-code",
  events: {},
  usesCanonicalEvents: true,
  tools: {},
  responses: () => ({
    SessionStart: {},
    PreToolUse: exitGate,
    PostToolUse: {},
    UserPromptSubmit: exitGate,
    Stop: {},
    SubagentStop: {},
  }),
  noOpinion: "",
  answering: "ignores hooks' approvals",
  closed: "exit",
};
