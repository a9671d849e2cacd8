import {
  block,
  nested,
  nestedContext,
  nestedPermission,
  permissionRequest,
  stopTurn,
  systemMessage,
} from "./claude-encoders.ts";
import type { HostDescriptor } from "./host.ts";

const RULES = { folder: ".codex/rules", managed: "/etc/codex/rules", ending: ".rules" };

export const codex: HostDescriptor<"codex"> = {
  id: "codex",
  skillFolders: [".codex/skills", ".agents/skills"],
  evidence: {
    payload: payload => typeof payload["turn_id"] === "string" && typeof payload["model"] === "string",
    transcriptFolder: "/.codex/sessions/",
    agentVariables: ["CODEX_SANDBOX*", "CODEX_THREAD_ID*", "CODEX_SESSION_ID*"],
  },
  events: { "agent-turn-complete": "Stop" },
  usesCanonicalEvents: true,
  tools: { apply_patch: "Edit", spawn_agent: "Agent", collaborationspawn_agent: "Agent" },
  // Codex throws away an answer with any member it does not know, and then the tool runs: nothing may be added here
  // that its schema for that event does not have.
  responses: () => ({
    PreToolUse: {
      ...systemMessage,
      ...nestedContext,
      deny: nestedPermission.deny,
      input: (value, context) => nested(context, { permissionDecision: "allow", updatedInput: value }),
      caveats: { input: "input → allow with input" },
    },
    PermissionRequest: permissionRequest,
    PostToolUse: { ...block, ...nestedContext, ...stopTurn, denyReplacesResult: true },
    UserPromptSubmit: { ...block, ...nestedContext, ...stopTurn },
    SessionStart: { ...nestedContext, ...stopTurn },
    SessionEnd: {},
    SubagentStart: nestedContext,
    SubagentStop: { ...block, ...stopTurn },
    Stop: { ...block, ...stopTurn },
    PreCompact: { ...stopTurn, deny: stopTurn.halt },
    PostCompact: stopTurn,
  }),
  noOpinion: "",
  answering: {
    event: "PermissionRequest",
    modes: ["default", "acceptEdits"],
    overrides: [
      {
        ...RULES,
        rule: /decision\s*=\s*["']prompt["']/,
        what: 'rules of your own that ask (decision = "prompt")',
      },
    ],
  },
  sandboxing: {
    modes: ["default", "acceptEdits"],
    overrides: [
      {
        ...RULES,
        rule: /decision\s*=\s*["'](?:prompt|forbidden)["']/,
        what: "rules of your own that ask or forbid",
      },
    ],
    // In text that a person wrote the quotation marks would be escaped.
    ownSandbox: { told: /"sandbox_policy":\{"type":"([\w-]+)"/g, none: "danger-full-access" },
  },
  closed: "exit",
  registration: {
    events: { Stop: ["Stop"] },
    matcher: "*",
    timeout: { key: "timeout", unit: "s", ceilings: { SessionEnd: 3 } },
    layout: { kind: "groups", hasType: true, isPlainJson: true },
    files: { user: ".codex/hooks.json", project: ".codex/hooks.json" },
    relocation: { variable: "CODEX_HOME", folder: ".codex" },
    fingerprints: {
      file: "config.toml",
      nextStep: "Codex: open it, type /hooks and trust the hooks of amplihack; until then it skips them",
    },
  },
  protects: {
    wiring: [".codex/config.toml", ".codex/hooks/**", ".codex/rules/**"],
    trees: [".codex"],
    managed: ["/etc/codex", "/Library/Application Support/Codex"],
    credentials: [".codex/auth.json"],
  },
  program: {
    names: ["codex"],
    package: "@openai/codex",
    bypass:
      /^--(dangerously-bypass-approvals-and-sandbox|yolo|full-auto-danger|sandbox=danger-full-access)$|^danger-full-access$|^(-c)?"?(approval_policy="?never|sandbox_mode="?danger-full-access)"?$/,
    bypassVariables: ["CODEX_HOME"],
  },
  recordsSessions: true,
  setup: () => ({
    title: "Codex",
    folders: [".codex"],
    programs: ["codex"],
    mcp: {
      user: [".codex/config.toml"],
      project: ".codex/config.toml",
      moved: { variable: "CODEX_HOME", file: "config.toml" },
      key: "mcp_servers",
      format: "toml",
    },
    userFiles: {
      agents: { file: "agents/amplihack-NAME.toml", format: "toml" },
      command: { file: "prompts/amplihack-dev.md", format: "markdown", argument: "$ARGUMENTS" },
    },
    nextStep: { project: "Codex: trust this project when it asks; else it may skip .codex/hooks.json" },
    gaps: ["see files that are read otherwise than by a command"],
    agent: {
      name: "codex",
      installHint: "npm install -g @openai/codex",
      minimumVersion: "0.166.0",
      answersOnce: "exec",
      printMode: {
        screenFlag: [],
        start: ["exec", "--skip-git-repo-check"],
        promptFlag: [],
        stdinMarker: ["-"],
        directoryFlag: "--add-dir",
        modelFlag: "--model",
        unsafeStart: /^-/,
      },
    },
    live: {
      args: (prompt, { url, model }) => [
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        ...Object.entries({
          model,
          model_provider: model,
          [`model_providers.${model}.name`]: model,
          [`model_providers.${model}.base_url`]: `${url}/v1`,
          [`model_providers.${model}.wire_api`]: "responses",
          [`model_providers.${model}.env_key`]: "SCRIPTED_KEY",
        }).flatMap(([name, value]) => ["-c", `${name}=${JSON.stringify(value)}`]),
        prompt,
      ],
      env: ({ key }) => ({ SCRIPTED_KEY: key }),
    },
  }),
};
