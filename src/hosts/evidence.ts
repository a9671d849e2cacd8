import { isJsonObject, type JsonObject, readField } from "../protocol/index.ts";
import type { HostId } from "./host.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

/** What gives a host away. */
export interface Evidence {
  /** true for payloads that no other host sends */
  readonly isCaller?: (payload: JsonObject) => boolean;
  /** part of the path of every transcript of this host */
  readonly transcriptFolder?: string;
  /** environment variables that this host sets for its hooks; the weakest evidence, for children inherit them */
  readonly markers?: readonly string[];
}

/** Event names that only Gemini uses. */
const OWN_EVENTS: ReadonlySet<unknown> = new Set([
  "BeforeAgent",
  "AfterAgent",
  "BeforeTool",
  "AfterTool",
  "PreCompress",
  "BeforeModel",
  "AfterModel",
  "BeforeToolSelection",
]);

/** Apart from the descriptors: every call asks about all hosts, and then needs the descriptor of one. */
export const EVIDENCE: Readonly<Partial<Record<HostId, Evidence>>> = {
  "claude-code": { transcriptFolder: "/.claude/projects/", markers: ["CLAUDECODE"] },
  "copilot-cli": {
    isCaller: payload =>
      (typeof payload["timestamp"] === "number" && typeof payload["sessionId"] === "string") ||
      payload["toolArgs"] !== undefined,
    transcriptFolder: "/.copilot/session-state/",
    markers: ["COPILOT_CLI"],
  },
  "gemini-cli": {
    isCaller: payload => OWN_EVENTS.has(payload["hook_event_name"]),
    transcriptFolder: "/.gemini/tmp/",
    markers: ["GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", "GEMINI_CWD"],
  },
  antigravity: {
    isCaller: payload =>
      isJsonObject(payload["toolCall"]) && readField(payload, ["conversationId"]) !== undefined,
  },
  codex: {
    isCaller: payload => typeof payload["turn_id"] === "string" && typeof payload["model"] === "string",
    transcriptFolder: "/.codex/sessions/",
  },
  cursor: { isCaller: payload => payload["cursor_version"] !== undefined, markers: ["CURSOR_VERSION"] },
  windsurf: { isCaller: payload => payload["agent_action_name"] !== undefined },
  devin: { markers: ["DEVIN_PROJECT_DIR"] },
  cline: { isCaller: payload => payload["clineVersion"] !== undefined },
  "qwen-code": { transcriptFolder: "/.qwen/", markers: ["QWEN_PROJECT_DIR"] },
  "factory-droid": { transcriptFolder: "/.factory/sessions/", markers: ["FACTORY_PROJECT_DIR"] },
  augment: {
    isCaller: payload =>
      payload["conversation_id"] !== undefined && Array.isArray(payload["workspace_roots"]),
    markers: ["AUGMENT_PROJECT_DIR", "AUGMENT_CONVERSATION_ID", "AUGMENT_HOOK_EVENT", "AUGMENT_TOOL_NAME"],
  },
  goose: { isCaller: payload => payload["matcher_context"] !== undefined },
  atomcode: { markers: ["ATOMCODE_HOOK_CONTEXT", "ATOMCODE_HOOK_EVENT", "ATOMCODE_TOOL_NAME"] },
  "amplifier-shell": { markers: ["AMPLIFIER_PROJECT_DIR", "AMPLIFIER_SESSION_ID", "AMPLIFIER_HOOKS_DIR"] },
  amplifier: {
    isCaller: payload => /^[a-z]+:[a-z_]+$/.test(String(payload["hook_event_name"] ?? payload["event"])),
  },
  opencode: {
    // All its event names have a dot in them.
    isCaller: payload => {
      const event = String(payload["hook_event_name"]);
      return event.includes(".") && Object.hasOwn(opencode.events, event);
    },
    markers: ["OPENCODE"],
  },
  pi: {
    isCaller: payload => {
      const { type } = payload;
      return (
        typeof type === "string" && type === payload["hook_event_name"] && Object.hasOwn(pi.events, type)
      );
    },
    markers: ["PI_CODING_AGENT"],
  },
};
