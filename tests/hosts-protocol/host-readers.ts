import type { HostId, HostResponse } from "../../src/exports/hosts.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../src/protocol/index.ts";
import type { Moment } from "./answer-table.ts";

// How each host reads an answer, written from the descriptions of the hosts and from nothing in `src/`. What a host
// does with what it read is one value: was the action refused, put to the person, permitted, or left alone?

export interface Understood {
  readonly verdict: "none" | "allow" | "ask" | "deny";
  /** what the tool then gets; undefined when the hook did not touch it */
  readonly input?: Json | undefined;
  readonly context?: Json | undefined;
}

type Reader = (answer: HostResponse, moment: Moment) => Understood;

const REFUSED: Understood = { verdict: "deny" };
const IGNORED: Understood = { verdict: "none" };

export function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function member(object: JsonObject | undefined, ...path: readonly string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path) value = isJsonObject(value) ? ownValue(value, name) : undefined;
  return value;
}

function verdictOf(value: Json | undefined, words: Readonly<Record<string, Understood["verdict"]>>) {
  return typeof value === "string" && Object.hasOwn(words, value) ? (words[value] ?? "none") : "none";
}

const PERMISSIONS = { deny: "deny", ask: "ask", defer: "deny", allow: "allow" } as const;
const strictest = (...verdicts: readonly Understood["verdict"][]): Understood["verdict"] =>
  (["deny", "ask", "allow"] as const).find(each => verdicts.includes(each)) ?? "none";

/** Events on which exit code 2 stops or holds something in Claude Code and its close copies. */
const EXIT_TWO = new Set([
  "PreToolUse",
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "ConfigChange",
  "WorktreeCreate",
  "Elicitation",
  "ElicitationResult",
]);

/** Nested members count only under the right event name; the top-level decision counts on every event. */
const readClaude: Reader = ({ stdout, exitCode }, { event }) => {
  if (exitCode === 2 && EXIT_TWO.has(event)) return REFUSED;
  const said = parse(stdout);
  const nested = member(said, "hookSpecificOutput");
  const hso = isJsonObject(nested) && nested["hookEventName"] === event ? nested : undefined;
  const isStopped = member(said, "continue") === false && event === "UserPromptSubmit";
  return {
    verdict: strictest(
      isStopped ? "deny" : "none",
      verdictOf(member(hso, "permissionDecision"), PERMISSIONS),
      verdictOf(member(hso, "decision", "behavior"), { deny: "deny", allow: "allow" }),
      verdictOf(member(hso, "action"), { decline: "deny" }),
      verdictOf(member(said, "decision"), { block: "deny" }),
    ),
    input: member(hso, "updatedInput") ?? member(hso, "decision", "updatedInput"),
    context: member(hso, "additionalContext"),
  };
};

const CODEX_TOP: Readonly<Record<string, readonly string[]>> = {
  PreToolUse: ["systemMessage", "hookSpecificOutput", "decision", "reason"],
  PermissionRequest: ["hookSpecificOutput"],
  PostToolUse: ["hookSpecificOutput", "decision", "reason", "continue", "stopReason"],
  UserPromptSubmit: ["hookSpecificOutput", "decision", "reason", "continue", "stopReason"],
  SessionStart: ["hookSpecificOutput", "continue", "stopReason"],
  SubagentStart: ["hookSpecificOutput"],
  Stop: ["decision", "reason", "continue", "stopReason"],
  SubagentStop: ["decision", "reason", "continue", "stopReason"],
  PreCompact: ["continue", "stopReason"],
  PostCompact: ["continue", "stopReason"],
  SessionEnd: [],
};
const CODEX_NESTED: Readonly<Record<string, readonly string[]>> = {
  PreToolUse: [
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
  ],
  PermissionRequest: ["hookEventName", "decision"],
  PostToolUse: ["hookEventName", "additionalContext"],
  UserPromptSubmit: ["hookEventName", "additionalContext"],
  SessionStart: ["hookEventName", "additionalContext"],
  SubagentStart: ["hookEventName", "additionalContext"],
};

