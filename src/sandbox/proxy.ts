import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { BlockList, connect, isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { errorText } from "../protocol/index.ts";
import { isAllowedHost, plainHost } from "./allowed-hosts.ts";

export interface ProxyOptions {
  readonly allowed: readonly string[];
  /** told once of every host that was refused, with the reason */
  readonly onRefused: (place: string, reason: string) => void;
  /** addresses of a name; the machine's resolver by default */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** addresses that are refused; those of this machine by default */
  readonly isOwn?: (address: string) => boolean;
}

const MAX_HELLO_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 30_000;

class Refusal extends Error {}

/**
 * The only way out for a command whose network is `hosts`. It opens connections to allowed names by the addresses that
 * it resolved itself, and opens no TLS: it only reads the name with which a handshake begins.
 */
export function createProxy(options: ProxyOptions): Server {
  const told = new Set<string>();
  const refuse = (place: string, error: unknown): string => {
    const reason = errorText(error);
    if (error instanceof Refusal && !told.has(place)) {
      told.add(place);
      options.onRefused(place, reason);
    }
    return `amplihack: ${place} was refused: ${reason}\n`;
  };
  const server = createServer((incoming, response) => {
    void forward(options, incoming, response).catch((error: unknown) => {
      const text = refuse(placeOf(incoming.url ?? "", 80)?.place ?? "a request", error);
      if (!response.headersSent)
        response.writeHead(error instanceof Refusal ? 403 : 502, { connection: "close" });
      response.end(text);
    });
  });
  server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    void tunnel(options, incoming.url ?? "", socket, head).catch((error: unknown) => {
      const text = refuse(placeOf(incoming.url ?? "", 443)?.place ?? "a connection", error);
      const status = error instanceof Refusal ? "403 Forbidden" : "502 Bad Gateway";
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    });
  });
  server.on("clientError", (_, socket) => socket.destroy());
  return server;
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly place: string;
}

function placeOf(written: string, usualPort: number): Place | undefined {
  const authority = /^(?:http:\/\/)?(?:[^@/]*@)?(\[[0-9a-f:.]+\]|[^:/?#\s]+)(?::(\d{1,5}))?(?:[/?#]|$)/i.exec(
    written,
  );
  const [, host, port] = authority ?? [];
  if (host === undefined) return undefined;
  const name = plainHost(host);
  const number = port === undefined ? usualPort : Number(port);
  return { host: name, port: number, place: number === 443 || number === 80 ? name : `${name}:${number}` };
}

/** The address to connect to, of a name that is allowed. */
async function addressOf(options: ProxyOptions, { host, port }: Place): Promise<string> {
  if (!isAllowedHost(options.allowed, host, port))
    throw new Refusal("it is not among the hosts that are allowed");
  const resolve = options.resolve ?? resolveName;
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const [address] = addresses;
  if (address === undefined) throw new Error("the name has no address");
  const isOwn = options.isOwn ?? isOwnAddress;
  if (addresses.some(isOwn)) throw new Refusal("the name points to this machine");
  return address;
}

async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function open(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, timeout: CONNECT_TIMEOUT_MS });
    socket.once("connect", () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once("timeout", () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
  });
}

async function tunnel(options: ProxyOptions, written: string, socket: Duplex, head: Buffer): Promise<void> {
  const place = placeOf(written, 443);
  if (place === undefined || written.includes("/")) throw new Refusal("it is not a host and a port");
  const target = await open(await addressOf(options, place), place.port);
  socket.on("close", () => target.destroy());
  target.on("close", () => socket.destroy());
  target.on("error", () => socket.destroy());
  socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  const opening = await readOpening(socket, head).catch(() => undefined);
  if (opening === undefined || !isNameOf(place.host, opening)) {
    options.onRefused(place.place, "its TLS names another host");
    socket.destroy();
    return;
  }
  target.write(opening);
  socket.pipe(target);
  target.pipe(socket);
}

/** All of the handshake's first message, or what came first if it is none. */
function readOpening(socket: Duplex, head: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = head;
    const look = () => {
      if (bytes.length === 0 || (readClientHello(bytes).kind === "more" && bytes.length < MAX_HELLO_BYTES))
        return;
      socket.off("data", take);
      socket.pause();
      resolve(bytes);
    };
    const take = (more: Buffer) => {
      bytes = Buffer.concat([bytes, more]);
      look();
    };
    socket.on("data", take);
    socket.once("end", () => reject(new Error("the connection ended")));
    socket.once("close", () => reject(new Error("the connection ended")));
    look();
  });
}

