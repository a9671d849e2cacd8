import { defineCommand, option, usageError } from "../../cli/index.ts";

export const guardCommand = defineCommand({
  name: "guard",
  summary: "start an MCP server and judge every call of its tools",
  details: `
Write it into the host's list of servers in place of the server's own command. The guard's rules are those of
~/.amplihack/config.jsonc, and hooks of ~/.amplihack/hooks.jsonc run as in any host. What must be asked is asked through
the client where it can show questions, and is refused elsewhere.`,
  options: { name: option.string("NAME", "what the server is called in rules and logs (mcp)") },
  wordsBehind: "-- COMMAND [ARGUMENT...]",
  forAgents: "asks",
  examples: {
    "amplihack mcp guard --name files -- npx -y @acme/files-server ~/work":
      "judges each call as mcp__files__TOOL",
  },
  ownsTerminal: true,
  async run({ options, rest, system }) {
    const [program, ...args] = rest;
    if (program === undefined) throw usageError("the server's command is missing; write it after --");
    const { runGuardedServer } = await import("./run-server.ts");
    return runGuardedServer(system, options.name ?? "mcp", program, args);
  },
});
