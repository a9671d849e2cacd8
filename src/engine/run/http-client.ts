import type { LookupAddress, LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { type AddressRules, refuseAddress } from "./address.ts";

interface HttpRequest {
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

class AddressRefused extends Error {}

/**
 * The address is checked where the connection is made, on the very answer of the resolver that is then used: a
 * name that changes its address between check and use gains nothing. No redirects, cookies, proxies or pooling.
 */
export function createHttpClient(resolveName: Resolver): HttpClient {
  return { post: request => send(request, resolveName) };
}

/** The modules behind it are loaded by the first request: most engines have no web hooks. */
export const nodeHttpClient = createHttpClient((hostname, options, callback) =>
  process.getBuiltinModule("node:dns").lookup(hostname, options, callback),
);

/** As `lookup` of `node:dns` answers when it is asked for all addresses. */
type Resolver = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

function send(request: HttpRequest, resolveName: Resolver): Promise<HttpReply> {
  return new Promise(resolve => {
    const { url, signal } = request;
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const refusal = isIP(host) === 0 ? undefined : refuseAddress(host, request.addresses);
    if (refusal !== undefined) return resolve({ kind: "refused", reason: refusal });
    const fail = (error: Error): void =>
      resolve({ kind: error instanceof AddressRefused ? "refused" : "failed", reason: error.message });
    const isSecure = url.protocol === "https:";
    const { request: open } = isSecure
      ? process.getBuiltinModule("node:https")
      : process.getBuiltinModule("node:http");
    try {
      const sent = open(url, {
        method: "POST",
        agent: false,
        headers: { ...request.headers, "content-length": request.body.byteLength },
        lookup: checkedLookup(request.addresses, resolveName),
        signal,
      });
      sent.on("error", fail);
      sent.once("response", response => {
        const chunks: Uint8Array[] = [];
        let room = request.maxBodyBytes;
        const finish = (isTruncated: boolean): void =>
          resolve({
            kind: "reply",
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks),
            isTruncated,
          });
        response.on("error", fail);
        response.on("data", (chunk: Uint8Array) => {
          if (chunk.byteLength <= room) chunks.push(chunk);
          else {
            chunks.push(chunk.subarray(0, room));
            finish(true);
            response.destroy();
          }
          room -= chunk.byteLength;
        });
        response.once("end", () => finish(false));
        response.once("close", () => fail(new Error("the connection closed before the answer was complete")));
      });
      sent.end(request.body);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

function checkedLookup(rules: AddressRules, resolveName: Resolver): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      for (const { address } of addresses) {
        const refusal = refuseAddress(address, rules);
        if (refusal !== undefined) return callback(new AddressRefused(`${hostname}: ${refusal}`), []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