/** A server that serves many names must not be asked for another one than was allowed. */
function isNameOf(host: string, opening: Buffer): boolean {
  const hello = readClientHello(opening);
  if (hello.kind === "other") return true;
  if (hello.kind === "more") return false;
  return hello.name === undefined ? isIP(host) !== 0 : plainHost(hello.name) === host;
}

const HOP_HEADERS = ["proxy-connection", "proxy-authorization", "connection", "keep-alive", "upgrade", "te"];

async function forward(
  options: ProxyOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = "", method, headers } = incoming;
  const place = url.startsWith("http://") ? placeOf(url, 80) : undefined;
  if (place === undefined) throw new Refusal("it is not the address of a host");
  const named = placeOf(headers.host ?? "", 80);
  if (named?.host !== place.host || named.port !== place.port)
    throw new Refusal("its header names another host");
  const address = await addressOf(options, place);
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
  const path = url.replace(/^http:\/\/[^/?#]*/, "") || "/";
  await new Promise<void>((resolve, reject) => {
    const outgoing = request({ host: address, port: place.port, method, path, headers: kept, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("error", reject);
      response.on("finish", resolve);
    });
    incoming.pipe(outgoing);
  });
}

/** Loopback, "this host", and addresses that only lead to the machine or its cloud's account of it. */
const LOCAL: readonly (readonly [address: string, bits: number])[] = [
  ["127.0.0.0", 8],
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["::1", 128],
  ["::", 128],
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
];

/** Does an address lead back to this machine? A name that is allowed must not. */
export function isOwnAddress(address: string): boolean {
  const list = new BlockList();
  for (const [start, bits] of LOCAL) list.addSubnet(start, bits, familyOf(start));
  for (const { address: own } of Object.values(networkInterfaces()).flatMap(each => each ?? []))
    list.addAddress(own, familyOf(own));
  const [plain = ""] = address.split("%");
  const mapped = /^::ffff:(?:0:)?([\d.]+)$/i.exec(plain)?.[1];
  return [plain, ...(mapped === undefined ? [] : [mapped])].some(
    each => isIP(each) !== 0 && list.check(each, familyOf(each)),
  );
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HEADER_BYTES = 5;

/** What the first bytes of a connection say: not TLS, not enough of them yet, or the name that the client asks for. */
type ClientHello =
  | { readonly kind: "other" }
  | { readonly kind: "more" }
  | { readonly kind: "hello"; readonly name: string | undefined };

/** Reads the server's name of a TLS handshake, which is sent before anything is encrypted. */
export function readClientHello(bytes: Uint8Array): ClientHello {
  const handshake: number[] = [];
  let at = 0;
  // A handshake may be cut into several records.
  while (at < bytes.length) {
    if (bytes[at] !== HANDSHAKE) return { kind: "other" };
    if (bytes.length < at + HEADER_BYTES) return { kind: "more" };
    const length = numberAt(bytes, at + 3, 2);
    const part = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    handshake.push(...part);
    if (handshake.length >= 4) {
      if (handshake[0] !== CLIENT_HELLO) return { kind: "other" };
      const end = 4 + numberAt(handshake, 1, 3);
      if (handshake.length >= end) return { kind: "hello", name: findName(handshake.slice(4, end)) };
    }
    if (part.length < length) return { kind: "more" };
    at += HEADER_BYTES + length;
  }
  return { kind: "more" };
}

function numberAt(bytes: ArrayLike<number>, at: number, length: number): number {
  let value = 0;
  for (let index = at; index < at + length; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
}

/** Version and random bytes, then a session, ciphers and compressions, each behind its length; then extensions. */
function findName(hello: readonly number[]): string | undefined {
  let at = 34;
  for (const size of [1, 2, 1]) at += size + numberAt(hello, at, size);
  const end = Math.min(hello.length, at + 2 + numberAt(hello, at, 2));
  at += 2;
  while (at + 4 <= end) {
    const length = numberAt(hello, at + 2, 2);
    if (numberAt(hello, at, 2) === SERVER_NAME) return nameIn(hello.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return undefined;
}

/** A list of names, of which only the kind 0, a host, exists. */
function nameIn(extension: readonly number[]): string | undefined {
  if (extension[2] !== 0) return undefined;
  const name = extension.slice(5, 5 + numberAt(extension, 3, 2));
  return String.fromCharCode(...name);
}
