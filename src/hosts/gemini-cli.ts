import { memberAt } from "../protocol/index.ts";
import { common, nested, withBlock, withBlockAndContext, withContext } from "./claude-encoders.ts";
import type { HostDescriptor } from "./host.ts";
import { mcpToolName } from "./tool-input.ts";

const events: Readonly<Record<string, string | null>> = {
  SessionStart: "SessionStart",
  SessionEnd: "SessionEnd",
  BeforeAgent: "UserPromptSubmit",
  AfterAgent: "Stop",
  BeforeTool: "PreToolUse",
  AfterTool: "PostToolUse",
  PreCompress: "PreCompact",
  Notification: "Notification",
  BeforeModel: null,
  AfterModel: null,
  BeforeToolSelection: null,
};

/** Names that no other host uses: all but those that are canonical, too. */
function isOwnEvent(name: unknown): boolean {
  return typeof name === "string" && Object.hasOwn(events, name) && events[name] !== name;
}

const BYPASS = /^(--yolo|-y|--approval-mode=yolo|yolo)$/;

export const geminiCli: HostDescriptor<"gemini-cli"> = {
  id: "gemini-cli",
  skillFolders: [".gemini/skills", ".agents/skills"],
  shortNames: ["gemini"],
  evidence: {
    payload: payload => isOwnEvent(payload["hook_event_name"]),
    sendsTimedPayloads: true,
    transcriptFolder: "/.gemini/tmp/",
    variables: ["GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "GEMINI_CWD"],
    agentVariables: ["GEMINI_CLI"],
  },
  events,
  usesCanonicalEvents: false,
  answersInNativeNames: true,
  tools: {
    run_shell_command: "Bash",
    read_file: "Read",
    read_many_files: "Read",
    write_file: "Write",
    replace: "Edit",
    glob: "Glob",
    search_file_content: "Grep",
    grep_search: "Grep",
    web_fetch: "WebFetch",
    google_web_search: "WebSearch",
    write_todos: "TodoWrite",
    list_directory: "LS",
    invoke_agent: "Agent",
  },
  input: {
    failure: ["tool_response.error"],
    canonicalTool: (_, payload) => {
      const server = memberAt(payload, "mcp_context", "server_name");
      const tool = memberAt(payload, "mcp_context", "tool_name");
      return typeof server === "string" && typeof tool === "string" ? mcpToolName(server, tool) : undefined;
    },
  },
  responses: () => ({
    SessionStart: withContext,
    SessionEnd: common,
    UserPromptSubmit: withBlockAndContext,
    Stop: withBlock,
    // `ask` would end a headless run at once, so it is not offered; text for the model is not read here.
    PreToolUse: {
      ...common,
      deny: reason => ({ decision: "deny", reason }),
      allow: () => ({ decision: "allow" }),
      input: (value, context) => ({ decision: "allow", ...nested(context, { tool_input: value }) }),
      inputIsMerged: true,
    },
    PostToolUse: { ...withBlockAndContext, denyReplacesResult: true },
    PreCompact: { ...common, ignoresExitCode: true },
    Notification: common,
  }),
  noOpinion: "{}\n",
  answering: "ignores hooks' approvals",
  // Its hooks run first: questions and rules see the command that was rewritten.
  sandboxing: {
    onlyWith: { word: BYPASS, what: "--yolo" },
    overrides: [
      {
        folder: ".gemini/policies",
        managed: "/etc/gemini-cli/policies",
        ending: ".toml",
        rule: /decision\s*=\s*["'](?:deny|ask_user)["']/,
        what: "policies of your own that deny or ask",
      },
      {
        folder: ".gemini",
        managed: "/etc/gemini-cli",
        ending: ".json",
        rule: /"(?:exclude|excludeTools|policyPaths|adminPolicyPaths)"\s*:\s*\[\s*"/,
        what: "settings that exclude tools or name policies",
      },
    ],
    ruleOptions: /^--(?:admin-)?policy(?:=|$)/,
  },
  closed: "exit",
  registration: {
    avoided: {
      PreCompact: "PreCompress fires before every model call, whether or not anything is compacted",
    },
    matcher: "*",
    timeout: { key: "timeout", unit: "ms" },
    layout: { kind: "groups", hasType: true },
    files: { user: ".gemini/settings.json", project: ".gemini/settings.json" },
    relocation: { variable: "GEMINI_CLI_HOME", folder: "" },
  },
  protects: {
    wiring: [".gemini/hooks/**", ".gemini/extensions/**", ".gemini/trustedFolders.json"],
    trees: [".gemini"],
    managed: ["/etc/gemini-cli", "/Library/Application Support/GeminiCli"],
    credentials: [".gemini/oauth_creds.json"],
  },
  program: {
    names: ["gemini"],
    package: "@google/gemini-cli",
    bypass: BYPASS,
  },
  recordsSessions: true,
  setup: () => ({
    title: "Gemini CLI",
    folders: [".gemini"],
    programs: ["gemini"],
    mcp: {
      user: [".gemini/settings.json"],
      project: ".gemini/settings.json",
      moved: { variable: "GEMINI_CLI_HOME", file: ".gemini/settings.json" },
    },
    userFiles: {
      agents: { file: "agents/amplihack-NAME.md", format: "markdown" },
      command: { file: "commands/amplihack/dev.toml", format: "toml", argument: "{{args}}" },
    },
    nextStep: {
      project: "Gemini CLI: trust this folder (/permissions); --skip-trust is not enough for hooks",
    },
    gaps: [
      "have its calls judged while an editor drives it (gemini --acp): it starts no hook around tools there",
      "stop a hook's children when its time is up: they hold the run",
    ],
    agent: {
      name: "gemini",
      installHint: "npm install -g @google/gemini-cli",
      minimumVersion: "0.61.0",
      printMode: {
        screenFlag: ["-i"],
        start: [],
        promptFlag: ["-p"],
        stdinMarker: [],
        directoryFlag: "--include-directories",
        modelFlag: "--model",
        unsafeStart: /^-/,
      },
    },
    live: {
      // Without this the base URL alone ends the start in an error about the way to log in.
      files: () => ({
        ".gemini/settings.json": {
          security: { auth: { selectedType: "gemini-api-key" } },
          general: { enableAutoUpdate: false },
          privacy: { usageStatisticsEnabled: false },
        },
      }),
      args: prompt => ["-p", prompt, "--yolo", "--model", "gemini-2.5-flash"],
      env: ({ url, key }) => ({
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_API_KEY: key,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        GEMINI_TELEMETRY_ENABLED: "false",
      }),
    },
  }),
};
