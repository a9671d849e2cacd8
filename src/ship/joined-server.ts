import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  parseJsonObject,
  StrictMembers,
  stringAt,
} from "../protocol/index.ts";
import { AtomicJsonFile, Problem } from "../state/index.ts";
import { isLoopback, join, type System } from "../system/index.ts";
import { version } from "../version.ts";

/** A machine of a team: where its server is, and the key that only this machine has. */
export interface JoinedServer {
  readonly url: string;
  readonly team: string;
  readonly person: string;
  readonly key: string;
  /** the newest link of the chain over what was shipped, as the server told it: it must never become another */
  readonly anchor: { readonly number: number; readonly hash: string } | null;
  /** what the server signs with, as it was told first; null until it was */
  readonly serverKey: string | null;
}

/** A policy is at most 256 KiB, and longer as JSON. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const compress = promisify(gzip);

/** `~A/server.json`, for the person alone. */
export function joinedFile(system: System, stateHome: string): AtomicJsonFile<JoinedServer> {
  return new AtomicJsonFile(join(stateHome, "server.json"), { system, parse: parseJoined, mode: 0o600 });
}

function parseJoined(value: Json): JoinedServer {
  const members = new StrictMembers(value);
  const anchor = objectAt(value, "anchor");
  const [number, hash] = [numberAt(anchor, "number"), stringAt(anchor, "hash")];
  return {
    url: members.string("url"),
    team: members.string("team"),
    person: members.string("person"),
    key: members.string("key"),
    anchor: number === undefined || hash === undefined ? null : { number, hash },
    serverKey: stringAt(value, "serverKey") ?? null,
  };
}

/** The address of a server, as a person types it. Throws `usage`. */
export function readServerUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  const isBare = url !== undefined && url.pathname === "/" && url.search === "" && url.hash === "";
  if (url === undefined || !isHttp || !isBare || url.username !== "" || url.password !== "")
    throw new Problem("the address of a server is https://HOST or https://HOST:PORT", {
      kind: "usage",
      fix: "amplihack join https://agents.acme.example",
      exitCode: 2,
    });
  // A key that others can read on the way is everybody's.
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new Problem(`${url.host} would be reached without encryption, and the machine's key with it`, {
      kind: "usage",
      fix: `amplihack join https://${url.host}`,
      exitCode: 2,
    });
  return url;
}

/** Who can mend what keeps this machine from a server: it may answer, with a certificate that is not trusted here. */
export function fixOfFailure(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "CERT_HAS_EXPIRED") return "let whoever runs the server renew its certificate";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "name the server as its certificate does";
  if (/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code))
    return "NODE_EXTRA_CA_CERTS=FILE names your own authority, for all commands";
  return undefined;
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly retryAfterMs: number | undefined;
}

/** Posts a document, compressed. Throws when the server does not answer. */
export async function post(
  base: string,
  path: string,
  document: unknown,
  {
    key,
    timeoutMs,
    signal,
    maxBytes = MAX_ANSWER_BYTES,
  }: {
    readonly key?: string;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal;
    readonly maxBytes?: number;
  },
): Promise<Answer> {
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal?.addEventListener("abort", abort);
  try {
    const response = await fetch(new URL(path, base), {
      method: "POST",
      redirect: "error",
      signal: limit.signal,
      body: await compress(JSON.stringify(document)),
      headers: {
        "content-type": "application/json",
        "content-encoding": "gzip",
        "user-agent": `amplihack/${version}`,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
    });
    const text = (await response.text()).slice(0, maxBytes);
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    return {
      status: response.status,
      body: parseJsonObject(text, 10) ?? {},
      retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
