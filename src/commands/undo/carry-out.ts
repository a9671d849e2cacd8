import { type CommandInvocation, FORMAT_OPTION, option, ProgressLine, page } from "../../cli/index.ts";
import {
  type Conflict,
  countPaths,
  countWith,
  shownPath,
  sortSteps,
  type UndoPlan,
  type UndoResult,
} from "../../history/index.ts";
import { quoteWord } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import { hasConsent } from "../history/consent.ts";
import type { OpenedHistory } from "../history/open.ts";
import {
  MAX_SHOWN,
  mayHoldSaves,
  type PreviewView,
  paint,
  renderMissing,
  renderPreview,
  unkeptLines,
} from "./preview.ts";

export const CARRY_OUT_OPTIONS = {
  "dry-run": option.boolean("only show what would happen, every file of it", { short: "n" }),
  force: option.boolean("also where files were changed since, which are kept"),
  yes: option.boolean("do not ask", { short: "y" }),
  format: FORMAT_OPTION,
} as const;

const CONFLICT_EXIT_CODE = 3;

type CarryOut = Pick<CommandInvocation<typeof CARRY_OUT_OPTIONS>, "options" | "system" | "terminal">;
type Outcome = "done" | "partly" | "preview" | "conflicts";

const REASSURANCE = {
  undo: "Nothing else is touched, and amplihack redo reverses it.",
  redo: "Nothing else is touched, and amplihack undo reverses it.",
} as const;

/** Many files take a while to be compared. */
export function planWith(
  { system, terminal }: Pick<CommandInvocation, "system" | "terminal">,
  plan: () => Promise<UndoPlan>,
): Promise<UndoPlan> {
  return new ProgressLine(system, terminal).during("looking at your files …", plan);
}

/** Shows a plan, asks, does it, and says how to take it back. */
export async function carryOut(
  { options, system, terminal }: CarryOut,
  { history, home, project }: OpenedHistory,
  plan: UndoPlan,
  typed: TypedAgain,
): Promise<number> {
  const isJson = options.format === "json";
  const isDryRun = options["dry-run"];
  const viewOn = (stream: "stdout" | "stderr"): PreviewView => ({
    terminal,
    stream,
    columns: terminal.columns,
    nowMs: system.clock.nowMs(),
    home,
    project,
    isWhole: isDryRun,
  });
  const finish = (status: Outcome, exitCode: number, result?: UndoResult): number => {
    if (isJson) terminal.printJson(planDocument(plan, status, result));
    return exitCode;
  };
  if (plan.conflicts.length > 0 && !options.force) {
    if (!isJson) terminal.print(renderConflicts(plan, viewOn("stdout"), typed));
    return finish("conflicts", CONFLICT_EXIT_CODE);
  }
  if (isDryRun) {
    const preview = renderPreview(plan, viewOn("stdout"));
    if (!isJson) page(system, terminal, `${preview}\nNothing was changed. To do this: ${typeAgain(typed)}\n`);
    return finish("preview", 0);
  }
  const isAgreed = hasConsent(terminal, {
    isGiven: options.yes,
    isJson,
    preview: stream => `${renderPreview(plan, viewOn(stream))}\n${REASSURANCE[plan.kind]}\n`,
    question: plan.kind === "undo" ? "Take this back?" : "Reverse that undo?",
  });
  if (!isAgreed) return finish("preview", 1);
  const progress = new ProgressLine(system, terminal);
  const result = await history
    .applyUndo(plan, {
      force: options.force,
      onProgress: (done, total) => progress.show(() => `${done} of ${total} files`),
    })
    .finally(() => progress.clear());
  for (const problem of result.problems) terminal.warn(`Warning: ${problem}\n`);
  const isWhole = result.missing.length === 0;
  if (!isJson) terminal.print(renderDone(plan, result, viewOn("stdout")));
  return finish(isWhole ? "done" : "partly", isWhole ? 0 : 1, result);
}

