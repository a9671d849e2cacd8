import { block } from "./claude-words.ts";
import type { HostDescriptor, Speech } from "./host.ts";

const tell: Speech = { context: text => ({ contextInjection: text }) };

/** The bridge reads `decision`, `reason` and `contextInjection`; Claude's nested object is not looked at. */
export const amplifierSpeech: Readonly<Record<string, Speech>> = {
  PreToolUse: { ...block, ...tell },
  PostToolUse: tell,
  UserPromptSubmit: { ...block, ...tell },
  Notification: {},
  Stop: {},
  SubagentStart: tell,
  SubagentStop: {},
  SessionStart: tell,
  SessionEnd: {},
};

export const amplifierTools: Readonly<Record<string, string>> = {
  bash: "Bash",
  read_file: "Read",
  write_file: "Write",
  edit_file: "Edit",
  grep: "Grep",
  glob: "Glob",
  task: "Agent",
};

export const amplifierShell: HostDescriptor = {
  id: "amplifier-shell",
  events: {},
  usesCanonicalEvents: true,
  tools: amplifierTools,
  reading: { environment: { cwd: "AMPLIFIER_PROJECT_DIR", sessionId: "AMPLIFIER_SESSION_ID" } },
  speech: amplifierSpeech,
  silence: "",
  contextLimit: 10_000,
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
    layout: { kind: "groups", root: ["hooks"], commandKey: "command", hasType: true },
    files: [
      { scope: "user", path: ".amplifier/hooks/amplihack/hooks.json", isShared: false },
      { scope: "project", path: ".amplifier/hooks/amplihack/hooks.json", isShared: false },
    ],
  },
};
