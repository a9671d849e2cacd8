import { BUILT_IN, loadConfig } from "../config/index.ts";
import { loadManifest } from "../install/index.ts";
import { errorText, type JsonObject, numberAt, objectAt, stringAt } from "../protocol/index.ts";
import { Problem, requireDirectories, type UserDirectories } from "../state/index.ts";
import { join, type System, writeAtomically } from "../system/index.ts";
import { addTokens, type TokenCount, totalTokens, type UsageEntry } from "../transcripts/index.ts";
import { loadRecordedUsage } from "../verify/index.ts";
import { version } from "../version.ts";
import { fixOfFailure, type JoinedServer, joinedFile, post } from "./joined-server.ts";
import {
  type Attempt,
  machineName,
  projectName,
  RETRYABLE,
  rowMaker,
  type TargetOptions,
  untilAcknowledged,
} from "./open-target.ts";
import { sendSpooled } from "./questions.ts";
import { takenPolicy, takePolicy } from "./server-policy.ts";
import type { ShipTarget } from "./ship.ts";

/** What was used on a day, of UTC, in one project with one model: sums and nothing of what was said. */
export interface UsageDay {
  readonly day: string;
  readonly project: string;
  readonly host: string;
  readonly model: string;
  readonly answers: number;
  readonly tokens: TokenCount;
  readonly cost: number;
  readonly unpriced: number;
}

export const MAX_USAGE_DAYS = 2_000;
const DAY_MS = 24 * 3_600_000;
/** Records are many, and a sum of an hour ago is new enough. */
const AGAIN_MS = 3_600_000;
const REQUEST_MS = 30_000;
const FIRST_DAYS = 35;
const AGAIN_DAYS = 2;
const NO_TOKENS: TokenCount = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** Tells the server what models cost here, once an hour. Nothing else waits for it, or fails with it. */
async function sendUsage(
  system: System,
  places: Pick<UserDirectories, "home" | "stateHome">,
  joined: JoinedServer,
  tell: (message: string) => void,
): Promise<void> {
  try {
    await sendDays(system, places, joined);
  } catch (error) {
    tell(`what models cost was not told to ${joined.url}: ${errorText(error)}`);
  }
}

/** Days are told whole, so that one that is told twice counts once. */
async function sendDays(
  system: System,
  { home, stateHome }: Pick<UserDirectories, "home" | "stateHome">,
  joined: JoinedServer,
): Promise<void> {
  const marker = join(stateHome, "ship", "usage-told");
  const toldMs = system.files.follow(marker)?.modifiedMs;
  const nowMs = system.clock.nowMs();
  if (toldMs !== undefined && nowMs - toldMs < AGAIN_MS) return;
  const days = toldMs === undefined ? FIRST_DAYS : AGAIN_DAYS + Math.ceil((nowMs - toldMs) / DAY_MS);
  const sinceMs = (Math.floor(nowMs / DAY_MS) - Math.min(days, FIRST_DAYS)) * DAY_MS;
  const { readRecordedUsage } = await loadRecordedUsage();
  const { prices } = loadConfig(system, { home, stateHome, projectRoot: undefined }).config;
  const { entries } = await readRecordedUsage(system, home, { prices, sinceMs });
  const sums = sumByDay(
    system,
    entries.filter(({ timeMs }) => timeMs >= sinceMs),
  );
  for (let start = 0; start < sums.length; start += MAX_USAGE_DAYS) {
    const usage = sums.slice(start, start + MAX_USAGE_DAYS);
    const { status } = await post(
      joined.url,
      "/api/v1/usage",
      { usage },
      { key: joined.key, timeoutMs: REQUEST_MS },
    );
    // A server of an earlier version knows no such address.
    if (status !== 200 && status !== 405) throw new Error(`it answered ${status}`);
  }
  writeAtomically(system, marker, new Uint8Array(), { mode: 0o600, directoryMode: 0o700 });
}

function sumByDay(system: System, entries: readonly UsageEntry[]): readonly UsageDay[] {
  const projects = new Map<string, string>();
  const sums = new Map<string, UsageDay>();
  for (const { timeMs, project: path = "", host, model = "", tokens, cost } of entries) {
    const project = projects.get(path) ?? projectName(system, path);
    projects.set(path, project);
    const day = new Date(timeMs).toISOString().slice(0, 10);
    const key = JSON.stringify([day, project, host, model]);
    const sum = sums.get(key) ?? {
      ...{ day, project, host, model },
      ...{ answers: 0, tokens: NO_TOKENS, cost: 0, unpriced: 0 },
    };
    sums.set(key, {
      ...sum,
      answers: sum.answers + 1,
      tokens: addTokens(sum.tokens, tokens),
      cost: sum.cost + (cost ?? 0),
      unpriced: sum.unpriced + (cost === undefined ? totalTokens(tokens) : 0),
    });
  }
  return [...sums.values()];
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
  const about = describeMachine(system, { home, stateHome }, options);
  let wanted: string | undefined;
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
        wanted = stringAt(answer.body, "serverPolicy");
        return { kind: "acknowledged" };
      }
      const why = `${place} answered ${answer.status}: ${stringAt(answer.body, "error") ?? ""}`;
      if (RETRYABLE.has(answer.status)) return { kind: "later", why, afterMs: answer.retryAfterMs };
      const fix =
        answer.status === 401
          ? `this machine's key is no longer valid: amplihack join ${joined.url}`
          : undefined;
      return { kind: "refused", why, fix };
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      return { kind: "later", why: `${place}: ${errorText(cause)}`, fix: fixOfFailure(cause) };
    }
  };
  const untilDone = (path: string, document: () => unknown) =>
    untilAcknowledged(joined.url, () => attempt(path, document), options);
  return {
    name: `server ${joined.url} ${joined.team}`,
    // Also without anything to send: the server sees that this machine is there, and under which policy.
    async prepare() {
      about.hosts = await registeredHosts(system, stateHome);
      await untilDone("/api/v1/seen", () => ({ ...about, anchor: joined.anchor }));
      await sendSpooled(system, stateHome, joined);
      await sendUsage(system, { home, stateHome }, joined, options.tell);
      const problem = await takePolicy(system, stateHome, wanted);
      if (problem !== undefined) options.tell(`the policy of ${joined.url} was not taken: ${problem}`);
      about.serverPolicy = takenPolicy(system, stateHome);
    },
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

/** What the server is told of this machine with every request; hosts are looked up before the first. */
function describeMachine(
  system: System,
  { home, stateHome }: Pick<UserDirectories, "home" | "stateHome">,
  { policy = "" }: TargetOptions,
) {
  const { autonomy = BUILT_IN.autonomy } = loadConfig(system, {
    home,
    stateHome,
    projectRoot: undefined,
  }).config;
  const hosts: readonly string[] = [];
  return { program: version, policy, autonomy, serverPolicy: takenPolicy(system, stateHome), hosts };
}

async function registeredHosts(system: System, stateHome: string): Promise<readonly string[]> {
  const { tryReadManifest } = await loadManifest();
  return [...new Set(tryReadManifest(system, { stateHome })?.hosts.map(({ host }) => host))];
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
    // The first key is kept; a different one means another server or a man in the middle.
    serverKey: joined.serverKey ?? stringAt(answer, "serverKey") ?? null,
    anchor: isSame && number !== undefined && hash !== undefined ? { number, hash } : joined.anchor,
  };
}
