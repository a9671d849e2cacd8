import {
  errorText,
  type JsonObject,
  numberAt,
  objectAt,
  parseJsonObject,
  stringAt,
} from "../protocol/index.ts";
import { type Attempt, MAX_DELAY_MS, type RetryOptions, untilAcknowledged } from "./retry.ts";

export interface SendOptions extends RetryOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const MAX_ANSWER_BYTES = 64 * 1024;
/** The answers that OTLP/HTTP calls retryable. */
const RETRYABLE = new Set([429, 502, 503, 504]);

/** Posts one document until it is acknowledged. Throws when it never will be, or not within the retries. */
export async function send(url: URL, document: JsonObject, options: SendOptions): Promise<void> {
  const body = JSON.stringify(document);
  const place = `${url.origin}${url.pathname}`;
  await untilAcknowledged(place, () => post(url, place, body, options), options);
}

async function post(url: URL, place: string, body: string, options: SendOptions): Promise<Attempt> {
  const { headers, timeoutMs, signal } = options;
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
    if (response.ok) {
      tellRejected(place, text, options);
      return { kind: "acknowledged" };
    }
    const why = `${place} answered ${response.status}`;
    if (!RETRYABLE.has(response.status)) return { kind: "refused", why };
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return { kind: "later", why, afterMs: seconds > 0 ? Math.min(seconds * 1000, MAX_DELAY_MS) : undefined };
  } catch (error) {
    if (signal.aborted) return { kind: "later", why: "it was stopped", afterMs: undefined };
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const why = limit.signal.aborted
      ? `${place} gave no answer within ${timeoutMs} ms`
      : `${place}: ${errorText(cause)}`;
    return { kind: "later", why, afterMs: undefined };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** What a receiver leaves out for good is not sent again. */
function tellRejected(place: string, text: string, { tell }: SendOptions): void {
  const partial = objectAt(parseJsonObject(text, 20), "partialSuccess");
  const count = (name: string) => numberAt(partial, name) ?? Number(stringAt(partial, name) ?? 0);
  const rejected = count("rejectedLogRecords") + count("rejectedDataPoints");
  if (rejected > 0)
    tell(
      `${place} took the request and left out ${rejected} of it: ${stringAt(partial, "errorMessage") ?? ""}`,
    );
}
