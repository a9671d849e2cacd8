import { eventKey, isJsonObject, type Json, type JsonObject, ownValue } from "../protocol/index.ts";
import { asText, block, doublePermission, flatContext, flatDeny } from "./claude-encoders.ts";
import type { HostDescriptor, RenderContext, ResponseTable } from "./host.ts";
import { claudeNamesResponses, timedCaller } from "./vscode-copilot.ts";

/** The result in Copilot's own shape; anything else becomes its text. */
function modifiedResult(value: Json): JsonObject {
  const text = isJsonObject(value)
    ? (ownValue(value, "textResultForLlm") ?? ownValue(value, "text_result_for_llm"))
    : undefined;
  return { modifiedResult: { resultType: "success", textResultForLlm: asText(text ?? value) } };
}

const refuseRequest = (reason: string) => ({ behavior: "deny", message: reason });

const camelCaseResponses = (): ResponseTable => ({
  SessionStart: flatContext,
  SessionEnd: {},
  UserPromptSubmit: { ...block, ...flatContext, ignoresExitCode: true },
  UserPromptExpansion: { ignoresExitCode: true },
  PreToolUse: { ...doublePermission, ...flatContext, input: value => ({ modifiedArgs: value }) },
  PermissionRequest: {
    deny: refuseRequest,
    ask: () => ({}),
    allow: () => ({ behavior: "allow" }),
    halt: reason => ({ ...refuseRequest(reason), interrupt: true }),
  },
  PostToolUse: { ...block, ...flatContext, output: modifiedResult },
  PostToolUseFailure: flatContext,
  Stop: block,
  SubagentStart: flatContext,
  SubagentStop: block,
  StopFailure: {},
  PreCompact: { ignoresExitCode: true },
  Notification: flatContext,
});

/** Some events keep camelCase payloads even where they are configured by Claude's names. */
function claudeDialectResponses(): ResponseTable {
  const responses = { ...camelCaseResponses(), ...claudeNamesResponses() };
  return {
    ...responses,
    UserPromptSubmit: { ...responses["UserPromptSubmit"], ignoresExitCode: true },
    PostToolUse: { ...responses["PostToolUse"], output: modifiedResult },
    PreCompact: { ignoresExitCode: true },
  };
}

function usesClaudeNames({ payload }: RenderContext): boolean {
  return typeof payload["timestamp"] === "string" || payload["session_id"] !== undefined;
}

/** A failed tool and a finished one call the same command, in a file where nothing but its name may stand. */
function unnamedEvent(payload: JsonObject, hinted: string): string {
  const isAfterTool = eventKey(hinted) === "posttooluse";
  const isFailure = payload["error"] !== undefined && payload["toolResult"] === undefined;
  return isAfterTool && isFailure ? "postToolUseFailure" : hinted;
}

