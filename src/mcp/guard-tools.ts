import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { judgeCommand, judgementJson } from "../guard/index.ts";
import { openGuard } from "../hooks/index.ts";
import { errorText } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { resolve } from "../system/index.ts";
import { answer, READS, type ServerContext } from "./tool.ts";

const MAX_COMMAND_CHARACTERS = 1_000_000;

export function registerGuardTools(server: McpServer, { system, warn }: ServerContext): void {
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