/** A closed schema: anything unknown, and a deny without a reason, voids the whole answer. */
const readCodex: Reader = ({ stdout, stderr, exitCode }, { event }) => {
  if (exitCode === 2) return stderr.trim() === "" ? IGNORED : REFUSED;
  if (exitCode !== 0 || stdout.trim() === "") return IGNORED;
  const said = parse(stdout);
  const nested = member(said, "hookSpecificOutput");
  const knows = (object: Json | undefined, names: readonly string[] | undefined) =>
    !isJsonObject(object) || Object.keys(object).every(name => names?.includes(name) === true);
  if (said === undefined || !knows(said, CODEX_TOP[event]) || !knows(nested, CODEX_NESTED[event]))
    throw new Error(`Codex rejects this answer on ${event}: ${stdout}`);
  if (!knows(member(said, "hookSpecificOutput", "decision"), ["behavior", "message"]))
    throw new Error(`Codex rejects this decision: ${stdout}`);
  if (isJsonObject(nested) && nested["hookEventName"] !== event) throw new Error("wrong hookEventName");
  const permission = member(said, "hookSpecificOutput", "permissionDecision");
  const hasInput = member(said, "hookSpecificOutput", "updatedInput") !== undefined;
  if (permission === "ask" || (permission === "allow") !== hasInput) throw new Error(`invalid: ${stdout}`);
  const reason = member(said, "hookSpecificOutput", "permissionDecisionReason") ?? member(said, "reason");
  const isRefusal = permission === "deny" || member(said, "decision") === "block";
  if (isRefusal && (typeof reason !== "string" || reason.trim() === ""))
    throw new Error("a deny needs a reason");
  const isStopped = member(said, "continue") === false && event !== "Stop" && event !== "SubagentStop";
  return {
    ...readClaude({ stdout, stderr, exitCode }, { event, label: "", nativeEvent: event, payload: {} }),
    ...(isRefusal || isStopped ? REFUSED : {}),
  };
};

const readGemini: Reader = ({ stdout, stderr, exitCode }, { nativeEvent, payload }) => {
  const text = stdout.trim() === "" ? stderr.trim() : stdout.trim();
  const said = parse(text);
  if (said === undefined) return text !== "" && exitCode > 1 ? REFUSED : IGNORED;
  const name = member(said, "hookSpecificOutput", "hookEventName");
  if (name !== undefined && name !== nativeEvent) throw new Error(`wrong hookEventName for ${nativeEvent}`);
  const rewrite = member(said, "hookSpecificOutput", "tool_input");
  const original = member(payload, "tool_input");
  return {
    verdict: strictest(
      verdictOf(member(said, "decision"), { deny: "deny", block: "deny", allow: "allow" }),
      member(said, "continue") === false && /^Before/.test(nativeEvent) ? "deny" : "none",
    ),
    input:
      isJsonObject(rewrite) && isJsonObject(original) ? { ...original, ...rewrite } : (rewrite ?? undefined),
    context:
      nativeEvent === "BeforeTool" ? undefined : member(said, "hookSpecificOutput", "additionalContext"),
  };
};

/** Only the top level is read, except before a tool in the dialect with Claude's names. */
const readCopilot: Reader = ({ stdout, exitCode }, { event, payload }) => {
  const isGate = event === "PreToolUse" || event === "PermissionRequest";
  if (isGate && exitCode !== 0) return REFUSED;
  const said = parse(stdout);
  const hasClaudeNames = payload["session_id"] !== undefined;
  const nested = hasClaudeNames && event === "PreToolUse" ? member(said, "hookSpecificOutput") : undefined;
  const hso = isJsonObject(nested) ? nested : undefined;
  const isBlockable = ["UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop"].includes(event);
  return {
    verdict: strictest(
      event === "PreToolUse" ? verdictOf(member(said, "permissionDecision"), PERMISSIONS) : "none",
      verdictOf(member(hso, "permissionDecision"), PERMISSIONS),
      event === "PermissionRequest"
        ? verdictOf(member(said, "behavior"), { deny: "deny", allow: "allow" })
        : "none",
      isBlockable ? verdictOf(member(said, "decision"), { block: "deny" }) : "none",
    ),
    input: hasClaudeNames ? member(hso, "updatedInput") : member(said, "modifiedArgs"),
    context: member(said, "additionalContext") ?? member(hso, "additionalContext"),
  };
};

/** Before a tool nothing but the nested object is read; a stop is documented as nested, too. */
const readVsCode: Reader = (answer, moment) => {
  if (answer.exitCode === 2) return REFUSED;
  const said = parse(answer.stdout);
  const nested = member(said, "hookSpecificOutput");
  if (isJsonObject(nested) && nested["hookEventName"] !== moment.event) throw new Error("stripped");
  if (moment.event === "PreToolUse") {
    return {
      verdict: verdictOf(member(said, "hookSpecificOutput", "permissionDecision"), PERMISSIONS),
      input: member(said, "hookSpecificOutput", "updatedInput"),
      context: member(said, "hookSpecificOutput", "additionalContext"),
    };
  }
  const stop = verdictOf(member(said, "hookSpecificOutput", "decision"), { block: "deny" });
  return { ...readClaude(answer, moment), ...(stop === "deny" ? REFUSED : {}) };
};

