import { setImmediate } from "node:timers/promises";
import { HOST_LIST } from "../hosts/index.ts";
import {
  errorText,
  JSON_DEPTH_LIMIT,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  parseJsonObject,
  stringAt,
} from "../protocol/index.ts";
import { listReadable, readText } from "../state/index.ts";
import { dirname, isAbsolute, join, type System } from "../system/index.ts";
import { findPastSessions, type PriceList, type Usage, UsageSum } from "../transcripts/index.ts";

/** The database of messages in a store. */
export const MESSAGE_DATABASE = "opencode.db";
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** One session of OpenCode: its messages in the form of its own files, with the session and its parent in each. */
export interface OpenCodeSession {
  readonly id: string;
  readonly parent: string | undefined;
  readonly directory: string | undefined;
  readonly messages: readonly JsonObject[];
  /** texts and calls by message, where they were asked for */
  readonly parts: ReadonlyMap<string, readonly JsonObject[]>;
}

/**
 * All sessions in a store; the oldest first. Newer versions of OpenCode keep a database, older ones a file for each
 * message.
 */
export async function readOpenCodeSessions(
  system: System,
  store: string,
  wanted: "messages" | "parts" = "messages",
  isWanted: (id: string) => boolean = () => true,
): Promise<readonly OpenCodeSession[]> {
  const choice = { withParts: wanted === "parts", isWanted };
  const database = join(store, MESSAGE_DATABASE);
  const kept = system.files.follow(database)?.kind === "file" ? await readDatabase(database, choice) : [];
  const known = new Set(kept.map(({ id }) => id));
  const files = readFolder(system, join(store, "storage"), choice);
  return [...files.filter(({ id }) => !known.has(id)), ...kept];
}

/** When its last message began. */
export function lastUsedMs({ messages }: OpenCodeSession): number {
  return messages.reduce(
    (latest, one) => Math.max(latest, numberAt(memberAt(one, "time"), "created") ?? 0),
    0,
  );
}

/** What was asked, said and called, as lines of the form that Pi records. */
export function toEntries({ id, directory, messages, parts }: OpenCodeSession): readonly JsonObject[] {
  const common = { sessionId: id, ...(directory === undefined ? {} : { cwd: directory }) };
  return messages.flatMap(message => {
    const role = stringAt(message, "role") ?? "";
    const createdMs = numberAt(memberAt(message, "time"), "created");
    const time = createdMs === undefined ? {} : { timestamp: new Date(createdMs).toISOString() };
    return (parts.get(stringAt(message, "id") ?? "") ?? []).flatMap(part =>
      toMessages(role, part).map(one => ({ ...common, ...time, message: one })),
    );
  });
}

function toMessages(role: string, part: JsonObject): readonly JsonObject[] {
  const type = stringAt(part, "type");
  if (type === "text" && memberAt(part, "synthetic") !== true)
    return [{ role, content: stringAt(part, "text") ?? "" }];
  if (type !== "tool") return [];
  const id = stringAt(part, "callID") ?? "";
  const state = memberAt(part, "state");
  const call = { type: "toolCall", id, name: stringAt(part, "tool") ?? "" };
  const content = memberAt(state, "output") ?? memberAt(state, "error");
  return [
    { role: "assistant", content: [{ ...call, arguments: memberAt(state, "input") ?? {} }] },
    ...(content === undefined
      ? []
      : [{ role: "toolResult", toolCallId: id, content, isError: hasFailed(state) }]),
  ];
}

/** A command that ends with another code than 0 is `completed`. */
function hasFailed(state: Json | undefined): boolean {
  const exit = numberAt(memberAt(state, "metadata"), "exit");
  return memberAt(state, "error") !== undefined || (exit !== undefined && exit !== 0);
}

interface SessionRow {
  readonly id: string;
  readonly parent_id: string | null;
  readonly directory: string | null;
}

interface DataRow {
  readonly id: string;
  readonly data: string;
}

interface SessionChoice {
  readonly withParts: boolean;
  readonly isWanted: (id: string) => boolean;
}

async function readDatabase(
  path: string,
  { withParts, isWanted }: SessionChoice,
): Promise<readonly OpenCodeSession[]> {
  const { default: Database } = await import("libsql");
  const database = new Database(path, { readonly: true });
  try {
    const sessions = database
      .prepare("SELECT id, parent_id, directory FROM session ORDER BY time_created")
      .all([]) as SessionRow[];
    const messages = database.prepare(
      "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
    );
    const parts = withParts
      ? database.prepare(
          "SELECT message_id AS id, data FROM part WHERE session_id = ? ORDER BY time_created, id",
        )
      : undefined;
    return sessions
      .filter(({ id }) => isWanted(id))
      .map(row =>
        makeSession(
          row.id,
          row.parent_id ?? undefined,
          row.directory ?? undefined,
          (messages.all([row.id]) as DataRow[]).flatMap(readRow),
          ((parts?.all([row.id]) ?? []) as DataRow[]).flatMap(readRow),
        ),
      );
  } finally {
    database.close();
  }
}

