import { Buffer } from "node:buffer";
import type { Observer, RunEvent } from "../logs/events.ts";
import { formatSeconds, indent, linesOf, plain } from "./step-lines.ts";

export interface PlainProgressOptions {
  readonly write: (text: string) => void;
  /** also what programs say */
  readonly isVerbose: boolean;
  /** only what went wrong */
  readonly isQuiet: boolean;
}

/** Progress as plain lines, for logs and pipes. */
export function createPlainProgress(options: PlainProgressOptions): Observer {
  const { write, isVerbose, isQuiet } = options;
  const tell = (lines: readonly string[]): void => {
    if (lines.length > 0) write(lines.map(line => `${line}\n`).join(""));
  };
  return event => {
    if (isQuiet && !isError(event)) return;
    if (event.kind === "heartbeat") {
      const elapsed = formatSeconds(event.elapsedMs / 1000);
      tell([`${indent(event.step)}  … ${plain(event.step.id)} still running (${elapsed})`]);
    } else if (event.kind === "output") {
      if (isVerbose) tell(outputLines(event));
    } else tell(linesOf(event));
  };
}

function isError(event: RunEvent): boolean {
  return event.kind === "step_end" && event.result.status === "failed";
}

export function outputLines(event: RunEvent & { kind: "output" }): readonly string[] {
  const text = Buffer.from(event.chunk).toString("utf8").trimEnd();
  return text === "" ? [] : text.split("\n").map(line => `${indent(event.step)}  │ ${plain(line)}`);
}
