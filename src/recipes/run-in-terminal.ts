import { isJsonObject, type JsonObject } from "../protocol/index.ts";
import { quoteWord, type System } from "../system/index.ts";
import { clipMiddle } from "../text/index.ts";
import type { Observer } from "./logs/events.ts";
import { createLiveProgress, createPlainProgress, type Paint, plainLines } from "./progress.ts";
import { checkpointPath } from "./run/find-checkpoint.ts";
import { Interruption, listenForSignals } from "./run/interruption.ts";
import type { RunOutcome } from "./run/result.ts";
import { runRecipe } from "./run/run-recipe.ts";
import { type RunRequest, stateDirectory } from "./run/run-request.ts";
import {
  type DocumentFormat,
  documentText,
  endingView,
  jsonTextAsYaml,
  problemExcerpt,
  resultTable,
} from "./views.ts";

export type RecipeFormat = "table" | DocumentFormat;

/** Where a command prints: results on one stream, everything else on the other. */
export interface CommandOutput {
  readonly system: System;
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  /** how wide the terminal is; undefined where results go elsewhere */
  readonly columns?: number | undefined;
  /** colours, where the stream is a terminal that shows them */
  readonly paint?: (style: Parameters<Paint>[0], text: string, stream: "stdout" | "stderr") => string;
}

interface RunDisplay {
  readonly format: RecipeFormat;
  readonly isVerbose: boolean;
  readonly isQuiet: boolean;
}

/** As long as `recipe runs` shows them: enough to tell the runs that are kept apart. */
export const SHOWN_ID_LENGTH = 8;
const REDRAW_MS = 120;
const DEFAULT_COLUMNS = 80;

/** Runs a recipe with progress on stderr and prints its result. Returns the exit code. */
export async function runInTerminal(
  request: RunRequest,
  display: RunDisplay,
  output: CommandOutput,
): Promise<number> {
  const interruption = new Interruption();
  const signals = listenForSignals(interruption);
  const progress = showProgress(display, output, request.isDryRun === true);
  let outcome: RunOutcome;
  try {
    outcome = await runRecipe({ ...request, interruption, observer: progress.observe }, output.system);
  } finally {
    progress.close();
    signals.dispose();
  }
  explainRefusal(outcome, output);
  if (display.format !== "table") {
    output.print(printable(outcome, display.format));
  } else if (!isRefusal(outcome)) {
    const document: unknown = outcome.document;
    if (isJsonObject(document)) output.print(resultText(document, request, display, output));
  }
  explainFailure(outcome, request, display, output);
  return outcome.exitCode;
}

/** Those who watched the steps on a terminal are not told them again. */
function resultText(
  document: JsonObject,
  request: RunRequest,
  display: RunDisplay,
  { system, paint }: CommandOutput,
): string {
  const isTerminal = system.stdio.isTerminal("stdout");
  if (isTerminal && isWatched(display, system) && request.isDryRun !== true)
    return endingView(document, (style, text) => paint?.(style, text, "stdout") ?? text);
  const text = resultTable(document, isTerminal);
  return isTerminal ? plainLines(text).join("\n") : text;
}

function isWatched({ isQuiet }: RunDisplay, { stdio }: System): boolean {
  return !isQuiet && stdio.isTerminal("stderr");
}

/** Another program's document goes out as it came. */
function printable({ document, documentText: theirs }: RunOutcome, format: DocumentFormat): string {
  if (theirs === undefined) return documentText(document, format);
  return format === "json" ? theirs.replace(/\n?$/, "\n") : jsonTextAsYaml(theirs);
}

function isRefusal({ document }: RunOutcome): boolean {
  return "error_kind" in document && document.error_kind !== undefined;
}

/** A longer line quotes something huge. */
const MAX_LINE_LENGTH = 4_000;

/** Why nothing could run. */
export function explainRefusal(outcome: RunOutcome, { warn }: CommandOutput): void {
  const { document, problems = [], sources = new Map() } = outcome;
  if (typeof document.error !== "string") return;
  const excerpts = problems.flatMap(problem => problemExcerpt(problem, sources));
  const lines = [`Error: ${document.error}`, ...excerpts.map(line => `  ${line}`), ""];
  const shown = lines.flatMap(plainLines).map(line => clipMiddle(line, MAX_LINE_LENGTH));
  warn(shown.join("\n"));
}

/** How to go on after a failure: a run that finished no step has nothing to go on from. */
function explainFailure(
  { document, exitCode, documentText: theirs }: RunOutcome,
  request: RunRequest,
  display: RunDisplay,
  { system, warn }: CommandOutput,
): void {
  const { error, run_id: runId } = document;
  if (exitCode === 0 || theirs !== undefined || typeof error === "string" || typeof runId !== "string")
    return;
  const recipe = quoteWord(request.recipe);
  const { failure_context: failure }: { readonly failure_context?: unknown } = document;
  const stateDir = stateDirectory(system);
  if (isJsonObject(failure) && failure["phase"] === "preflight") {
    warn(`Values are given with -c NAME=VALUE; to see which: amplihack recipe show ${recipe}\n`);
  } else if (stateDir !== undefined && system.files.follow(checkpointPath(stateDir, runId)) !== undefined) {
    const id = isWatched(display, system) ? runId.slice(0, SHOWN_ID_LENGTH) : runId;
    warn(`To go on from here: amplihack recipe run ${recipe} --resume ${id}\n`);
  }
}

function showProgress(
  display: RunDisplay,
  { system, warn, paint }: CommandOutput,
  isDryRun: boolean,
): { readonly observe: Observer; close(): void } {
  const { isVerbose, isQuiet } = display;
  if (!isWatched(display, system)) {
    return { observe: createPlainProgress({ write: warn, isVerbose, isQuiet }), close() {} };
  }
  if (isDryRun) {
    const observe = createPlainProgress({ write: warn, isVerbose, isQuiet });
    return { observe: event => event.kind === "notice" && observe(event), close() {} };
  }
  const live = createLiveProgress({
    write: warn,
    columns: () => process.stderr.columns || DEFAULT_COLUMNS,
    nowMs: () => system.clock.monotonicMs(),
    isVerbose,
    paint: (style, text) => paint?.(style, text, "stderr") ?? text,
  });
  const timer = setInterval(() => live.tick(), REDRAW_MS);
  timer.unref();
  return {
    observe: live.observe,
    close() {
      clearInterval(timer);
      live.close();
    },
  };
}
