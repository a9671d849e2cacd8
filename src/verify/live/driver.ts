import type { InstallableHost } from "../../install/targets.ts";
import type { AgentName } from "../../state/index.ts";

/** Where a host runs during a trial. */
export interface Stage {
  readonly home: string;
  readonly project: string;
  /** of the scripted model */
  readonly url: string;
}

/** How to start one host without a screen, against the scripted model. */
export interface Driver {
  readonly host: InstallableHost;
  readonly agent: AgentName;
  /** files of the host that must be there before our hooks are registered, below the home */
  readonly files: (stage: Stage) => Readonly<Record<string, unknown>>;
  /** words after the program */
  readonly words: (prompt: string, stage: Stage) => readonly string[];
  readonly env: (stage: Stage) => Readonly<Record<string, string>>;
}

const MODEL = "scripted";
const KEY = "not-a-key";
const none = () => ({});

const claude: Driver = {
  host: "claude-code",
  agent: "claude",
  files: none,
  words: prompt => ["-p", prompt, "--dangerously-skip-permissions"],
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    // Root may skip permission questions only where it says that it is in a sandbox.
    IS_SANDBOX: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
};

const codex: Driver = {
  host: "codex",
  agent: "codex",
  files: none,
  words: (prompt, { url }) => [
    "exec",
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    ...settings({
      model: MODEL,
      model_provider: MODEL,
      [`model_providers.${MODEL}.name`]: MODEL,
      [`model_providers.${MODEL}.base_url`]: `${url}/v1`,
      [`model_providers.${MODEL}.wire_api`]: "responses",
      [`model_providers.${MODEL}.env_key`]: "SCRIPTED_KEY",
    }),
    prompt,
  ],
  env: () => ({ SCRIPTED_KEY: KEY }),
};

function settings(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${JSON.stringify(value)}`]);
}

const gemini: Driver = {
  host: "gemini-cli",
  agent: "gemini",
  // Without this the base URL alone ends the start in an error about the way to log in.
  files: () => ({
    ".gemini/settings.json": {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    },
  }),
  words: prompt => ["-p", prompt, "--yolo", "--model", "gemini-2.5-flash"],
  env: ({ url }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: KEY,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_TELEMETRY_ENABLED: "false",
  }),
};

const copilot: Driver = {
  host: "copilot-cli",
  agent: "copilot",
  files: () => ({ ".copilot/config.json": {} }),
  words: prompt => ["-p", prompt, "--allow-all-tools"],
  env: ({ url }) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_API_KEY: KEY,
    COPILOT_MODEL: MODEL,
    COPILOT_OFFLINE: "true",
  }),
};

const opencode: Driver = {
  host: "opencode",
  agent: "opencode",
  files: none,
  words: prompt => ["run", "--model", `${MODEL}/${MODEL}`, prompt],
  env: ({ url }) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      autoupdate: false,
      share: "disabled",
      provider: {
        [MODEL]: {
          npm: "@ai-sdk/openai-compatible",
          name: MODEL,
          options: { baseURL: `${url}/v1`, apiKey: KEY },
          models: { [MODEL]: { name: MODEL, tool_call: true } },
        },
      },
    }),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    // It installs a dependency at its start and waits for that to fail where there is no network.
    npm_config_fetch_retries: "0",
    npm_config_registry: `${url}/npm`,
  }),
};

const pi: Driver = {
  host: "pi",
  agent: "pi",
  files: ({ url }) => ({
    ".pi/agent/models.json": {
      providers: {
        [MODEL]: {
          baseUrl: `${url}/v1`,
          api: "openai-completions",
          apiKey: KEY,
          models: [
            {
              id: MODEL,
              name: MODEL,
              reasoning: false,
              input: ["text"],
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              contextWindow: 100_000,
              maxTokens: 1_000,
            },
          ],
        },
      },
    },
  }),
  words: prompt => ["-p", "--offline", "--provider", MODEL, "--model", MODEL, prompt],
  env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" }),
};

export const DRIVERS: readonly Driver[] = [claude, codex, gemini, copilot, opencode, pi];

/** Why a host that we register with is not driven here. */
export const NOT_DRIVEN: Readonly<Partial<Record<InstallableHost, string>>> = {
  "vscode-copilot": "it needs its editor; it reads the hooks of Claude Code",
  cursor: "it needs its editor and an account",
  windsurf: "it needs its editor and an account",
  cline: "it needs its editor",
  kiro: "it needs an account",
  augment: "it needs an account",
  "factory-droid": "it needs an account",
  "amplifier-shell": "it was not tried with a scripted model yet",
  "qwen-code": "it was not tried with a scripted model yet",
  goose: "it was not tried with a scripted model yet",
};
