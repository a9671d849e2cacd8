import type { StoreReply, StoreRequest } from "../../hooks/bridge/contracts.ts";
import { type Entry, entryText, isUserMessage } from "../../hooks/transcript/entry.ts";
import { firstCharacters } from "../../hooks/words.ts";
import { composeLearning, LearningCollector } from "../learning.ts";
import { ANY_AGENT, type MemoryDraft, TEXT_LIMITS } from "../memory.ts";
import { projectScope } from "../memory-place.ts";
import { openStore } from "../open-store.ts";
import { LEARNED_PREFIX, learnedRetention } from "../retention.ts";
import { shortHash } from "../short-hash.ts";
import { contentFingerprint } from "../sqlite-rows.ts";
import { type BridgeContext, readSession } from "./bridge-context.ts";

const PATIENCE_MS = 8_000;
const MAX_LEARNING_LENGTH = 500;
const ROOM_FOR_TASK = 140;

/** Keeps what a session learnt, once: the same said again only makes it recent. */
export async function storeLearning(request: StoreRequest, context: BridgeContext): Promise<StoreReply> {
  const { system, databasePath, projectRoot } = context;
  const value = findLearning(request, context);
  if (value === undefined) return { stored: false, memories_count: 0 };
  const project = projectScope(system, projectRoot);
  const draft: MemoryDraft = {
    project,
    agent: named(request.agent_type, "agent") ?? ANY_AGENT,
    session: named(request.session_id, "session") ?? "",
    key: LEARNED_PREFIX + shortHash(JSON.stringify([project, contentFingerprint(value)])),
    value,
    type: "text",
    category: "learning",
  };
  const store = await openStore(system, databasePath, { patienceMs: PATIENCE_MS });
  try {
    await store.remember(draft, learnedRetention(system.clock.nowMs()));
  } finally {
    store.close();
  }
  return { stored: true, memories_count: 1 };
}

/**
 * The hook sends the beginning of a transcript when it was told no more; then what the agent said it found out
 * says more. Text that was told on purpose is kept as it is.
 */
function findLearning(request: StoreRequest, context: BridgeContext): string | undefined {
  const told = request.content?.trim() ?? "";
  const session = readLearnings(readSession(context, request.transcript_path));
  const isBeginning = told === "" || session.beginning.startsWith(told);
  return composeLearning(
    {
      told: told === "" ? session.beginning : told,
      found: isBeginning ? session.found : "",
      task: request.task?.trim() || session.task,
      isSuccess: request.success ?? true,
    },
    MAX_LEARNING_LENGTH,
  );
}

interface SessionLearnings {
  readonly beginning: string;
  readonly found: string;
  readonly task: string;
}

function readLearnings(entries: Iterable<Entry>): SessionLearnings {
  const collector = new LearningCollector();
  let beginning = "";
  let task = "";
  for (const entry of entries) {
    collector.see(entry);
    const said = entryText(entry).trim();
    if (said === "" || entry.isSynthetic || (entry.role !== "user" && entry.role !== "assistant")) continue;
    if (beginning.length < MAX_LEARNING_LENGTH * 2)
      beginning = beginning === "" ? said : `${beginning}\n${said}`;
    if (task === "" && isUserMessage(entry)) task = said;
  }
  return { beginning, found: collector.summary(MAX_LEARNING_LENGTH - ROOM_FOR_TASK), task };
}

function named(text: string | undefined, member: "agent" | "session"): string | undefined {
  const name = firstCharacters(text?.trim() ?? "", TEXT_LIMITS[member]);
  return name === "" ? undefined : name;
}
