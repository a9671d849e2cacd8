import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  FORMAT_OPTION,
  loadProgress,
  type OptionSpecs,
  option,
  usageError,
} from "../cli/index.ts";
import { loadDataFiles, loadFigures, loadReport } from "../dashboard/index.ts";
import { dirname, expandHome, resolve, type System, writeAtomically } from "../system/index.ts";

const HELP = "amplihack report --help";
const OPTIONS = {
  week: option.boolean("the last seven days instead of today"),
  since: option.string("TIME", "this period instead of today: 6h, 3d, 4w"),
  html: option.string(
    "FILE",
    "write the dashboard's page to this file (readable by you alone); - for standard output",
  ),
  memory: option.boolean("with --html: put the newest memories in too"),
  format: FORMAT_OPTION,
} as const satisfies OptionSpecs;

export const command = defineCommand({
  name: "report",
  summary: "what agents did today or this week, what was stopped, and what to look at",
  group: "Look",
  details: `
With --html everything is written to one page that needs no server and loads nothing. It holds commands (without their
secrets), paths and session ids: look before you share it.`,
  options: OPTIONS,
  forAgents: { use: "passes", writes: ["html"], looks: ["html"] },
  examples: {
    "amplihack report": "today, compared with yesterday and the last seven days",
    "amplihack report --week": "the last seven days, compared with the seven before",
    "amplihack report --since 6h --json": "the last six hours, for programs",
    "amplihack report --html report.html": "the page of the dashboard as one file",
  },
  run(invocation) {
    const { options } = invocation;
    if (options.week && options.since !== undefined)
      throw usageError("--week and --since are two ways to say the same: give one of them", HELP);
    if (options.html === undefined) {
      if (options.memory) throw usageError("--memory belongs to --html FILE, which is missing", HELP);
      return printSummary(invocation);
    }
    if (options.week || options.since !== undefined)
      throw usageError("--html holds everything: leave --week and --since out", HELP);
    return writePage(invocation, options.html);
  },
});

async function printSummary({
  options,
  system,
  terminal,
}: CommandInvocation<typeof OPTIONS>): Promise<number> {
  const { ProgressLine } = await loadProgress();
  const { findDataFiles } = await loadDataFiles();
  const { readDuration } = await import("./history/amounts.ts");
  const { lastWeek, since, today } = await import("./report/summary.ts");
  const { readFrom, summarisePeriod } = await import("./report/summary.ts");
  const { renderEmpty, renderSummary } = await import("./report/view.ts");
  const { reportDocument } = await import("./report/view.ts");
  const nowMs = system.clock.nowMs();
  const wanted = options.since;
  const period =
    wanted === undefined
      ? (options.week ? lastWeek : today)(nowMs)
      : since(nowMs, readDuration("since", wanted), wanted);
  const files = findDataFiles(system, message => terminal.warn(message));
  const { readTimeline, summarise } = await loadFigures();
  const summary = await new ProgressLine(system, terminal).during("reading the logs …", async () =>
    summarisePeriod(await readTimeline(system, files, readFrom(period)), period, summarise),
  );
  const { figures } = summary;
  const isEmpty = Object.values(figures).every(figure => figure === 0);
  const view = { terminal, columns: terminal.columns, home: system.env.get("HOME") ?? "/", nowMs };
  const render = isEmpty ? renderEmpty : renderSummary;
  terminal.printResult(options.format, reportDocument(summary, period), render(summary, period, view));
  if (options.format === "text" && !isEmpty) {
    const longer = options.week ? "amplihack report --since 30d" : "amplihack report --week";
    terminal.note(`\nMore: ${longer}, amplihack guard log, amplihack dashboard\n`);
  }
  return 0;
}

async function writePage(
  { options, system, terminal }: CommandInvocation<typeof OPTIONS>,
  file: string,
): Promise<number> {
  const { findDataFiles } = await loadDataFiles();
  const { renderReport } = await loadReport();
  const path = resolve(system.files.workingDirectory() ?? "/", expandHome(file, system.env.get("HOME")));
  if (file !== "-") refuseOtherFile(system, path);
  const files = findDataFiles(system, message => terminal.warn(message));
  const html = await renderReport(system, files, { hasMemories: options.memory });
  if (file === "-") {
    terminal.print(html);
    return 0;
  }
  const folder = dirname(path);
  const isNew = system.files.follow(folder) === undefined;
  writeAtomically(system, path, system.text.encode(html), { mode: 0o600 });
  if (isNew) terminal.note(`${folder} was not there and has been made\n`);
  terminal.printResult(options.format, { success: true, path }, `${path}\n`);
  return 0;
}

const OPENING_BYTES = 4 * 1024;

/** An agent may write reports without a question, so that only a report is ever replaced. */
function refuseOtherFile({ files, text }: System, path: string): void {
  const facts = files.follow(path);
  if (facts?.kind !== "file" || facts.size === 0) return;
  const opening = text.decode(files.readRange(path, 0, Math.min(OPENING_BYTES, facts.size))).text;
  if (opening.startsWith("<!doctype html>") && opening.includes("· amplihack</title>")) return;
  throw new CommandError(`${path} is there and is not a report`, {
    kind: "refused",
    fix: "name a file that is not there yet, or remove that one first",
  });
}
