import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The only addresses the page is served on: only this machine can reach them. */
export const LOOPBACK_ADDRESSES: readonly string[] = ["127.0.0.1", "::1"];

export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Undefined when the request may be answered: it comes from this machine and its page, with the token. */
export function refuseRequest(request: IncomingMessage, url: URL, token: string): Refusal | undefined {
  const foreign = refuseForeign(request);
  if (foreign !== undefined) return foreign;
  if (!isEqual(url.searchParams.get("token") ?? "", token)) {
    return { status: 403, reason: "the token is missing or wrong; use the address that the command printed" };
  }
  if (request.method !== "GET") return { status: 405, reason: "only GET is known here" };
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
  if (headers.origin !== undefined && !names.some(name => headers.origin === `http://${name}`)) {
    return { status: 403, reason: "requests of other origins are not answered" };
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return { status: 403, reason: "requests of other sites are not answered" };
  }
  return undefined;
}

/** Takes the same time wherever the texts differ. */
export function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
