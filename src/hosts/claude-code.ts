import type { JsonObject } from "../protocol/index.ts";
import {
  common,
  doublePermission,
  nested,
  nestedDefer,
  nestedInput,
  nestedOutput,
  nestedPermission,
  permissionRequest,
  permissionRequestInput,
  stopTurn,
  withBlock,
  withBlockAndContext,
  withContext,
} from "./claude-encoders.ts";
import type { HostDescriptor, RenderContext, ResponseEncoder, ResponseTable } from "./host.ts";
import { isMcpTool } from "./tool-input.ts";

/** An elicitation is a question to the person already: silence leaves it to them. */
const elicitation: ResponseEncoder = {
  ...common,
  deny: (_, context) => nested(context, { action: "decline" }),
  ask: () => ({}),
  extras: ["action", "content"],
};

function permissionUpdates({ extras }: RenderContext): JsonObject {
  const { updatedPermissions } = extras;
  return updatedPermissions === undefined ? {} : { updatedPermissions };
}

/**
 * A caller that gives nothing else away but spells the tool as Copilot does is told in both forms: Copilot reads
 * the flat one, and Claude Code never sends such a payload.
 */
const permissionBySpelling = {
  deny: (reason, context) => permissionForm(context).deny(reason, context),
  ask: (reason, context) => permissionForm(context).ask(reason, context),
  allow: (reason, context) => permissionForm(context).allow(reason, context),
} satisfies ResponseEncoder;

function permissionForm({ payload }: RenderContext) {
  const isCamelCase = payload["toolName"] !== undefined && payload["tool_name"] === undefined;
  return isCamelCase ? doublePermission : nestedPermission;
}

/** All 33 events of the reference. */
const responses = (): ResponseTable => ({
  PreToolUse: { ...withContext, ...permissionBySpelling, ...nestedDefer, ...nestedInput },
  PermissionRequest: {
    ...common,
    ...permissionRequest,
    ...permissionRequestInput,
    allow: (_, context) =>
      nested(context, { decision: { behavior: "allow", ...permissionUpdates(context) } }),
    halt: (reason, context) => ({
      ...stopTurn.halt(reason),
      ...nested(context, { decision: { behavior: "deny", message: reason, interrupt: true } }),
    }),
    ignoresExitCode: true,
  },
  PermissionDenied: { ...common, extras: ["retry"] },
  PostToolUse: {
    ...withBlockAndContext,
    output: (value, context) =>
      isMcpTool(context.payload)
        ? nested(context, { updatedToolOutput: value, updatedMCPToolOutput: value })
        : nestedOutput.output(value, context),
    extras: ["classifierContext"],
  },
  PostToolUseFailure: withBlockAndContext,
  PostToolBatch: withBlockAndContext,
  UserPromptSubmit: { ...withBlockAndContext, extras: ["sessionTitle", "suppressOriginalPrompt"] },
  UserPromptExpansion: { ...withBlockAndContext, extras: ["suppressOriginalPrompt"] },
  SessionStart: {
    ...withContext,
    extras: ["initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"],
  },
  SessionEnd: common,
  Setup: withContext,
  InstructionsLoaded: common,
  Notification: withContext,
  MessageDisplay: { ...common, output: (value, context) => nested(context, { displayContent: value }) },
  SubagentStart: withContext,
  SubagentStop: withBlockAndContext,
  Stop: withBlockAndContext,
  StopFailure: common,
  TeammateIdle: withBlock,
  TaskCreated: withBlock,
  TaskCompleted: withBlock,
  PreCompact: withBlock,
  PostCompact: common,
  ConfigChange: withBlock,
  CwdChanged: { ...common, extras: ["watchPaths"] },
  DirectoryAdded: common,
  FileChanged: { ...common, extras: ["watchPaths"] },
  // Its stdout is a path, whatever it holds: only the exit code can refuse.
  WorktreeCreate: { deny: () => ({}), denyExitCode: 2, plainExtra: "worktreePath" },
  WorktreeRemove: common,
  Elicitation: elicitation,
  ElicitationResult: elicitation,
  PreModelSwitch: { ...common, ...nestedPermission, ignoresExitCode: true },
  PostModelSwitch: withContext,
});

