import { isJsonObject } from "../protocol/index.ts";
import type { System } from "../system/system.ts";
import type { Observer } from "./logs/events.ts";
import { createLiveProgress } from "./progress/live-progress.ts";
import { createPlainProgress } from "./progress/plain-progress.ts";
import { Interruption, listenForSignals } from "./run/interruption.ts";
import type { RunOutcome } from "./run/result.ts";
import { runRecipe } from "./run/run-recipe.ts";
import type { RunRequest } from "./run/run-request.ts";
import { type DocumentFormat, documentText, jsonTextAsYaml } from "./views/document-text.ts";
import { problemExcerpt } from "./views/problem-view.ts";
import { resultTable } from "./views/result-view.ts";

export type RecipeFormat = "table" | DocumentFormat;

/** Where a command prints: results on one stream, everything else on the other. */
export interface CommandOutput {
  readonly system: System;
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
}

interface RunDisplay {
  readonly format: RecipeFormat;
  readonly isVerbose: boolean;
  readonly isQuiet: boolean;
}

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
  const progress = showProgress(display, output);
  let outcome: RunOutcome;
  try {
    outcome = await runRecipe({ ...request, interruption, observer: progress.observe }, output.system);
  } finally {
    progress.close();
    signals.dispose();
  }
  explain(outcome, request, output);
  if (display.format !== "table") {
    output.print(printable(outcome, display.format));
  } else if (!isRefusal(outcome)) {
    const document: unknown = outcome.document;
    if (isJsonObject(document)) output.print(resultTable(document));
  }
  return outcome.exitCode;
}

/** Another program's document goes out as it came. */
function printable({ document, documentText: theirs }: RunOutcome, format: DocumentFormat): string {
  if (theirs === undefined) return documentText(document, format);
  return format === "json" ? theirs.replace(/\n?$/, "\n") : jsonTextAsYaml(theirs);
}

function isRefusal({ document }: RunOutcome): boolean {
  return "error_kind" in document && document.error_kind !== undefined;
}

/** What the result alone does not tell well: why nothing could run, and how to go on after a failure. */
function explain(outcome: RunOutcome, request: RunRequest, { warn }: CommandOutput): void {
  const { document, problems = [], sources = new Map() } = outcome;
  if (typeof document.error === "string") {
    const excerpts = problems.flatMap(problem => problemExcerpt(problem, sources));
    warn([`Error: ${document.error}`, ...excerpts.map(line => `  ${line}`), ""].join("\n"));
  } else if (
    outcome.exitCode !== 0 &&
    outcome.documentText === undefined &&
    typeof document.run_id === "string"
  ) {
    warn(`To go on from here: amplihack recipe run ${request.recipe} --resume ${document.run_id}\n`);
  }
}

function showProgress(
  { isVerbose, isQuiet }: RunDisplay,
  { system, warn }: CommandOutput,
): { readonly observe: Observer; close(): void } {
  if (isQuiet || !system.stdio.isTerminal("stderr")) {
    return { observe: createPlainProgress({ write: warn, isVerbose, isQuiet }), close() {} };
  }
  const live = createLiveProgress({
    write: warn,
    columns: () => process.stderr.columns || DEFAULT_COLUMNS,
    nowMs: () => system.clock.monotonicMs(),
    isVerbose,
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
