import { describe, expect, it } from "vitest";
import type { HostId } from "../../src/hosts/descriptors.ts";
import { render } from "../../src/hosts/render.ts";
import { type Effect, fold, type JsonObject } from "../../src/protocol/index.ts";

const TEXTS = { person: "for the person", model: "for the model" };
const ask: Effect = { decision: { kind: "ask", reason: "for both", texts: TEXTS } };
const deny: Effect = { decision: { kind: "deny", reason: "for the model", texts: TEXTS } };

function answer(host: HostId, effects: readonly Effect[], nativeEvent = "PreToolUse", isHeadless = false) {
  const outcome = fold(
    effects.map((effect, index) => ({ hook: `h${index}`, effect })),
    { power: "veto" },
  );
  const { stdout } = render(host, { event: "PreToolUse", nativeEvent, outcome, payload: {}, isHeadless });
  return JSON.parse(stdout) as JsonObject & { readonly hookSpecificOutput?: JsonObject };
}
const reasonOf = (given: ReturnType<typeof answer>) => given.hookSpecificOutput?.["permissionDecisionReason"];

describe("a decision with a text for each reader", () => {
  it("shows the person theirs where the host asks", () => {
    expect(reasonOf(answer("claude-code", [ask]))).toBe("for the person");
    expect(answer("copilot-cli", [ask], "preToolUse")).toMatchObject({
      permissionDecisionReason: "for the person",
    });
  });

  it("shows both where the model reads the question", () => {
    expect(reasonOf(answer("claude-code", [ask], "PreToolUse", true))).toBe("for both");
    expect(String(reasonOf(answer("codex", [ask])))).toMatch(/^for both\n/);
    expect(answer("gemini-cli", [ask], "BeforeTool")["reason"]).toMatch(/^for both\n/);
  });

  it("carries the model's when it is refused", () => {
    for (const host of ["claude-code", "codex"] as const)
      expect(reasonOf(answer(host, [deny]))).toBe("for the model");
  });

  it("gives each reader their own where the host has a place for both", () => {
    const told = { user_message: "for the person", agent_message: "for the model" };
    expect(answer("cursor", [ask], "preToolUse")).toEqual({ permission: "ask", ...told });
    expect(answer("cursor", [deny], "preToolUse")).toEqual({ permission: "deny", ...told });
    expect(answer("cursor", [deny], "beforeReadFile")).toEqual({
      permission: "deny",
      user_message: "for the person",
    });
    expect(answer("pi", [ask], "tool_call")).toMatchObject({
      hookSpecificOutput: { permissionDecisionReason: "for the person" },
      modelReason: "for the model",
    });
  });

  it("keeps what other hooks say, for both", () => {
    const other: Effect = { decision: { kind: "ask", reason: "another reason" } };
    expect(answer("cursor", [ask, other], "preToolUse")).toMatchObject({
      user_message: "for the person\nanother reason",
      agent_message: "for the model\nanother reason",
    });
  });

  it("does not tell them for another reason that was put together for the host", () => {
    const halted: Effect = { ...ask, halt: { reason: "stop" } };
    expect(answer("cursor", [halted], "preToolUse")).toMatchObject({
      user_message: "stop",
      agent_message: "stop",
    });
  });
});
