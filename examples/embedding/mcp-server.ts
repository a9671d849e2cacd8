import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { hookServer } from "amplihack/engine/mcp";
import { z } from "zod";
import { ask, DELETE, engine, modelReads, PUSH, pretendShell } from "./agent.ts";

const info = { name: "example", version: "1.0.0" };
const server = hookServer(engine, new McpServer(info), { onAsk: ({ reason }) => ask(reason) });
server.registerTool(
  "bash",
  { description: "Runs a shell command.", inputSchema: { command: z.string() } },
  async ({ command }) => ({ content: [{ type: "text", text: await pretendShell(command) }] }),
);

const [here, there] = InMemoryTransport.createLinkedPair();
const client = new Client(info);
await Promise.all([server.connect(there), client.connect(here)]);
for (const command of [DELETE, PUSH]) {
  const { content } = await client.callTool({ name: "bash", arguments: { command } });
  modelReads(JSON.stringify(content));
}
await client.close();
