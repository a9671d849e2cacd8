import { describe, expect, it } from "vitest";
import {
  HOOK_REGISTRY,
  HOST_IDS,
  HOSTS,
  hookDeadlineMs,
  listSubcommands,
  mapEvent,
  planRegistrations,
  resolveSubcommand,
  STOCK_SUBCOMMANDS,
} from "../../src/exports/hosts.ts";
import { rowsWaiting } from "../../src/hosts/index.ts";
import { EVENTS } from "../../src/protocol/index.ts";

describe("the hook registry", () => {
  it("is the one table of events, subcommands, limits and matchers", () => {
    const rows = HOOK_REGISTRY.map(row =>
      [row.event, row.subcommand, row.timeoutSeconds, row.matcher ?? "-"].join(" "),
    );
    expect(rows).toEqual([
      "SessionStart session-start 10 -",
      "Stop stop 120 -",
      "PreToolUse pre-tool-use 10 *",
      "PostToolUse post-tool-use 10 *",
      "PostToolUseFailure post-tool-use 10 *",
      "UserPromptSubmit workflow-classification-reminder 5 -",
      "UserPromptSubmit user-prompt-submit 10 -",
      "PreCompact pre-compact 30 -",
      "SessionEnd session-stop 30 -",
    ]);
  });

  it("names subcommands that exist and events they accept", () => {
    for (const { event, subcommand } of HOOK_REGISTRY)
      expect(resolveSubcommand(subcommand)?.events).toContain(event);
  });

  it.each(HOST_IDS)("registers %s only on events it has, each row once or with a reason", host => {
    const { registrations, omitted } = planRegistrations(host);
    for (const { event, nativeEvent } of registrations)
      expect(mapEvent(HOSTS[host], nativeEvent)?.event).toBe(event);
    for (const { event, subcommand } of HOOK_REGISTRY) {
      const isIn = (each: { event: string; subcommand: string }) =>
        each.event === event && each.subcommand === subcommand;
      expect(registrations.some(isIn)).not.toBe(omitted.some(isIn));
    }
    for (const { why } of omitted) expect(why).not.toBe("");
  });

  it("never registers WorktreeCreate", () => {
    for (const host of HOST_IDS)
      expect(planRegistrations(host).registrations.map(each => each.event)).not.toContain("WorktreeCreate");
  });

  it("leaves out what a host could not honour and says why", () => {
    const omitted = (host: (typeof HOST_IDS)[number]) =>
      Object.fromEntries(planRegistrations(host).omitted.map(each => [each.event, each.why]));
    expect(omitted("opencode")["Stop"]).toBe("the host cannot be refused anything here");
    expect(omitted("kiro")["Stop"]).toBe("the host cannot be refused anything here");
    expect(omitted("windsurf")["UserPromptSubmit"]).toBe("the host takes no context here");
    expect(omitted("codex")["PostToolUseFailure"]).toBe("the host has no such event");
    expect(omitted("gemini-cli")["PreCompact"]).toMatch(/before every model call/);
    expect(omitted("vscode-copilot")["PreToolUse"]).toBe("nothing is registered with this host");
  });

  it.each([
    ["claude-code", "PreToolUse", 10],
    ["claude-code", "SessionEnd", 30],
    ["copilot-cli", "agentStop", 120],
    ["gemini-cli", "BeforeTool", 10_000],
    ["augment", "PreToolUse", 10_000],
    ["kiro", "preToolUse", 10_000],
    ["qwen-code", "Stop", 120_000],
    ["atomcode", "pre_tool_use", 10_000],
    ["codex", "Stop", 120],
    ["codex", "SessionEnd", 3],
    ["cursor", "preToolUse", 10],
    ["windsurf", "pre_run_command", undefined],
  ] as const)("limits %s %s to %s in the host's unit", (host, nativeEvent, timeout) => {
    const { registrations } = planRegistrations(host);
    expect(registrations.find(each => each.nativeEvent === nativeEvent)?.timeout).toBe(timeout);
  });

  it.each([
    ["claude-code", "PreToolUse", 70, 70],
    ["gemini-cli", "BeforeTool", 70_000, 70],
    ["opencode", "tool.execute.before", undefined, 70],
    // It has no setting, and waits for half a minute.
    ["cline", "PreToolUse", undefined, 30],
    // Nobody knows how long it waits.
    ["windsurf", "pre_run_command", undefined, undefined],
    ["claude-code", "PostToolUse", 10, undefined],
    ["codex", "SessionEnd", 3, undefined],
  ] as const)("lets %s %s wait for an answer of the team: %s, %s", (host, nativeEvent, timeout, limit) => {
    const { registrations } = planRegistrations(host, rowsWaiting(60_000));
    const found = registrations.find(each => each.nativeEvent === nativeEvent);
    expect(found).toMatchObject({ timeout, limitSeconds: limit });
    expect(found?.deadlineMs).toBe(
      hookDeadlineMs(host, found?.subcommand ?? "", found?.event ?? "", found?.limitSeconds),
    );
    expect(planRegistrations(host, rowsWaiting(0))).toEqual(planRegistrations(host));
  });

  it("gives a hook a second less than the host gives it", () => {
    expect(hookDeadlineMs("claude-code", "stop", "Stop")).toBe(119_000);
    expect(hookDeadlineMs("claude-code", "workflow-classification-reminder", "UserPromptSubmit")).toBe(4_000);
    expect(hookDeadlineMs("codex", "session-stop", "SessionEnd")).toBe(2_000);
    expect(hookDeadlineMs("opencode", "pre-compact", "PreCompact")).toBe(9_000);
    expect(hookDeadlineMs("vscode-copilot", "stop", "Stop")).toBe(119_000);
  });
});

