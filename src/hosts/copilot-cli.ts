import { eventKey, isJsonObject, type Json, type JsonObject, ownValue } from "../protocol/index.ts";
import { asText, block, doublePermission, flatContext, flatDeny } from "./claude-words.ts";
import type { HostDescriptor, Occasion, Speech } from "./host.ts";
import { claudeNamesSpeech } from "./vscode-copilot.ts";

/** The result in Copilot's own shape; anything else becomes its text. */
function modifiedResult(value: Json): JsonObject {
  const text = isJsonObject(value)
    ? (ownValue(value, "textResultForLlm") ?? ownValue(value, "text_result_for_llm"))
    : undefined;
  return { modifiedResult: { resultType: "success", textResultForLlm: asText(text ?? value) } };
}

const refuseRequest = (reason: string) => ({ behavior: "deny", message: reason });

const camelCaseSpeech: Readonly<Record<string, Speech>> = {
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
};

/** Some events keep camelCase payloads even where they are configured by Claude's names. */
const claudeDialectSpeech: Readonly<Record<string, Speech>> = {
  ...camelCaseSpeech,
  ...claudeNamesSpeech,
  UserPromptSubmit: { ...claudeNamesSpeech["UserPromptSubmit"], ignoresExitCode: true },
  PostToolUse: { ...claudeNamesSpeech["PostToolUse"], output: modifiedResult },
  PreCompact: { ignoresExitCode: true },
};

function usesClaudeNames({ payload }: Occasion): boolean {
  return typeof payload["timestamp"] === "string" || payload["session_id"] !== undefined;
}

/** A failed tool and a finished one call the same command, in a file where nothing but its name may stand. */
function unnamedEvent(payload: JsonObject, hinted: string): string {
  const isAfterTool = eventKey(hinted) === "posttooluse";
  const isFailure = payload["error"] !== undefined && payload["toolResult"] === undefined;
  return isAfterTool && isFailure ? "postToolUseFailure" : hinted;
}

export const copilotCli: HostDescriptor = {
  id: "copilot-cli",
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
  reading: { unnamedEvent },
  speech: on => (usesClaudeNames(on) ? claudeDialectSpeech : camelCaseSpeech),
  silence: "{}\n",
  contextLimit: 10_000,
  closed: "exit",
  // Without words of its own Copilot tells the model only that a hook exited with code 2, and at the prompt it
  // goes on. The flat form alone: with code 2 the nested one loses its reason.
  closedWords: (reason, { event }) => {
    if (event === "PreToolUse") return flatDeny(reason);
    if (event === "PermissionRequest") return refuseRequest(reason);
    return event === "UserPromptSubmit" ? block.deny(reason) : undefined;
  },
  registration: {
    events: {
      SessionStart: ["sessionStart"],
      Stop: ["agentStop"],
      PreToolUse: ["preToolUse"],
      PostToolUse: ["postToolUse"],
      PostToolUseFailure: ["postToolUseFailure"],
      UserPromptSubmit: ["userPromptSubmitted"],
      PreCompact: ["preCompact"],
      SessionEnd: ["sessionEnd"],
    },
    timeout: { key: "timeoutSec", unit: "s" },
    layout: { kind: "flat", root: ["hooks"], commandKey: "bash", hasType: true, header: { version: 1 } },
    files: [
      { scope: "user", path: ".copilot/hooks/amplihack.json", isShared: true },
      { scope: "project", path: ".github/hooks/amplihack-hooks.json", isShared: true },
    ],
    relocation: { variable: "COPILOT_HOME", folder: ".copilot" },
  },
};
