import { lookup } from "node:dns/promises";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { BlockList, connect, isIP, type LookupFunction, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { errorText } from "../protocol/index.ts";
import { isAllowedHost, plainHost } from "./allowed-hosts.ts";

export interface ProxyOptions {
  readonly allowed: readonly string[];
  /** told once of every host that was refused, with the reason; `mayBeAllowed`: a rule for it would let it pass */
  readonly onRefused: (place: string, reason: string, mayBeAllowed: boolean) => void;
  /** addresses of a name; the machine's resolver by default */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** addresses that are refused; those of this machine by default */
  readonly isOwn?: (address: string) => boolean;
}

const MAX_OPENING_BYTES = 64 * 1024;
const MAX_TOLD = 50;
const CONNECT_TIMEOUT_MS = 30_000;

class Refusal extends Error {
  readonly mayBeAllowed: boolean;

  constructor(reason: string, mayBeAllowed = false) {
    super(reason);
    this.mayBeAllowed = mayBeAllowed;
  }
}

/**
 * The only way out for a command whose network is `hosts`. It opens connections to allowed names by the addresses that
 * it resolved itself, and opens no TLS: it only reads the name with which a handshake begins. What is not encrypted
 * behind a `CONNECT` is read as the requests that it is, each of which must name the host of the `CONNECT`.
 */
export function createProxy(options: ProxyOptions): Server {
  const told = new Set<string>();
  const tunnels: Tunnels = new WeakMap();
  const refuse = (place: string, error: unknown): string => {
    const reason = errorText(error);
    if (error instanceof Refusal && !told.has(place) && told.size < MAX_TOLD) {
      told.add(place);
      options.onRefused(place, reason, error.mayBeAllowed);
    }
    return `amplihack: ${place} was refused: ${reason}\n`;
  };
  // Whoever asks is the command itself, which may take its time.
  const server = createServer({ requestTimeout: 0 }, (incoming, response) => {
    const tunnel = tunnels.get(incoming.socket);
    void forward(options, tunnel, incoming, response).catch((error: unknown) => {
      const place = tunnel ?? parseAuthority(incoming.url ?? "", 80);
      const text = refuse(place?.place ?? "a request", error);
      if (!response.headersSent)
        response.writeHead(error instanceof Refusal ? 403 : 502, { connection: "close" });
      response.end(text);
    });
  });
  server.on("connect", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const { url = "" } = incoming;
    const place = url.includes("/") ? undefined : parseAuthority(url, 443);
    const isInTunnel = tunnels.has(socket);
    socket.on("error", () => socket.destroy());
    const connected = isInTunnel
      ? Promise.reject(new Refusal("it leads on to another host"))
      : connectTunnel(options, place, socket);
    void connected.then(
      target =>
        carry(target, socket, head, { server, tunnels }).catch((error: unknown) => {
          refuse(target.place, error);
          socket.destroy();
        }),
      (error: unknown) => {
        const text = refuse(place?.place ?? "a connection", error);
        const status = error instanceof Refusal ? "403 Forbidden" : "502 Bad Gateway";
        socket.end(
          `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
        );
      },
    );
  });
  server.on("clientError", (_, socket) => {
    const tunnel = tunnels.get(socket);
    if (tunnel !== undefined) refuse(tunnel.place, new Refusal("its requests cannot be read"));
    socket.destroy();
  });
  return server;
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly place: string;
}

/** An allowed place, and the addresses that it has. */
interface Target extends Place {
  readonly addresses: readonly string[];
}

/** Connections behind a `CONNECT` that hold requests, with the only host that these may name. */
type Tunnels = WeakMap<Duplex, Target>;

/** A name is shown to people, with a command for their shell: it holds nothing but what names hold. */
const AUTHORITY = /^(?:http:\/\/)?(?:[^@/]*@)?(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?(?:[/?#]|$)/i;

function parseAuthority(written: string, usualPort: number): Place | undefined {
  const [, host, port] = AUTHORITY.exec(written) ?? [];
  if (host === undefined) return undefined;
  const name = plainHost(host);
  const number = port === undefined ? usualPort : Number(port);
  const shown = isIP(name) === 6 ? `[${name}]` : name;
  return { host: name, port: number, place: number === 443 || number === 80 ? shown : `${shown}:${number}` };
}

/** The addresses to connect to, of a name that is allowed. */
async function resolveTarget(options: ProxyOptions, place: Place): Promise<Target> {
  const { host, port } = place;
  if (!isAllowedHost(options.allowed, host, port))
    throw new Refusal("it is not among the hosts that are allowed", true);
  const resolve = options.resolve ?? resolveName;
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new Error("the name has no address");
  if (addresses.some(options.isOwn ?? isOwnAddress)) throw new Refusal("the name points to this machine");
  return { ...place, addresses };
}

async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Whoever connects tries the addresses that were checked, and no others. */
function addressed({ host, port, addresses }: Target) {
  const given = addresses.map(address => ({ address, family: isIP(address) }));
  const find: LookupFunction = (_, { all }, found) => {
    const [first] = given;
    if (all === true) found(null, given);
    else found(null, first?.address ?? "", first?.family);
  };
  return { host, port, lookup: find };
}

function open(target: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...addressed(target), timeout: CONNECT_TIMEOUT_MS });
    socket.once("connect", () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once("timeout", () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
  });
}

async function connectTunnel(
  options: ProxyOptions,
  place: Place | undefined,
  socket: Duplex,
): Promise<Connected> {
  if (place === undefined) throw new Refusal("it is not a host and a port");
  const target = await resolveTarget(options, place);
  const outer = await open(target);
  socket.on("close", () => outer.destroy());
  outer.on("close", () => socket.destroy());
  outer.on("error", () => socket.destroy());
  return { ...target, outer };
}

interface Connected extends Target {
  readonly outer: Socket;
}

/** What a command says behind its `CONNECT`, once it is known to whom. */
async function carry(
  { outer, ...target }: Connected,
  socket: Socket,
  head: Buffer,
  { server, tunnels }: { readonly server: Server; readonly tunnels: Tunnels },
): Promise<void> {
  socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  const isUsual = target.port === 443 || target.port === 80;
  // Behind ports of their own some servers speak first.
  if (!isUsual) outer.pipe(socket);
  const opening = await readOpening(socket, head);
  if (opening === undefined) {
    socket.destroy();
    return;
  }
  const { kind } = opening;
  if (kind === "requests") {
    outer.unpipe(socket);
    outer.removeAllListeners("close").destroy();
    tunnels.set(socket, target);
    socket.unshift(opening.bytes);
    server.emit("connection", socket);
    socket.resume();
    return;
  }
  if (kind === "hello") checkName(target.host, opening.hello);
  if (kind === "other" && isUsual) throw new Refusal("it speaks neither TLS nor HTTP/1");
  outer.write(opening.bytes);
  if (isUsual) outer.pipe(socket);
  socket.pipe(outer);
}

/** What comes first behind a `CONNECT`. */
type Opening =
  | { readonly kind: "hello"; readonly bytes: Buffer; readonly hello: ClientHello }
  | { readonly kind: "requests" | "other"; readonly bytes: Buffer };

/** Undefined where the connection ends before it says what it is. */
function readOpening(socket: Duplex, head: Buffer): Promise<Opening | undefined> {
  return new Promise(resolve => {
    let bytes = head;
    const look = () => {
      const opening = parseOpening(bytes);
      if (opening === undefined) return;
      socket.off("data", take);
      socket.pause();
      resolve(opening);
    };
    const take = (more: Buffer) => {
      bytes = Buffer.concat([bytes, more]);
      look();
    };
    socket.on("data", take);
    socket.once("end", () => resolve(undefined));
    socket.once("close", () => resolve(undefined));
    look();
  });
}

/** Undefined while more must come. */
function parseOpening(bytes: Buffer): Opening | undefined {
  const isFull = bytes.length >= MAX_OPENING_BYTES;
  const hello = readClientHello(bytes);
  if (hello.kind === "hello") return { kind: "hello", bytes, hello };
  if (hello.kind === "more") return isFull ? { kind: "other", bytes } : undefined;
  const text = bytes.toString("latin1", 0, MAX_OPENING_BYTES);
  if (REQUEST.test(text)) return { kind: "requests", bytes };
  return BEGINS_REQUEST.test(text) && !isFull ? undefined : { kind: "other", bytes };
}

/** A first line as servers take it, empty lines before it included; HTTP/2 without TLS begins with one, too. */
const REQUEST = /^\s*[!-~]+\s+[^\n]*?HTTP\/\d[^\n]*\n/i;
const BEGINS_REQUEST = /^\s*(?:[A-Za-z-]+(?:\s[^\n]*)?)?$/;

/** A server that serves many names must not be asked for another one than was allowed. */
function checkName(host: string, hello: ClientHello): void {
  if (hello.kind !== "hello") return;
  if (hello.isHidden) throw new Refusal("its TLS hides the name that it asks for (ECH)");
  const isNamed = hello.name === undefined ? isIP(host) !== 0 : plainHost(hello.name) === host;
  if (!isNamed) throw new Refusal("its TLS names another host");
}

const HOP_HEADERS = ["proxy-connection", "proxy-authorization", "connection", "keep-alive", "upgrade", "te"];

function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
}

/** One request, to the host of its tunnel or to the one that it names. */
async function forward(
  options: ProxyOptions,
  tunnel: Target | undefined,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = "", method, headers } = incoming;
  // Servers believe an address with any scheme more than the header.
  const isBare = tunnel !== undefined && /^(?:\/|\*$)/.test(url);
  const place = isBare ? tunnel : url.startsWith("http://") ? parseAuthority(url, 80) : undefined;
  if (place === undefined) throw new Refusal("it is not the address of a host");
  const isSame = (other: Place | undefined) => other?.host === place.host && other.port === place.port;
  const [name = "", ...others] = incoming.headersDistinct["host"] ?? [];
  const isNamed = !/[@/]/.test(name) && isSame(parseAuthority(name, 80)) && others.length === 0;
  if (!isNamed || !isSame(tunnel ?? place)) throw new Refusal("its header names another host");
  const target = tunnel ?? (await resolveTarget(options, place));
  const path = isBare ? url : url.replace(/^http:\/\/[^/?#]*/, "") || "/";
  await new Promise<void>((resolve, reject) => {
    const outgoing = request({
      ...addressed(target),
      method,
      path,
      headers: withoutHops(headers),
      agent: false,
    });
    outgoing.on("error", reject);
    outgoing.on("response", answer => {
      response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
      answer.pipe(response);
      answer.on("error", reject);
      response.on("finish", resolve);
    });
    response.on("close", () => outgoing.destroy());
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
  ["168.63.129.16", 32],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
];

/** Does an address lead back to this machine? A name that is allowed must not. */
export function isOwnAddress(address: string): boolean {
  const list = new BlockList();
  for (const [start, bits] of LOCAL) list.addSubnet(start, bits, ipFamily(start));
  for (const { address: own } of Object.values(networkInterfaces()).flatMap(each => each ?? []))
    list.addAddress(own, ipFamily(own));
  const [plain = ""] = address.split("%");
  const mapped = /^::ffff:(?:0:)?([\d.]+)$/i.exec(plain)?.[1];
  return [plain, ...(mapped === undefined ? [] : [mapped])].some(
    each => isIP(each) !== 0 && list.check(each, ipFamily(each)),
  );
}

function ipFamily(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const ENCRYPTED_HELLO = 0xfe0d;
const HEADER_BYTES = 5;

/** What the first bytes of a connection say: not TLS, not enough of them yet, or the name that the client asks for. */
type ClientHello =
  | { readonly kind: "other" }
  | { readonly kind: "more" }
  | {
      readonly kind: "hello";
      readonly name: string | undefined;
      /** the name that counts may be an encrypted one */
      readonly isHidden: boolean;
    };

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
    for (const byte of part) handshake.push(byte);
    if (handshake.length >= 4) {
      if (handshake[0] !== CLIENT_HELLO) return { kind: "other" };
      const end = 4 + numberAt(handshake, 1, 3);
      if (handshake.length >= end) return readExtensions(handshake.slice(4, end));
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
function readExtensions(hello: readonly number[]): ClientHello {
  let at = 34;
  for (const size of [1, 2, 1]) at += size + numberAt(hello, at, size);
  const end = Math.min(hello.length, at + 2 + numberAt(hello, at, 2));
  at += 2;
  const names: (string | undefined)[] = [];
  let isHidden = false;
  while (at + 4 <= end) {
    const [kind, length] = [numberAt(hello, at, 2), numberAt(hello, at + 2, 2)];
    if (kind === SERVER_NAME) names.push(nameIn(hello.slice(at + 4, at + 4 + length)));
    if (kind === ENCRYPTED_HELLO) isHidden = true;
    at += 4 + length;
  }
  // Of several names it is not known which one the server takes.
  return { kind: "hello", name: names.length > 1 ? "" : names[0], isHidden };
}

/** A list of names with exactly one in it, of the kind 0, a host: no other kind exists. */
function nameIn(extension: readonly number[]): string {
  const length = numberAt(extension, 3, 2);
  if (extension[2] !== 0 || extension.length !== 5 + length) return "";
  return String.fromCharCode(...extension.slice(5));
}
