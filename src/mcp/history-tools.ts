import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { changeDocument, renderDiff } from "../cli/index.ts";
import { type GuardSettings, loadConfig } from "../config/index.ts";
import { type Change, type History, openHistory } from "../history/index.ts";
import { Problem, requireDirectories, type UserDirectories } from "../state/index.ts";
import { resolve } from "../system/index.ts";
import { clip } from "../text/index.ts";
import { answer, MAX_DIFF_CHARACTERS, READS, type ServerContext } from "./tool.ts";

const MAX_LISTED = 100;
const USUALLY_LISTED = 20;
const MAX_NAMED_FILES = 20;
const MAX_SHOWN_FILES = 200;
const MAX_COMMAND_LENGTH = 500;
const MINUTE_MS = 60_000;

/** Undoing is left to people: nothing here changes a file. */
export function registerHistoryTools(server: McpServer, context: ServerContext): void {
  registerList(server, context);
  registerShow(server, context);
}

function registerList(server: McpServer, context: ServerContext): void {
  server.registerTool(
    "history_list",
    {
      title: "List changes",
      description: "Lists what agents changed in this project, newest first, with the id of each change.",
      inputSchema: {
        session: z.string().max(200).optional().describe("only those of this session"),
        path: z.string().max(4_096).optional().describe("only those that changed this file or folder"),
        since_minutes: z.number().min(0).optional().describe("only newer ones"),
        all_projects: z.boolean().default(false),
        limit: z.number().int().min(1).max(MAX_LISTED).default(USUALLY_LISTED),
      },
      annotations: READS,
    },
    ({ session, path, since_minutes: minutes, all_projects: isEverywhere, limit }) =>
      answer(async () => {
        const { history, projectRoot } = open(context);
        const { files, clock } = context.system;
        const found = history.listChanges({
          ...(isEverywhere ? {} : { project: projectRoot }),
          ...(session === undefined ? {} : { session }),
          ...(path === undefined ? {} : { path: resolve(files.workingDirectory() ?? "/", path) }),
          ...(minutes === undefined ? {} : { sinceMs: clock.nowMs() - minutes * MINUTE_MS }),
          limit,
        });
        return { changes: found.changes.map(summarise), problems: found.problems };
      }),
  );
}

function registerShow(server: McpServer, context: ServerContext): void {
  server.registerTool(
    "history_show",
    {
      title: "Show a change",
      description: "Shows what one change did, as a unified diff. It changes nothing.",
      inputSchema: {
        id: z.string().min(1).max(100).describe("of the change; its beginning is enough"),
      },
      annotations: READS,
    },
    ({ id }) =>
      answer(async () => {
        const opened = open(context);
        const change = opened.history.readChange(id);
        if (change === undefined)
          throw new Problem("no change has that id", { kind: "not-found", fix: "use history_list" });
        const files = change.files.slice(0, MAX_SHOWN_FILES);
        const { files: states, ...document } = changeDocument({ ...change, files });
        const diff = await renderChangeDiff(context, opened, change, files);
        return { ...document, files: states, file_count: change.files.length, diff };
      }),
  );
}

interface Opened extends UserDirectories {
  readonly history: History;
  readonly guard: GuardSettings;
}

function open({ system, warn }: ServerContext): Opened {
  const directories = requireDirectories(system);
  const { config, notices } = loadConfig(system, directories);
  for (const notice of notices) warn(notice.message);
  const { stateHome, projectRoot: project } = directories;
  const history = openHistory(system, { stateHome, project }, config.history);
  return { ...directories, history, guard: config.guard };
}

function summarise(change: Change) {
  const { id, kind, timeMs, host, session, turn, tool, command, project, verdict, files, undoneBy } = change;
  return {
    id,
    kind,
    time: new Date(timeMs).toISOString(),
    host,
    session: session ?? null,
    turn,
    tool,
    command: clip(command, MAX_COMMAND_LENGTH),
    project,
    verdict,
    file_count: files.length,
    files: files.slice(0, MAX_NAMED_FILES).map(({ path, what }) => ({ path, what })),
    undone: undoneBy !== undefined,
  };
}

async function renderChangeDiff(
  { system }: ServerContext,
  { history, home, guard }: Opened,
  change: Change,
  files: Change["files"],
): Promise<string> {
  const terminal = { paint: (_: unknown, text: string) => text };
  const view = {
    terminal,
    text: system.text,
    home,
    isShown: false,
    agentSettings: guard,
    readContent: history.readContent,
  };
  let diff = "";
  for (const file of files) {
    diff += await renderDiff(file, change, view);
    if (diff.length > MAX_DIFF_CHARACTERS) break;
  }
  return clip(diff, MAX_DIFF_CHARACTERS);
}
