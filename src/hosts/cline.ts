import type { JsonObject } from "../protocol/index.ts";
import type { HostDescriptor, RenderContext, ResponseEncoder, ResponseTable } from "./host.ts";
import { rename } from "./tool-input.ts";

/** There is no refusal of one call: cancelling ends the task. Its `review` is accepted and has no effect. */
const cancel: ResponseEncoder = {
  deny: reason => ({ cancel: true, errorMessage: reason }),
  caveats: { deny: "deny → the task is cancelled" },
};
const withContext: ResponseEncoder = { context: text => ({ contextModification: text }) };
const toolGate: ResponseEncoder = {
  ...cancel,
  ...withContext,
  allow: () => ({ cancel: false }),
  unproven: ["allow"],
};

/** The command line and the SDK wait for tool events only; the rest runs detached. */
const sdkResponses = (): ResponseTable => ({
  PreToolUse: { ...toolGate, input: value => ({ cancel: false, overrideInput: value }) },
  PostToolUse: withContext,
  UserPromptSubmit: {},
  SessionStart: {},
  SessionEnd: {},
  Stop: {},
  StopFailure: {},
});
const extensionResponses = (): ResponseTable => ({
  PreToolUse: toolGate,
  PostToolUse: withContext,
  UserPromptSubmit: { ...cancel, ...withContext },
  SessionStart: withContext,
  SessionEnd: {},
  Stop: {},
  StopFailure: {},
  PreCompact: { ...cancel, unproven: ["deny"] },
  Notification: {},
});

function isExtension({ nativeEvent }: RenderContext): boolean {
  return /^[A-Z]/.test(nativeEvent);
}

export const cline: HostDescriptor<"cline"> = {
  id: "cline",
  evidence: { payload: payload => payload["clineVersion"] !== undefined },
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
  input: {
    toolName: ["tool_call.name", "tool_result.name", "preToolUse.toolName", "postToolUse.toolName"],
    toolInput: ["tool_call.input", "tool_result.input", "preToolUse.parameters", "postToolUse.parameters"],
    aliases: (payload): JsonObject => ({
      ...rename(payload, { prompt: "userPromptSubmit.prompt", tool_response: "postToolUse.result" }),
      ...rename(payload, { tool_use_id: "tool_result.id" }),
      ...rename(payload, { tool_use_id: "tool_call.id" }),
    }),
  },
  responses: context => (isExtension(context) ? extensionResponses() : sdkResponses()),
  noOpinion: "{}\n",
  contextLimit: 50_000,
  answering: "ignores hooks' approvals",
  closed: "deny",
  registration: {
    events: {
      SessionStart: ["TaskStart", "TaskResume"],
      PreToolUse: ["PreToolUse"],
      PostToolUse: ["PostToolUse"],
      UserPromptSubmit: ["UserPromptSubmit"],
      SessionEnd: ["TaskCancel", "SessionShutdown"],
      Stop: ["TaskComplete"],
    },
    waits: 30,
    layout: { kind: "executables" },
    files: { user: "Documents/Cline/Hooks", project: ".clinerules/hooks" },
  },
  program: { names: ["cline"], bypass: /^(--yolo|-y)$/ },
  setup: () => ({
    title: "Cline",
    folders: ["Documents/Cline", ".cline"],
    programs: ["cline"],
    mcp: { user: [".cline/data/settings/cline_mcp_settings.json"] },
    gaps: ["refuse one call only: in the editor a refusal ends the task"],
    live: "it needs its editor",
  }),
};
