import { loadConfig } from "../config/index.ts";
import { errorText } from "../protocol/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { join, type System, writeAtomically } from "../system/index.ts";
import { addTokens, type TokenCount, totalTokens, type UsageEntry } from "../transcripts/index.ts";
import { loadRecordedUsage } from "../verify/index.ts";
import { type JoinedServer, post } from "./joined-server.ts";
import { projectName } from "./open-target.ts";

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
export async function sendUsage(
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
