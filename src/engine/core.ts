import type { EventDescriptor, FailurePolicy } from "../protocol/index.ts";
import type { CloseSignal } from "./cancel-signal.ts";
import type { AsyncReport, Delegates, Limits } from "./options.ts";
import type { Platform } from "./platform.ts";
import type { CommandEnvironment } from "./run/command-environment.ts";
import type { BackgroundQueue } from "./run/concurrency.ts";
import type { HttpRules } from "./run/http-rules.ts";
import type { OnceRegistry, StopCounter } from "./session-state.ts";
import type { TelemetryRecorder } from "./telemetry.ts";
import type { DeclaredTools } from "./tools.ts";

/** What all dispatches of one engine share. */
export interface Core {
  readonly projectDir: string;
  readonly home: string | undefined;
  readonly platform: Platform;
  readonly limits: Limits;
  readonly tools: DeclaredTools;
  readonly delegates: Delegates;
  readonly commands: CommandEnvironment;
  readonly http: HttpRules;
  readonly promptNonZero: "warn" | "block";
  readonly closing: CloseSignal;
  readonly background: BackgroundQueue;
  readonly once: OnceRegistry;
  readonly stops: StopCounter;
  /** undefined: no telemetry, and no code of it runs */
  readonly recorder: TelemetryRecorder | undefined;
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
