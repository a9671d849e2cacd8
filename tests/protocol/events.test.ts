import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeEvent, EVENTS, eventKey, findEvent, powerOf } from "../../src/protocol/index.ts";

describe("the event table", () => {
  it("holds the 33 events of the reference once each", () => {
    expect(EVENTS).toHaveLength(33);
    expect(new Set(EVENTS.map(event => event.name)).size).toBe(33);
  });

  it.each([
    ["PreToolUse", "tool_name", "veto"],
    ["PermissionRequest", "tool_name", "veto"],
    ["PermissionDenied", "tool_name", "none"],
    ["PostToolUse", "tool_name", "feedback"],
    ["PostToolUseFailure", "tool_name", "feedback"],
    ["PostToolBatch", undefined, "veto"],
    ["UserPromptSubmit", undefined, "veto"],
    ["SessionStart", "source", "none"],
    ["SessionEnd", "reason", "none"],
    ["Notification", "notification_type", "none"],
    ["SubagentStop", "agent_type", "retry"],
    ["Stop", undefined, "retry"],
    ["PreCompact", "trigger", "veto"],
    ["ConfigChange", "source", "veto"],
    ["FileChanged", "file_path", "none"],
    ["WorktreeCreate", undefined, "veto"],
    ["Elicitation", "mcp_server_name", "veto"],
    ["PostModelSwitch", undefined, "none"],
  ])("gives %s the subject %s and the power %s", (name, subject, power) => {
    expect(findEvent(name)).toMatchObject({ name, subject, power });
  });

  it.each([
    ["UserPromptSubmit", 30_000],
    ["SessionEnd", 1_500],
    ["MessageDisplay", 10_000],
    ["PreModelSwitch", 30_000],
    ["PreToolUse", 600_000],
  ])("gives %s a default timeout of %d ms", (name, timeoutMs) => {
    expect(describeEvent(name).timeoutMs).toBe(timeoutMs);
  });

  it("takes plain text as context only where the reference says so", () => {
    const withContext = EVENTS.filter(event => event.text === "context").map(event => event.name);
    expect(withContext).toEqual(["UserPromptSubmit", "UserPromptExpansion", "SessionStart"]);
  });
});

describe("finding an event", () => {
  it.each(["PreToolUse", "preToolUse", "pre_tool_use", "pre-tool-use", "PRETOOLUSE"])(
    "accepts %s",
    spelling => {
      expect(findEvent(spelling)?.name).toBe("PreToolUse");
    },
  );

  it("takes SessionStop for SessionEnd", () => {
    expect(findEvent("session-stop")?.name).toBe("SessionEnd");
  });

  it("accepts every event in every spelling", () => {
    const spelling = fc
      .constantFrom(...EVENTS)
      .chain(({ name }) =>
        fc
          .constantFrom(name, name[0]?.toLowerCase() + name.slice(1), kebab(name, "-"), kebab(name, "_"))
          .map(text => ({ name, text })),
      );
    fc.assert(fc.property(spelling, ({ name, text }) => findEvent(text)?.name === name));
  });

  it("describes an unknown event as one that decides nothing", () => {
    expect(findEvent("BeforeModel")).toBeUndefined();
    expect(describeEvent("BeforeModel")).toMatchObject({
      name: "BeforeModel",
      power: "none",
      requiresTool: false,
    });
  });

  it("never finds an inherited name", () => {
    for (const name of ["constructor", "__proto__", "toString"]) expect(findEvent(name)).toBeUndefined();
  });

  it("reduces any text to letters and digits", () => {
    fc.assert(fc.property(fc.string(), text => /^[a-z0-9]*$/.test(eventKey(text))));
  });
});

function kebab(name: string, separator: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, separator).toLowerCase();
}

describe("the power of a configuration change", () => {
  it("is a veto for a user's own settings and none for managed policy", () => {
    const change = describeEvent("ConfigChange");
    expect(powerOf(change, { source: "user_settings" })).toBe("veto");
    expect(powerOf(change, { source: "policy_settings" })).toBe("none");
  });
});
