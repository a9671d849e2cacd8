import type { CancelSignal } from "../cancel-signal.ts";
import type { Semaphore } from "./concurrency.ts";
import type { EnvironmentRecord } from "./environment.ts";
import type { Shells } from "./shells.ts";

/** What all command hooks of an engine share. */
export interface CommandEnvironment {
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