export const copilotCli: HostDescriptor<"copilot-cli"> = {
  id: "copilot-cli",
  skillFolders: [".copilot/skills", ".github/skills", ".claude/skills"],
  shortNames: ["copilot"],
  evidence: {
    payload: payload =>
      (typeof payload["timestamp"] === "number" && typeof payload["sessionId"] === "string") ||
      payload["toolArgs"] !== undefined,
    sharedPayload: (payload, marked) => timedCaller(payload, marked) === "copilot",
    sendsTimedPayloads: true,
    transcriptFolder: "/.copilot/session-state/",
    variables: ["COPILOT_CLI"],
    agentVariables: ["COPILOT_AGENT_*"],
    precedence: 2,
  },
  events: {
    sessionStart: "SessionStart",
    sessionEnd: "SessionEnd",
    userPromptSubmitted: "UserPromptSubmit",
    userPromptTransformed: "UserPromptExpansion",
    preToolUse: "PreToolUse",
    postToolUse: "PostToolUse",
    postToolUseFailure: "PostToolUseFailure",
    agentStop: "Stop",
    subagentStart: "SubagentStart",
    subagentStop: "SubagentStop",
    errorOccurred: "StopFailure",
    preCompact: "PreCompact",
    permissionRequest: "PermissionRequest",
    notification: "Notification",
    preMcpToolCall: null,
  },
  usesCanonicalEvents: true,
  tools: {
    bash: "Bash",
    powershell: "Bash",
    view: "Read",
    create: "Write",
    edit: "Edit",
    str_replace_editor: "Edit",
    apply_patch: "Edit",
    grep: "Grep",
    rg: "Grep",
    glob: "Glob",
    web_fetch: "WebFetch",
    web_search: "WebSearch",
    ask_user: "AskUserQuestion",
    update_todo: "TodoWrite",
    task: "Agent",
  },
  input: { unnamedEvent, failure: ["toolResult.resultType", "tool_result.result_type"] },
  responses: context => (usesClaudeNames(context) ? claudeDialectResponses() : camelCaseResponses()),
  noOpinion: "{}\n",
  contextLimit: 10_000,
  // Seen before a tool and when it asks: a yes of a hook goes past the rules of `--deny-tool`.
  answering: "lets a hook's approval override what you deny (--deny-tool)",
  closed: "exit",
  // Without a response of its own Copilot tells the model only that a hook exited with code 2, and at the prompt it
  // goes on. The flat form alone: with code 2 the nested one loses its reason.
  closedResponse: (reason, { event }) => {
    if (event === "PreToolUse") return flatDeny(reason);
    if (event === "PermissionRequest") return refuseRequest(reason);
    return event === "UserPromptSubmit" ? block.deny(reason) : undefined;
  },
  registration: {
    timeout: { key: "timeoutSec", unit: "s" },
    layout: { kind: "flat", commandKey: "bash", hasType: true, header: { version: 1 } },
    files: { user: ".copilot/hooks/amplihack.json", project: ".github/hooks/amplihack-hooks.json" },
    isShared: true,
    relocation: { variable: "COPILOT_HOME", folder: ".copilot" },
  },
  protects: {
    wiring: [
      ".github/hooks/**",
      ".github/copilot/settings*.json",
      ".copilot/hooks/**",
      ".copilot/settings.json",
      ".copilot/config.json",
    ],
    trees: [".github/hooks", ".copilot"],
    credentials: [".config/github-copilot", ".copilot/config.json"],
  },
  program: {
    names: ["copilot"],
    package: "@github/copilot",
    bypass: /^--(allow-all-tools|allow-all|yolo|allow-all-paths)$/,
    bypassVariables: ["COPILOT_HOME"],
  },
  recordsSessions: true,
  setup: () => ({
    title: "Copilot CLI",
    folders: [".copilot"],
    programs: ["copilot"],
    mcp: {
      user: [".copilot/mcp-config.json"],
      moved: { variable: "COPILOT_HOME", file: "mcp-config.json" },
      members: { type: "local", tools: ["*"] },
    },
    userFiles: {
      agents: { file: "agents/amplihack-NAME.agent.md", format: "markdown" },
    },
    mustBePresent: true,
    alsoReads: [{ host: "claude-code", scope: "project" }],
    nextStep: {
      project: "Copilot CLI: trust this folder, or start it with --trust-folder; else it skips these hooks",
    },
    agent: {
      name: "copilot",
      title: "GitHub Copilot CLI",
      installHint: "npm install -g @github/copilot",
      minimumVersion: "1.0.102",
      printMode: {
        screenFlag: ["-i"],
        start: [],
        promptFlag: ["-p"],
        stdinMarker: [],
        directoryFlag: "--add-dir",
        modelFlag: "--model",
        allowAllFlag: "--allow-all-tools",
        unsafeStart: /^-/,
      },
    },
    live: {
      files: () => ({ ".copilot/config.json": {} }),
      args: prompt => ["-p", prompt, "--allow-all-tools"],
      env: ({ url, model, key }) => ({
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_PROVIDER_API_KEY: key,
        COPILOT_MODEL: model,
        COPILOT_OFFLINE: "true",
      }),
    },
  }),
};
