import { defineCommand, FORMAT_OPTION, loadChanges, option } from "../../cli/index.ts";
import type { Change } from "../../history/index.ts";
import { readDuration } from "./amounts.ts";

const DEFAULT_LIMIT = 20;

export const listCommand = defineCommand({
  name: "list",
  summary: "list what agents changed here, newest first",
  details: `
Each line is one tool call that changed files: when, its id, what was done, how
many files. Marks after it:
  undone, partly undone
  redone      an undo that was reversed
  running     processes that it left behind go on
  asked       you were asked, and it has not run yet
  open        its end was not seen
  incomplete  not everything could be kept beforehand`,
  options: {
    session: option.string("SESSION", "only those of this session"),
    turn: option.number("N", "only the last turn, or the last N turns", { minimum: 1, bare: 1 }),
    path: option.string("PATH", "only those that changed this file or folder"),
    since: option.string("TIME", "only newer ones: 10m, 2h, 7d"),
    live: option.boolean("the agents that are at work here now, and what they have not committed"),
    "all-projects": option.boolean("of all projects on this machine"),
    limit: option.number("N", `how many at most (${DEFAULT_LIMIT} by default)`, { short: "n", minimum: 1 }),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack history list":
      "lists the last twenty changes of this project; `amplihack history` does the same",
    "amplihack history list --path src --since 2h": "what changed below src in the last two hours",
    "amplihack history --live": "which agents are at work here, and which files they have not committed",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const { openForCommand } = await import("./open.ts");
    const { history, home, project, resolvePath, isKeeping } = openForCommand(invocation);
    const limit = options.limit ?? DEFAULT_LIMIT;
    const nowMs = system.clock.nowMs();
    await history.finishEnded();
    if (options.live) {
      const { liveDocument, renderLive } = await import("./live.ts");
      const sessions = await history.listLive(options["all-projects"] ? undefined : project);
      const text = renderLive(sessions, { terminal, nowMs, home, project });
      terminal.printResult(options.format, sessions.map(liveDocument), text);
      if (options.format !== "json" && sessions.length === 0) terminal.note("No agent is at work here.\n");
      return 0;
    }
    const found = history.listChanges({
      ...(options["all-projects"] ? {} : { project }),
      ...(options.session === undefined ? {} : { session: options.session }),
      ...(options.path === undefined ? {} : { path: resolvePath(options.path) }),
      ...(options.since === undefined ? {} : { sinceMs: nowMs - readDuration("since", options.since) }),
      ...(options.turn === undefined ? { limit: limit + 1 } : {}),
    });
    const all = options.turn === undefined ? found.changes : lastTurns(found.changes, options.turn);
    const changes = all.slice(0, limit);
    for (const problem of found.problems) terminal.warn(`Warning: ${problem}\n`);
    if (options.format === "json") {
      const { changeDocument } = await loadChanges();
      terminal.printJson(changes.map(changeDocument));
      return 0;
    }
    const { renderTable } = await import("./table.ts");
    const view = { terminal, columns: terminal.columns, nowMs, home, showsProject: options["all-projects"] };
    terminal.print(renderTable(changes, view));
    terminal.note(hintFor(changes.length, all.length > limit, isKeeping));
    return 0;
  },
});

/** Turns of all sessions, in the order of their newest change. */
function lastTurns(changes: readonly Change[], count: number): readonly Change[] {
  const turns = new Set<string>();
  return changes.filter(({ session, turn }) => {
    const key = `${turn} ${session}`;
    if (turns.size < count) turns.add(key);
    return turns.has(key);
  });
}

function hintFor(shown: number, hasMore: boolean, isKeeping: boolean): string {
  if (shown > 0)
    return `\n${hasMore ? "There are older ones: --limit 100\n" : ""}Look at one: amplihack history show ID. Take one back: amplihack undo ID\n`;
  return isKeeping
    ? "No change by an agent is recorded here.\nElsewhere: amplihack history --all-projects\n"
    : "Nothing is recorded: the history is switched off in the configuration.\n";
}
