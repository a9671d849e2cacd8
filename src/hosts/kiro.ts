import { isJsonObject, type JsonObject, ownValue } from "../protocol/index.ts";
import { mcpToolName } from "./canonical-tool.ts";
import { asText } from "./claude-words.ts";
import type { HostDescriptor, Speech } from "./host.ts";

/** No JSON protocol: the exit code refuses, stderr says why, plain stdout is context. */
const exitGate: Speech = { deny: () => ({}), denyExitCode: 2 };
const plainText: Speech = { context: text => ({ text }) };

export const kiro: HostDescriptor = {
  id: "kiro",
  events: {
    agentSpawn: "SessionStart",
    userPromptSubmit: "UserPromptSubmit",
    preToolUse: "PreToolUse",
    postToolUse: "PostToolUse",
    stop: "Stop",
    PostFileCreate: "FileChanged",
    PostFileSave: "FileChanged",
    PostFileDelete: "FileChanged",
    PreTaskExec: "TaskCreated",
    PostTaskExec: "TaskCompleted",
    manual: null,
  },
  usesCanonicalEvents: true,
  tools: {
    execute_bash: "Bash",
    shell: "Bash",
    fs_read: "Read",
    read: "Read",
    fs_write: "Write",
    write: "Write",
  },
  reading: {
    canonicalTool: toolName => {
      const [, server, tool] = /^@([^/]+)\/(.+)$/.exec(toolName) ?? [];
      return server === undefined || tool === undefined ? undefined : mcpToolName(server, tool);
    },
    paths: toolInput => {
      const operations = ownValue(toolInput, "operations");
      if (!Array.isArray(operations)) return [];
      return (operations as readonly JsonObject[]).flatMap(operation => {
        const path = isJsonObject(operation) ? ownValue(operation, "path") : undefined;
        return typeof path === "string" ? [path] : [];
      });
    },
  },
  speech: {
    SessionStart: plainText,
    UserPromptSubmit: { ...exitGate, ...plainText, unproven: ["deny"], ignoresExitCode: true },
    PreToolUse: exitGate,
    PostToolUse: {},
    Stop: {},
    FileChanged: {},
    TaskCreated: { ignoresExitCode: true },
    TaskCompleted: { ignoresExitCode: true },
  },
  silence: "",
  encode: words => asText(words["text"] ?? ""),
  closed: "exit",
  registration: {
    events: {
      SessionStart: ["agentSpawn"],
      UserPromptSubmit: ["userPromptSubmit"],
      PreToolUse: ["preToolUse"],
      PostToolUse: ["postToolUse"],
      Stop: ["stop"],
    },
    timeout: { key: "timeout_ms", unit: "ms" },
    // An agent file of our own: hooks belong to an agent there, and every agent file has a name.
    layout: {
      kind: "flat",
      root: ["hooks"],
      commandKey: "command",
      hasType: false,
      header: { name: "amplihack" },
    },
    files: [
      { scope: "user", path: ".kiro/agents/amplihack.json", isShared: false },
      { scope: "project", path: ".kiro/agents/amplihack.json", isShared: false },
    ],
  },
};
