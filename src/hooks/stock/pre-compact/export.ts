import { isJsonObject, type Json } from "../../../protocol/index.ts";
import { join, type System } from "../../../system/index.ts";
import { type Entry, type MessagePart, messageHeading, RULE, timeLine } from "../../../transcripts/index.ts";
import { StreamedFile } from "./streamed-file.ts";

export const MARKDOWN_NAME = "CONVERSATION_TRANSCRIPT.md";
const RECORD_NAME = "conversation_transcript.jsonl";

export interface Exported {
  readonly messages: number;
  readonly path: string;
}

/**
 * Writes a conversation as Markdown for people and as one message per line for programs. Messages come one at a
 * time and are forgotten, so that the length of a session does not matter; `visit` sees each of them.
 */
export function exportConversation(
  system: System,
  directory: string,
  heading: { readonly sessionId: string; readonly time: string },
  entries: Iterable<Entry>,
  visit: (entry: Entry) => void,
): Exported {
  const path = join(directory, MARKDOWN_NAME);
  const open: StreamedFile[] = [];
  const start = (name: string) => {
    const file = new StreamedFile(system, join(directory, name));
    open.push(file);
    return file;
  };
  try {
    const whole = start(MARKDOWN_NAME);
    const body = start(`${MARKDOWN_NAME}.body`);
    const record = start(RECORD_NAME);
    let messages = 0;
    for (const entry of entries) {
      messages++;
      visit(entry);
      body.write(renderMessage(entry, messages));
      record.write(`${JSON.stringify(recordOf(entry))}\n`);
    }
    whole.write(renderHeader(heading, messages));
    body.moveInto(whole);
    record.finish();
    whole.finish();
    return { messages, path };
  } catch (error) {
    for (const file of open) file.discard();
    throw error;
  }
}

function renderHeader(
  heading: { readonly sessionId: string; readonly time: string },
  messages: number,
): string {
  return [
    `# Conversation Transcript - Session ${heading.sessionId}`,
    "",
    `**Exported**: ${heading.time}`,
    `**Messages**: ${messages}`,
    "",
    RULE,
    "",
    "",
  ].join("\n");
}

function renderMessage(entry: Entry, number: number): string {
  const text = entry.parts.map(renderPart).join("\n");
  return [messageHeading(number, entry.role), timeLine(entry.timestamp), "", text, "", RULE, "", ""].join(
    "\n",
  );
}

/** Tools are summarised by name: their text is in the host's own file. */
function renderPart(part: MessagePart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "tool-use":
      return `[Tool: ${part.name}]`;
    case "tool-result":
      return "[Tool result]";
  }
}

const KEPT_CHARACTERS = 4_000;
const KEPT_DEPTH = 6;

/** One message in Claude Code's form, with long tool texts cut in the middle. */
function recordOf(entry: Entry): Json {
  const { role, timestamp = null, parts } = entry;
  const [only] = parts;
  if (parts.length === 0) return { role, content: "", timestamp };
  if (parts.length === 1 && only?.kind === "text") return { role, content: only.text, timestamp };
  return { role, content: parts.map(blockOf), timestamp };
}

function blockOf(part: MessagePart): Json {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "tool-use":
      return {
        type: "tool_use",
        id: part.id ?? null,
        name: part.name,
        input: shorten(part.input, KEPT_DEPTH),
      };
    case "tool-result":
      return { type: "tool_result", tool_use_id: part.id ?? null, content: cutMiddle(part.text) };
  }
}

function shorten(value: Json, depth: number): Json {
  if (typeof value === "string") return cutMiddle(value);
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map(item => shorten(item, depth - 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member, depth - 1)]));
}

function cutMiddle(text: string): string {
  if (text.length <= KEPT_CHARACTERS) return text;
  const half = KEPT_CHARACTERS / 2;
  return `${text.slice(0, half)}\n[…]\n${text.slice(-half)}`;
}
