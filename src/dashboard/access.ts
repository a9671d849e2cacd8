import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The only addresses the page is served on: only this machine can reach them. */
export const LOOPBACK_ADDRESSES: readonly string[] = ["127.0.0.1", "::1"];

export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/**
 * Undefined when the request may be answered. Another site in the user's browser can send requests here too, by
 * name (DNS rebinding) or by address: so Host and Origin must be ours, and the token must be there.
 */
export function refuseRequest(request: IncomingMessage, url: URL, token: string): Refusal | undefined {
  const { headers, socket, method } = request;
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
  if (!isEqual(url.searchParams.get("token") ?? "", token)) {
    return { status: 403, reason: "the token is missing or wrong; use the address that the command printed" };
  }
  if (method !== "GET") return { status: 405, reason: "only GET is known here" };
  return undefined;
}

/** Takes the same time wherever the texts differ. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
