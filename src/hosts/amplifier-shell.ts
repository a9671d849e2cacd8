import { block } from "./claude-encoders.ts";
import type { HostDescriptor, ResponseEncoder, ResponseTable } from "./host.ts";

const withContext: ResponseEncoder = { context: text => ({ contextInjection: text }) };

/** The bridge reads `decision`, `reason` and `contextInjection`; Claude's nested object is not looked at. */
export const amplifierResponses = (): ResponseTable => ({
  PreToolUse: { ...block, ...withContext },
  PostToolUse: withContext,
  UserPromptSubmit: { ...block, ...withContext },
  Notification: {},
  Stop: {},
  SubagentStart: withContext,
  SubagentStop: {},
  SessionStart: withContext,
  SessionEnd: {},
});

export const amplifierTools: Readonly<Record<string, string>> = {
  bash: "Bash",
  read_file: "Read",
  write_file: "Write",
  edit_file: "Edit",
  grep: "Grep",
  glob: "Glob",
  task: "Agent",
};

export const amplifierShell: HostDescriptor<"amplifier-shell"> = {
  id: "amplifier-shell",
  // The only part of Amplifier that starts programs.
  shortNames: ["amplifier"],
  evidence: {
    variables: ["AMPLIFIER_PROJECT_DIR", "AMPLIFIER_SESSION_ID", "AMPLIFIER_HOOKS_DIR"],
    agentVariables: ["AMPLIFIER_*"],
  },
  events: {},
  usesCanonicalEvents: true,
  tools: amplifierTools,
  input: { environment: { cwd: "AMPLIFIER_PROJECT_DIR", sessionId: "AMPLIFIER_SESSION_ID" } },
  responses: amplifierResponses,
  noOpinion: "",
  contextLimit: 10_000,
  answering: "ignores hooks' approvals",
  closed: "exit",
  registration: {
    matcher: ".*",
    timeout: { key: "timeout", unit: "s" },
    layout: { kind: "groups", hasType: true },
    files: {
      user: ".amplifier/hooks/amplihack/hooks.json",
      project: ".amplifier/hooks/amplihack/hooks.json",
    },
  },
  protects: { wiring: [".amplifier/hooks/**", ".amplifier/settings.yaml"], trees: [".amplifier"] },
  setup: () => ({
    title: "Amplifier",
    folders: [".amplifier"],
    programs: ["amplifier"],
    takesBundles: true,
    nextStep: {
      user: "Amplifier: mount its module hook-shell; that is what reads .amplifier/hooks",
      project: "Amplifier: mount its module hook-shell; that is what reads .amplifier/hooks",
    },
    gaps: ["run without Amplifier's shell bridge, the module hook-shell"],
    agent: {
      name: "amplifier",
      installHint: "uv tool install git+https://github.com/microsoft/amplifier",
      skipsPermissions: true,
      takesModel: true,
      answersOnce: "run",
      printMode: { start: ["run"], promptFlag: [], stdinMarker: [], modelFlag: "--model", unsafeStart: /^-/ },
    },
    live: "it was not tried with a scripted model yet",
  }),
};