describe("subcommands", () => {
  it.each([
    ["pre-tool-use", "pre-tool-use", "pre_tool_use", "PreToolUse"],
    ["PreToolUse", "pre-tool-use", "pre_tool_use", "PreToolUse"],
    ["preToolUse", "pre-tool-use", "pre_tool_use", "PreToolUse"],
    ["pre_tool_use", "pre-tool-use", "pre_tool_use", "PreToolUse"],
    ["agentStop", "stop", "stop", "Stop"],
    ["session-stop", "session-stop", "session_stop", "SessionEnd"],
    ["session-end", "session-stop", "session_stop", "SessionEnd"],
    ["sessionEnd", "session-stop", "session_stop", "SessionEnd"],
    ["SessionStop", "session-stop", "session_stop", "SessionEnd"],
    ["session-stop-event", "session-stop", "session_stop", "SessionEnd"],
    ["user-prompt", "user-prompt-submit", "user_prompt_submit", "UserPromptSubmit"],
    ["userPromptSubmitted", "user-prompt-submit", "user_prompt_submit", "UserPromptSubmit"],
    ["BeforeTool", "pre-tool-use", "pre_tool_use", "PreToolUse"],
    [
      "workflow-classification-reminder",
      "workflow-classification-reminder",
      "workflow_classification_reminder",
      "UserPromptSubmit",
    ],
    ["permission-request", "permission-request", "permission_request", "PermissionRequest"],
    ["PostToolUseFailure", "post-tool-use-failure", "post_tool_use_failure", "PostToolUseFailure"],
    ["worktree-create", "worktree-create", "worktree_create", "WorktreeCreate"],
  ])("%s is %s", (text, name, hookName, event) => {
    expect(resolveSubcommand(text)).toMatchObject({ name, hookName, event });
  });

  it.each(["", "-", "bogus", "stopp", "constructor", "__proto__", "guard-argv"])("%j is none", text => {
    expect(resolveSubcommand(text)).toBeUndefined();
  });

  it("accept all events, and every listed name is its own spelling", () => {
    for (const { name } of EVENTS) expect(resolveSubcommand(name)).toBeDefined();
    for (const each of listSubcommands()) expect(resolveSubcommand(each.name)?.name).toBe(each.name);
    expect(listSubcommands()).toHaveLength(STOCK_SUBCOMMANDS.length + EVENTS.length - 8);
  });
});
