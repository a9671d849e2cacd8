import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { hookTools } from "amplihack/engine/langchain";
import { createAgent, FakeToolCallingModel } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { askingEngine, changingEngine, guardedEngine, newEngine, run } from "./engine.ts";

const bash = tool(async (input: { command: string }) => run(input), {
  name: "bash",
  description: "runs a command",
  schema: z.object({ command: z.string() }),
});
const callOf = (command: string) => ({
  name: "bash",
  args: { command },
  id: "c1",
  type: "tool_call" as const,
});
const model = (command: string) => new FakeToolCallingModel({ toolCalls: [[callOf(command)], []] });
const textOf = (messages: readonly unknown[]) => JSON.stringify(messages);

describe("an agent of LangChain", () => {
  it("a refusal reaches the model, and the tool does not run", async () => {
    const agent = createAgent({ model: model("rm -rf ~"), tools: hookTools(guardedEngine(), [bash]) });
    const { messages } = await agent.invoke({ messages: "clean up" });
    expect(run).not.toHaveBeenCalled();
    expect(textOf(messages)).toMatch(/bash did not run.*home/);
  });

  it("rewrites, changed results and notes reach the tool and the model", async () => {
    const agent = createAgent({ model: model("ls"), tools: hookTools(changingEngine(), [bash]) });
    const { messages } = await agent.invoke({ messages: "look" });
    expect(run).toHaveBeenCalledWith({ command: "ls -l" });
    expect(textOf(messages)).toContain("[redacted] ls -l");
    expect(textOf(messages)).toContain("be careful");
  });

  it("arguments of a hook that do not fit the tool are not used", async () => {
    const engine = newEngine();
    engine.beforeToolCall("*", () => ({ args: { command: 7 } }));
    const [hooked] = hookTools(engine, [bash]);
    await expect(hooked.invoke({ command: "ls" })).rejects.toThrow("do not match its schema");
    expect(run).not.toHaveBeenCalled();
  });

  it("a question that nobody answers is a refusal, one that is answered runs", async () => {
    const { engine } = askingEngine();
    const [silent] = hookTools(engine, [bash]);
    expect(await silent.invoke({ command: "deploy" })).toBe("bash did not run: really?");
    const [asked] = hookTools(engine, [bash], { onAsk: ({ reason }) => reason === "really?" });
    expect(await asked.invoke({ command: "deploy" })).toBe("ran deploy");
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("a person's answer may change the arguments, which are judged again; only a clear yes is one", async () => {
    const engine = guardedEngine();
    engine.beforeToolCall("*", ({ args }) =>
      JSON.stringify(args).includes("deploy") ? { decision: "ask", reason: "really?" } : undefined,
    );
    const answered = (answer: unknown) => {
      const [hooked] = hookTools(engine, [bash], { onAsk: () => answer });
      return hooked.invoke({ command: "deploy" });
    };
    expect(await answered({ approved: true, args: { command: "ls" } })).toBe("ran ls");
    expect(await answered({ approved: true, args: { command: "rm -rf ~" } })).toContain("fs.home");
    expect(await answered({ approved: false, reason: "not today" })).toContain("not today");
    for (const unclear of ["no", {}, 1, undefined])
      expect(await answered(unclear)).toContain("Your user said no");
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe("a graph of LangGraph", () => {
  it("a question interrupts the graph, which goes on with the answer, and hooks are asked once", async () => {
    const { engine, before } = askingEngine();
    const tools = hookTools(engine, [bash], { onAsk: question => interrupt(question) });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", new ToolNode(tools))
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile({ checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "t1" } };
    const message = new AIMessage({ content: "", tool_calls: [callOf("deploy")] });
    const first = await graph.invoke({ messages: [message] }, thread);
    expect(JSON.stringify(first)).toContain("really?");
    expect(run).not.toHaveBeenCalled();
    const done = await graph.invoke(new Command({ resume: true }), thread);
    expect(textOf(done.messages)).toContain("ran deploy");
    expect(run).toHaveBeenCalledTimes(1);
    expect(before).toHaveBeenCalledTimes(1);
  });
});
