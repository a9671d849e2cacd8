import { describe, expect, it } from "vitest";
import { inferEvent, type JsonObject } from "../../src/protocol/index.ts";

describe("the event of a payload that is all there is", () => {
  it.each<[JsonObject, string | undefined]>([
    [{ hook_event_name: "Stop", tool_name: "Bash" }, "Stop"],
    [{ hookEventName: "preToolUse", tool_response: {} }, "preToolUse"],
    [{ hook_event_name: "Zorp" }, "Zorp"],
    [{ tool_name: "Bash", tool_input: {}, tool_response: {} }, "PostToolUse"],
    [{ toolName: "bash", toolArgs: "{}", toolResult: "x" }, "PostToolUse"],
    [{ toolUse: { name: "Bash" }, result: false }, "PostToolUse"],
    [{ tool_name: "Bash", result: null }, "PreToolUse"],
    [{ tool_input: {} }, "PreToolUse"],
    [{ toolArgs: "{}" }, "PreToolUse"],
    [{ toolUse: { name: "Bash", input: {} } }, "PreToolUse"],
    [{ hook_event_name: 7, prompt: "x" }, undefined],
    [{ toolUse: "Bash" }, undefined],
    [{}, undefined],
  ])("of %j is %s", (payload, event) => {
    expect(inferEvent(payload)).toBe(event);
  });
});
