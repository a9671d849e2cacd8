import { describe, expect, it } from "vitest";
import { findEntry, readCommandLine } from "../../src/hooks/program/command-line.ts";

describe("the command line of the hook program", () => {
  it.each([
    [["pre-tool-use"], "pre-tool-use", undefined, undefined],
    [["PreToolUse", "--host", "codex"], "pre-tool-use", "codex", undefined],
    [["stop", "--host=claude"], "stop", "claude-code", undefined],
    [["agentStop", "--event", "agentStop"], "stop", undefined, "agentStop"],
    [["session-end", "--event=sessionEnd", "--host", "copilot"], "session-stop", "copilot-cli", "sessionEnd"],
    [["stop", "--host"], "stop", undefined, undefined],
    [["pre-tool-use", "--host", "amplifier"], "pre-tool-use", "amplifier", undefined],
    [["Notification"], "notification", undefined, undefined],
  ])("is understood: %j", (words, subcommand, host, nativeEvent) => {
    const line = readCommandLine(words);
    expect(line).toMatchObject({ ok: true, subcommand: { name: subcommand }, call: { host, nativeEvent } });
    expect(line.notice).toBe("");
  });

  it("goes by the payload, and says so, when it names an unknown host", () => {
    const line = readCommandLine(["stop", "--host", "nobody"]);
    expect(line).toMatchObject({ ok: true, call: { host: undefined } });
    expect(line.notice).toBe("amplihack-hooks: unknown host 'nobody'; going by the payload\n");
  });

  it.each([
    [[], "a subcommand is needed"],
    [["--help"], "runs one hook"],
    [["-h"], "runs one hook"],
    [["no-such-hook"], "unknown subcommand 'no-such-hook'"],
  ])("is refused with the usage: %j", (words, problem) => {
    const line = readCommandLine(words);
    expect(line.ok).toBe(false);
    expect(line.notice).toContain(problem);
    expect(line.notice).toContain("usage: amplihack-hooks SUBCOMMAND");
  });

  it.each([
    ["pre_tool_use", "pre-tool-use"],
    ["SessionEnd", "session-stop"],
    ["Notification", "no-opinion"],
    ["nonsense", "no-opinion"],
  ])("finds the entry of %s: %s", (name, entry) => {
    expect(findEntry(name)).toBe(entry);
  });
});
