import type { JsonObject } from "../protocol/index.ts";
import {
  allowOnceCommand,
  block,
  nestedContext,
  nestedInput,
  nestedOutput,
  nestedPermission,
  systemMessage,
} from "./claude-encoders.ts";
import type { HostDescriptor, RenderContext } from "./host.ts";
import { rename } from "./tool-input.ts";

const events: Readonly<Record<string, string | null>> = {
  tool_call: "PreToolUse",
  tool_result: "PostToolUse",
  input: "UserPromptSubmit",
  before_agent_start: "UserPromptSubmit",
  session_start: "SessionStart",
  session_shutdown: "SessionEnd",
  session_before_compact: "PreCompact",
  session_compact: "PostCompact",
  agent_before_settle: "Stop",
  model_select: "PostModelSwitch",
};

/** The extension asks where there is a screen; elsewhere it refuses and tells how a person can permit the call. */
function ask(reason: string | undefined, context: RenderContext): JsonObject {
  const command = allowOnceCommand(context.extras);
  return {
    ...nestedPermission.ask(reason, context),
    ...(command === undefined ? {} : { allowOnce: command }),
    ...(context.texts === undefined ? {} : { modelReason: context.texts.model }),
  };
}

// Answers go to the generated extension, which turns them into a block, a changed argument or an appended text.
export const pi: HostDescriptor<"pi"> = {
  id: "pi",
  skillFolders: [".pi/skills", ".pi/agent/skills", ".agents/skills"],
  evidence: {
    payload: ({ type, hook_event_name: name }) =>
      typeof type === "string" && type === name && Object.hasOwn(events, type),
    transcriptFolder: "/.pi/agent/sessions/",
    variables: ["PI_CODING_AGENT"],
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
    grep: "Grep",
    find: "Glob",
    ls: "LS",
  },
  input: {
    event: ["type"],
    toolInput: ["input"],
    failure: ["isError"],
    aliases: (payload, nativeEvent) => {
      if (nativeEvent === "input") return rename(payload, { prompt: "text" });
      if (nativeEvent === "session_start") return rename(payload, { source: "reason" });
      return nativeEvent === "tool_result" ? rename(payload, { tool_response: "content" }) : {};
    },
  },
  responses: () => ({
    PreToolUse: { ...systemMessage, ...nestedInput, deny: nestedPermission.deny, ask },
    PostToolUse: {
      ...systemMessage,
      ...block,
      ...nestedContext,
      ...nestedOutput,
    },
    UserPromptSubmit: { ...systemMessage, ...block, ...nestedContext },
    SessionStart: { ...systemMessage, ...nestedContext },
    SessionEnd: systemMessage,
    PreCompact: { ...systemMessage, ...block },
    PostCompact: {},
    Stop: {},
    PostModelSwitch: {},
  }),
  noOpinion: "{}\n",
  answering: "asks nothing",
  sandboxing: {},
  closed: "deny",
  registration: {
    events: { UserPromptSubmit: ["input"], Stop: ["agent_end"] },
    layout: { kind: "module" },
    files: { user: ".pi/agent/extensions/amplihack.js", project: ".pi/extensions/amplihack.js" },
    relocation: { variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent" },
  },
  protects: {
    wiring: [".pi/extensions/**", ".pi/agent/extensions/**", ".pi/agent/settings.json", ".pi/settings.json"],
    trees: [".pi"],
    credentials: [".pi/agent/auth.json"],
  },
  program: { names: ["pi"], bypass: /^--(yolo|no-extensions|-ne)$/ },
  setup: () => ({
    title: "Pi",
    folders: [".pi"],
    programs: ["pi"],
    userFiles: {
      command: { file: "prompts/amplihack-dev.md", format: "markdown", argument: "$ARGUMENTS" },
    },
    agent: {
      name: "pi",
      installHint: "npm install -g @earendil-works/pi-coding-agent",
      minimumVersion: "0.74.2",
      printMode: {
        screenFlag: [],
        start: [],
        promptFlag: ["-p"],
        stdinMarker: ["-p"],
        systemPromptFlag: "--append-system-prompt",
        modelFlag: "--model",
        unsafeStart: /^[-@]/,
      },
    },
    live: {
      files: ({ url, model, key }) => ({
        ".pi/agent/models.json": {
          providers: {
            [model]: {
              baseUrl: `${url}/v1`,
              api: "openai-completions",
              apiKey: key,
              models: [
                {
                  id: model,
                  name: model,
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
      args: (prompt, { model }) => ["-p", "--offline", "--provider", model, "--model", model, prompt],
      env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" }),
    },
  }),
};
