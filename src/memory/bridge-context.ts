import { isReadablePlace } from "../hooks/index.ts";
import { canonicalToolName, HOST_LIST } from "../hosts/index.ts";
import { isAbsolute, type System } from "../system/index.ts";
import { firstCharacters } from "../text/index.ts";
import { type Entry, readTranscript } from "../transcripts/index.ts";
import { type Memory, MemoryError, type MemoryStore, type MemoryUse, TEXT_LIMITS } from "./memory.ts";
import type { MemoryPlace } from "./memory-place.ts";

/** What answers to bridge requests need besides the request. */
export interface BridgeContext extends MemoryPlace {
  readonly system: System;
  /** for the log of the hook that asks */
  warn(message: string): void;
}

/** Readers of session files leave the rest of their time to what comes after. */
const READING_MS = 4_000;

/**
 * The entries of a session file; none when there is no such file. Reading ends, with a warning, when it takes
 * too long.
 */
export function* readSession(context: BridgeContext, path: string | null): Generator<Entry> {
  const { system, warn } = context;
  if (path === null) return;
  if (!isAbsolute(path) || !isReadablePlace(context, path)) {
    throw new MemoryError(
      "invalid",
      "the transcript is not in the project, the home or a temporary directory",
    );
  }
  if (system.files.follow(path)?.kind !== "file") {
    warn("there is no transcript at the given path");
    return;
  }
  const deadline = system.clock.monotonicMs() + READING_MS;
  for (const entry of readTranscript(system, path, anyToolName)) {
    if (system.clock.monotonicMs() > deadline) {
      warn("the transcript is long; only its beginning was read");
      return;
    }
    yield entry;
  }
}

/** Hosts whose session files can be read; a file does not say whose it is. */
const RECORDING = HOST_LIST.filter(host => host.recordsSessions === true);

/** The canonical name of a tool in the session file of any host. */
function anyToolName(name: string): string {
  for (const host of RECORDING) {
    const canonical = canonicalToolName(host, name, {});
    if (canonical !== name) return canonical;
  }
  return name;
}

/** About 2000 tokens: what the memories of one agent may take of a prompt. */
export const MAX_AGENT_CHARACTERS = 8_000;

/** How many of the lines, from the first on, fit into the room: a line is in it completely or not at all. */
export function countFitting(lines: readonly string[], room: number): number {
  let used = 0;
  const tooMuch = lines.findIndex(line => {
    used += line.length + 1;
    return used > room;
  });
  return tooMuch < 0 ? lines.length : tooMuch;
}

/** Hooks say this when they know no session; it stands for none in particular. */
const NO_SESSION = "unknown";

/** The session as memories and uses have it; empty when it is not known. */
export function sessionName(given: string): string {
  const name = firstCharacters(given.trim(), TEXT_LIMITS.session);
  return name === NO_SESSION ? "" : name;
}

/** What cannot be noted is told and given all the same: then it may come again. */
export async function recordUse(
  store: MemoryStore,
  { warn }: BridgeContext,
  memories: readonly Memory[],
  use: MemoryUse,
): Promise<void> {
  if (use.occasion === "start" && use.session === "") return;
  try {
    await store.recordUse(memories, use);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    warn(`what was recalled could not be noted: ${error.message}`);
  }
}
