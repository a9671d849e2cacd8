import { Agent, Runner, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { hookTools } from "amplihack/engine/openai-agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { askingEngine, changingEngine, guardedEngine, newEngine, run } from "./engine.ts";

const bash = tool({
  name: "bash",
  description: "runs a command",
  parameters: z.object({ command: z.string() }),
  execute: async input => run(input),
});

function model(command: string): ScriptedModel {
  return new ScriptedModel([
    [functionCall("bash", { command }, { callId: "c1" })],
    [assistantMessage("bye")],
  ]);
}
const runner = new Runner({ tracingDisabled: true });
const lastRequest = (scripted: ScriptedModel) => JSON.stringify(scripted.calls.at(-1)?.request.input);

describe("hookTools", () => {
  it("a refusal reaches the model, and the tool does not run", async () => {
    const scripted = model("rm -rf ~");
    const agent = new Agent({ name: "a", model: scripted, tools: hookTools(guardedEngine(), [bash]) });
    await runner.run(agent, "clean up");
    expect(run).not.toHaveBeenCalled();
    expect(lastRequest(scripted)).toMatch(/bash did not run.*home/);
  });

  it("rewrites, changed results and notes reach the tool and the model", async () => {
    const scripted = model("ls");
    const agent = new Agent({ name: "a", model: scripted, tools: hookTools(changingEngine(), [bash]) });
    await runner.run(agent, "look");
    expect(run).toHaveBeenCalledWith({ command: "ls -l" });
    expect(lastRequest(scripted)).toContain("[redacted] ls -l");
    expect(lastRequest(scripted)).toContain("be careful");
  });

  it("a question interrupts the run, and hooks are asked once", async () => {
    const { engine, before } = askingEngine();
    const agent = new Agent({ name: "a", model: model("deploy"), tools: hookTools(engine, [bash]) });
    const first = await runner.run(agent, "go");
    expect(run).not.toHaveBeenCalled();
    const [interruption] = first.interruptions;
    if (interruption === undefined) throw new Error("nothing was asked");
    first.state.approve(interruption);
    await runner.run(agent, first.state);
    expect(run).toHaveBeenCalledTimes(1);
    expect(before).toHaveBeenCalledTimes(1);
  });

  it("a question that is answered with no does not run", async () => {
    const { engine } = askingEngine();
    const agent = new Agent({ name: "a", model: model("deploy"), tools: hookTools(engine, [bash]) });
    const first = await runner.run(agent, "go");
    const [interruption] = first.interruptions;
    if (interruption === undefined) throw new Error("nothing was asked");
    first.state.reject(interruption);
    await runner.run(agent, first.state);
    expect(run).not.toHaveBeenCalled();
  });

  it("a callback answers at once", async () => {
    const { engine } = askingEngine();
    const tools = hookTools(engine, [bash], { onAsk: ({ reason }) => reason === "really?" });
    await runner.run(new Agent({ name: "a", model: model("deploy"), tools }), "go");
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("keeps the types of the tools", () => {
    const [hooked] = hookTools(newEngine(), [bash]);
    hooked satisfies typeof bash;
  });
});
