import { defineFamily } from "../cli/index.ts";
import { guardCommand } from "./mcp/guard.ts";
import { serveCommand } from "./mcp/serve.ts";

export const command = defineFamily({
  name: "mcp",
  summary: "memory, history, guard and recipes as an MCP server; or the guard before another one",
  group: "Protect",
  subcommands: [serveCommand, guardCommand],
  initial: serveCommand,
  examples: {
    "amplihack mcp": "starts the MCP server of amplihack on standard input and output",
    "amplihack mcp guard -- npx -y @acme/files-server": "starts the server with the guard before its tools",
  },
});
