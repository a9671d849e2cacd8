import type { Style, Terminal } from "../../cli/index.ts";
import { formatAge } from "../../history/index.ts";
import {
  cutToWidth,
  formatSeconds,
  plain,
  type QueuedRun,
  type RecordedRun,
  type RecordedStep,
  type RunState,
  SHOWN_ID_LENGTH,
  STATUS_MARKS,
} from "../../recipes/index.ts";
import { localTimestamp } from "../../state/index.ts";
import { isInside, quoteWord, relative } from "../../system/index.ts";

interface RunsView {
  readonly terminal: Pick<Terminal, "paint">;
  readonly columns: number | undefined;
  readonly nowMs: number;
}

/** Where the output goes to a file or a program. */
const DEFAULT_COLUMNS = 120;
const MAX_RECIPE = 24;
const GAP = "  ";
const STYLES: Readonly<Record<RunState, Style>> = {
  running: "cyan",
  done: "green",
  partial: "yellow",
  failed: "red",
  interrupted: "yellow",
  killed: "red",
  unknown: "dim",
  queued: "dim",
  cancelled: "yellow",
  "given-up": "red",
};
const MARKS: Readonly<Record<string, string>> = { ...STATUS_MARKS, running: "…" };

/** One line for each run: id, age, recipe, state, steps, and how it ended. */
export function runsTable(runs: readonly RecordedRun[], view: RunsView): string {
  const { terminal, nowMs, columns = DEFAULT_COLUMNS } = view;
  const rows = runs.map(run => ({
    run,
    id: run.runId.slice(0, SHOWN_ID_LENGTH),
    age: formatAge(nowMs, run.startedMs),
    recipe: cutToWidth(plain(run.recipe) || "?", MAX_RECIPE + 1),
    state: run.state,
    steps: `${finishedSteps(run)}/${run.stepCount}`,
  }));
  const widest = (cell: "id" | "age" | "recipe" | "state" | "steps"): number =>
    Math.max(0, ...rows.map(row => row[cell].length));
  const widths = {
    id: widest("id"),
    age: widest("age"),
    recipe: widest("recipe"),
    state: widest("state"),
    steps: widest("steps"),
  };
  return rows
    .map(row => {
      const plainCells = [
        row.id.padEnd(widths.id),
        row.age.padStart(widths.age),
        row.recipe.padEnd(widths.recipe),
        row.state.padEnd(widths.state),
        row.steps.padStart(widths.steps),
      ];
      const used = plainCells.join(GAP).length + GAP.length;
      const [id = "", age = "", recipe = "", state = "", steps = ""] = plainCells;
      const cells = [
        terminal.paint("cyan", id),
        terminal.paint("dim", age),
        recipe,
        terminal.paint(STYLES[row.state], state),
        terminal.paint("dim", steps),
        cutToWidth(endWords(row.run), Math.max(10, columns - used)),
      ];
      return `${cells.join(GAP).trimEnd()}\n`;
    })
    .join("");
}

/** One run with its steps. */
export function runDetails(
  run: RecordedRun,
  view: RunsView,
  more: readonly (readonly [string, string])[] = [],
): string {
  const { terminal, nowMs } = view;
  const facts: readonly (readonly [string, string])[] = [
    ["Run", run.runId],
    ["State", `${terminal.paint(STYLES[run.state], run.state)}  ${endWords(run)}`.trimEnd()],
    [
      run.state === "queued" ? "Since" : "Started",
      `${localTimestamp(run.startedMs).slice(0, 19).replace("T", " ")} (${formatAge(nowMs, run.startedMs)})`,
    ],
    ...(run.workingDir === null ? [] : [["In", plain(run.workingDir)] as const]),
    ["Steps", `${finishedSteps(run)} of ${run.stepCount} done`],
    ...more,
  ];
  return [
    terminal.paint("bold", plain(run.recipe) || "(its log cannot be read)"),
    ...facts.map(([name, value]) => `  ${name.padEnd(8)} ${value}`),
    ...(run.steps.length === 0 ? [] : ["", ...run.steps.map(step => stepLine(step, run.state))]),
    "",
  ].join("\n");
}

