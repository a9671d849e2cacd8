import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The only addresses the page is served on: only this machine can reach them. */
export const LOOPBACK_ADDRESSES: readonly string[] = ["127.0.0.1", "::1"];

/** What carries the token of a request that changes something: no other site can send it. */
export const TOKEN_HEADER = "x-amplihack-token";

export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Undefined when the request may be answered: it comes from this machine and its page, with the token. */
export function refuseRequest(
  request: IncomingMessage,
  url: URL,
  token: string,
  isAction: (path: string) => boolean,
): Refusal | undefined {
  const foreign = refuseForeign(request);
  if (foreign !== undefined) return foreign;
  const { method } = request;
  if (method === "POST" && isAction(url.pathname)) return refuseAction(request, token);
  if (!isEqual(url.searchParams.get("token") ?? "", token)) {
    return { status: 403, reason: "the token is missing or wrong; use the address that the command printed" };
  }
  if (method !== "GET") return { status: 405, reason: "only GET is known here" };
  if (isAction(url.pathname)) return { status: 405, reason: "only POST is known here" };
  return undefined;
}

/**
 * Another site in the user's browser can send requests to this machine too, by name (DNS rebinding) or by address: so
 * Host and Origin must be ours.
 */
export function refuseForeign({ headers, socket }: IncomingMessage): Refusal | undefined {
  if (!LOOPBACK_ADDRESSES.includes(socket.remoteAddress ?? "")) {
    return { status: 403, reason: "only this machine may ask" };
  }
  const names = ["127.0.0.1", "localhost", "[::1]"].map(name => `${name}:${socket.localPort}`);
  if (!names.includes(headers.host ?? ""))
    return { status: 403, reason: "the Host header is not this server" };
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) {
    return { status: 403, reason: "requests of other origins are not answered" };
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return { status: 403, reason: "requests of other sites are not answered" };
  }
  return undefined;
}

/**
 * What changes something comes from a script of our own page: with the token in a header, which a link, a form or a
 * picture cannot set, and with our origin, which every browser tells for such a request.
 */
function refuseAction({ headers }: IncomingMessage, token: string): Refusal | undefined {
  const given = headers[TOKEN_HEADER];
  if (typeof given !== "string" || !isEqual(given, token))
    return { status: 403, reason: `the token is missing or wrong; it goes into the header ${TOKEN_HEADER}` };
  if (headers.origin === undefined || headers["sec-fetch-site"] === "none")
    return { status: 403, reason: "only the page itself may ask for this" };
  if (headers["content-type"] !== "application/json")
    return { status: 415, reason: "the body must be application/json" };
  return undefined;
}

/** Takes the same time wherever the texts differ. */
export function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
