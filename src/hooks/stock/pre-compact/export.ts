import { isJsonObject, type Json } from "../../../protocol/index.ts";
import { listReadable, removeIfThere, runtimePath } from "../../../state/index.ts";
import { basename, dirname, join, type System } from "../../../system/index.ts";
import { type Entry, type MessagePart, messageHeading, RULE, timeLine } from "../../../transcripts/index.ts";

const MARKDOWN_NAME = "CONVERSATION_TRANSCRIPT.md";
const RECORD_NAME = "conversation_transcript.jsonl";

interface Exported {
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
      record.write(`${JSON.stringify(toRecord(entry))}\n`);
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
function toRecord(entry: Entry): Json {
  const { role, timestamp = null, parts } = entry;
  const [only] = parts;
  if (parts.length === 0) return { role, content: "", timestamp };
  if (parts.length === 1 && only?.kind === "text") return { role, content: only.text, timestamp };
  return { role, content: parts.map(toBlock), timestamp };
}

function toBlock(part: MessagePart): Json {
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

const BATCH_CHARACTERS = 256 * 1024;
const COPY_BYTES = 512 * 1024;

/** A file that is written piece by piece beside its place and appears there whole, or not at all. */
export class StreamedFile {
  readonly path: string;
  private readonly temporary: string;
  private readonly system: System;
  private batch: string[] = [];
  private batchLength = 0;

  constructor(system: System, path: string) {
    this.system = system;
    this.path = path;
    this.temporary = join(dirname(path), `.${basename(path)}.${system.random.hex(16)}.tmp`);
    system.files.makeDirectory(dirname(path), 0o700);
    system.files.createExclusive(this.temporary, new Uint8Array(0), 0o600);
  }

  write(text: string): void {
    this.batch.push(text);
    this.batchLength += text.length;
    if (this.batchLength >= BATCH_CHARACTERS) this.flush();
  }

  /** Adds the bytes of another file, of which nothing is held but one piece. */
  writeFileContent(path: string): void {
    this.flush();
    const { files } = this.system;
    for (let offset = 0; ; ) {
      const bytes = files.readRange(path, offset, COPY_BYTES);
      if (bytes.length === 0) return;
      files.append(this.temporary, bytes, 0o600);
      offset += bytes.length;
    }
  }

  /** Puts what was written in this file behind what is in the other, and ends this one. */
  moveInto(other: StreamedFile): void {
    this.flush();
    other.writeFileContent(this.temporary);
    this.discard();
  }

  finish(): void {
    this.flush();
    this.system.files.rename(this.temporary, this.path);
    this.system.files.syncDirectory(dirname(this.path));
  }

  discard(): void {
    this.batch = [];
    removeIfThere(this.system.files, this.temporary);
  }

  private flush(): void {
    if (this.batch.length === 0) return;
    this.system.files.append(this.temporary, this.system.text.encode(this.batch.join("")), 0o600);
    this.batch = [];
    this.batchLength = 0;
  }
}

export interface RestoredConversation {
  readonly source: "transcript";
  readonly path: string;
  readonly session: string;
}

/** The newest exported conversation of a project, as a list of one; empty when there is none. */
export function restoreLatestConversation(
  system: Pick<System, "files" | "env" | "installedIn" | "text">,
  projectRoot: string,
): readonly RestoredConversation[] {
  const directory = runtimePath(system, projectRoot, "logs");
  const exports = listReadable(system.files, directory).flatMap(session => {
    const path = join(directory, session, MARKDOWN_NAME);
    const facts = lookAt(system, path);
    return facts?.kind === "file" ? [{ session, path, modifiedMs: facts.modifiedMs }] : [];
  });
  const [newest] = exports.sort(
    (one, other) => other.modifiedMs - one.modifiedMs || (one.session < other.session ? 1 : -1),
  );
  return newest === undefined ? [] : [{ source: "transcript", path: newest.path, session: newest.session }];
}

function lookAt({ files }: Pick<System, "files">, path: string) {
  try {
    return files.follow(path);
  } catch {
    return undefined;
  }
}