/** The same of a run in a database. */
export function queuedRunDetails(run: QueuedRun, view: RunsView): string {
  const again = run.attempts > 1 ? `, attempt ${run.attempts}` : "";
  return runDetails(run, view, [
    ["Queue", plain(run.queue)],
    ...(run.worker === null ? [] : [["Worker", `${plain(run.worker)}${again}`] as const]),
    ...(run.submittedBy === null ? [] : [["By", plain(run.submittedBy)] as const]),
    ...(run.error === null ? [] : [["Error", plain(run.error)] as const]),
  ]);
}

function stepLine({ path, status, durationMs, exitCode }: RecordedStep, state: RunState): string {
  const depth = path.split("/").length - 1;
  const isCut = status === "running" && state !== "running";
  const took = durationMs === null ? "" : `  ${formatSeconds(durationMs / 1000)}`;
  const exit = exitCode === null || exitCode === 0 ? "" : `  exit ${exitCode}`;
  const said = status === "completed" ? "" : `  ${isCut ? "not finished" : plain(status)}`;
  const mark = isCut ? "✗" : (MARKS[status] ?? "·");
  return `  ${"  ".repeat(depth)}${mark} ${plain(path.split("/").at(-1) ?? "")}${said}${exit}${took}`;
}

/** What to type next. */
export function runsHint(runs: readonly RecordedRun[], isDetail: boolean, currentDir: string): string {
  if (runs.length === 0)
    return "No recipe has been run yet. What there is: amplihack recipe list.\nA tour: amplihack recipe run hello\n";
  const resumable = runs.find(({ canResume }) => canResume);
  const resume = resumable === undefined ? "" : `Go on: ${resumeCommand(resumable, currentDir)}\n`;
  return isDetail ? resume : `\nOne of them: amplihack recipe runs ID\n${resume}`;
}

function resumeCommand({ file, recipe, runId }: RecordedRun, currentDir: string): string {
  const isNear = file !== null && isInside(currentDir, file);
  const named = isNear ? relative(currentDir, file) : (file ?? recipe);
  return `amplihack recipe run ${quoteWord(plain(named))} --resume ${runId.slice(0, SHOWN_ID_LENGTH)}`;
}

/** Steps of the recipe itself that are over. */
function finishedSteps({ steps }: RecordedRun): number {
  return steps.filter(
    ({ path, status }) => !path.includes("/") && status !== "running" && status !== "failed",
  ).length;
}

function endWords({ state, steps, durationMs, signal }: RecordedRun): string {
  const took = durationMs === null ? "" : formatSeconds(durationMs / 1000);
  const current = plain(steps.findLast(({ status }) => status === "running")?.path ?? "");
  const failed = steps.findLast(({ status }) => status === "failed");
  switch (state) {
    case "done":
    case "partial":
      return `in ${took}`;
    case "running":
      return `${current === "" ? "between steps" : `at ${current}`}, for ${took}`;
    case "failed": {
      const exit = failed?.exitCode ?? null;
      return failed === undefined ? "" : `at ${plain(failed.path)}${exit === null ? "" : `, exit ${exit}`}`;
    }
    case "interrupted":
      return `by ${plain(signal ?? "a signal")}${failed === undefined ? "" : ` at ${plain(failed.path)}`}`;
    case "killed":
      return current === "" ? "before its end" : `during ${current}`;
    case "unknown":
      return "no end in its log";
    case "queued":
      return "";
    case "cancelled":
      return current === "" ? "" : `during ${current}`;
    case "given-up":
      return "its workers ended again and again";
  }
}

/** The same for programs. */
export function runDocument(run: RecordedRun): object {
  return {
    run_id: run.runId,
    recipe: run.recipe,
    file: run.file,
    working_dir: run.workingDir,
    state: run.state,
    started: new Date(run.startedMs).toISOString(),
    duration_ms: run.durationMs,
    signal: run.signal,
    step_count: run.stepCount,
    steps: run.steps.map(({ path, status, durationMs, exitCode }) => ({
      path,
      status,
      duration_ms: durationMs,
      exit_code: exitCode,
    })),
    can_resume: run.canResume,
  };
}
