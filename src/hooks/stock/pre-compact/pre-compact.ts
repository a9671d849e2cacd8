import {
  type Effect,
  errorText,
  type InputOf,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../../protocol/index.ts";
import { AtomicJsonFile, compactTimestamp } from "../../../state/index.ts";
import { join, SystemError } from "../../../system/index.ts";
import { countCharacters } from "../../../text/index.ts";
import {
  type Entry,
  entryText,
  isUserMessage,
  type Naming,
  readMessages,
  readTranscript,
  toolNaming,
} from "../../../transcripts/index.ts";
import { attempt, defineHook, type HookContext } from "../../program/hook-context.ts";
import type { HookDefinition } from "../../program/hook-program.ts";
import { keepRequest } from "../original-request.ts";
import { exportConversation, StreamedFile } from "./export.ts";

const REQUEST_LENGTH = 50;
const KEPT_COPIES = 20;

/** Keeps the whole conversation before the host shortens it. Never blocks. */
export const preCompact = defineHook("pre-compact", "compact", keepConversation);

export const definition: HookDefinition = { hook: preCompact };

function keepConversation(input: InputOf<"compact">, context: HookContext): Effect | undefined {
  if (!context.hasPart("transcripts")) return undefined;
  const directory = context.path("logs", context.sessionFilesId());
  context.prepare();
  try {
    const event = exportSession(input, context, directory);
    context.metric("messages_exported", event.messages_exported);
    context.metric("compaction_events", 1);
    context.metric("transcript_exported", true);
    return tellClaude({
      status: "success",
      message: `${event.messages_exported} messages were kept before the compaction`,
      transcript_path: event.transcript_path,
      metadata: { ...event },
    });
  } catch (error) {
    context.metric("transcript_exported", false);
    context.report(`the conversation was not exported: ${errorText(error)}`);
    return tellClaude({
      status: "error",
      message: "the conversation was not exported before the compaction",
      error: errorText(error),
    });
  }
}

function tellClaude(members: JsonObject): Effect {
  return { extras: { claude: members } };
}

function exportSession(input: InputOf<"compact">, context: HookContext, directory: string): CompactionEvent {
  const { system } = context;
  const sessionId = context.sessionFilesId();
  const timestamp = context.nowText();
  let request: string | undefined;
  const exported = exportConversation(
    system,
    directory,
    { sessionId, time: timestamp },
    readEntries(input, context),
    entry => {
      if (
        request === undefined &&
        isUserMessage(entry) &&
        countCharacters(entryText(entry)) > REQUEST_LENGTH
      ) {
        request = entryText(entry);
      }
    },
  );
  if (request !== undefined) keepRequest(context, request);
  keepCopy(context, directory, exported.path);
  const event: CompactionEvent = {
    timestamp,
    session_id: sessionId,
    messages_exported: exported.messages,
    transcript_path: exported.path,
    original_request_preserved: request !== undefined,
    compaction_trigger: input.trigger ?? "unknown",
  };
  addCompactionEvent(context, directory, event);
  return event;
}

/** The host's file, else the messages in the payload. */
function* readEntries(input: InputOf<"compact">, context: HookContext): Generator<Entry> {
  const name = toolNaming(input.host);
  const hasEntries = yield* transcriptEntries(input.transcriptPath, name, context);
  if (hasEntries) return;
  const conversation = readMessages(input.conversation, name);
  yield* conversation.length > 0 ? conversation : readMessages(input.messages, name);
}

/** True when the file had any message. One that cannot be read, or only in part, is told and ends nothing. */
function* transcriptEntries(
  path: string | undefined,
  name: Naming,
  context: HookContext,
): Generator<Entry, boolean> {
  if (path === undefined) return false;
  const count = { lines: 0, unreadable: 0 };
  let hasEntries = false;
  try {
    if (!path.startsWith("/") || context.system.files.follow(path)?.kind !== "file") {
      context.log("WARNING", "transcript_path names no file; the payload's own messages are taken");
      return false;
    }
    for (const entry of readTranscript(context.system, path, name, count)) {
      hasEntries = true;
      yield entry;
    }
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    context.report(`the transcript could not be read: ${error.message}`);
  }
  if (count.unreadable > 0)
    context.log("WARNING", `${count.unreadable} lines of the transcript were unreadable`);
  return hasEntries;
}

/** One copy per compaction, of which the newest are kept; a failure here costs nothing but the copy. */
function keepCopy(context: HookContext, directory: string, path: string): void {
  const { system } = context;
  const copies = join(directory, "transcripts");
  attempt(context, "the transcript was not copied", () => {
    const stamp = compactTimestamp(system.clock.nowMs());
    const copy = new StreamedFile(system, join(copies, `conversation_${stamp}.md`));
    try {
      copy.writeFileContent(path);
      copy.finish();
    } finally {
      copy.discard();
    }
    const names = system.files.list(copies).filter(name => /^conversation_.*\.md$/.test(name));
    for (const old of [...names].sort().reverse().slice(KEPT_COPIES)) system.files.remove(join(copies, old));
  });
}

interface CompactionEvent {
  readonly timestamp: string;
  readonly session_id: string;
  readonly messages_exported: number;
  readonly transcript_path: string;
  readonly original_request_preserved: boolean;
  readonly compaction_trigger: string;
}

const NAME = "compaction_events.json";

/** Appends to the session's list; a list that cannot be read is set aside and a new one begins. */
function addCompactionEvent(context: HookContext, directory: string, event: CompactionEvent): void {
  const list = new AtomicJsonFile<readonly JsonObject[]>(join(directory, NAME), {
    system: context.system,
    parse: parseEvents,
  });
  list.update(events => [...events, { ...event }], [], {
    onMalformed: "set-aside",
    onSetAside: () => context.report(`${NAME} was malformed; it was set aside and a new list begins`),
  });
}

function parseEvents(value: Json): readonly JsonObject[] {
  if (!Array.isArray(value) || !value.every(isJsonObject)) throw new Error("it must be a list of objects");
  return value;
}
