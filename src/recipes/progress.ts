import { Buffer } from "node:buffer";
import stringWidth from "string-width";
import type { Observer, RunEvent, StepReference } from "./logs/events.ts";
import type { StepStatus } from "./run/result.ts";

/** Text of others on our terminal: no control sequences, nothing that hides or reorders text, one line. */
export function plain(text: string): string {
  return text
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, "")
    .replace(/\t/g, " ")
    .replace(
      /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b\u200e\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g,
      "",
    );
}

/** The same for text of several lines. */
export function plainLines(text: string): readonly string[] {
  return text.split("\n").map(plain);
}

/** Cut below the width, so that no line wraps; a cut is marked. */
export function cutToWidth(line: string, columns: number): string {
  if (stringWidth(line) < columns) return line;
  let shown = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    width += stringWidth(segment);
    if (width > columns - 2) break;
    shown += segment;
  }
  return `${shown}…`;
}

interface PlainProgressOptions {
  readonly write: (text: string) => void;
  /** also what programs say */
  readonly isVerbose: boolean;
  /** only what went wrong */
  readonly isQuiet: boolean;
}

/** Progress as plain lines, for logs and pipes. */
export function createPlainProgress(options: PlainProgressOptions): Observer {
  const { write, isVerbose, isQuiet } = options;
  const writeLines = (lines: readonly string[]): void => {
    if (lines.length > 0) write(lines.map(line => `${line}\n`).join(""));
  };
  return event => {
    if (isQuiet && !isError(event)) return;
    if (event.kind === "pointer") {
      writeLines([event.line]);
      return;
    }
    if (event.kind === "heartbeat") {
      const elapsed = formatSeconds(event.elapsedMs / 1000);
      writeLines([`${indent(event.step)}  … ${plain(event.step.id)} still running (${elapsed})`]);
    } else if (event.kind === "output") {
      if (isVerbose) writeLines(outputLines(event));
    } else writeLines(progressLines(event));
  };
}

function isError(event: RunEvent): boolean {
  return event.kind === "step_end" && event.result.status === "failed";
}

export function outputLines(event: RunEvent & { kind: "output" }): readonly string[] {
  const text = Buffer.from(event.chunk).toString("utf8").trimEnd();
  return text === "" ? [] : text.split("\n").map(line => `${indent(event.step)}  │ ${plain(line)}`);
}

export const STATUS_MARKS: Readonly<Record<StepStatus, string>> = {
  completed: "✓",
  failed: "✗",
  skipped: "⊘",
  degraded: "⚠",
};

const MAX_ERROR_LINES = 12;

/** Lines for events that stay on the screen; empty for those that do not. */
export function progressLines(event: RunEvent): readonly string[] {
  switch (event.kind) {
    case "step_start":
      return [`${indent(event.step)}▶ ${plain(event.step.id)}${hint(event.step)}`];
    case "step_end": {
      const { result, step } = event;
      const margin = indent(step);
      return [
        `${margin}  ${STATUS_MARKS[result.status]} ${plain(step.id)} (${formatSeconds(result.duration)})`,
        ...(result.warnings ?? []).map(warning => `${margin}    ⚠ ${plain(warning)}`),
        ...(result.status === "failed" ? errorLines(result.error).map(line => `${margin}    ${line}`) : []),
      ];
    }
    case "notice":
      return plainLines(event.text).map(line => (event.isWarning ? `Warning: ${line}` : line));
    default:
      return [];
  }
}

export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}m${String(Math.floor(seconds % 60)).padStart(2, "0")}s`;
}

function errorLines(error: string): readonly string[] {
  const lines = plainLines(error);
  if (lines.length <= MAX_ERROR_LINES) return lines;
  return [lines[0] ?? "", "…", ...lines.slice(-(MAX_ERROR_LINES - 2))];
}

function hint({ type, name }: StepReference): string {
  const parts = [...(type === "bash" ? [] : [type]), ...(name === undefined ? [] : [plain(name)])];
  return parts.length === 0 ? "" : ` (${parts.join(": ")})`;
}

function indent({ depth }: StepReference): string {
  return "  ".repeat(depth);
}

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

const STATUS_STYLES: Readonly<Record<StepStatus, Parameters<Paint>[0]>> = {
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
    const [first = "", ...more] = progressLines(event);
    const { status } = event.result;
    const mark = STATUS_MARKS[status];
    // All that it printed stands above already when it is shown.
    const line = cutToWidth(isVerbose ? first : `${first}${describeResult(event)}`, columns());
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
        repaint(event.kind === "step_start" && event.step.type !== "recipe" ? [] : progressLines(event));
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
function describeResult({ result }: RunEvent & { kind: "step_end" }): string {
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
    const line = readLastLine(event.chunk);
    if (step !== undefined && line !== undefined) step.lastLine = line;
  }
}

function readLastLine(chunk: Uint8Array): string | undefined {
  const end = Buffer.from(chunk.subarray(Math.max(0, chunk.length - MAX_LAST_LINE_BYTES))).toString("utf8");
  const line = plain(
    end
      .split(/[\r\n]+/)
      .filter(part => part.trim() !== "")
      .at(-1) ?? "",
  ).trim();
  return line === "" ? undefined : line;
}