function readRow({ id, data }: DataRow): readonly (JsonObject & { readonly id: string })[] {
  const value = parseJsonObject(data, JSON_DEPTH_LIMIT);
  return value === undefined ? [] : [{ ...value, id }];
}

function readFolder(
  system: System,
  storage: string,
  { withParts, isWanted }: SessionChoice,
): readonly OpenCodeSession[] {
  const sessions = namesIn(system, join(storage, "session")).flatMap(project =>
    namesIn(system, join(storage, "session", project)).flatMap(name =>
      listed(readObject(system, join(storage, "session", project, name))),
    ),
  );
  return sessions.flatMap(session => {
    const id = stringAt(session, "id");
    if (id === undefined || !isWanted(id)) return [];
    const folder = join(storage, "message", id);
    const messages = objectsIn(system, folder);
    const parts = (withParts ? messages : []).flatMap(message => {
      const of = stringAt(message, "id") ?? "";
      return objectsIn(system, join(storage, "part", of)).map(part => ({ ...part, id: of }));
    });
    return [makeSession(id, stringAt(session, "parentID"), stringAt(session, "directory"), messages, parts)];
  });
}

function objectsIn(system: System, folder: string): readonly JsonObject[] {
  return namesIn(system, folder).flatMap(name => listed(readObject(system, join(folder, name))));
}

function makeSession(
  id: string,
  parent: string | undefined,
  directory: string | undefined,
  messages: readonly JsonObject[],
  parts: readonly (JsonObject & { readonly id: string })[],
): OpenCodeSession {
  const byMessage = new Map<string, JsonObject[]>();
  for (const part of parts) {
    const known = byMessage.get(part.id);
    if (known === undefined) byMessage.set(part.id, [part]);
    else known.push(part);
  }
  const common = {
    sessionID: id,
    ...(parent === undefined ? {} : { parentSessionID: parent }),
    ...(directory === undefined ? {} : { path: { cwd: directory } }),
  };
  return {
    id,
    parent,
    directory,
    messages: messages.map(message => ({ ...message, ...common })),
    parts: byMessage,
  };
}

function readObject(system: System, path: string): JsonObject | undefined {
  const text = readText(system, path, MAX_FILE_BYTES);
  return text === undefined ? undefined : parseJsonObject(text, JSON_DEPTH_LIMIT);
}

function listed(value: JsonObject | undefined): readonly JsonObject[] {
  return value === undefined ? [] : [value];
}

function namesIn({ files }: System, folder: string): readonly string[] {
  return [...listReadable(files, folder)].sort();
}

const MAX_PLACE_BYTES = 4096;

export interface RecordedUsage extends Usage {
  /** what could not be read, for people */
  readonly problems: readonly string[];
}

/** What all hosts recorded below a home, in files that changed since then. */
export async function readRecordedUsage(
  system: System,
  home: string,
  { prices = {}, sinceMs = 0 }: { readonly prices?: PriceList; readonly sinceMs?: number } = {},
): Promise<RecordedUsage> {
  const sum = new UsageSum(prices);
  const problems: string[] = [];
  const records = findPastSessions(system, home).filter(({ modifiedMs }) => modifiedMs >= sinceMs);
  for (const record of records.toReversed()) {
    try {
      sum.addFile(system, record, knownDirectory(system, record.path));
    } catch (error) {
      problems.push(`${record.path}: ${errorText(error)}`);
    }
    // A server answers between the records.
    await setImmediate();
  }
  for (const { id, evidence } of HOST_LIST) {
    if (evidence?.messageStore === undefined) continue;
    const store = join(home, evidence.messageStore);
    try {
      for (const { messages } of await readOpenCodeSessions(system, store)) sum.addLines(id, messages);
    } catch (error) {
      problems.push(`${store}: ${errorText(error)}`);
    }
  }
  return { ...sum.result(), problems };
}

/** Gemini tells the directory of a session in a file above its records, not in them. */
export function knownDirectory(system: System, path: string): string | undefined {
  const folders = [dirname(dirname(path)), dirname(dirname(dirname(path)))];
  return folders
    .map(folder => readText(system, join(folder, ".project_root"), MAX_PLACE_BYTES)?.trim())
    .find(cwd => cwd !== undefined && isAbsolute(cwd));
}
