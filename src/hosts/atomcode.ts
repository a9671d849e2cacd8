import type { JsonObject } from "../protocol/index.ts";
import { asText, block, nested, nestedContext } from "./claude-encoders.ts";
import type { HostDescriptor, RenderContext, ResponseEncoder } from "./host.ts";
import { rename } from "./tool-input.ts";

const afterTool: ResponseEncoder = {
  ...block,
  output: (value, context) => nested(context, { updatedToolOutput: asText(value) }),
};

/** Up to version 4 the payload came in the environment and named the event so; there no answer counts after a tool. */
function isOlder(payload: JsonObject): boolean {
  return payload["event"] !== undefined;
}

/**
 * In the present form, told by `call_id`, an allow would skip AtomCode's own question, and at the start of a session any
 * text is context. What could not be read at all may be of that form.
 */
function mustBeSilent({ event, payload }: RenderContext): boolean {
  if (isOlder(payload)) return false;
  return event === "SessionStart" || Object.hasOwn(payload, "call_id") || Object.keys(payload).length === 0;
}

export const atomcode: HostDescriptor<"atomcode"> = {
  id: "atomcode",
  skillFolders: [".atomcode/skills"],
  evidence: {
    payload: payload => typeof payload["call_id"] === "string" && payload["hook_event_name"] !== undefined,
    variables: ["ATOMCODE_HOOK_CONTEXT", "ATOMCODE_HOOK_EVENT", "ATOMCODE_TOOL_NAME", "ATOMCODE_PROJECT_DIR"],
    agentVariables: ["ATOMCODE_*"],
  },
  events: {
    pre_tool_use: "PreToolUse",
    post_tool_use: "PostToolUse",
    post_tool_use_failure: "PostToolUseFailure",
    session_start: "SessionStart",
    session_end: "SessionEnd",
    user_prompt_submit: "UserPromptSubmit",
    stop: "Stop",
    stop_failure: "StopFailure",
    notification: "Notification",
  },
  usesCanonicalEvents: true,
  tools: {
    bash: "Bash",
    read_file: "Read",
    write_file: "Write",
    edit_file: "Edit",
    search_replace: "Edit",
    grep: "Grep",
    glob: "Glob",
    list_directory: "LS",
    web_fetch: "WebFetch",
    web_search: "WebSearch",
  },
  input: {
    toolInput: ["tool_args"],
    aliases: payload => rename(payload, { tool_use_id: "call_id" }),
    environment: { payload: "ATOMCODE_HOOK_CONTEXT", cwd: "ATOMCODE_PROJECT_DIR" },
  },
  // Both forms read these answers. Up to version 4 any non-zero exit code is an allow, so no decision is one. A question
  // of ours is not handed on: without a screen AtomCode answers those about commands with yes.
  responses: ({ payload }) => ({
    PreToolUse: {
      deny: reason => ({ action: "block", reason }),
      allow: () => ({ action: "allow" }),
      input: value => ({ action: "modify", args: value }),
    },
    PostToolUse: isOlder(payload) ? {} : afterTool,
    PostToolUseFailure: isOlder(payload) ? {} : block,
    SessionStart: isOlder(payload) ? {} : nestedContext,
    SessionEnd: {},
    UserPromptSubmit: { ...block, ...nestedContext },
    Stop: {},
    StopFailure: {},
    Notification: {},
  }),
  noOpinion: context => (mustBeSilent(context) ? "" : '{"action":"allow"}\n'),
  answering: "may skip your own rules once a hook approves; not tested",
  closed: "deny",
  registration: {
    avoided: {
      PostToolUseFailure: "a call that was refused is reported there without its tool",
    },
    timeout: { key: "timeout_ms", unit: "ms" },
    layout: { kind: "named", isPlainJson: true },
    files: { user: ".atomcode/hooks.json", project: ".hooks.json" },
    relocation: { variable: "ATOMCODE_HOME", folder: ".atomcode" },
  },
  protects: {
    wiring: [".atomcode/hooks/**", ".atomcode/plugins/**"],
    trees: [".atomcode"],
    credentials: [".atomcode/auth.toml"],
  },
  program: {
    names: ["atomcode"],
    package: "@atomgit.com/atomcode",
    bypass: /^--dangerously-skip-permissions$/,
  },
  setup: () => ({
    title: "AtomCode",
    folders: [".atomcode"],
    programs: ["atomcode"],
    nextStep: {
      user: "AtomCode: restart it; `atomcode hooks list` shows what it read",
      project: "AtomCode: restart it; `atomcode hooks list` shows what it read",
    },
    importable: "atomcode-json",
    gaps: ["refuse when a hook cannot be started: the call goes on"],
    live: "it was not tried with a scripted model yet",
  }),
};
