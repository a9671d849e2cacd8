import { generateText, type ModelMessage, stepCountIs, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createHookEngine } from "amplihack/engine";
import { hookTools, modelHooks } from "amplihack/engine/ai-sdk";
import { guard } from "amplihack/guard";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls the tool once and then says goodbye. */
function model(command: string): MockLanguageModelV3 {
  const answer = (content: object[], finish: "tool-calls" | "stop") => ({
    content: content as never,
    finishReason: { unified: finish, raw: finish },
    usage: USAGE,
    warnings: [],
  });
  const call = { type: "tool-call", toolCallId: "c1", toolName: "bash", input: JSON.stringify({ command }) };
  let isCalled = false;
  return new MockLanguageModelV3({
    doGenerate: async () => {
      if (isCalled) return answer([{ type: "text", text: "bye" }], "stop");
      isCalled = true;
      return answer([call], "tool-calls");
    },
  });
}

const run = vi.fn(async ({ command }: { command: string }) => ({ stdout: `ran ${command}` }));
const bash = () =>
  tool({
    description: "runs a command",
    inputSchema: z.object({ command: z.string() }),
    execute: async input => run(input),
  });
const newEngine = () => createHookEngine({ projectDir: "/project", env: { HOME: "/home/user" } });

/** What the model read as the tool's result. */
function toolOutput(mock: MockLanguageModelV3): string {
  return JSON.stringify(mock.doGenerateCalls.at(-1)?.prompt.filter(({ role }) => role === "tool"));
}

describe("hookTools", () => {
  it("keeps the types of the tools", () => {
    const tools = hookTools(newEngine(), { bash: bash() });
    tools.bash satisfies ReturnType<typeof bash>;
  });

  it("a refusal reaches the model, and the tool does not run", async () => {
    run.mockClear();
    const engine = newEngine();
    engine.use(guard({ home: "/home/user", cwd: "/project" }));
    const mock = model("rm -rf ~");
    const tools = hookTools(engine, { bash: bash() });
    await generateText({ model: mock, tools, prompt: "clean up", stopWhen: stepCountIs(3) });
    expect(run).not.toHaveBeenCalled();
    expect(toolOutput(mock)).toMatch(/home/);
  });

  it("rewrites, changed results and notes reach the tool and the model", async () => {
    run.mockClear();
    const engine = newEngine();
    engine.beforeToolCall("*", () => ({ args: { command: "ls -l" }, context: "be careful" }));
    engine.afterToolCall("*", () => ({ result: { stdout: "[redacted]" } }));
    const mock = model("ls");
    const { steps } = await generateText({
      model: mock,
      tools: hookTools(engine, { bash: bash() }),
      prompt: "look",
      stopWhen: stepCountIs(3),
    });
    expect(run).toHaveBeenCalledWith({ command: "ls -l" });
    expect(steps[0]?.toolResults[0]?.output).toEqual({ stdout: "[redacted]" });
    expect(toolOutput(mock)).toContain("[redacted]");
    expect(toolOutput(mock)).toContain("be careful");
  });

  it("a question goes through the SDK's approval step, and hooks are asked once", async () => {
    run.mockClear();
    const engine = newEngine();
    const before = vi.fn(() => ({ decision: "ask", reason: "really?" }) as const);
    engine.beforeToolCall("*", before);
    const mock = model("deploy");
    const tools = hookTools(engine, { bash: bash() });
    const messages: ModelMessage[] = [{ role: "user", content: "go" }];
    const first = await generateText({ model: mock, tools, messages, stopWhen: stepCountIs(3) });
    expect(run).not.toHaveBeenCalled();
    const request = first.content.find(part => part.type === "tool-approval-request");
    if (request?.type !== "tool-approval-request") throw new Error("nothing was asked");
    const approvalId = request.approvalId;
    await generateText({
      model: mock,
      tools,
      messages: [
        ...messages,
        ...first.response.messages,
        { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] },
      ],
      stopWhen: stepCountIs(3),
    });
    expect(run).toHaveBeenCalledTimes(1);
    expect(before).toHaveBeenCalledTimes(1);
  });

  it("a question nobody approved is not run", async () => {
    run.mockClear();
    const engine = newEngine();
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "really?" }));
    const tools = hookTools(engine, { bash: bash() });
    const execution = { toolCallId: "c9", messages: [] };
    await expect(tools.bash.execute?.({ command: "deploy" }, execution)).rejects.toThrow("really?");
    expect(run).not.toHaveBeenCalled();
  });

  it("a callback answers at once", async () => {
    run.mockClear();
    const engine = newEngine();
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "really?" }));
    const tools = hookTools(engine, { bash: bash() }, { onAsk: () => true });
    await generateText({ model: model("deploy"), tools, prompt: "go", stopWhen: stepCountIs(3) });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("arguments of a hook that do not fit the tool are not used", async () => {
    run.mockClear();
    const engine = newEngine();
    engine.beforeToolCall("*", () => ({ args: { command: 7 } }));
    const mock = model("ls");
    const tools = hookTools(engine, { bash: bash() });
    await generateText({ model: mock, tools, prompt: "go", stopWhen: stepCountIs(3) });
    expect(run).not.toHaveBeenCalled();
    expect(toolOutput(mock)).toContain("do not match its schema");
  });

  it("a tool that fails is seen by hooks, and its error reaches the model", async () => {
    const engine = newEngine();
    const failed = vi.fn();
    engine.observe("PostToolUseFailure", failed);
    run.mockRejectedValueOnce(new Error("disk full"));
    const mock = model("ls");
    const tools = hookTools(engine, { bash: bash() });
    await generateText({ model: mock, tools, prompt: "go", stopWhen: stepCountIs(3) });
    expect(failed).toHaveBeenCalledTimes(1);
    expect(toolOutput(mock)).toContain("disk full");
  });

  it("a tool that runs elsewhere is left as it is", () => {
    const elsewhere = tool({ inputSchema: z.object({}), outputSchema: z.object({}) });
    expect(hookTools(newEngine(), { elsewhere }).elsewhere).toBe(elsewhere);
  });
});

describe("modelHooks", () => {
  it("sees requests and responses, and may refuse a request", async () => {
    const engine = newEngine();
    const seen: string[] = [];
    engine.observe("ModelRequest", ({ model: id }) => seen.push(`request ${id}`));
    engine.observe("ModelResponse", ({ model: id }) => seen.push(`response ${id}`));
    const wrapped = wrapLanguageModel({ model: model("ls"), middleware: modelHooks(engine) });
    await generateText({ model: wrapped, tools: { bash: bash() }, prompt: "go", stopWhen: stepCountIs(2) });
    expect(seen).toHaveLength(4);
    engine.on("ModelRequest", "*", () => ({ block: true, reason: "no budget" }));
    await expect(generateText({ model: wrapped, prompt: "go", maxRetries: 0 })).rejects.toThrow("no budget");
  });
});
