import type { EnvironmentRecord, Shells } from "../hooks/handlers/environment.ts";
import type { EventDescriptor, FailurePolicy } from "../protocol/index.ts";
import type { CancelSignal, CloseSignal } from "./cancel-signal.ts";
import type { AsyncReport, Delegates, Limits } from "./options.ts";
import type { Platform } from "./platform.ts";
import type { BackgroundQueue, Semaphore } from "./run/concurrency.ts";
import type { OnceRegistry, StopCounter } from "./session-state.ts";
import type { TelemetryRecorder } from "./telemetry.ts";
import type { DeclaredTools } from "./tools.ts";

/** What all command hooks of an engine share. */
interface CommandEnvironment {
  /** the environment as given, for names and places */
  readonly snapshot: EnvironmentRecord;
  /** the same without secrets: what hooks start from */
  readonly env: EnvironmentRecord;
  readonly shells: Shells;
  readonly slots: Semaphore;
  readonly killMs: number;
  readonly pipeMs: number;
  /** raised when the engine closes; a hook that went to the background listens to nothing else */
  readonly closing: CancelSignal;
  readonly onProcesses: (change: 1 | -1) => void;
}

export interface HttpRules {
  readonly allowedUrls: readonly string[] | undefined;
  readonly allowPrivateNetwork: boolean;
  readonly env: EnvironmentRecord;
}

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
  /** all events that are known, for hints */
  readonly eventNames: readonly string[];
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
