import { errorText } from "../protocol/index.ts";
import { Problem, resolvePath } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { readClaim, type SessionClaim } from "./session-claim.ts";
import { readActiveSessions } from "./session-log.ts";

export type Nesting =
  | { readonly kind: "not-nested" }
  | {
      readonly kind: "nested";
      readonly sessionId: string;
      readonly depth: number;
      /** the session's process is gone, but not for long: it may be starting again */
      readonly isOwnerDead: boolean;
    }
  | { readonly kind: "stale"; readonly claim: SessionClaim };

interface NestingPlaces {
  readonly directory: string;
  readonly projectRoot: string;
  readonly home: string;
}

const STALE_AFTER_SECONDS = 60 * 60;
const DEFAULT_MAX_DEPTH = 6;
const MAX_DEPTH = 32;

/** Whether this launch happens inside another session: by the environment, the project's log, the user's claim. */
export function detectNesting(system: System, places: NestingPlaces, warn: (text: string) => void): Nesting {
  const announced = system.env.get("AMPLIHACK_SESSION_ID") ?? "";
  if (announced !== "") {
    return { kind: "nested", sessionId: announced, depth: announcedDepth(system), isOwnerDead: false };
  }
  const logged = findLogged(system, places, warn);
  if (logged !== undefined) return logged;
  const claim = readClaim(system, places.home, warn);
  if (claim === undefined) return { kind: "not-nested" };
  if (isAlive(system, claim))
    return { kind: "nested", sessionId: claim.sessionId, depth: 1, isOwnerDead: false };
  const ageSeconds = system.clock.nowMs() / 1000 - claim.timestamp;
  return ageSeconds > STALE_AFTER_SECONDS
    ? { kind: "stale", claim }
    : { kind: "nested", sessionId: claim.sessionId, depth: 1, isOwnerDead: true };
}

function findLogged(
  system: System,
  { directory, projectRoot }: NestingPlaces,
  warn: (text: string) => void,
): Nesting | undefined {
  try {
    const here = resolvePath(system.files, directory);
    const session = readActiveSessions(system, projectRoot).findLast(
      each => tryResolve(system, each.launchDirectory) === here && isAlive(system, each),
    );
    if (session === undefined) return undefined;
    const depth = session.parentSessionId === undefined ? 1 : 2;
    return { kind: "nested", sessionId: session.sessionId, depth, isOwnerDead: false };
  } catch (error) {
    warn(`the log of sessions is passed over: ${errorText(error)}`);
    return undefined;
  }
}

function isAlive(
  system: System,
  { pid, pidStart }: { readonly pid: number; readonly pidStart: string | undefined },
): boolean {
  const found = system.processes.look(pid);
  if (found === undefined) return false;
  return pidStart === undefined || found.start === undefined || found.start === pidStart;
}

function tryResolve(system: System, path: string): string {
  try {
    return resolvePath(system.files, path);
  } catch {
    return path;
  }
}

/** A depth that cannot be read counts as the deepest: whatever made it must not go on. */
function announcedDepth(system: System): number {
  const text = system.env.get("AMPLIHACK_DEPTH")?.trim() ?? "";
  if (text === "") return 1;
  return /^\d{1,6}$/.test(text) ? Number(text) : depthLimit(system);
}

function depthLimit(system: System): number {
  const text = system.env.get("AMPLIHACK_MAX_DEPTH")?.trim() ?? "";
  if (text === "") return DEFAULT_MAX_DEPTH;
  if (/^[1-9]\d{0,8}$/.test(text)) return Math.min(Number(text), MAX_DEPTH);
  throw new Problem("AMPLIHACK_MAX_DEPTH is not usable: expected a whole number of at least 1", {
    kind: "environment",
    fix: `set AMPLIHACK_MAX_DEPTH to a number up to ${MAX_DEPTH}, or unset it`,
  });
}

/** The depth of the session about to start; refuses one that lies too deep. */
export function nextDepth(system: System, nesting: Nesting): number {
  const depth = nesting.kind === "nested" ? nesting.depth + 1 : 1;
  const limit = depthLimit(system);
  if (depth <= limit) return depth;
  throw new Problem(`sessions are nested too deeply: this would be number ${depth} of at most ${limit}`, {
    kind: "too-deep",
    fix: "end a session, or raise AMPLIHACK_MAX_DEPTH",
  });
}
