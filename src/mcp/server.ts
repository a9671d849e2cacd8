import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { judgeCommand, judgementJson } from "../guard/index.ts";
import { openGuard } from "../hooks/index.ts";
import { errorName, errorText } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { resolve } from "../system/index.ts";
import { version } from "../version.ts";
import { registerHistoryTools } from "./history-tools.ts";
import { registerMemoryTools } from "./memory-tools.ts";
import { registerRecipeTools } from "./recipe-tools.ts";
import { answer, READS, type ServerContext } from "./tool.ts";

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
function describeProblem(error: unknown): string {
  const name = errorName(error);
  if (name === "SyntaxError") return "the line is not JSON";
  return name === "ZodError" ? "the line is not a JSON-RPC message" : name;
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
  server.server.onerror = error => context.warn(`a message was left out: ${describeProblem(error)}`);
  return {
    server,
    async idle() {
      await Promise.all(running);
    },
  };
}

const MAX_COMMAND_CHARACTERS = 1_000_000;

function registerGuardTools(server: McpServer, { system, warn }: ServerContext): void {
  server.registerTool(
    "guard_check",
    {
      title: "Check a command",
      description:
        "Says whether the guard would allow a shell command, ask the person or refuse it, why, and what is safer. Nothing is run and nothing is permitted.",
      inputSchema: {
        command: z.string().min(1).max(MAX_COMMAND_CHARACTERS).describe("shell text"),
        directory: z.string().max(4_096).optional().describe("where it would run (this project by default)"),
      },
      annotations: READS,
    },
    ({ command, directory }) =>
      answer(async () => {
        const here = system.files.workingDirectory() ?? "/";
        const cwd = resolve(here, directory ?? ".");
        if (system.files.follow(cwd)?.kind !== "directory")
          throw new Problem("the directory does not exist", { kind: "not-found" });
        const guard = openGuard(system, cwd, error => warn(errorText(error)));
        for (const notice of guard.notices) warn(notice.message);
        // Codes are for refused calls: here nothing was refused yet.
        const { code: _, ...judgement } = judgementJson(judgeCommand(command, guard.context));
        return judgement;
      }),
  );
}
