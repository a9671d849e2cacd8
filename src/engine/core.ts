import type { EventDescriptor, FailurePolicy } from "../protocol/index.ts";
import type { Background } from "./background.ts";
import type { Closing } from "./interruption.ts";
import type { OnceLedger, StopLedger } from "./ledger.ts";
import type { AsyncReport, Delegates, Limits } from "./options.ts";
import type { CommandHouse } from "./run/command.ts";
import type { HttpRules } from "./run/http.ts";
import type { Seams } from "./seams.ts";
import type { Recorder } from "./telemetry.ts";
import type { DeclaredTools } from "./tools.ts";

/** What all dispatches of one engine share. */
export interface Core {
  readonly projectDir: string;
  readonly home: string | undefined;
  readonly seams: Seams;
  readonly limits: Limits;
  readonly tools: DeclaredTools;
  readonly delegates: Delegates;
  readonly house: CommandHouse;
  readonly http: HttpRules;
  readonly promptNonZero: "warn" | "block";
  readonly closing: Closing;
  readonly background: Background;
  readonly once: OnceLedger;
  readonly stops: StopLedger;
  /** undefined: no telemetry, and no code of it runs */
  readonly recorder: Recorder | undefined;
  readonly onAsync: ((report: AsyncReport) => void) | undefined;
  readonly failurePolicy: (event: string) => FailurePolicy | undefined;
  /** a tool's raw name and its aliases */
  readonly namesOf: (event: EventDescriptor, subject: string) => readonly string[];
}

/** Calls a listener of the host, whose mistakes are its own; a promise it returns is not waited for. */
export function notify(core: Core, call: () => unknown): void {
  try {
    const returned = call();
    if (returned instanceof Promise) returned.catch(() => core.recorder?.failure("hook-threw"));
  } catch {
    core.recorder?.failure("hook-threw");
  }
}
