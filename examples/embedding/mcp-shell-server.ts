// An MCP server that knows nothing of hooks; the proxy stands before it.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "shell", version: "1.0.0" });
server.registerTool(
  "bash",
  { description: "Pretends to run a shell command.", inputSchema: { command: z.string() } },
  async ({ command }) => ({ content: [{ type: "text", text: `${command}: done with token sk-live-4242` }] }),
);
await server.connect(new StdioServerTransport());