function renderDone(plan: UndoPlan, { missing, id }: UndoResult, view: PreviewView): string {
  const { restored, removed } = doneSteps(plan, missing);
  const parts = [
    ...(restored.length > 0 ? [`${countPaths(restored)} restored`] : []),
    ...(removed.length > 0 ? [`${countPaths(removed)} removed`] : []),
    ...plan.git.flatMap(({ lines }) => lines),
  ];
  const again =
    plan.kind === "undo"
      ? "amplihack redo"
      : `amplihack undo ${plan.changes.flatMap(({ of }) => of).join(" ")}`;
  const [only, ...others] = restored
    .concat(removed)
    .filter(({ target, present }) => [target, present].some(({ kind }) => kind === "file"));
  const file = only === undefined || others.length > 0 ? "PATH" : quoteWord(only.path);
  const yourSaves =
    plan.kind === "undo" && id !== undefined && plan.changes.some(mayHoldSaves)
      ? `If you saved one of these files meanwhile: amplihack redo ${id} -- ${escapeControls(file)} brings yours back.\n`
      : "";
  const unkept = unkeptLines(plan, view).join("");
  const told = parts.length === 0 ? "nothing" : parts.join(", ");
  if (missing.length > 0)
    return `Not everything came back. Done: ${told}.\n${renderMissing(missing, view)}${unkept}To reverse this: ${again}\n`;
  return parts.length === 0
    ? "Nothing to restore: the files already match.\n"
    : `Done: ${told}.\n${unkept}To reverse this: ${again}\n${yourSaves}`;
}

/** The steps that came to what was planned. */
function doneSteps(plan: UndoPlan, missing: UndoResult["missing"]) {
  const isMissing = new Set(missing.map(({ path }) => path));
  const steps = plan.steps.filter(({ path }) => !isMissing.has(path));
  const { comesBack, changesBack, goesAway } = sortSteps({ ...plan, steps });
  return { restored: [...comesBack, ...changesBack], removed: goesAway };
}

function planDocument(plan: UndoPlan, status: Outcome, result: UndoResult | undefined) {
  const { restored, removed } = doneSteps(plan, result?.missing ?? []);
  return {
    status,
    kind: plan.kind,
    id: result?.id ?? null,
    changes: plan.changes.map(({ id }) => id),
    restored: restored.map(({ path }) => path),
    removed: removed.map(({ path }) => path),
    git: plan.git.flatMap(({ lines }) => lines),
    conflicts: plan.conflicts,
    gone: plan.gone,
    missing: result?.missing ?? [],
    problems: result?.problems ?? [],
  };
}

/** The command as it was meant, without options that say how. */
interface TypedAgain {
  readonly words: readonly string[];
  /** only these; as typed */
  readonly paths: readonly string[];
}

export function typeAgain({ words, paths }: TypedAgain, ...options: readonly string[]): string {
  const all = [...words, ...options, ...(paths.length > 0 ? ["--", ...paths] : [])];
  return escapeControls(all.map(quoteWord).join(" "));
}

/** What is in the way, and what to do about it. */
export function renderConflicts(
  { kind, changes, conflicts }: UndoPlan,
  view: PreviewView,
  typed: TypedAgain,
): string {
  const isFiles = conflicts.every(({ subject }) => subject.startsWith("/"));
  const what = countWith(conflicts.length, isFiles ? "file" : "thing", ["is", "are"]);
  const title = `Nothing was changed, because ${what} different since:`;
  const shown = conflicts
    .slice(0, view.isWhole ? undefined : MAX_SHOWN)
    .map(conflict => renderConflict(conflict, view));
  const more = conflicts.length - shown.length;
  const ways = [
    ...changes.slice(0, 1).map(({ id }) => [`amplihack history show ${id}`, "shows what it changed"]),
    ...(kind === "undo"
      ? [[typeAgain({ ...typed, paths: ["PATH"] }), "takes back only the files that you name"]]
      : []),
    [typeAgain(typed, "--force"), `does it anyway; what is there now is kept too, so this can be reversed`],
  ];
  return [
    `${paint(view, "bold", title)}\n`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more\n`] : []),
    "\nYou can:\n",
    ...ways.map(([command = "", does]) => `  ${paint(view, "cyan", command)}\n      ${does}\n`),
  ].join("");
}

/** What to do about a file is told below for all of them, as commands; the rest brings its own advice. */
function renderConflict({ subject, why, advice }: Conflict, view: PreviewView): string {
  const isPath = subject.startsWith("/");
  const name = isPath ? shownPath(subject, view.project, view.home) : escapeControls(subject);
  const told = isPath ? "" : `      ${escapeControls(advice)}\n`;
  return `  ${paint(view, "yellow", name)}: ${escapeControls(why)}\n${told}`;
}
