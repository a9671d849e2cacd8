import { Buffer } from "node:buffer";
import type { Observer, RunEvent, StepReference } from "../logs/events.ts";
import type { StepStatus } from "../run/result.ts";
import { cutToWidth } from "./cut-to-width.ts";
import { formatSeconds, indent, linesOf, outputLines, STATUS_MARKS } from "./plain-progress.ts";
import { plain, plainLines } from "./plain-text.ts";

export type Paint = (style: "green" | "red" | "yellow" | "dim", text: string) => string;

interface LiveProgressOptions {
  readonly write: (text: string) => void;
  /** width of the terminal */
  readonly columns: () => number;
  readonly nowMs: () => number;
  readonly isVerbose: boolean;
  readonly paint?: Paint;
}

interface LiveProgress {
  readonly observe: Observer;
  /** Redraws the running steps; called by a timer. */
  tick(): void;
  /** Takes the running steps off the screen for good. */
  close(): void;
}

interface RunningStep {
  readonly step: StepReference;
  readonly startedMs: number;
  lastLine: string;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const MAX_LAST_LINE_BYTES = 4096;
const MAX_SHOWN = 12;

export const STATUS_STYLES: Readonly<Record<StepStatus, Parameters<Paint>[0]>> = {
  completed: "green",
  failed: "red",
  degraded: "yellow",
  skipped: "dim",
};

/**
 * Progress on a terminal: finished steps scroll by, each with the first line it printed; running ones stay at the
 * bottom with their time and the last line they printed.
 */
export function createLiveProgress(options: LiveProgressOptions): LiveProgress {
  const { write, columns, nowMs, isVerbose, paint = (_, text) => text } = options;
  const running = new Map<string, RunningStep>();
  let shownLines = 0;
  let frame = 0;

  const erase = (): string => (shownLines === 0 ? "" : `\u001b[${shownLines}A\u001b[J`);
  const draw = (): string => {
    const steps = [...running.values()];
    const lines = steps.slice(0, MAX_SHOWN).map(describe);
    if (steps.length > MAX_SHOWN) lines.push(`  … and ${steps.length - MAX_SHOWN} more`);
    shownLines = lines.length;
    return lines.map(line => `${line}\n`).join("");
  };
  const describe = ({ step, startedMs, lastLine }: RunningStep): string => {
    const elapsed = formatSeconds((nowMs() - startedMs) / 1000);
    const head = `${indent(step)}${FRAMES[frame % FRAMES.length]} ${plain(step.id)} ${elapsed}`;
    return cutToWidth(lastLine === "" ? head : `${head}  ${lastLine}`, columns());
  };
  const repaint = (lines: readonly string[]): void => {
    const before = erase();
    const kept = lines.map(line => `${line}\n`).join("");
    write(before + kept + draw());
  };
  const endLines = (event: RunEvent & { kind: "step_end" }): readonly string[] => {
    const [first = "", ...more] = linesOf(event);
    const { status } = event.result;
    const mark = STATUS_MARKS[status];
    // All that it printed stands above already when it is shown.
    const line = cutToWidth(isVerbose ? first : `${first}${resultOf(event)}`, columns());
    return [line.replace(mark, paint(STATUS_STYLES[status], mark)), ...more];
  };

  return {
    observe(event) {
      note(running, event, nowMs());
      if (event.kind === "output") {
        if (isVerbose) repaint(outputLines(event));
      } else if (event.kind === "step_end") repaint(endLines(event));
      else if (event.kind === "step_start" || event.kind === "notice") {
        // The start shows in the running lines; it stays in the scroll only for recipes, whose steps follow it.
        repaint(event.kind === "step_start" && event.step.type !== "recipe" ? [] : linesOf(event));
      }
    },
    tick() {
      if (running.size === 0) return;
      frame++;
      repaint([]);
    },
    close() {
      running.clear();
      write(erase());
      shownLines = 0;
    },
  };
}

/** What became of a step, behind its name: the first line that it printed. */
function resultOf({ result }: RunEvent & { kind: "step_end" }): string {
  if (result.status === "skipped") return "  skipped";
  if (result.step_type === "recipe") return "";
  const line = plainLines(result.output).find(each => each.trim() !== "");
  return line === undefined ? "" : `  ${line.trim()}`;
}

function note(running: Map<string, RunningStep>, event: RunEvent, nowMs: number): void {
  if (event.kind === "step_start" && event.step.type !== "recipe") {
    running.set(event.step.path, { step: event.step, startedMs: nowMs, lastLine: "" });
  } else if (event.kind === "step_end") running.delete(event.step.path);
  else if (event.kind === "output") {
    const step = running.get(event.step.path);
    const line = lastLineOf(event.chunk);
    if (step !== undefined && line !== undefined) step.lastLine = line;
  }
}

function lastLineOf(chunk: Uint8Array): string | undefined {
  const end = Buffer.from(chunk.subarray(Math.max(0, chunk.length - MAX_LAST_LINE_BYTES))).toString("utf8");
  const line = plain(
    end
      .split(/[\r\n]+/)
      .filter(part => part.trim() !== "")
      .at(-1) ?? "",
  ).trim();
  return line === "" ? undefined : line;
}
