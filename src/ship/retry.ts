import { Problem } from "../state/index.ts";

export interface RetryOptions {
  /** how often something is tried again that could succeed later */
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  /** resolves early when the signal is given */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly tell: (message: string) => void;
}

const FIRST_DELAY_MS = 1_000;
export const MAX_DELAY_MS = 60_000;

export type Attempt =
  | { readonly kind: "acknowledged" }
  | (Failure & { readonly kind: "later"; readonly afterMs?: number | undefined })
  | (Failure & { readonly kind: "refused" });

interface Failure {
  readonly why: string;
  readonly fix?: string | undefined;
}

/** Tries until it is acknowledged. Throws when it never will be, or not within the retries. */
export async function untilAcknowledged(
  place: string,
  attempt: () => Promise<Attempt>,
  options: RetryOptions,
): Promise<void> {
  for (let retry = 0; ; retry++) {
    const result = await attempt();
    if (result.kind === "acknowledged") return;
    const isLast = result.kind === "refused" || retry >= options.maxRetries || options.signal.aborted;
    if (isLast)
      throw new Problem(`nothing was acknowledged by ${place}; it is sent again the next time`, {
        kind: "ship",
        causes: [result.why],
        fix: result.fix,
      });
    const delay = result.afterMs ?? Math.min(FIRST_DELAY_MS * 2 ** retry, MAX_DELAY_MS);
    options.tell(`${result.why}; next attempt in ${Math.ceil(delay / 1000)} s`);
    await options.wait(delay, options.signal);
  }
}
