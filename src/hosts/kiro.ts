import { isJsonObject, type JsonObject, ownValue } from "../protocol/index.ts";
import { asText } from "./claude-encoders.ts";
import type { HostDescriptor, ResponseEncoder } from "./host.ts";
import { mcpToolName } from "./tool-input.ts";

/** No JSON protocol: the exit code refuses, stderr says why, plain stdout is context. */
const exitGate: ResponseEncoder = { deny: () => ({}), denyExitCode: 2 };
const plainText: ResponseEncoder = { context: text => ({ text }) };

export const kiro: HostDescriptor<"kiro"> = {
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
  input: {
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
  responses: () => ({
    SessionStart: plainText,
    UserPromptSubmit: { ...exitGate, ...plainText, unproven: ["deny"], ignoresExitCode: true },
    PreToolUse: exitGate,
    PostToolUse: {},
    Stop: {},
    FileChanged: {},
    TaskCreated: { ignoresExitCode: true },
    TaskCompleted: { ignoresExitCode: true },
  }),
  noOpinion: "",
  encode: members => asText(members["text"] ?? ""),
  answering: "ignores hooks' approvals",
  closed: "exit",
  registration: {
    timeout: { key: "timeout_ms", unit: "ms" },
    // An agent file of our own: hooks belong to an agent there, and every agent file has a name.
    layout: { kind: "flat", header: { name: "amplihack" } },
    files: { user: ".kiro/agents/amplihack.json", project: ".kiro/agents/amplihack.json" },
  },
  protects: { wiring: [".kiro/hooks/**", ".kiro/agents/**"], trees: [".kiro"] },
  program: { names: ["kiro-cli"], bypass: /^(--trust-all-tools|-a)$/ },
  setup: () => ({
    title: "Kiro",
    folders: [".kiro"],
    programs: ["kiro-cli", "kiro"],
    mcp: { user: [".kiro/settings/mcp.json"], project: ".kiro/settings/mcp.json" },
    nextStep: {
      user: "Kiro: start it with: kiro-cli chat --agent amplihack",
      project: "Kiro: start it with: kiro-cli chat --agent amplihack",
    },
    gaps: ["watch other agents than the one called amplihack: hooks belong to an agent there"],
    live: "it needs an account",
  }),
};
