import type { JsonObject } from "../protocol/index.ts";
import type { HostDescriptor, Occasion, Speech } from "./host.ts";
import { rename } from "./payload-paths.ts";

/** There is no refusal of one call: cancelling ends the task. Its `review` is accepted and has no effect. */
const cancel: Speech = {
  deny: reason => ({ cancel: true, errorMessage: reason }),
  caveats: { deny: "deny → the task is cancelled" },
};
const tell: Speech = { context: text => ({ contextModification: text }) };
const toolGate: Speech = {
  ...cancel,
  ...tell,
  allow: () => ({ cancel: false }),
  unproven: ["allow"],
};

/** The command line and the SDK wait for tool events only; the rest runs detached. */
const sdkSpeech: Readonly<Record<string, Speech>> = {
  PreToolUse: { ...toolGate, input: value => ({ cancel: false, overrideInput: value }) },
  PostToolUse: tell,
  UserPromptSubmit: {},
  SessionStart: {},
  SessionEnd: {},
  Stop: {},
  StopFailure: {},
};
const extensionSpeech: Readonly<Record<string, Speech>> = {
  PreToolUse: toolGate,
  PostToolUse: tell,
  UserPromptSubmit: { ...cancel, ...tell },
  SessionStart: tell,
  SessionEnd: {},
  Stop: {},
  StopFailure: {},
  PreCompact: { ...cancel, unproven: ["deny"] },
  Notification: {},
};

function isExtension({ nativeEvent }: Occasion): boolean {
  return /^[A-Z]/.test(nativeEvent);
}

export const cline: HostDescriptor = {
  id: "cline",
  events: {
    tool_call: "PreToolUse",
    tool_result: "PostToolUse",
    prompt_submit: "UserPromptSubmit",
    agent_start: "SessionStart",
    agent_resume: "SessionStart",
    agent_abort: "SessionEnd",
    agent_end: "Stop",
    agent_error: "StopFailure",
    session_shutdown: "SessionEnd",
    TaskStart: "SessionStart",
    TaskResume: "SessionStart",
    TaskCancel: "SessionEnd",
    TaskComplete: "Stop",
    TaskError: "StopFailure",
    SessionShutdown: "SessionEnd",
    PreToolUse: "PreToolUse",
    PostToolUse: "PostToolUse",
    UserPromptSubmit: "UserPromptSubmit",
    PreCompact: "PreCompact",
    Notification: "Notification",
  },
  usesCanonicalEvents: false,
  tools: {
    run_commands: "Bash",
    execute_command: "Bash",
    read_files: "Read",
    read_file: "Read",
    editor: "Edit",
    replace_in_file: "Edit",
    apply_patch: "Edit",
    write_to_file: "Write",
    search_codebase: "Grep",
    search_files: "Grep",
    fetch_web_content: "WebFetch",
  },
  reading: {
    toolName: ["tool_call.name", "tool_result.name", "preToolUse.toolName", "postToolUse.toolName"],
    toolInput: ["tool_call.input", "tool_result.input", "preToolUse.parameters", "postToolUse.parameters"],
    aliases: (payload): JsonObject => ({
      ...rename(payload, { prompt: "userPromptSubmit.prompt", tool_response: "postToolUse.result" }),
      ...rename(payload, { tool_use_id: "tool_result.id" }),
      ...rename(payload, { tool_use_id: "tool_call.id" }),
    }),
  },
  speech: on => (isExtension(on) ? extensionSpeech : sdkSpeech),
  silence: "{}\n",
  contextLimit: 50_000,
  closed: "deny",
  registration: {
    events: {
      SessionStart: ["TaskStart", "TaskResume"],
      PreToolUse: ["PreToolUse"],
      PostToolUse: ["PostToolUse"],
      UserPromptSubmit: ["UserPromptSubmit"],
      PreCompact: ["PreCompact"],
      SessionEnd: ["TaskCancel", "SessionShutdown"],
      Stop: ["TaskComplete"],
    },
    layout: { kind: "executables", root: [], commandKey: "command", hasType: false },
    files: [
      { scope: "user", path: "Documents/Cline/Hooks", isShared: false },
      { scope: "project", path: ".clinerules/hooks", isShared: false },
    ],
  },
};
