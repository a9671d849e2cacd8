import { isJsonObject, type JsonObject, ownValue } from "../protocol/index.ts";
import {
  block,
  nestedContext,
  nestedInput,
  nestedOutput,
  nestedPermission,
  systemMessage,
} from "./claude-encoders.ts";
import type { HostDescriptor } from "./host.ts";
import { readPath, rename } from "./tool-input.ts";

const events: Readonly<Record<string, string | null>> = {
  "tool.execute.before": "PreToolUse",
  "tool.execute.after": "PostToolUse",
  "chat.message": "UserPromptSubmit",
  "command.execute.before": "UserPromptExpansion",
  "permission.asked": "PermissionRequest",
  "session.created": "SessionStart",
  "session.idle": "Stop",
  "session.deleted": "SessionEnd",
  "session.compacted": "PostCompact",
  "experimental.session.compacting": "PreCompact",
  "session.error": "StopFailure",
  "file.edited": "FileChanged",
};

/** The text of a prompt is spread over the parts of its message. */
function readPromptParts(payload: JsonObject): JsonObject {
  const parts = readPath(payload, "output.parts");
  if (!Array.isArray(parts)) return {};
  const texts = (parts as readonly JsonObject[]).flatMap(part => {
    const text = isJsonObject(part) && part["type"] === "text" ? ownValue(part, "text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? {} : { prompt: texts.join("\n") };
}

// Answers go to the generated plugin, which turns them into a throw, a changed argument or an appended text.
export const opencode: HostDescriptor<"opencode"> = {
  id: "opencode",
  skillFolders: [".opencode/skills", ".config/opencode/skills", ".claude/skills", ".agents/skills"],
  evidence: {
    messageStore: "/.local/share/opencode/",
    // All its event names have a dot in them.
    payload: payload => {
      const event = String(payload["hook_event_name"]);
      return event.includes(".") && Object.hasOwn(events, event);
    },
    variables: ["OPENCODE"],
    // Every process that it starts has the variable.
    precedence: -1,
  },
  events,
  usesCanonicalEvents: false,
  tools: {
    bash: "Bash",
    read: "Read",
    write: "Write",
    edit: "Edit",
    apply_patch: "Edit",
    grep: "Grep",
    glob: "Glob",
    list: "LS",
    webfetch: "WebFetch",
    websearch: "WebSearch",
    task: "Agent",
    todowrite: "TodoWrite",
    skill: "Skill",
  },
  input: {
    event: ["event.type"],
    toolName: ["input.tool", "event.properties.permission"],
    toolInput: ["output.args", "input.args", "event.properties.metadata"],
    failure: ["output.metadata.exit"],
    sessionId: ["input.sessionID", "event.properties.sessionID"],
    aliases: payload => ({
      ...readPromptParts(payload),
      ...rename(payload, { tool_use_id: "input.callID", tool_response: "output.output" }),
    }),
  },
  responses: () => ({
    PreToolUse: { ...systemMessage, ...nestedInput, deny: nestedPermission.deny },
    PostToolUse: {
      ...systemMessage,
      ...block,
      ...nestedContext,
      ...nestedOutput,
    },
    UserPromptSubmit: { ...systemMessage, ...block, ...nestedContext },
    UserPromptExpansion: {},
    PermissionRequest: { ask: () => ({}) },
    SessionStart: { ...systemMessage, ...nestedContext },
    Stop: {},
    SessionEnd: systemMessage,
    PreCompact: { ...systemMessage, ...nestedContext },
    PostCompact: {},
    StopFailure: {},
    FileChanged: {},
  }),
  noOpinion: "{}\n",
  answering: "asks only where your own rule says so, and an approval would override that",
  closed: "deny",
  registration: {
    layout: { kind: "module" },
    files: {
      user: ".config/opencode/plugins/amplihack.js",
      project: ".opencode/plugins/amplihack.js",
    },
    relocation: { variable: "XDG_CONFIG_HOME", folder: ".config" },
  },
  protects: {
    wiring: [
      ".opencode/plugin/**",
      ".opencode/plugins/**",
      ".config/opencode/plugin/**",
      ".config/opencode/plugins/**",
      ".config/opencode/opencode.json",
      ".config/opencode/opencode.jsonc",
      ".config/opencode/config.json",
      ".opencode/opencode.json",
      ".opencode/opencode.jsonc",
      "opencode.json",
      "opencode.jsonc",
    ],
    trees: [".opencode"],
    credentials: [".local/share/opencode/auth.json"],
  },
  program: {
    names: ["opencode"],
    package: "opencode-ai",
    bypass: /^--(dangerously-skip-permissions|yolo)$/,
  },
  setup: () => ({
    title: "OpenCode",
    folders: [".config/opencode"],
    programs: ["opencode"],
    mcp: {
      user: [".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
      project: "opencode.json",
      moved: { variable: "XDG_CONFIG_HOME", file: "opencode/opencode.json" },
      key: "mcp",
      members: { type: "local", enabled: true },
      isCommandList: true,
    },
    userFiles: {
      agents: { file: "agents/amplihack-NAME.md", format: "markdown", members: ["mode: subagent"] },
      command: { file: "commands/amplihack-dev.md", format: "markdown", argument: "$ARGUMENTS" },
    },
    agent: {
      name: "opencode",
      installHint: "npm install -g opencode-ai",
      minimumVersion: "1.18.33",
      answersOnce: "run",
      printMode: {
        screenFlag: ["--prompt"],
        start: ["run"],
        promptFlag: [],
        stdinMarker: [],
        modelFlag: "--model",
        // It puts quotes around an argument that holds blanks.
        unsafeStart: /^/,
      },
    },
    live: {
      args: (prompt, { model }) => ["run", "--model", `${model}/${model}`, prompt],
      env: ({ url, model, key }) => ({
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          autoupdate: false,
          share: "disabled",
          provider: {
            [model]: {
              npm: "@ai-sdk/openai-compatible",
              name: model,
              options: { baseURL: `${url}/v1`, apiKey: key },
              models: { [model]: { name: model, tool_call: true } },
            },
          },
        }),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        // It installs a dependency at its start and waits for that to fail where there is no network.
        npm_config_fetch_retries: "0",
        npm_config_registry: `${url}/npm`,
      }),
    },
  }),
};
