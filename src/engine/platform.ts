import type { System } from "../system/index.ts";

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

export interface AddressRules {
  /** plain http: nothing may leave this machine */
  readonly loopbackOnly: boolean;
  readonly allowPrivateNetwork: boolean;
}

export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly maxBodyBytes: number;
  readonly addresses: AddressRules;
  readonly signal: AbortSignal;
}

export type HttpReply =
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly body: Uint8Array;
      readonly isTruncated: boolean;
    }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** Sends one request. Never rejects; aborting the signal ends it as `failed`. */
export interface HttpClient {
  post(request: HttpRequest): Promise<HttpReply>;
}
