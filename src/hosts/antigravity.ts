import type { HostDescriptor, Occasion, Speech } from "./host.ts";
import { readPath } from "./payload-paths.ts";

function calledTool({ payload }: Occasion): string {
  const name = readPath(payload, "toolCall.name");
  return typeof name === "string" ? name : "";
}

const speech: Readonly<Record<string, Speech>> = {
  PreToolUse: {
    deny: reason => ({ decision: "deny", reason }),
    ask: reason => (reason === undefined ? { decision: "ask" } : { decision: "ask", reason }),
    allow: () => ({ decision: "allow" }),
    input: (value, on, verdict) => ({
      decision: verdict === "ask" ? "ask" : "allow",
      overwrite: { name: calledTool(on), args: value },
    }),
    caveats: { input: "input → allow with input" },
  },
  PostToolUse: {},
  Stop: { deny: reason => ({ decision: "continue", reason }) },
};

/**
 * Before a tool `{}` is a denial here and nothing means "no opinion": an ask leaves the person's own policy in
 * force, but in print mode nobody can answer and every call would fail.
 */
function silence({ event, isHeadless }: Occasion): string {
  if (event !== "PreToolUse") return "";
  return isHeadless ? '{"decision":"allow"}\n' : '{"decision":"ask"}\n';
}

export const antigravity: HostDescriptor = {
  id: "antigravity",
  events: {
    PreToolUse: "PreToolUse",
    PostToolUse: "PostToolUse",
    Stop: "Stop",
    PreInvocation: null,
    PostInvocation: null,
  },
  usesCanonicalEvents: false,
  tools: {
    run_command: "Bash",
    view_file: "Read",
    write_to_file: "Write",
    replace_file_content: "Edit",
    list_dir: "LS",
    grep_search: "Grep",
    ask_question: "AskUserQuestion",
    invoke_subagent: "Agent",
  },
  reading: { toolName: ["toolCall.name"], toolInput: ["toolCall.args"] },
  speech,
  silence,
  closed: "deny",
  registration: {
    events: { PreToolUse: ["PreToolUse"], PostToolUse: ["PostToolUse"], Stop: ["Stop"] },
    matcher: ".*",
    timeout: { key: "timeout", unit: "s" },
    layout: { kind: "mixed", root: ["amplihack"], commandKey: "command", hasType: true },
    files: [
      { scope: "user", path: ".gemini/config/hooks.json", isShared: false },
      { scope: "project", path: ".agents/hooks.json", isShared: false },
    ],
  },
};
