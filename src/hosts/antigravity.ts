import { isJsonObject, memberAt, readField } from "../protocol/index.ts";
import type { HostDescriptor, RenderContext } from "./host.ts";

function calledTool({ payload }: RenderContext): string {
  const name = memberAt(payload, "toolCall", "name");
  return typeof name === "string" ? name : "";
}

/**
 * Before a tool `{}` is a denial here and nothing means "no opinion": an ask leaves the person's own policy in
 * force, but in print mode no question is answered and every call would fail.
 */
function noOpinion({ event, isHeadless }: RenderContext): string {
  if (event !== "PreToolUse") return "";
  return isHeadless ? '{"decision":"allow"}\n' : '{"decision":"ask"}\n';
}

export const antigravity: HostDescriptor<"antigravity"> = {
  id: "antigravity",
  evidence: {
    payload: payload =>
      isJsonObject(payload["toolCall"]) && readField(payload, ["conversationId"]) !== undefined,
  },
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
  input: { toolName: ["toolCall.name"], toolInput: ["toolCall.args"] },
  responses: () => ({
    PreToolUse: {
      deny: reason => ({ decision: "deny", reason }),
      ask: reason => (reason === undefined ? { decision: "ask" } : { decision: "ask", reason }),
      allow: () => ({ decision: "allow" }),
      input: (value, context, verdict) => ({
        decision: verdict === "ask" ? "ask" : "allow",
        overwrite: { name: calledTool(context), args: value },
      }),
      caveats: { input: "input → allow with input" },
    },
    PostToolUse: {},
    Stop: { deny: reason => ({ decision: "continue", reason }) },
  }),
  noOpinion,
  answering: "may skip your own rules once a hook approves; not tested",
  closed: "deny",
  registration: {
    matcher: ".*",
    timeout: { key: "timeout", unit: "s" },
    layout: { kind: "mixed", root: ["amplihack"], hasType: true },
    files: { user: ".gemini/config/hooks.json", project: ".agents/hooks.json" },
  },
  protects: { trees: [".agents"] },
};
