import { defineFamily } from "../cli/command.ts";
import { guardCommand } from "./mcp/guard.ts";

export const command = defineFamily({
  name: "mcp",
  summary: "put the guard and your hooks before the tools of an MCP server",
  group: "Protect",
  details: "For hosts that have no hooks of their own but use MCP servers.",
  subcommands: [guardCommand],
  examples: {
    "amplihack mcp guard -- npx -y @acme/files-server": "starts the server with the guard before its tools",
  },
});
