import type { EnvironmentRecord, Shells } from "../handlers/index.ts";
import type { EventDescriptor, FailurePolicy } from "../protocol/index.ts";
import type { CancelSignal, CloseSignal } from "./cancel-signal.ts";
import type { EventFinder } from "./events.ts";
import type { AsyncReport, Delegates, Limits } from "./options.ts";
import type { Platform, Timers } from "./platform.ts";
import type { BackgroundQueue, Semaphore } from "./run/concurrency.ts";
import type { Sessions } from "./session.ts";
import type { OnceRegistry, StopCounter } from "./session-state.ts";
import type { TelemetryRecorder } from "./telemetry.ts";
import type { DeclaredTools } from "./tools.ts";

/** What all dispatches of one engine share. */
export interface EngineContext {
  readonly projectDir: string;
  readonly home: string | undefined;
  readonly timers: Timers;
  readonly tools: DeclaredTools;
  readonly closing: CloseSignal;
  readonly once: OnceRegistry;
  readonly sessions: Sessions;
  readonly stops: StopCounter;
  /** undefined: no telemetry, and no code of it runs */
  readonly recorder: TelemetryRecorder | undefined;
  readonly events: EventFinder;
  readonly failurePolicy: (event: string) => FailurePolicy | undefined;
  /** a tool's raw name and its aliases */
  readonly namesOf: (event: EventDescriptor, subject: string) => readonly string[];
}

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

/** What configured handlers need besides. */
export interface HandlerContext extends EngineContext {
  readonly platform: Platform;
  readonly limits: Limits;
  readonly delegates: Delegates;
  readonly commands: CommandEnvironment;
  readonly http: HttpRules;
  readonly promptNonZero: "warn" | "block";
  readonly background: BackgroundQueue;
  readonly onAsync: ((report: AsyncReport) => void) | undefined;
}

/** Calls a listener of the host, whose mistakes are its own; a promise it returns is not waited for. */
export function notify(core: EngineContext, call: () => unknown): void {
  try {
    const returned = call();
    if (returned instanceof Promise) returned.catch(() => core.recorder?.failure("hook-threw"));
  } catch {
    core.recorder?.failure("hook-threw");
  }
}
