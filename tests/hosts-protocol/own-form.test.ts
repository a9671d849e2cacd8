import { describe, expect, it } from "vitest";
import { HOST_IDS, type HostId, type RenderRequest, render } from "../../src/exports/hosts.ts";
import { type Effect, fold, type JsonObject } from "../../src/protocol/index.ts";

function answer(host: HostId, event: string, effect: Effect, payload: JsonObject = {}) {
  const power = event === "Stop" ? "retry" : event === "PreToolUse" ? "veto" : "none";
  const request: RenderRequest = {
    event,
    nativeEvent: event,
    payload,
    outcome: fold([{ hook: "ours", effect }], { power }),
  };
  return render(host, request);
}

const parsed = (host: HostId, event: string, effect: Effect) =>
  JSON.parse(answer(host, event, effect).stdout) as unknown;

describe("members that only our own form knows", () => {
  const approve: Effect = { extras: { claude: { decision: "approve" } } };

  it("go out in the Claude form alone", () => {
    expect(parsed("claude-code", "Stop", approve)).toEqual({ decision: "approve" });
    for (const host of HOST_IDS.filter(id => id !== "claude-code"))
      expect(answer(host, "Stop", approve).stdout).not.toContain("approve");
  });

  it("stand at top level beside what was said", () => {
    const effect: Effect = { context: "C", extras: { claude: { metadata: { tool: "Write" } } } };
    expect(parsed("claude-code", "SessionStart", effect)).toEqual({
      metadata: { tool: "Write" },
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "C" },
    });
  });

  it("never take the place of a decision", () => {
    const hold: Effect = { ...approve, decision: { kind: "deny", reason: "not yet" } };
    expect(parsed("claude-code", "Stop", hold)).toEqual({ decision: "block", reason: "not yet" });
    const sly: Effect = {
      extras: {
        claude: {
          decision: "allow",
          continue: true,
          permissionDecision: "allow",
          hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" },
        },
      },
    };
    expect(parsed("claude-code", "PreToolUse", sly)).toEqual({});
  });

  it("include what Claude Code knows on one event", () => {
    const titled: Effect = { extras: { sessionTitle: "T", retry: true } };
    expect(parsed("claude-code", "SessionStart", titled)).toEqual({
      hookSpecificOutput: { hookEventName: "SessionStart", sessionTitle: "T" },
    });
    expect(answer("claude-code", "WorktreeCreate", { extras: { worktreePath: "/w" } }).stdout).toBe("/w\n");
  });
});

describe("permitting a call once", () => {
  const ask = (extras: JsonObject, reason = "risky"): Effect => ({
    decision: { kind: "ask", reason },
    extras,
  });
  const reasonOf = (effect: Effect) => answer("windsurf", "PreToolUse", effect).stderr;

  it("is told where an ask becomes a deny, on a line of its own", () => {
    expect(reasonOf(ask({ allowOnce: "K7Q2M9" }))).toMatch(
      /^ask your user, then: amplihack guard allow-once K7Q2M9$/m,
    );
  });

  it("is told once", () => {
    const told = ask({ allowOnce: "K7Q2M9" }, "risky; amplihack guard allow-once K7Q2M9");
    expect(reasonOf(told).match(/allow-once/g)).toHaveLength(1);
  });

  it("is left out without a code, or with one that is none", () => {
    expect(reasonOf(ask({}))).not.toContain("allow-once");
    expect(reasonOf(ask({ allowOnce: "; rm -rf /" }))).not.toContain("rm");
  });
});

describe("text for hosts with limits", () => {
  it("is cut and said to be, never dropped", () => {
    const long = "😀".repeat(6_000);
    const { stdout, degraded } = answer("cursor", "SessionStart", { context: long });
    const { additional_context: context } = JSON.parse(stdout) as { additional_context: string };
    expect(context.length).toBeLessThanOrEqual(10_000);
    expect(context).toMatch(/^(?:😀)+\n\[cut\]$/u);
    expect(degraded).toEqual(["context → its first 10000 characters"]);
  });

  it("carries no half characters into the JSON", () => {
    const { stdout } = answer("claude-code", "PreToolUse", { decision: { kind: "deny", reason: "\ud800" } });
    expect(stdout).toContain("\\ud800");
  });
});

describe("Antigravity without an opinion", () => {
  it("leaves the call to the person, or permits it where nobody can answer", () => {
    const request = { event: "PreToolUse", nativeEvent: "PreToolUse", payload: {} };
    const outcome = fold([], { power: "veto" });
    expect(render("antigravity", { ...request, outcome }).stdout).toBe('{"decision":"ask"}\n');
    expect(render("antigravity", { ...request, outcome, isHeadless: true }).stdout).toBe(
      '{"decision":"allow"}\n',
    );
  });
});
