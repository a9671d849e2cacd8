import type { LookupAddress, LookupAllOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import {
  answered,
  captureText,
  type EnvironmentRecord,
  failed,
  type HttpAction,
  type RawResult,
} from "../../handlers/index.ts";
import { compileGlob, isLoopback, matchesGlob, type TextCodec } from "../../system/index.ts";
import type { HttpRules } from "../context.ts";
import type { AddressRules, HttpClient, HttpReply, HttpRequest } from "../platform.ts";
import { type HandlerInvocation, withDeadline } from "./invocation.ts";

/** Headers that say where the request goes, how long it is, or who the user is elsewhere. */
const RESERVED_HEADERS = new Set(
  "content-type content-length transfer-encoding connection host cookie expect upgrade".split(" "),
);

/** POSTs the payload; a 2xx body is read like the stdout of exit 0, everything else is a failure. */
export async function runHttp(action: HttpAction, invocation: HandlerInvocation): Promise<RawResult> {
  const { http: rules, platform, limits } = invocation.core;
  const { text } = platform.system;
  const target = checkUrl(action.url, rules);
  if (typeof target === "string") return failed("http-url-refused", target);
  const reply = await withDeadline(invocation, signal =>
    platform.http.post({
      url: target,
      headers: { ...expandHeaders(action, rules.env), "content-type": "application/json" },
      body: text.encode(invocation.payloadText()),
      maxBodyBytes: limits.httpBodyBytes,
      addresses: {
        loopbackOnly: target.protocol === "http:",
        allowPrivateNetwork: rules.allowPrivateNetwork,
      },
      signal,
    }),
  );
  return reply.kind === "value" ? readReply(reply.value, text) : reply.result;
}

function checkUrl(text: string, rules: HttpRules): URL | string {
  if (!URL.canParse(text)) return "the URL cannot be read";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return `${url.protocol} is neither http nor https`;
  if (url.username !== "" || url.password !== "") return "the URL holds a user name or password";
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !url.hostname.endsWith(".localhost"))
    return "plain http goes to this machine only; use https";
  if (rules.allowedUrls !== undefined && !rules.allowedUrls.some(glob => fitsUrl(glob, url)))
    return "no entry of allowedHttpHookUrls matches it";
  return url;
}

/** Compared with the URL as it will be used, not as it is written; a bare origin may go without its slash. */
function fitsUrl(pattern: string, { href, origin }: URL): boolean {
  const glob = compileGlob(pattern, "star");
  return matchesGlob(glob, href) || (href === `${origin}/` && matchesGlob(glob, origin));
}

function expandHeaders(
  { headers, allowedEnvVars }: HttpAction,
  env: EnvironmentRecord,
): Record<string, string> {
  const expanded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED_HEADERS.has(name.toLowerCase())) continue;
    expanded[name] = value.replace(
      /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
      (_, braced: string | undefined, bare: string | undefined) => {
        const variable = braced ?? bare ?? "";
        return allowedEnvVars.includes(variable) && Object.hasOwn(env, variable) ? (env[variable] ?? "") : "";
      },
    );
  }
  return expanded;
}

function readReply(reply: HttpReply, codec: TextCodec): RawResult {
  switch (reply.kind) {
    case "refused":
      return failed("http-url-refused", reply.reason);
    case "failed":
      return failed("http-transport", reply.reason);
    case "reply": {
      if (reply.status >= 300 && reply.status < 400)
        return failed("http-redirect", `status ${reply.status}; redirects are not followed`);
      if (reply.status < 200 || reply.status >= 300) return failed("http-status", `status ${reply.status}`);
      return answered(captureText(codec, reply.body, reply.isTruncated));
    }
  }
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

const LOOPBACK = blockList("127.0.0.0/8 ::1/128");
/** Never: link-local (cloud metadata lives there), unspecified, multicast, broadcast and reserved addresses. */
const FORBIDDEN = blockList("0.0.0.0/8 169.254.0.0/16 224.0.0.0/4 240.0.0.0/4 ::/128 fe80::/10 ff00::/8");
const PRIVATE = blockList(
  "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 192.0.0.0/24 198.18.0.0/15 fc00::/7 fec0::/10",
);

function blockList(subnets: string): BlockList {
  const list = new BlockList();
  for (const [, address = "", prefix] of subnets.matchAll(/(\S+)\/(\d+)/g))
    list.addSubnet(address, Number(prefix), address.includes(":") ? "ipv6" : "ipv4");
  return list;
}

/** Why a web hook may not be sent to an address, or undefined when it may. */
export function refuseAddress(address: string, rules: AddressRules): string | undefined {
  const family = isIP(address);
  if (family === 0) return `${address} is not an address`;
  const embedded = family === 6 ? embeddedIpv4(address) : undefined;
  if (embedded !== undefined) return refuseAddress(embedded, rules);
  const isIn = (list: BlockList): boolean => list.check(address, family === 4 ? "ipv4" : "ipv6");
  if (isIn(LOOPBACK)) return undefined;
  if (rules.loopbackOnly) return `plain http goes to this machine only, and ${address} is another`;
  if (isIn(FORBIDDEN)) return `${address} is a link-local, unspecified, multicast or reserved address`;
  if (isIn(PRIVATE) && !rules.allowPrivateNetwork)
    return `${address} is on a private network (allowPrivateNetwork is off)`;
  return undefined;
}

/** Forms of IPv6 in which an IPv4 address travels: mapped, compatible, NAT64 and 6to4. */
function embeddedIpv4(address: string): string | undefined {
  const words = expandIpv6(address);
  if (words === undefined) return undefined;
  const [first = 0, second = 0, third = 0] = words;
  if (first === 0x2002) return dotted(second, third);
  const high = words.slice(0, 6);
  const isMapped = high.slice(0, 5).every(word => word === 0) && high[5] === 0xffff;
  const isCompatible = high.every(word => word === 0) && ((words[6] ?? 0) > 0 || (words[7] ?? 0) > 1);
  const isNat64 = first === 0x64 && second === 0xff9b && words.slice(2, 6).every(word => word === 0);
  return isMapped || isCompatible || isNat64 ? dotted(words[6] ?? 0, words[7] ?? 0) : undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

function expandIpv6(address: string): readonly number[] | undefined {
  const plain = address.replace(/%.*$/, "").replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const pair = (high: string, low: string): string => ((Number(high) << 8) | Number(low)).toString(16);
    return `${pair(a, b)}:${pair(c, d)}`;
  });
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = 8 - left.length - right.length;
  if (missing < 0 || (tail === undefined && missing > 0)) return undefined;
  return [...left, ...new Array<string>(missing).fill("0"), ...right].map(word => Number.parseInt(word, 16));
}
