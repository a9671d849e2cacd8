import { Agent, applyPatchTool, Runner, shellTool, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { hookTools } from "amplihack/engine/openai-agents";
import { describe, expect, it, vi } from "vitest";
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

describe("the SDK's own tools that run on this machine", () => {
  const shellCall = (...commands: string[]) => ({
    type: "shell_call" as const,
    callId: "c1",
    status: "completed" as const,
    action: { commands },
  });
  const runCommands = vi.fn(async ({ commands }: { commands: string[] }) => ({
    output: commands.map(command => ({
      stdout: `ran ${command}`,
      stderr: "",
      outcome: { type: "exit" as const, exitCode: 0 },
    })),
  }));
  const shell = shellTool({ shell: { run: runCommands } });
  const shellModel = (command: string) =>
    new ScriptedModel([[shellCall("ls", command)], [assistantMessage("bye")]]);

  it("a shell is refused what the guard refuses", async () => {
    runCommands.mockClear();
    const scripted = shellModel("rm -rf ~");
    await runner.run(
      new Agent({ name: "a", model: scripted, tools: hookTools(guardedEngine(), [shell]) }),
      "go",
    );
    expect(runCommands).not.toHaveBeenCalled();
    expect(lastRequest(scripted)).toContain("fs.home");
  });

  it("a question interrupts the run, hooks are asked once, and results may change", async () => {
    runCommands.mockClear();
    const { engine, before } = askingEngine();
    engine.afterToolCall("*", ({ result }) => ({
      result: JSON.parse(JSON.stringify(result).replaceAll("ran", "[redacted]")),
      context: "be careful",
    }));
    const scripted = shellModel("deploy");
    const agent = new Agent({ name: "a", model: scripted, tools: hookTools(engine, [shell]) });
    const first = await runner.run(agent, "go");
    expect(runCommands).not.toHaveBeenCalled();
    const [interruption] = first.interruptions;
    if (interruption === undefined) throw new Error("nothing was asked");
    first.state.approve(interruption);
    await runner.run(agent, first.state);
    expect(runCommands).toHaveBeenCalledTimes(1);
    expect(before).toHaveBeenCalledTimes(1);
    expect(lastRequest(scripted)).toContain("[redacted] deploy");
    expect(lastRequest(scripted)).toContain("be careful");
  });

  it("an editor is refused what the guard refuses", async () => {
    const change = vi.fn(async () => ({ output: "changed" }));
    const editor = { createFile: change, updateFile: change, deleteFile: change };
    const patch = (path: string) => ({
      type: "apply_patch_call" as const,
      callId: path,
      status: "completed" as const,
      operation: { type: "delete_file" as const, path },
    });
    const scripted = new ScriptedModel([
      [patch("/home/user/.ssh/id_rsa"), patch("notes.txt")],
      [assistantMessage("bye")],
    ]);
    const tools = hookTools(guardedEngine(), [applyPatchTool({ editor })], { onAsk: () => true });
    await runner.run(new Agent({ name: "a", model: scripted, tools }), "go");
    expect(change).toHaveBeenCalledTimes(1);
    expect(change).toHaveBeenCalledWith(expect.objectContaining({ path: "notes.txt" }), expect.anything());
    expect(lastRequest(scripted)).toContain("sec.write");
  });

  it("a shell at the provider stays as it is", () => {
    const hosted = shellTool({ environment: { type: "container_auto" } });
    expect(hookTools(newEngine(), [hosted])[0]).toBe(hosted);
  });
});
