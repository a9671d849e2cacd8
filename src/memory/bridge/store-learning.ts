import type { StoreReply, StoreRequest } from "../../hooks/index.ts";
import { firstCharacters } from "../../text/index.ts";
import { type Entry, entryText, isUserMessage } from "../../transcripts/index.ts";
import { contentFingerprint } from "../content-fingerprint.ts";
import { composeLearning, LearningCollector } from "../learning.ts";
import type { LearntNote } from "../learnt/note.ts";
import { SessionNotes } from "../learnt/session-notes.ts";
import { ANY_AGENT, type MemoryDraft, TEXT_LIMITS } from "../memory.ts";
import { projectScopes } from "../memory-place.ts";
import { openStore } from "../open-store.ts";
import { stepsOf } from "../reflection/steps.ts";
import { LEARNED_PREFIX, learnedRetention } from "../retention.ts";
import { shortHash } from "../short-hash.ts";
import { teamOrigin } from "../sync/team-origin.ts";
import { type BridgeContext, readSession } from "./bridge-context.ts";

const PATIENCE_MS = 8_000;
const MAX_LEARNING_LENGTH = 500;
const ROOM_FOR_TASK = 140;
const SPEAKERS: ReadonlySet<string> = new Set(["user", "assistant"]);

/** Keeps what a session learnt, once: the same said again only makes it recent. */
export async function storeLearning(request: StoreRequest, context: BridgeContext): Promise<StoreReply> {
  const { system, databasePath, projectRoot } = context;
  const notes = findLearnings(request, context);
  if (notes.length === 0) return { stored: false, memories_count: 0 };
  const [project] = projectScopes(system, context, projectRoot);
  const origin = teamOrigin(context.config);
  const store = await openStore(system, databasePath, { patienceMs: PATIENCE_MS, origin });
  try {
    for (const { category, text } of notes) {
      const draft: MemoryDraft = {
        project,
        agent: named(request.agent_type, "agent") ?? ANY_AGENT,
        session: named(request.session_id, "session") ?? "",
        key: LEARNED_PREFIX + shortHash(JSON.stringify([project, contentFingerprint(text)])),
        value: text,
        type: "text",
        category,
      };
      await store.remember(draft, learnedRetention(system.clock.nowMs()));
    }
  } finally {
    store.close();
  }
  return { stored: true, memories_count: notes.length };
}

/**
 * The hook sends the beginning of a transcript when it was told no more; then what the session shows it learnt says
 * more, and the beginning is kept only when there is nothing else. Text that was told on purpose is kept as it is.
 */
function findLearnings(request: StoreRequest, context: BridgeContext): readonly LearntNote[] {
  const told = request.content?.trim() ?? "";
  const session = readLearnings(readSession(context, request.transcript_path));
  const isBeginning = told === "" || session.beginning.startsWith(told);
  const found = isBeginning ? session.found : "";
  const notes = session.notes.filter(({ text }) => !found.includes(text.replace(/^[^:]*: /, "")));
  const text = composeLearning(
    {
      told: isBeginning && notes.length > 0 ? "" : told || session.beginning,
      found,
      task: request.task?.trim() || session.task,
      isSuccess: request.success ?? true,
    },
    MAX_LEARNING_LENGTH,
  );
  return [...(text === undefined ? [] : [{ category: "learning", text } as const]), ...notes];
}

interface SessionLearnings {
  readonly beginning: string;
  readonly found: string;
  readonly task: string;
  readonly notes: readonly LearntNote[];
}

function readLearnings(entries: Iterable<Entry>): SessionLearnings {
  const collector = new LearningCollector();
  const notes = new SessionNotes();
  let beginning = "";
  let task = "";
  for (const step of stepsOf(watch())) notes.see(step);
  const found = collector.summary(MAX_LEARNING_LENGTH - ROOM_FOR_TASK);
  return { beginning, found, task, notes: notes.notes() };

  function* watch(): Generator<Entry> {
    for (const entry of entries) {
      collector.see(entry);
      const said = entryText(entry).trim();
      const isSaid = said !== "" && !entry.isSynthetic && SPEAKERS.has(entry.role);
      if (isSaid && beginning.length < MAX_LEARNING_LENGTH * 2)
        beginning = beginning === "" ? said : `${beginning}\n${said}`;
      if (task === "" && isUserMessage(entry)) task = said;
      yield entry;
    }
  }
}

function named(text: string | undefined, member: "agent" | "session"): string | undefined {
  const name = firstCharacters(text?.trim() ?? "", TEXT_LIMITS[member]);
  return name === "" ? undefined : name;
}
