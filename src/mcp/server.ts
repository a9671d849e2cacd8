import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { errorName } from "../protocol/index.ts";
import { version } from "../version.ts";
import { registerGuardTools } from "./guard-tools.ts";
import { registerHistoryTools } from "./history-tools.ts";
import { registerMemoryTools } from "./memory-tools.ts";
import { registerRecipeTools } from "./recipe-tools.ts";
import type { ServerContext } from "./tool.ts";

/** What hosts call the server, and its name in rules: `mcp__amplihack__memory_search`. */
export const SERVER_NAME = "amplihack";

const INSTRUCTIONS =
  "Search memory before work on something that earlier sessions may have met, and store what later ones should know. " +
  "guard_check says beforehand whether a command will be refused.";

export interface ServerHandle {
  readonly server: McpServer;
  /** Resolves when what the tools set off has ended; closing the server asks it to end. */
  idle(): Promise<void>;
}

/** Messages of parsers quote what they read, so that only their kind is told. */
function problemOf(error: unknown): string {
  const name = errorName(error);
  if (name === "SyntaxError") return "the line is not JSON";
  return name === "ZodError" ? "the line is no message of JSON-RPC" : name;
}

/** One server for one client. */
export function createServer(context: ServerContext): ServerHandle {
  const server = new McpServer({ name: SERVER_NAME, version }, { instructions: INSTRUCTIONS });
  const running = new Set<Promise<unknown>>();
  const follow = (run: Promise<unknown>): void => {
    const settled = run.catch(() => undefined).finally(() => running.delete(settled));
    running.add(settled);
  };
  registerMemoryTools(server, context);
  registerHistoryTools(server, context);
  registerGuardTools(server, context);
  registerRecipeTools(server, context, follow);
  server.server.onerror = error => context.warn(`a message was left out: ${problemOf(error)}`);
  return {
    server,
    async idle() {
      await Promise.all(running);
    },
  };
}
