import type { JsonObject } from "../protocol/index.ts";
import { isMcpTool } from "./canonical-tool.ts";
import {
  doublePermission,
  gate,
  gateAndTell,
  nested,
  nestedDefer,
  nestedInput,
  nestedPermission,
  observe,
  permissionRequest,
  permissionRequestInput,
  stopTurn,
  tell,
} from "./claude-words.ts";
import type { HostDescriptor, Occasion, Speech } from "./host.ts";

/** An elicitation is a question to the person already: silence leaves it to them. */
const elicitation: Speech = {
  ...observe,
  deny: (_, on) => nested(on, { action: "decline" }),
  ask: () => ({}),
  extras: ["action", "content"],
};

function permissionUpdates({ extras }: Occasion): JsonObject {
  const { updatedPermissions } = extras;
  return updatedPermissions === undefined ? {} : { updatedPermissions };
}

/**
 * A caller that gives nothing else away but spells the tool as Copilot does is told in both forms: Copilot reads
 * the flat one, and Claude Code never sends such a payload.
 */
const permissionBySpelling = {
  deny: (reason, on) => permissionWords(on).deny(reason, on),
  ask: (reason, on) => permissionWords(on).ask(reason, on),
  allow: (reason, on) => permissionWords(on).allow(reason, on),
} satisfies Speech;

function permissionWords({ payload }: Occasion) {
  const isCamelCase = payload["toolName"] !== undefined && payload["tool_name"] === undefined;
  return isCamelCase ? doublePermission : nestedPermission;
}

/** All 33 events of the reference. */
const claudeSpeech: Readonly<Record<string, Speech>> = {
  PreToolUse: { ...tell, ...permissionBySpelling, ...nestedDefer, ...nestedInput },
  PermissionRequest: {
    ...observe,
    ...permissionRequest,
    ...permissionRequestInput,
    allow: (_, on) => nested(on, { decision: { behavior: "allow", ...permissionUpdates(on) } }),
    halt: (reason, on) => ({
      ...stopTurn.halt(reason),
      ...nested(on, { decision: { behavior: "deny", message: reason, interrupt: true } }),
    }),
    ignoresExitCode: true,
  },
  PermissionDenied: { ...observe, extras: ["retry"] },
  PostToolUse: {
    ...gateAndTell,
    output: (value, on) =>
      nested(
        on,
        isMcpTool(on.payload)
          ? { updatedToolOutput: value, updatedMCPToolOutput: value }
          : { updatedToolOutput: value },
      ),
    extras: ["classifierContext"],
  },
  PostToolUseFailure: gateAndTell,
  PostToolBatch: gateAndTell,
  UserPromptSubmit: { ...gateAndTell, extras: ["sessionTitle", "suppressOriginalPrompt"] },
  UserPromptExpansion: { ...gateAndTell, extras: ["suppressOriginalPrompt"] },
  SessionStart: { ...tell, extras: ["initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"] },
  SessionEnd: observe,
  Setup: tell,
  InstructionsLoaded: observe,
  Notification: tell,
  MessageDisplay: { ...observe, output: (value, on) => nested(on, { displayContent: value }) },
  SubagentStart: tell,
  SubagentStop: gateAndTell,
  Stop: gateAndTell,
  StopFailure: observe,
  TeammateIdle: gate,
  TaskCreated: gate,
  TaskCompleted: gate,
  PreCompact: gate,
  PostCompact: observe,
  ConfigChange: gate,
  CwdChanged: { ...observe, extras: ["watchPaths"] },
  DirectoryAdded: observe,
  FileChanged: { ...observe, extras: ["watchPaths"] },
  // Its stdout is a path, whatever it holds: only the exit code can refuse.
  WorktreeCreate: { deny: () => ({}), denyExitCode: 2, plainExtra: "worktreePath" },
  WorktreeRemove: observe,
  Elicitation: elicitation,
  ElicitationResult: elicitation,
  PreModelSwitch: { ...observe, ...nestedPermission, ignoresExitCode: true },
  PostModelSwitch: tell,
};

export const claudeCode: HostDescriptor = {
  id: "claude-code",
  events: {},
  usesCanonicalEvents: true,
  tools: { Task: "Agent", MultiEdit: "Edit" },
  speech: claudeSpeech,
  silence: "{}\n",
  closed: "exit",
  registration: {
    events: {
      SessionStart: ["SessionStart"],
      Stop: ["Stop"],
      PreToolUse: ["PreToolUse"],
      PostToolUse: ["PostToolUse"],
      PostToolUseFailure: ["PostToolUseFailure"],
      UserPromptSubmit: ["UserPromptSubmit"],
      PreCompact: ["PreCompact"],
      SessionEnd: ["SessionEnd"],
    },
    matcher: "*",
    timeout: { key: "timeout", unit: "s" },
    layout: {
      kind: "groups",
      root: ["hooks"],
      commandKey: "command",
      hasType: true,
      closedMember: { onFailure: "block" },
      isPlainJson: true,
    },
    files: [
      { scope: "user", path: ".claude/settings.json", isShared: true },
      { scope: "project", path: ".claude/settings.json", isShared: true },
    ],
    relocation: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  },
};
