import type { HostId } from "../hosts/index.ts";
import type { AgentName } from "../state/index.ts";

/** What the launcher knows about one agent. */
interface LaunchTool {
  readonly name: AgentName;
  readonly title: string;
  readonly host: HostId;
  readonly installHint: string;
  /** the oldest version in which our hooks were seen to be called and obeyed */
  readonly minimumVersion: string | undefined;
  /** `--resume`, `--continue` and `--checkout-repo` are ours to read */
  readonly resumes: boolean;
  readonly skipsPermissions: boolean;
  /** the word before a prompt that makes it answer and end */
  readonly answersOnce: string;
  /** takes a default model from `AMPLIHACK_DEFAULT_MODEL` */
  readonly takesModel: boolean;
  /** directories below the home in which its installer puts it, for the agent's own PATH */
  readonly ownDirectories: readonly string[];
}

function tool(
  name: AgentName,
  title: string,
  host: HostId,
  installHint: string,
  more: Partial<LaunchTool> = {},
): LaunchTool {
  return {
    name,
    title,
    host,
    installHint,
    minimumVersion: undefined,
    resumes: false,
    skipsPermissions: false,
    answersOnce: "-p",
    takesModel: false,
    ownDirectories: [],
    ...more,
  };
}

export const LAUNCH_TOOLS: Readonly<Record<AgentName, LaunchTool>> = {
  claude: tool("claude", "Claude Code", "claude-code", "npm install -g @anthropic-ai/claude-code", {
    minimumVersion: "2.1.197",
    resumes: true,
    skipsPermissions: true,
    takesModel: true,
    ownDirectories: [".npm-global/bin"],
  }),
  copilot: tool("copilot", "GitHub Copilot CLI", "copilot-cli", "npm install -g @github/copilot", {
    minimumVersion: "1.0.102",
  }),
  codex: tool("codex", "Codex", "codex", "npm install -g @openai/codex", {
    minimumVersion: "0.166.0",
    answersOnce: "exec",
  }),
  amplifier: tool(
    "amplifier",
    "Amplifier",
    "amplifier-shell",
    "uv tool install git+https://github.com/microsoft/amplifier",
    { skipsPermissions: true, takesModel: true, answersOnce: "run" },
  ),
  gemini: tool("gemini", "Gemini CLI", "gemini-cli", "npm install -g @google/gemini-cli", {
    minimumVersion: "0.61.0",
  }),
  opencode: tool("opencode", "OpenCode", "opencode", "npm install -g opencode-ai", {
    minimumVersion: "1.18.33",
    answersOnce: "run",
  }),
  pi: tool("pi", "Pi", "pi", "npm install -g @earendil-works/pi-coding-agent", { minimumVersion: "0.74.2" }),
};
