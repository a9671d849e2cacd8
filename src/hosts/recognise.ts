import { type JsonObject, readField } from "../protocol/index.ts";
import { HOSTS } from "./descriptors.ts";
import { EVIDENCE } from "./evidence.ts";
import { type EnvironmentReader, HOST_IDS, type HostId } from "./host.ts";

/** Hosts whose payloads give them away, most telling evidence first. */
const PAYLOAD_ORDER: readonly HostId[] = [
  "cursor",
  "cline",
  "windsurf",
  "antigravity",
  "goose",
  "augment",
  "copilot-cli",
  "gemini-cli",
  "codex",
  "opencode",
  "pi",
  "amplifier",
];

/** Claude Code last: it is the default, and its marker is inherited by every agent started from it. */
const ENVIRONMENT_ORDER: readonly HostId[] = [
  "cursor",
  "copilot-cli",
  "devin",
  "atomcode",
  "augment",
  "amplifier-shell",
  "qwen-code",
  "gemini-cli",
  "factory-droid",
  "opencode",
  "pi",
  "claude-code",
];

/** Hosts that send Claude's event names with an ISO time and no permission mode on some or all events. */
const TIMED_CALLERS: ReadonlySet<HostId> = new Set(["copilot-cli", "gemini-cli", "qwen-code"]);

/**
 * Who is calling. A name given on the command line beats the payload, the payload beats the environment, whose
 * markers are inherited when one agent starts another; without any evidence it is Claude Code.
 */
export function recognise(
  payload: JsonObject | undefined,
  env: EnvironmentReader,
  hint?: HostId | undefined,
): HostId {
  if (hint !== undefined) return hint;
  const evident = payload === undefined ? undefined : callerOf(payload);
  if (evident !== undefined) return evident;
  const marked = ENVIRONMENT_ORDER.find(id => EVIDENCE[id]?.markers?.some(name => isSet(env, name)));
  if (payload !== undefined && isTimedWithoutMode(payload)) return timedCaller(payload, marked);
  return marked ?? "claude-code";
}

function callerOf(payload: JsonObject): HostId | undefined {
  const byShape = PAYLOAD_ORDER.find(id => EVIDENCE[id]?.isCaller?.(payload));
  if (byShape !== undefined) return byShape;
  const transcript = readField(payload, ["transcript_path", "transcriptPath"])?.value;
  if (typeof transcript !== "string") return undefined;
  return HOST_IDS.find(id => {
    const folder = EVIDENCE[id]?.transcriptFolder;
    return folder !== undefined && transcript.includes(folder);
  });
}

function isSet(env: EnvironmentReader, name: string): boolean {
  const value = env.get(name);
  return value !== undefined && value !== "";
}

function isTimedWithoutMode(payload: JsonObject): boolean {
  const { timestamp, hook_event_name: event, permission_mode: mode } = payload;
  return (
    typeof event === "string" &&
    mode === undefined &&
    typeof timestamp === "string" &&
    /^\d{4}-\d\d-\d\dT/.test(timestamp)
  );
}

/**
 * VS Code, or Copilot CLI in its dialect with Claude's names. VS Code numbers its tool calls and keeps its own
 * tool names; Copilot does neither, and has members and events of its own. Where nothing tells, the environment does.
 */
function timedCaller(payload: JsonObject, marked: HostId | undefined): HostId {
  if (payload["tool_use_id"] !== undefined || typeof payload["tool_response"] === "string")
    return "vscode-copilot";
  const { tool_name: tool } = payload;
  const { tools, speech } = HOSTS["vscode-copilot"];
  if (typeof tool === "string" && Object.hasOwn(tools, tool)) return "vscode-copilot";
  if (marked !== undefined && TIMED_CALLERS.has(marked)) return marked;
  const isCopilot =
    typeof tool === "string" ||
    !Object.hasOwn(speech, String(payload["hook_event_name"])) ||
    ["tool_result", "stop_reason", "initial_prompt", "parent_agent_id"].some(
      name => payload[name] !== undefined,
    );
  return isCopilot ? "copilot-cli" : "vscode-copilot";
}
