import type { System } from "../system/index.ts";
import type { HttpClient } from "./run/http-client.ts";

/** The clock the engine waits by. */
export interface Timers {
  /** never goes back */
  nowMs(): number;
  /** Calls back after so many milliseconds unless cancelled by the function returned. */
  after(ms: number, callback: () => void): () => void;
}

/** Everything through which the engine reaches the outside; tests script all three. */
export interface Platform {
  readonly system: System;
  readonly timers: Timers;
  readonly http: HttpClient;
}

/** By the clock and the timers that every JavaScript runtime for servers has. */
export const webTimers: Timers = {
  nowMs: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
