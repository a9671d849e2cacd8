import {
  ALL_PROJECTS,
  checkTexts,
  findMemoryPlace,
  type Memory,
  type MemoryReader,
  openReader,
  openStore,
  projectScopes,
  type RankedMemory,
  rankByWords,
  teamOrigin,
} from "../memory/index.ts";
import { Problem } from "../state/index.ts";
import { redact } from "../text/index.ts";
import type { ServerContext } from "./tool.ts";

/** The memory store as the tools need it. It is opened for each call, so that others can use it in between. */

/** A client waits about a minute for an answer. */
const PATIENCE_MS = 10_000;

export interface MemoryName {
  readonly agent: string;
  readonly session: string | undefined;
  readonly key: string;
}

/** The best matches of this project and of what counts for every project; of all projects when asked. */
export async function searchMemories(
  context: ServerContext,
  words: string,
  options: {
    readonly agent: string | undefined;
    readonly isEverywhere: boolean;
    readonly limit: number;
  },
): Promise<readonly RankedMemory[]> {
  const { system } = context;
  const { databasePath, scopes } = placeOf(context);
  const { agent, isEverywhere, limit } = options;
  const filter = { agent, ...(isEverywhere ? {} : { projects: [...scopes, ALL_PROJECTS] }) };
  return withOpen(openReader(system, databasePath, { patienceMs: PATIENCE_MS }), async reader => {
    return rankByWords(reader, words, filter, { limit, nowMs: system.clock.nowMs() });
  });
}

/** Stores for this project. The session says where it came from, so that it replaces nothing of another source. */
export async function storeMemory(
  context: ServerContext,
  draft: Pick<Memory, "agent" | "session" | "key" | "value" | "category">,
): Promise<{ readonly memory: Memory; readonly isNew: boolean }> {
  const { databasePath, scopes, config } = placeOf(context);
  const options = { patienceMs: PATIENCE_MS, origin: teamOrigin(config) };
  const memory = { ...draft, value: redact(draft.value), project: scopes[0], type: "text" } as const;
  checkTexts(memory);
  return withOpen(openStore(context.system, databasePath, options), store => store.put(memory));
}

/** The one memory of that name; a `Problem` when there is none, or when several sessions have one. */
export async function findMemory(context: ServerContext, name: MemoryName): Promise<Memory> {
  const { databasePath } = placeOf(context);
  const found = await withOpen(
    openReader(context.system, databasePath, { patienceMs: PATIENCE_MS }),
    reader => reader.list(name, "name"),
  );
  const [first, second] = found;
  if (first === undefined)
    throw new Problem(`agent '${name.agent}' has no memory of that key`, { kind: "not-found" });
  if (second !== undefined)
    throw new Problem(`${found.length} sessions have a memory of that key`, {
      kind: "ambiguous",
      causes: found.slice(0, 10).map(({ session }) => `session '${session}'`),
      fix: "name the session",
    });
  return first;
}

export async function forgetMemory(context: ServerContext, memory: Memory): Promise<boolean> {
  const { databasePath } = placeOf(context);
  const removed = await withOpen(
    openStore(context.system, databasePath, { patienceMs: PATIENCE_MS }),
    store => store.remove([memory]),
  );
  return removed > 0;
}

function placeOf({ system, warn }: ServerContext) {
  const place = findMemoryPlace(system, warn);
  return { ...place, scopes: projectScopes(system, place, place.projectRoot) };
}

async function withOpen<S extends MemoryReader, T>(
  opening: Promise<S>,
  work: (store: S) => Promise<T>,
): Promise<T> {
  const store = await opening;
  try {
    return await work(store);
  } finally {
    store.close();
  }
}
