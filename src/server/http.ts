import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP, type Socket } from "node:net";
import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";
import { type JsonObject, parseJsonObject } from "../protocol/index.ts";
import { Problem } from "../state/index.ts";
import { clip, escapeControls } from "../text/index.ts";

/** An answer that ends a request; everything else that is thrown is a fault of ours. */
export class HttpError extends Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message, { kind: "http" });
    this.status = status;
    this.headers = headers;
  }
}

/** Compressed, and what comes out of it. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_JSON_BYTES = 32 * 1024 * 1024;
/** Of somebody who is not known yet: a name, or a secret. */
export const STRANGERS_BODY = { sent: 4096, unpacked: 4096 } as const;
/** A policy with its cases, as a form writes them: up to three bytes for one. */
const MAX_FORM_BYTES = 512 * 1024;
const MAX_DEPTH = 20;
/** What a machine ships is small: another thread would cost more than it takes. No more than 16 MiB comes out of it. */
const MAX_AT_ONCE_BYTES = 16 * 1024;
const unzip = promisify(gunzip);

/** The body as a JSON object. Throws `HttpError`. */
export async function readJsonBody(
  request: IncomingMessage,
  { sent, unpacked } = { sent: MAX_BODY_BYTES, unpacked: MAX_JSON_BYTES },
): Promise<JsonObject> {
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    throw new HttpError(415, "the body must be application/json");
  const bytes = await readBytes(request, sent);
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "gzip") throw new HttpError(415, "only gzip is known here");
  const plain = encoding === "gzip" ? await unzipped(bytes, unpacked) : bytes;
  const body = parseJsonObject(plain.toString("utf8"), MAX_DEPTH);
  if (body === undefined) throw new HttpError(400, "the body is not a JSON object");
  return body;
}

async function unzipped(bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    const limit = { maxOutputLength };
    return bytes.length > MAX_AT_ONCE_BYTES ? await unzip(bytes, limit) : gunzipSync(bytes, limit);
  } catch {
    throw new HttpError(413, "the body is not gzip, or too large");
  }
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/.test(request.headers["content-type"] ?? ""))
    throw new HttpError(415, "the body must be a form");
  const form = new URLSearchParams((await readBytes(request, MAX_FORM_BYTES)).toString("utf8"));
  // PostgreSQL has no U+0000 in texts, and no person types one.
  if ([...form.values()].some(value => value.includes("\0")))
    throw new HttpError(400, "a field holds a character that no text has");
  return form;
}

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limit) throw new HttpError(413, "the body is too large", { connection: "close" });
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) throw new HttpError(413, "the body is too large", { connection: "close" });
      chunks.push(chunk);
    }
  } catch (error) {
    // Whoever goes away in the middle is no fault of ours.
    throw error instanceof HttpError ? error : new HttpError(400, "the body ended too early");
  }
  return Buffer.concat(chunks);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(value));
}

/** Long enough that nobody guesses one. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a secret. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export interface Limit {
  /** requests at once, and how fast they come back */
  readonly burst: number;
  readonly perSecond: number;
}

const MAX_BUCKETS = 50_000;

/** How often somebody may ask: of this process alone, so that each of several servers counts for itself. */
export class RateLimiter {
  private readonly buckets = new Map<string, { left: number; atMs: number }>();
  private readonly limit: Limit;
  private readonly nowMs: () => number;

  constructor(limit: Limit, nowMs: () => number) {
    this.limit = limit;
    this.nowMs = nowMs;
  }

  /** Throws 429 for whoever asks too often. */
  take(asker: string): void {
    const key = networkOf(asker);
    const { burst, perSecond } = this.limit;
    const now = this.nowMs();
    const bucket = this.buckets.get(key) ?? { left: burst, atMs: now };
    const left = Math.min(burst, bucket.left + ((now - bucket.atMs) / 1000) * perSecond);
    this.buckets.delete(key);
    this.buckets.set(key, { left: Math.max(0, left - 1), atMs: now });
    const [oldest] = this.buckets.keys();
    if (this.buckets.size > MAX_BUCKETS && oldest !== undefined) this.buckets.delete(oldest);
    if (left < 1)
      throw new HttpError(429, "too many requests", { "retry-after": String(Math.ceil(1 / perSecond)) });
  }
}

/** Whoever has one of the new addresses has all of its network. */
function networkOf(address: string): string {
  if (isIP(address) !== 6 || address.includes(".")) return address;
  const [head = "", tail = ""] = address.split("::");
  const [first, last] = [head, tail].map(part => part.split(":").filter(group => group !== ""));
  const zeros = Array.from({ length: 8 - (first?.length ?? 0) - (last?.length ?? 0) }, () => "0");
  return [...(first ?? []), ...zeros, ...(last ?? [])].slice(0, 4).join(":");
}

export interface Origin {
  /** of whoever asks, as far as it can be believed */
  readonly address: string;
  readonly isEncrypted: boolean;
}

/** What a proxy says of the client counts only where one is trusted; the last entry is the one that it wrote itself. */
export function requestOrigin(
  { headers, socket }: Pick<IncomingMessage, "headers"> & { readonly socket: Socket },
  trustsProxy: boolean,
): Origin {
  const isTls = "encrypted" in socket && socket.encrypted === true;
  const direct = { address: socket.remoteAddress ?? "", isEncrypted: isTls };
  if (!trustsProxy) return direct;
  const last = (value: string | readonly string[] | undefined) =>
    String(value ?? "")
      .split(",")
      .at(-1)
      ?.trim() ?? "";
  return {
    address: last(headers["x-forwarded-for"]).slice(0, 64) || direct.address,
    isEncrypted: isTls || last(headers["x-forwarded-proto"]) === "https",
  };
}

export const LOGIN_COOKIE = "__Host-amplihack";
const SECRET = /^[A-Za-z0-9_-]{43}$/;

export function readCookie(request: IncomingMessage, wanted: string): string | undefined {
  const found = (request.headers.cookie ?? "")
    .split(";")
    .map(part => /^([^=]*)=(.*)$/s.exec(part.trim()) ?? [])
    .filter(([, name]) => name === wanted);
  // Two of one name: somebody else set one of them.
  const [, , value] = found.length === 1 ? (found[0] ?? []) : [];
  return value !== undefined && SECRET.test(value) ? value : undefined;
}

/** Undefined takes it away. */
export function setCookie(name: string, secret: string | undefined, seconds: number): string {
  const age = secret === undefined ? 0 : seconds;
  return `${name}=${secret ?? ""}; Path=/; Max-Age=${age}; Secure; HttpOnly; SameSite=Lax`;
}

/** The key of a machine, from its header; undefined where there is none. */
export function readBearer({ headers }: IncomingMessage): string | undefined {
  const [, key] = /^Bearer ([A-Za-z0-9_-]{43})$/.exec(headers.authorization ?? "") ?? [];
  return key;
}

/** PostgreSQL has no U+0000 in texts, and no half of a character. */
export function plain(text: string, length: number): string {
  return escapeControls(clip(text, length))
    .replaceAll("\0", "")
    .replace(/\p{Surrogate}/gu, "\u{fffd}");
}
