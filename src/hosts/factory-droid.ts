import {
  common,
  nestedInput,
  nestedPermission,
  withBlock,
  withBlockAndContext,
  withContext,
} from "./claude-encoders.ts";
import type { HostDescriptor } from "./host.ts";

export const factoryDroid: HostDescriptor<"factory-droid"> = {
  id: "factory-droid",
  skillFolders: [".factory/skills"],
  shortNames: ["factory", "droid"],
  evidence: { transcriptFolder: "/.factory/sessions/", variables: ["FACTORY_PROJECT_DIR"] },
  events: {},
  usesCanonicalEvents: true,
  tools: {
    Execute: "Bash",
    Create: "Write",
    MultiEdit: "Edit",
    ApplyPatch: "Edit",
    Task: "Agent",
    FetchUrl: "WebFetch",
  },
  responses: () => ({
    // Documented as "the fields to change": whether it replaces or merges is not certain.
    PreToolUse: { ...withContext, ...nestedPermission, ...nestedInput, inputIsMerged: true },
    PostToolUse: withBlockAndContext,
    Notification: common,
    UserPromptSubmit: withBlockAndContext,
    Stop: withBlock,
    SubagentStop: withBlock,
    PreCompact: withBlock,
    SessionStart: withContext,
    SessionEnd: common,
  }),
  noOpinion: "{}\n",
  answering: "may skip your own rules once a hook approves; not tested",
  closed: "exit",
  registration: {
    matcher: "*",
    timeout: { key: "timeout", unit: "s" },
    layout: { kind: "groups", hasType: true },
    files: { user: ".factory/hooks.json", project: ".factory/hooks.json" },
    // The hooks in its settings are passed over as soon as there is a file for hooks.
    alternativeFile: "settings.json",
  },
  protects: {
    wiring: [".factory/settings*.json", ".factory/hooks/**"],
    trees: [".factory"],
    credentials: [".factory/auth.json"],
  },
  program: { names: ["droid"], bypass: /^--skip-permissions-unsafe$/ },
  setup: () => ({
    title: "Factory",
    folders: [".factory"],
    programs: ["droid"],
    mcp: { user: [".factory/mcp.json"], project: ".factory/mcp.json", members: { type: "stdio" } },
    nextStep: {
      user: "Factory: start droid again and approve the hooks in /hooks if it asks",
      project: "Factory: start droid again and approve the hooks in /hooks if it asks",
    },
    live: "it needs an account",
  }),
};
