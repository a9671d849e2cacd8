import { BUILT_IN, loadConfig } from "../config/index.ts";
import { loadManifest } from "../install/index.ts";
import { errorText, type JsonObject, numberAt, objectAt, stringAt } from "../protocol/index.ts";
import { Problem, requireDirectories, type UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { version } from "../version.ts";
import { fixOfFailure, type JoinedServer, joinedFile, post } from "./joined-server.ts";
import {
  type Attempt,
  machineName,
  RETRYABLE,
  rowMaker,
  type TargetOptions,
  untilAcknowledged,
} from "./open-target.ts";
import { sendSpooled } from "./questions.ts";
import { takenPolicy, takePolicy } from "./server-policy.ts";
import type { ShipTarget } from "./ship.ts";
import { sendUsage } from "./usage.ts";

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
    // The first one stays: another server, or somebody in between, tells another.
    serverKey: joined.serverKey ?? stringAt(answer, "serverKey") ?? null,
    anchor: isSame && number !== undefined && hash !== undefined ? { number, hash } : joined.anchor,
  };
}
