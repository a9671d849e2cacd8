import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "shell", version: "1.0.0" });
server.registerTool(
  "run_command",
  { description: "runs a command", inputSchema: { command: z.string() } },
  async ({ command }) => ({ content: [{ type: "text", text: `ran ${command}` }] }),
);
await server.connect(new StdioServerTransport());
