import { mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { HOOK_EVENTS, type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { EVENTS } from "amplihack/engine";
import { claudeHooks } from "amplihack/engine/claude-agent-sdk";
import { describe, expect, it, vi } from "vitest";
import { PROMPT, startModel } from "../../src/verify/live/scripted-model.ts";
import { askingEngine, guardedEngine, newEngine, type PlainEngine } from "./engine.ts";

/** The program that the SDK drives; installed for the tests with real hosts. */
const PROGRAM = process.env["AMPLIHACK_TEST_CLAUDE"] ?? "";

/** Runs one command in a session of the SDK; what the model read about it. */
async function play(engine: PlainEngine, command: string, more: Partial<Options> = {}): Promise<string> {
  const home = mkdtempSync(join(homedir(), ".amplihack-sdk-test-"));
  const model = await startModel([
    { kind: "command", command },
    { kind: "text", text: "bye" },
  ]);
  try {
    const options: Options = {
      hooks: claudeHooks(engine),
      pathToClaudeCodeExecutable: PROGRAM,
      cwd: home,
      settingSources: [],
      permissionMode: "default",
      allowedTools: ["Bash"],
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: "not-a-key",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
      ...more,
    };
    for await (const message of query({ prompt: PROMPT, options })) void message;
    return JSON.stringify(model.requests.at(-1)?.results);
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

describe.skipIf(PROGRAM === "")("claudeHooks in a session of the SDK", () => {
  it("a refusal reaches the model", async () => {
    expect(await play(guardedEngine(), "rm -rf ~")).toMatch(/fs\.home/);
  });

  it("rewrites reach the tool, notes and changed results the model", async () => {
    const engine = newEngine();
    engine.beforeToolCall("*", ({ args }) => ({ args: { ...(args as object), command: "echo changed" } }));
    engine.afterToolCall("*", () => ({ context: "be careful" }));
    const read = await play(engine, "echo first");
    expect(read).toContain("changed");
    expect(read).not.toContain("first");
  });

  it("a question goes to canUseTool", async () => {
    const { engine } = askingEngine();
    const canUseTool = vi.fn(async () => ({ behavior: "deny" as const, message: "the person said no" }));
    expect(await play(engine, "echo x", { canUseTool })).toContain("the person said no");
    expect(canUseTool).toHaveBeenCalledTimes(1);
  });

  it("a question that nobody is there to answer is a refusal", async () => {
    const { engine } = askingEngine();
    const read = await play(engine, "echo $((6 * 7))");
    expect(read).toContain("really?");
    expect(read).not.toContain("42");
  });
});

describe("claudeHooks", () => {
  it("has a callback for each event that has a hook", () => {
    const engine = newEngine();
    engine.on("Stop", "*", () => undefined);
    engine.beforeToolCall("*", () => undefined);
    expect(Object.keys(claudeHooks(engine))).toEqual(["PreToolUse", "Stop"]);
  });

  it("blocks an action that can be refused when the callback itself fails", () => {
    const engine = guardedEngine();
    engine.on("Stop", "*", () => undefined);
    const { PreToolUse, Stop } = claudeHooks(engine);
    expect([PreToolUse?.[0]?.onFailure, Stop?.[0]?.onFailure]).toEqual(["block", undefined]);
  });

  it("the engine knows every event of the SDK by its name", () => {
    const known = EVENTS.map(({ name }) => String(name));
    expect(HOOK_EVENTS.filter(name => !known.includes(name))).toEqual([]);
  });
});
