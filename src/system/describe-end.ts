import type { ProcessResult } from "./system.ts";

/** How a program ended, in words that follow its name. */
export function describeEnd(end: ProcessResult["end"], timeoutMs?: number): string {
  switch (end.kind) {
    case "exit":
      return `ended with code ${end.code}`;
    case "signal":
      return `was ended by ${end.signal}`;
    case "not-started":
      return `could not be started (${end.code})`;
    case "timeout":
      return timeoutMs === undefined
        ? "did not end in time"
        : `gave no answer within ${Math.round(timeoutMs)} ms`;
    case "stopped":
      return "was stopped";
    case "overflow":
      return "printed too much";
  }
}