export const claudeCode: HostDescriptor<"claude-code"> = {
  id: "claude-code",
  skillFolders: [".claude/skills"],
  shortNames: ["claude"],
  evidence: {
    transcriptFolder: "/.claude/projects/",
    variables: ["CLAUDECODE"],
    agentVariables: [
      "CLAUDE_CODE_ENTRYPOINT",
      "CLAUDE_CODE_SSE_PORT",
      "CLAUDE_CODE_SESSION_ID",
      "CLAUDE_PROJECT_DIR",
    ],
    // Every agent started from it inherits its variable.
    precedence: -2,
  },
  events: {},
  usesCanonicalEvents: true,
  tools: { Task: "Agent", MultiEdit: "Edit" },
  responses,
  noOpinion: "{}\n",
  takesOwnForm: true,
  isHeadless: env => env.get("CLAUDE_CODE_ENTRYPOINT")?.startsWith("sdk-") === true,
  // Its own deny and ask rules win over a yes of a hook. In `plan` and `dontAsk` the person wants no yes, and in
  // `bypassPermissions` nothing is asked.
  answering: { event: "PreToolUse", modes: ["default", "acceptEdits", "auto"] },
  // It may compare its deny and ask rules with the command as it was rewritten: then they would not be kept.
  sandboxing: {
    modes: ["default", "acceptEdits", "auto"],
    overrides: [
      {
        folder: ".claude",
        managed: "/etc/claude-code",
        ending: ".json",
        rule: /"(?:deny|ask)"\s*:\s*\[(?:\s*"(?:[^"\\]|\\.)*"\s*,)*?\s*"Bash/,
        what: "rules of your own that deny or ask about commands",
      },
    ],
    ruleOptions: /^--(?:disallowed-?tools|settings|permission-prompt-tool)(?:=|$)/i,
  },
  closed: "exit",
  registration: {
    matcher: "*",
    timeout: { key: "timeout", unit: "s" },
    layout: {
      kind: "groups",
      hasType: true,
      closedMember: { onFailure: "block" },
      // Older builds may throw the whole settings file away because of a member they do not know.
      closedMemberSince: "2.1.325",
      isPlainJson: true,
    },
    files: { user: ".claude/settings.json", project: ".claude/settings.json" },
    isShared: true,
    relocation: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
    personalFile: ".claude/settings.local.json",
  },
  protects: {
    wiring: [
      ".claude/settings*.json",
      ".claude/hooks/**",
      ".claude/plugins/**",
      ".claude/managed-settings.json",
    ],
    trees: [".claude"],
    managed: ["/etc/claude-code", "/Library/Application Support/ClaudeCode"],
    credentials: [".claude/.credentials.json", ".claude.json", ".claude/ide"],
  },
  program: {
    names: ["claude"],
    package: "@anthropic-ai/claude-code",
    bypass:
      /^--(dangerously-skip-permissions|allow-dangerously-skip-permissions|permission-mode=bypassPermissions)$|^bypassPermissions$/,
    bypassVariables: ["CLAUDE_CONFIG_DIR"],
  },
  recordsSessions: true,
  setup: () => ({
    title: "Claude Code",
    folders: [".claude"],
    programs: ["claude"],
    mcp: {
      user: [".claude.json"],
      project: ".mcp.json",
      moved: { variable: "CLAUDE_CONFIG_DIR", file: ".claude.json" },
      members: { type: "stdio" },
    },
    userFiles: {
      agents: { file: "agents/amplihack-NAME.md", format: "markdown" },
      command: { file: "commands/amplihack/dev.md", format: "markdown", argument: "$ARGUMENTS" },
    },
    nextStep: {
      user: "Claude Code: answer its trust question once in every folder; until then it runs no hook there",
      project: "Claude Code: answer its trust question in this folder; until then it runs no hook here",
    },
    agent: {
      name: "claude",
      installHint: "npm install -g @anthropic-ai/claude-code",
      minimumVersion: "2.1.197",
      resumes: true,
      skipsPermissions: true,
      takesModel: true,
      ownDirectories: [".npm-global/bin"],
      printMode: {
        screenFlag: [],
        start: [],
        promptFlag: ["-p"],
        stdinMarker: ["-p"],
        systemPromptFlag: "--system-prompt",
        directoryFlag: "--add-dir",
        modelFlag: "--model",
        unsafeStart: /^-/,
      },
    },
    live: {
      args: prompt => ["-p", prompt, "--dangerously-skip-permissions"],
      env: ({ url, key }) => ({
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: key,
        // Root may skip permission questions only where it says that it is in a sandbox.
        IS_SANDBOX: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      }),
    },
  }),
};
