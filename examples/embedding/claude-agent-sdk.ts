import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSdkMcpServer, type Options, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { claudeHooks } from "amplihack/engine/claude-agent-sdk";
import { z } from "zod";
import { ask, DELETE, engine, modelReads, PUSH, pretendShell } from "./agent.ts";
import { startScriptedClaude } from "./scripted-claude.ts";

const bash = tool("bash", "Runs a shell command.", { command: z.string() }, async ({ command }) => ({
  content: [{ type: "text", text: await pretendShell(command) }],
}));
const model = await startScriptedClaude([
  { name: "mcp__shell__bash", input: { command: DELETE } },
  { name: "mcp__shell__bash", input: { command: PUSH } },
]);
const home = mkdtempSync(join(tmpdir(), "claude-agent-sdk-"));
const program = process.env["CLAUDE_CODE_PROGRAM"]; // default: the one that comes with the SDK

const options: Options = {
  hooks: claudeHooks(engine),
  canUseTool: async (_tool, input, { decisionReason = "" }) =>
    ask(decisionReason)
      ? { behavior: "allow", updatedInput: input }
      : { behavior: "deny", message: "The person said no." },
  mcpServers: { shell: createSdkMcpServer({ name: "shell", tools: [bash] }) },
  settingSources: [],
  env: { PATH: process.env["PATH"], HOME: home, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none" },
  ...(program === undefined ? {} : { pathToClaudeCodeExecutable: program }),
};
for await (const message of query({ prompt: "Clean up and push.", options }))
  if (message.type === "user" && Array.isArray(message.message.content))
    for (const part of message.message.content)
      if (part.type === "tool_result") modelReads(JSON.stringify(part.content));
model.close();
rmSync(home, { recursive: true });
