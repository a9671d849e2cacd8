import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  FORMAT_OPTION,
  loadChanges,
  loadPager,
  loadProgress,
  option,
} from "../../cli/index.ts";
import type { Change, PathChange } from "../../history/index.ts";
import { loadProcessTree } from "../../hooks/index.ts";
import { isInside } from "../../system/index.ts";
import type { OpenedHistory } from "./open.ts";

const OPTIONS = {
  stat: option.boolean("only names and sizes, no diff"),
  format: FORMAT_OPTION,
} as const;

export const showCommand = defineCommand({
  name: "show",
  summary: "show what one change did, as a diff",
  details:
    "On a terminal the diff goes through $PAGER, or less. Binary and very large files\nare only named.",
  options: OPTIONS,
  positionals: [{ name: "ID", summary: "of the change; its beginning is enough", completes: "change" }],
  wordsBehind: "[-- PATH…]",
  forAgents: { use: "passes", passesWith: ["stat", "format=json"], shows: "change" },
  examples: {
    "amplihack history show 1i8x4q": "everything that the change did",
    "amplihack history show 1i8x4q --stat": "only which files, and how large they were and are",
    "amplihack history show 1i8x4q -- src/app.ts": "only one file",
  },
  async run(invocation) {
    const { options, positionals, rest, system, terminal } = invocation;
    const { openForCommand } = await import("./open.ts");
    const opened = openForCommand(invocation);
    const id = positionals[0] ?? "";
    await opened.history.finishEnded();
    const change = opened.history.readChange(id);
    if (change === undefined)
      throw new CommandError(opened.history.whyNoChange(id), {
        kind: "not-found",
        fix: "amplihack history --all-projects",
      });
    const wanted = rest.map(opened.resolvePath);
    const named = change.files.filter(
      ({ path }) => wanted.length === 0 || wanted.some(place => isInside(place, path)),
    );
    // A move is told once, where the file went.
    const files = named.filter(({ to }) => to === undefined || named.every(({ path }) => path !== to));
    if (options.format === "json") {
      const { changeDocument } = await loadChanges();
      terminal.printJson(changeDocument({ ...change, files: named }));
      return 0;
    }
    const { renderSummary } = await import("./summary.ts");
    const { page } = await loadPager();
    const view = { terminal, nowMs: system.clock.nowMs(), home: opened.home };
    const summary = renderSummary({ ...change, files }, view);
    const diffs = options.stat ? "" : await renderDiffs(invocation, opened, change, files);
    page(system, terminal, diffs === "" ? summary : `${summary}\n${diffs}`);
    return 0;
  },
});

async function renderDiffs(
  { system, terminal }: CommandInvocation<typeof OPTIONS>,
  { history, home, guard }: OpenedHistory,
  change: Change,
  files: readonly PathChange[],
): Promise<string> {
  const { renderDiff } = await loadChanges();
  const { agentAbove } = await loadProcessTree();
  const { ProgressLine } = await loadProgress();
  const progress = new ProgressLine(system, terminal);
  const isShown = system.stdio.isTerminal("stdout");
  const agentSettings = agentAbove(system) === undefined ? undefined : guard;
  const view = {
    terminal,
    text: system.text,
    home,
    isShown,
    agentSettings,
    readContent: history.readContent,
  };
  const parts: string[] = [];
  for (const [index, file] of files.entries()) {
    progress.show(() => `comparing ${index + 1} of ${files.length} files`);
    parts.push(await renderDiff(file, change, view));
  }
  progress.clear();
  return parts.join("");
}
