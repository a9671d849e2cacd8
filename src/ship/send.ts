import { errorText } from "../protocol/error-text.ts";
import type { JsonObject } from "../protocol/index.ts";
import { numberAt, objectAt, parseJsonObject, stringAt } from "../protocol/members.ts";
import { Problem } from "../state/problem.ts";

export interface SendOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** how often a request is tried again that could succeed later */
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  /** resolves early when the signal is given */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly tell: (message: string) => void;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** The answers that OTLP/HTTP calls retryable. */
const RETRYABLE = new Set([429, 502, 503, 504]);

type Attempt =
  | { readonly kind: "acknowledged"; readonly rejected: number; readonly message: string }
  | { readonly kind: "later"; readonly why: string; readonly afterMs: number | undefined }
  | { readonly kind: "refused"; readonly why: string };

/** Posts one document until it is acknowledged. Throws when it never will be, or not within the retries. */
export async function send(url: URL, document: JsonObject, options: SendOptions): Promise<void> {
  const body = JSON.stringify(document);
  const place = `${url.origin}${url.pathname}`;
  for (let retry = 0; ; retry++) {
    const attempt = await post(url, body, options);
    if (attempt.kind === "acknowledged") {
      if (attempt.rejected > 0)
        options.tell(`${place} took the request and left out ${attempt.rejected} of it: ${attempt.message}`);
      return;
    }
    const isLast = attempt.kind === "refused" || retry >= options.maxRetries || options.signal.aborted;
    if (isLast)
      throw new Problem(`nothing was acknowledged by ${place}; it is sent again the next time`, {
        kind: "ship",
        causes: [attempt.why],
      });
    const delay = attempt.afterMs ?? Math.min(FIRST_DELAY_MS * 2 ** retry, MAX_DELAY_MS);
    options.tell(`${place}: ${attempt.why}; next attempt in ${Math.ceil(delay / 1000)} s`);
    await options.wait(delay, options.signal);
  }
}

async function post(url: URL, body: string, { headers, timeoutMs, signal }: SendOptions): Promise<Attempt> {
  // A timer of its own: a combined signal that nobody holds may be collected before it fires, on Node 20.
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal.addEventListener("abort", abort);
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      redirect: "error",
      headers: { ...headers, "content-type": "application/json", "user-agent": "amplihack" },
      signal: limit.signal,
    });
    const text = (await response.text()).slice(0, MAX_ANSWER_BYTES);
    if (response.ok) return acknowledged(text);
    const why = `the receiver answered ${response.status}`;
    if (!RETRYABLE.has(response.status)) return { kind: "refused", why };
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return { kind: "later", why, afterMs: seconds > 0 ? Math.min(seconds * 1000, MAX_DELAY_MS) : undefined };
  } catch (error) {
    if (signal.aborted) return { kind: "later", why: "it was stopped", afterMs: undefined };
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const why = limit.signal.aborted ? `no answer within ${timeoutMs} ms` : errorText(cause);
    return { kind: "later", why, afterMs: undefined };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function acknowledged(text: string): Attempt {
  const partial = objectAt(parseJsonObject(text, 20), "partialSuccess");
  const count = (name: string) => numberAt(partial, name) ?? Number(stringAt(partial, name) ?? 0);
  const rejected = count("rejectedLogRecords") + count("rejectedDataPoints");
  return { kind: "acknowledged", rejected, message: stringAt(partial, "errorMessage") ?? "" };
}
