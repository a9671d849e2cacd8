import { dirname, hasErrorCode, type System, SystemError } from "../system/index.ts";
import { MemoryError } from "./memory-error.ts";
import { beginRecording } from "./sqlite-changes.ts";
import { corruptDatabase, SqliteConnection } from "./sqlite-connection.ts";
import { prepareSchema } from "./sqlite-schema.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { EMPTY_READER, type MemoryReader, type MemoryStore } from "./store.ts";

interface OpenOptions {
  /** how long to wait for other programs; less where a caller's own time is short */
  readonly patienceMs?: number;
  /** the team that what is stored from now on is for; see `teamOrigin` */
  readonly origin?: string | undefined;
}

const PATIENCE_MS = 30_000;
const OWNER_ONLY = 0o600;
/** What SQLite keeps beside a database. */
const COMPANIONS = ["-wal", "-shm"];

/** The store at this path, made when there is none. */
export async function openStore(
  system: System,
  path: string,
  options: OpenOptions = {},
): Promise<SqliteStore> {
  return new SqliteStore(await openConnection(system, path, options), system, path);
}

/** The database at this path, made when there is none, with the tables of our version. */
export async function openConnection(
  system: System,
  path: string,
  { patienceMs = PATIENCE_MS, origin }: OpenOptions = {},
): Promise<SqliteConnection> {
  makeDatabaseFile(system, path);
  const connection = await SqliteConnection.open(system, path, { patienceMs });
  try {
    connection.configure();
    prepareSchema(connection, path, system.clock.nowMs());
    restrictAccess(system, path);
    if (origin !== undefined) beginRecording(connection, origin);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** As `openStore`, but a place without a database stays without one and the library is not even loaded. */
export async function openExistingStore(
  system: System,
  path: string,
  options: OpenOptions = {},
): Promise<MemoryStore | undefined> {
  return inspectPlace(system, path) === "database" ? openStore(system, path, options) : undefined;
}

/** The same for those who only read; a place without a database is empty. */
export async function openReader(
  system: System,
  path: string,
  options: OpenOptions = {},
): Promise<MemoryReader> {
  return (await openExistingStore(system, path, options)) ?? EMPTY_READER;
}

/** SQLite gives its other files the mode of this one, so it must be private before anything is in it. */
function makeDatabaseFile(system: System, path: string): void {
  if (inspectPlace(system, path) !== "nothing") return;
  try {
    system.files.makeDirectory(dirname(path), 0o700);
    system.files.createExclusive(path, new Uint8Array(0), OWNER_ONLY);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw unusable(error, path);
  }
}

/**
 * An empty file is a database that another process is just making. A log without its database is not: SQLite would
 * throw it away. The log is looked at first, because it is never there before the database.
 */
function inspectPlace({ files }: System, path: string): "database" | "empty-file" | "nothing" {
  try {
    const hasLog = (files.follow(`${path}-wal`)?.size ?? 0) > 0;
    const facts = files.follow(path);
    if (hasLog && (facts === undefined || facts.size === 0)) {
      throw corruptDatabase(path, "its log is there and it is not");
    }
    if (facts === undefined) return "nothing";
    if (facts.kind !== "file") {
      throw new MemoryError("unavailable", `${path} is not a file`, "name another file with --db-path");
    }
    return facts.size === 0 ? "empty-file" : "database";
  } catch (error) {
    throw unusable(error, path);
  }
}

/** Also for files that another program, or a copy, left open to others. */
function restrictAccess({ files }: System, path: string): void {
  for (const file of [path, ...COMPANIONS.map(suffix => path + suffix)]) {
    try {
      const mode = files.follow(file)?.mode;
      if (mode !== undefined && (mode & 0o077) !== 0) files.changeMode(file, OWNER_ONLY);
    } catch (error) {
      // The last one to leave removes them.
      if (!hasErrorCode(error, "ENOENT")) throw unusable(error, file);
    }
  }
}

function unusable(error: unknown, path: string): unknown {
  if (!(error instanceof SystemError)) return error;
  return new MemoryError("unavailable", `the memory database ${path} cannot be used: ${error.message}`);
}
