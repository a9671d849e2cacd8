import { Buffer } from "node:buffer";
import type { Observer, RunEvent, StepReference } from "../logs/events.ts";
import type { StepStatus } from "../run/result.ts";
import { plain, plainLines } from "./plain-text.ts";

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
    } else writeLines(linesOf(event));
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
export function linesOf(event: RunEvent): readonly string[] {
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

export function indent({ depth }: StepReference): string {
  return "  ".repeat(depth);
}