const CURSOR_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  preToolUse: ["permission", "user_message", "agent_message", "updated_input"],
  beforeShellExecution: ["permission", "user_message", "agent_message"],
  beforeMCPExecution: ["permission", "user_message", "agent_message"],
  beforeReadFile: ["permission", "user_message"],
  beforeTabFileRead: ["permission", "user_message"],
};

/** An answer that does not fit the schema of a permission hook is a denial. */
const readCursor: Reader = (answer, moment) => {
  const { nativeEvent } = moment;
  const said = parse(answer.stdout);
  const members = CURSOR_MEMBERS[nativeEvent];
  if (members !== undefined) {
    if (answer.exitCode === 2) return REFUSED;
    if (said === undefined) return answer.stdout.trim() === "" ? IGNORED : REFUSED;
    if (Object.keys(said).some(name => !members.includes(name)))
      throw new Error(`unknown member: ${answer.stdout}`);
    return {
      verdict: verdictOf(member(said, "permission"), PERMISSIONS),
      input: member(said, "updated_input"),
    };
  }
  const context = member(said, "additional_context");
  if (nativeEvent === "beforeSubmitPrompt")
    return {
      verdict: answer.exitCode === 2 || member(said, "continue") === false ? "deny" : "none",
      context,
    };
  if (nativeEvent === "stop" || nativeEvent === "subagentStop")
    return typeof member(said, "followup_message") === "string" ? REFUSED : IGNORED;
  if (/^[a-z]/.test(nativeEvent)) return { verdict: "none", context };
  return readClaude(answer, moment);
};

const readExitCode =
  (events: readonly string[]): Reader =>
  ({ exitCode }, { event }) =>
    exitCode === 2 && events.includes(event) ? REFUSED : IGNORED;

const readBlock =
  (events: readonly string[], context: readonly string[], allow?: string): Reader =>
  ({ stdout, exitCode }, { event }) => {
    const said = parse(stdout);
    if (!events.includes(event)) return { verdict: "none", context: member(said, ...context) };
    if (exitCode === 2) return REFUSED;
    return {
      verdict: verdictOf(member(said, "decision"), {
        block: "deny",
        ...(allow === undefined ? {} : { [allow]: "allow" }),
      }),
      context: member(said, ...context),
    };
  };

/** Exit codes are ignored throughout. */
const readCline: Reader = ({ stdout }, { event, nativeEvent }) => {
  const said = parse(stdout);
  const isAwaited = /^[A-Z]/.test(nativeEvent) || event === "PreToolUse" || event === "PostToolUse";
  if (!isAwaited) return IGNORED;
  return {
    verdict: member(said, "cancel") === true && event !== "PostToolUse" ? "deny" : "none",
    input: nativeEvent === "tool_call" ? member(said, "overrideInput") : undefined,
    context: member(said, "contextModification") ?? member(said, "context"),
  };
};

/** Any code but 0, and anything that is not JSON, lets the call run. */
/** Since version 5: the last line, in its own words or Claude's; exit 2 blocks; text at the start is context. */
const readAtomCodeJson: Reader = ({ stdout, exitCode }, { event }) => {
  const lastLine = stdout
    .split("\n")
    .filter(line => line.trim() !== "")
    .at(-1);
  const said = parse(lastLine ?? "");
  const context = member(said, "hookSpecificOutput", "additionalContext");
  const blocks = verdictOf(member(said, "decision"), { block: "deny" });
  if (event === "SessionStart")
    return { verdict: "none", context: context ?? (stdout.trim() === "" ? undefined : stdout.trim()) };
  if (event === "PostToolUse" || event === "PostToolUseFailure") return { verdict: blocks };
  if (event !== "PreToolUse" && event !== "UserPromptSubmit") return IGNORED;
  if (exitCode === 2) return REFUSED;
  const action = verdictOf(member(said, "action"), { block: "deny", allow: "allow" });
  const permission = verdictOf(member(said, "hookSpecificOutput", "permissionDecision"), PERMISSIONS);
  const input = member(said, "action") === "modify" ? member(said, "args") : undefined;
  return event === "PreToolUse"
    ? { verdict: strictest(blocks, strictest(action, permission)), input }
    : { verdict: strictest(blocks, action === "deny" ? "deny" : "none"), context };
};

