import { JSON_DEPTH_LIMIT, type JsonObject, parseJsonObject, stringAt } from "../protocol/index.ts";
import { readText } from "../state/index.ts";
import { hasErrorCode, join, type System } from "../system/index.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** One session of OpenCode: its messages in the form of its own files, with the session and its parent in each. */
export interface OpenCodeSession {
  readonly id: string;
  readonly parent: string | undefined;
  readonly directory: string | undefined;
  readonly messages: readonly JsonObject[];
}

/**
 * All sessions in a store; the oldest first. Newer versions of OpenCode keep a database, older ones a file for each
 * message.
 */
export async function readOpenCodeSessions(
  system: System,
  store: string,
): Promise<readonly OpenCodeSession[]> {
  const database = join(store, "opencode.db");
  const kept = system.files.follow(database)?.kind === "file" ? await readDatabase(database) : [];
  const known = new Set(kept.map(({ id }) => id));
  return [...readFolder(system, join(store, "storage")).filter(({ id }) => !known.has(id)), ...kept];
}

interface SessionRow {
  readonly id: string;
  readonly parent_id: string | null;
  readonly directory: string | null;
}

async function readDatabase(path: string): Promise<readonly OpenCodeSession[]> {
  const { default: Database } = await import("libsql");
  const database = new Database(path, { readonly: true });
  try {
    const sessions = database
      .prepare("SELECT id, parent_id, directory FROM session ORDER BY time_created")
      .all([]) as SessionRow[];
    const messages = database.prepare(
      "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created",
    );
    return sessions.map(row =>
      makeSession(
        row.id,
        row.parent_id ?? undefined,
        row.directory ?? undefined,
        (messages.all([row.id]) as { id: string; data: string }[]).flatMap(({ id, data }) => {
          const message = parseJsonObject(data, JSON_DEPTH_LIMIT);
          return message === undefined ? [] : [{ id, ...message }];
        }),
      ),
    );
  } finally {
    database.close();
  }
}

function readFolder(system: System, storage: string): readonly OpenCodeSession[] {
  const sessions = namesIn(system, join(storage, "session")).flatMap(project =>
    namesIn(system, join(storage, "session", project)).flatMap(name =>
      listed(readObject(system, join(storage, "session", project, name))),
    ),
  );
  return sessions.flatMap(session => {
    const id = stringAt(session, "id");
    if (id === undefined) return [];
    const folder = join(storage, "message", id);
    const messages = namesIn(system, folder).flatMap(name => listed(readObject(system, join(folder, name))));
    return [makeSession(id, stringAt(session, "parentID"), stringAt(session, "directory"), messages)];
  });
}

function makeSession(
  id: string,
  parent: string | undefined,
  directory: string | undefined,
  messages: readonly JsonObject[],
): OpenCodeSession {
  const common = {
    sessionID: id,
    ...(parent === undefined ? {} : { parentSessionID: parent }),
    ...(directory === undefined ? {} : { path: { cwd: directory } }),
  };
  return { id, parent, directory, messages: messages.map(message => ({ ...message, ...common })) };
}

function readObject(system: System, path: string): JsonObject | undefined {
  const text = readText(system, path, MAX_FILE_BYTES);
  return text === undefined ? undefined : parseJsonObject(text, JSON_DEPTH_LIMIT);
}

function listed(value: JsonObject | undefined): readonly JsonObject[] {
  return value === undefined ? [] : [value];
}

function namesIn({ files }: System, folder: string): readonly string[] {
  try {
    return [...files.list(folder)].sort();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw error;
  }
}
