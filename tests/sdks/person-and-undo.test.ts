import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type CanUseTool, query } from "@anthropic-ai/claude-agent-sdk";
import { type AgentTool, Agent as PiAgent } from "@earendil-works/pi-agent-core";
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider } from "@earendil-works/pi-ai";
import { tool as langchainTool } from "@langchain/core/tools";
import { RuntimeContext } from "@mastra/core/runtime-context";
import { createTool } from "@mastra/core/tools";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Agent, tool as openaiTool, Runner } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { tool as aiTool } from "ai";
import { createHookEngine, history } from "amplihack/engine";
import { hookTools as hookAi } from "amplihack/engine/ai-sdk";
import { claudeHooks } from "amplihack/engine/claude-agent-sdk";
import { hookTools as hookLangchain } from "amplihack/engine/langchain";
import { hookTools as hookMastra } from "amplihack/engine/mastra";
import { hookServer } from "amplihack/engine/mcp";
import { hookTools as hookOpenai } from "amplihack/engine/openai-agents";
import { piHooks } from "amplihack/engine/pi";
import { guard } from "amplihack/guard";
import { Type } from "typebox";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { PROMPT, startModel } from "../../src/verify/live/scripted-model.ts";
import type { PlainEngine } from "./engine.ts";

/** The program that the Claude Agent SDK drives; installed for the tests with real hosts. */
const CLAUDE = process.env["AMPLIHACK_TEST_CLAUDE"] ?? "";

// Outside of temporary folders, in which nothing is asked about and nothing is kept.
const top = mkdtempSync(join(homedir(), ".amplihack-sdk-test-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** An agent of somebody's own in a project with work that is in no commit. */
function makePlace() {
  const home = mkdtempSync(join(top, "home-"));
  const project = join(home, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  execFileSync("git", ["init", "-q", "-b", "work"], { cwd: project });
  writeFileSync(join(project, "src/new.txt"), "mine\n");
  const engine = createHookEngine({ projectDir: project, env: { HOME: home } });
  engine.use(guard({ home, cwd: project }));
  engine.use(history({ home, project, agent: "my-agent" }));
  const run = async ({ command }: { readonly command: string }) =>
    spawnSync("bash", ["-c", command], { cwd: project, encoding: "utf8" }).stdout;
  return { home, project, engine, run };
}

interface Play {
  readonly engine: PlainEngine;
  readonly home: string;
  readonly project: string;
  readonly run: (input: { readonly command: string }) => Promise<string>;
  readonly command: string;
  /** what a person is shown; the answer is no */
  readonly onAsk: (question: { readonly reason: string }) => boolean;
}

const schema = z.object({ command: z.string() });
const described = { name: "bash", description: "runs a command" };

const ADAPTERS: Readonly<Record<string, (play: Play) => Promise<unknown>>> = {
  "ai-sdk": async ({ engine, run, command, onAsk }) => {
    const bash = aiTool({ ...described, inputSchema: schema, execute: async input => run(input) });
    const tools = hookAi(engine, { bash }, { onAsk });
    return Promise.resolve(tools.bash.execute?.({ command }, { toolCallId: "c1", messages: [] })).catch(
      () => {},
    );
  },
  langchain: async ({ engine, run, command, onAsk }) => {
    const bash = langchainTool(async (input: { command: string }) => run(input), { ...described, schema });
    const [hooked] = hookLangchain(engine, [bash], { onAsk });
    return hooked.invoke({ command });
  },
  mastra: async ({ engine, run, command, onAsk }) => {
    const bash = createTool({
      id: "bash",
      description: "runs a command",
      inputSchema: schema,
      outputSchema: z.object({ stdout: z.string() }),
      execute: async ({ context }) => ({ stdout: await run(context) }),
    });
    const hooked = hookMastra(engine, { bash }, { onAsk });
    const given = { context: { command }, runtimeContext: new RuntimeContext() };
    return Promise.resolve(hooked.bash.execute?.(given)).catch(() => {});
  },
  mcp: async ({ engine, run, command, onAsk }) => {
    const plain = new McpServer({ name: "shell", version: "1.0.0" });
    hookServer(engine, plain, { onAsk }).registerTool(
      "bash",
      { description: "runs a command", inputSchema: { command: z.string() } },
      async input => ({ content: [{ type: "text" as const, text: await run(input) }] }),
    );
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "test", version: "1.0.0" });
    await Promise.all([plain.connect(there), client.connect(here)]);
    return client.callTool({ name: "bash", arguments: { command } });
  },
  "openai-agents": async ({ engine, run, command, onAsk }) => {
    const bash = openaiTool({ ...described, parameters: schema, execute: async input => run(input) });
    const model = new ScriptedModel([
      [functionCall("bash", { command }, { callId: "c1" })],
      [assistantMessage("bye")],
    ]);
    const tools = hookOpenai(engine, [bash], { onAsk });
    return new Runner({ tracingDisabled: true }).run(new Agent({ name: "a", model, tools }), "go");
  },
  pi: async ({ engine, run, command, onAsk }) => {
    const faux = registerFauxProvider();
    faux.setResponses([
      fauxAssistantMessage(fauxToolCall("bash", { command }), { stopReason: "toolUse" }),
      fauxAssistantMessage("bye"),
    ]);
    const parameters = Type.Object({ command: Type.String() });
    const bash: AgentTool<typeof parameters> = {
      ...described,
      label: "Bash",
      parameters,
      execute: async (_id, args) => ({ content: [{ type: "text", text: await run(args) }], details: {} }),
    };
    const agent = new PiAgent({
      initialState: { model: faux.getModel(), tools: [bash], systemPrompt: "" },
      ...piHooks(engine, { onAsk: reason => onAsk({ reason }) }),
    });
    await agent.prompt("go");
    faux.unregister();
  },
  "claude-agent-sdk": async ({ engine, home, project, command, onAsk }) => {
    const model = await startModel([
      { kind: "command", command },
      { kind: "text", text: "bye" },
    ]);
    const canUseTool: CanUseTool = async (_tool, _input, { decisionReason = "" }) => {
      onAsk({ reason: decisionReason });
      return { behavior: "deny", message: "no" };
    };
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "not-a-key",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    };
    const session = query({
      prompt: PROMPT,
      options: {
        hooks: claudeHooks(engine),
        pathToClaudeCodeExecutable: CLAUDE,
        cwd: project,
        settingSources: [],
        permissionMode: "default",
        allowedTools: ["Bash"],
        canUseTool,
        env,
      },
    });
    for await (const message of session) void message;
    await model.close();
  },
};

describe.each(Object.keys(ADAPTERS))("%s", name => {
  const isThere = name !== "claude-agent-sdk" || CLAUDE !== "";
  const play = ADAPTERS[name] as (play: Play) => Promise<unknown>;

  it.skipIf(!isThere)("shows a person what is meant for a person", async () => {
    const shown: string[] = [];
    const onAsk = ({ reason }: { readonly reason: string }) => {
      shown.push(reason);
      return false;
    };
    const place = makePlace();
    await play({ ...place, command: "docker volume rm data && touch ran", onAsk });
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatch(/volume/);
    expect(shown[0]).not.toMatch(/^Agent:|your user|tell .*user/i);
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });

  it.skipIf(!isThere)("what it did is taken back by engine.history", async () => {
    const place = makePlace();
    const onAsk = () => false;
    await play({ ...place, command: "rm -rf src", onAsk });
    expect(existsSync(join(place.project, "src/new.txt"))).toBe(false);
    await place.engine.history.undo();
    expect(existsSync(join(place.project, "src/new.txt"))).toBe(true);
  });
});