const readAtomCode: Reader = (answer, moment) => {
  if (moment.payload["event"] === undefined) return readAtomCodeJson(answer, moment);
  const { stdout, exitCode } = answer;
  const { event } = moment;
  const lastLine = stdout
    .split("\n")
    .filter(line => line.trim() !== "")
    .at(-1);
  if (event === "UserPromptSubmit") {
    const said = parse(lastLine ?? "");
    const context = member(said, "hookSpecificOutput", "additionalContext");
    return { verdict: verdictOf(member(said, "decision"), { block: "deny" }), context };
  }
  if (event !== "PreToolUse" || exitCode !== 0) return IGNORED;
  const said = parse(stdout);
  return {
    verdict: verdictOf(member(said, "action"), { block: "deny", allow: "allow" }),
    input: member(said, "action") === "modify" ? member(said, "args") : undefined,
  };
};

/** Before a tool everything that is not a decision denies. */
const readAntigravity: Reader = ({ stdout, exitCode }, { event }) => {
  const said = parse(stdout);
  if (event === "Stop") return member(said, "decision") === "continue" ? REFUSED : IGNORED;
  if (event !== "PreToolUse") return IGNORED;
  if (stdout.trim() === "" && exitCode === 0) throw new Error("read as a denial by some builds");
  const decision = member(said, "decision");
  if (decision !== "ask" && decision !== "allow") return REFUSED;
  return { verdict: decision, input: member(said, "overwrite", "args") };
};

/** All decisions are nested; exit code 2 stops tools only. */
const readAugment: Reader = ({ stdout, exitCode }, { event, nativeEvent }) => {
  if (exitCode === 2) return event === "PreToolUse" ? REFUSED : IGNORED;
  const said = parse(stdout);
  const name = member(said, "hookSpecificOutput", "hookEventName");
  if (name !== undefined && name !== nativeEvent) throw new Error(`wrong hookEventName: ${String(name)}`);
  return {
    verdict: strictest(
      verdictOf(member(said, "hookSpecificOutput", "permissionDecision"), PERMISSIONS),
      verdictOf(member(said, "hookSpecificOutput", "decision"), { block: "deny" }),
    ),
    input: member(said, "hookSpecificOutput", "updatedInput"),
    context: member(said, "hookSpecificOutput", "additionalContext") ?? member(said, "additionalContext"),
  };
};

const readAmp: Reader = ({ stdout, exitCode }, { event }) => {
  const action = member(parse(stdout), "action");
  if (event === "Stop") return action === "continue" ? REFUSED : IGNORED;
  if (event !== "PreToolUse") return { verdict: "none", context: member(parse(stdout), "message") };
  if (exitCode === 2) return REFUSED;
  return { verdict: verdictOf(action, { "reject-and-continue": "deny", allow: "allow" }) };
};

/** Answers name events as Qwen sends them; exit code 2 blocks wherever something can be blocked. */
const readQwen: Reader = (answer, moment) =>
  answer.exitCode === 2 ? REFUSED : readClaude(answer, { ...moment, event: moment.nativeEvent });

export const READERS: Readonly<Record<HostId, Reader>> = {
  "claude-code": readClaude,
  "copilot-cli": readCopilot,
  "vscode-copilot": readVsCode,
  "gemini-cli": readGemini,
  antigravity: readAntigravity,
  codex: readCodex,
  cursor: readCursor,
  windsurf: readExitCode(["PreToolUse", "UserPromptSubmit"]),
  devin: readBlock(
    ["PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop"],
    ["hookSpecificOutput", "additionalContext"],
    "approve",
  ),
  cline: readCline,
  kiro: (answer, moment) => ({
    ...readExitCode(["PreToolUse"])(answer, moment),
    context: answer.stdout === "" ? undefined : answer.stdout.replace(/\n$/, ""),
  }),
  "qwen-code": readQwen,
  "factory-droid": readClaude,
  augment: readAugment,
  goose: readBlock(["PreToolUse", "Stop"], ["nothing"]),
  atomcode: readAtomCode,
  "amplifier-shell": readBlock(["PreToolUse", "UserPromptSubmit"], ["contextInjection"]),
  amplifier: readBlock(["PreToolUse", "UserPromptSubmit"], ["contextInjection"]),
  opencode: readClaude,
  pi: readClaude,
  amp: readAmp,
  "apr-code": readExitCode(["SessionStart", "PreToolUse", "UserPromptSubmit"]),
};
