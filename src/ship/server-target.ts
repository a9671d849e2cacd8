import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { BUILT_IN, loadConfig } from "../config/index.ts";
import {
  errorText,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  parseJsonObject,
  StrictMembers,
  stringAt,
} from "../protocol/index.ts";
import { AtomicJsonFile, Problem, requireDirectories } from "../state/index.ts";
import { isLoopback, join, type System } from "../system/index.ts";
import { version } from "../version.ts";
import {
  type Attempt,
  machineName,
  RETRYABLE,
  rowMaker,
  type TargetOptions,
  untilAcknowledged,
} from "./open-target.ts";
import type { ShipTarget } from "./ship.ts";

/** A machine of a team: where its server is, and the key that only this machine has. */
export interface JoinedServer {
  readonly url: string;
  readonly team: string;
  readonly person: string;
  readonly key: string;
  /** the newest link of the chain over what was shipped, as the server told it: it must never become another */
  readonly anchor: { readonly number: number; readonly hash: string } | null;
}

const MAX_ANSWER_BYTES = 64 * 1024;
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

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly retryAfterMs: number | undefined;
}

/** Posts a document, compressed. Throws where nobody answers. */
export async function post(
  base: string,
  path: string,
  document: unknown,
  {
    key,
    timeoutMs,
    signal,
  }: { readonly key?: string; readonly timeoutMs: number; readonly signal?: AbortSignal },
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
    const text = (await response.text()).slice(0, MAX_ANSWER_BYTES);
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

/** The team's server. A batch that comes twice changes nothing there. */
export function serverTarget(system: System, options: TargetOptions): ShipTarget {
  const { stateHome, home } = requireDirectories(system);
  const file = joinedFile(system, stateHome);
  const first = file.read();
  if (first === undefined)
    throw new Problem("this machine has joined no server", {
      kind: "usage",
      fix: "amplihack join https://agents.acme.example",
      exitCode: 2,
    });
  let joined = first;
  const toRows = rowMaker(system, options);
  const autonomy = loadConfig(system, { home, stateHome, projectRoot: undefined }).config.autonomy;
  const about = { program: version, policy: options.policy ?? "", autonomy: autonomy ?? BUILT_IN.autonomy };
  const keep = (changed: JoinedServer): void => {
    file.write(changed);
    joined = changed;
  };
  const attempt = async (path: string, document: () => unknown): Promise<Attempt> => {
    const place = new URL(path, joined.url).href;
    try {
      const { key } = joined;
      const answer = await post(joined.url, path, document(), { ...options, key });
      if (answer.status === 200) {
        checkAnchor(answer.body, joined, options.tell);
        keep(afterAnswer(answer.body, joined));
        return { kind: "acknowledged" };
      }
      const why = `${place} answered ${answer.status}: ${stringAt(answer.body, "error") ?? ""}`;
      if (RETRYABLE.has(answer.status)) return { kind: "later", why, afterMs: answer.retryAfterMs };
      const fix =
        answer.status === 401
          ? `this machine's key does not count any more: amplihack join ${joined.url}`
          : undefined;
      return { kind: "refused", why, fix };
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      return { kind: "later", why: `${place}: ${errorText(cause)}`, afterMs: undefined };
    }
  };
  const untilDone = (path: string, document: () => unknown) =>
    untilAcknowledged(joined.url, () => attempt(path, document), options);
  return {
    name: `server ${joined.url} ${joined.team}`,
    // Also without anything to send: the server sees that this machine is there, and under which policy.
    prepare: () => untilDone("/api/v1/seen", () => ({ ...about, anchor: joined.anchor })),
    send: batch =>
      untilDone("/api/v1/records", () => ({
        ...about,
        machine: machineName(system),
        anchor: joined.anchor,
        head: batch.head,
        rows: toRows(batch),
      })),
    close: () => Promise.resolve(),
  };
}

/** A server that cannot show the link which it told before has another past now. */
function checkAnchor(
  answer: JsonObject,
  { anchor, url }: JoinedServer,
  tell: (message: string) => void,
): void {
  const kept = stringAt(answer, "anchorHash");
  if (anchor === null || kept === anchor.hash) return;
  tell(
    `what was shipped to ${url} is not what it was: link ${anchor.number} of its chain was ${anchor.hash.slice(0, 12)}… and is ${kept === undefined ? "gone" : `${kept.slice(0, 12)}…`} now`,
  );
}

function afterAnswer(answer: JsonObject, joined: JoinedServer): JoinedServer {
  const anchor = objectAt(answer, "anchor");
  const [number, hash] = [numberAt(anchor, "number"), stringAt(anchor, "hash")];
  // The first that differs stays, and is told at every round, until a person has looked.
  const isSame = joined.anchor === null || stringAt(answer, "anchorHash") === joined.anchor.hash;
  return {
    ...joined,
    key: stringAt(answer, "key") ?? joined.key,
    anchor: isSame && number !== undefined && hash !== undefined ? { number, hash } : joined.anchor,
  };
}
