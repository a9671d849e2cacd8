import type Libsql from "libsql";
import { errorText } from "../protocol/index.ts";
import { dirname, quoteWord, type System } from "../system/index.ts";
import { MemoryError } from "./memory.ts";

export type SqlValue = string | number;
export type SqlRow = Readonly<Record<string, unknown>>;

interface ConnectionOptions {
  /** how long a statement waits when others hold the database */
  readonly patienceMs: number;
}

/** How long SQLite itself waits; beyond that it is asked again until patience ends. */
const BUSY_SLICE_MS = 500;
const RETRY_MS = 5;
const PAGE_BYTES = 4_096;
const MAX_DATABASE_BYTES = 1024 * 1024 * 1024;

/**
 * One connection, synchronous, with every failure as a `MemoryError`. Writes are transactions that take the lock
 * at once, so that no statement inside can find the database locked.
 */
export class SqliteConnection {
  private readonly database: Libsql.Database;
  private readonly system: Pick<System, "clock" | "random">;
  private readonly path: string;
  private readonly options: ConnectionOptions;
  private readonly statements = new Map<string, Libsql.Statement>();
  private hasWritten = false;

  /** The file exists already: SQLite would make it readable for others. The library is loaded only here. */
  static async open(
    system: Pick<System, "clock" | "random">,
    path: string,
    options: ConnectionOptions,
  ): Promise<SqliteConnection> {
    const { default: Database } = await import("libsql").catch((error: unknown) => {
      throw new MemoryError(
        "unavailable",
        `the memory needs the package libsql, which cannot be loaded here: ${errorText(error)}`,
        "install it beside amplihack: npm install libsql",
      );
    });
    try {
      return new SqliteConnection(new Database(path, { timeout: BUSY_SLICE_MS }), system, path, options);
    } catch (error) {
      throw toMemoryError(error, path);
    }
  }

  private constructor(
    database: Libsql.Database,
    system: Pick<System, "clock" | "random">,
    path: string,
    options: ConnectionOptions,
  ) {
    this.database = database;
    this.system = system;
    this.path = path;
    this.options = options;
  }

  /** Settings of this connection, which leave no trace in the file. */
  configure(): void {
    this.rows(`PRAGMA max_page_count = ${MAX_DATABASE_BYTES / PAGE_BYTES}`);
    this.rows("PRAGMA secure_delete = ON");
    this.rows("PRAGMA synchronous = FULL");
    this.rows("PRAGMA trusted_schema = OFF");
  }

  /** From now on readers and a writer do not wait for each other; a property of the file. */
  enableWriteAheadLog(): void {
    if (this.rows("PRAGMA journal_mode")[0]?.["journal_mode"] !== "wal") {
      this.rows("PRAGMA journal_mode = WAL");
    }
  }

  rows(sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    return this.retryWhileBusy(() => this.prepare(sql).all([...values]) as SqlRow[]);
  }

  /** A statement of a transaction; the number of rows it changed. */
  run(sql: string, values: readonly SqlValue[] = []): number {
    try {
      return this.prepare(sql).run([...values]).changes;
    } catch (error) {
      throw toMemoryError(error, this.path);
    }
  }

  write<T>(work: () => T): T {
    this.retryWhileBusy(() => this.database.exec("BEGIN IMMEDIATE"));
    try {
      const result = work();
      this.database.exec("COMMIT");
      this.hasWritten = true;
      return result;
    } catch (error) {
      // Some failures, a full disk for one, have already ended the transaction.
      if (this.database.inTransaction) this.database.exec("ROLLBACK");
      throw toMemoryError(error, this.path);
    }
  }

  close(): void {
    if (this.hasWritten) this.checkpointLog();
    this.statements.clear();
    this.database.close();
  }

  /** So that the file alone is complete, and deleted text is nowhere. */
  private checkpointLog(): void {
    try {
      this.database.exec("PRAGMA busy_timeout = 0");
      this.database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all([]);
    } catch {
      // Nothing is lost: the log has it all, and the next one to close does this.
    }
  }

  private prepare(sql: string): Libsql.Statement {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }

  /** Recovery after a crash, a change of journal mode and other writers all answer "busy", some without waiting. */
  private retryWhileBusy<T>(work: () => T): T {
    const { clock, random } = this.system;
    const deadline = clock.monotonicMs() + this.options.patienceMs;
    for (;;) {
      try {
        return work();
      } catch (error) {
        const failure = toMemoryError(error, this.path);
        if (failure.problem !== "busy" || clock.monotonicMs() >= deadline) throw failure;
        this.statements.clear();
        clock.sleepMs(RETRY_MS + (Number.parseInt(random.hex(2), 16) % RETRY_MS));
      }
    }
  }
}

/** Codes begin with these; longer ones tell more about the same problem. */
const PROBLEMS = [
  ["SQLITE_BUSY", "busy"],
  ["SQLITE_LOCKED", "busy"],
  ["SQLITE_PROTOCOL", "busy"],
  ["SQLITE_CORRUPT", "corrupt"],
  ["SQLITE_NOTADB", "corrupt"],
  ["SQLITE_FULL", "full"],
] as const;

function toMemoryError(error: unknown, path: string): MemoryError {
  if (error instanceof MemoryError) return error;
  const code = errorCode(error);
  const problem = PROBLEMS.find(([start]) => code.startsWith(start))?.[1];
  switch (problem) {
    case "busy":
      return new MemoryError(
        "busy",
        `other programs are using ${path} and did not let go of it`,
        "try again",
      );
    case "corrupt":
      return corruptDatabase(
        path,
        code === "SQLITE_NOTADB" ? "it is not a database" : "its pages are inconsistent",
      );
    case "full":
      return new MemoryError(
        "full",
        `${path} cannot grow: the disk is full, or the limit of ${MAX_DATABASE_BYTES / 1024 ** 3} GiB is reached`,
        "make room on the disk, or see what sessions left behind: amplihack memory clean --pattern 'learned/*'",
      );
    default:
      return new MemoryError(
        "unavailable",
        `${path} cannot be used: ${code === "" ? errorText(error) : code}`,
      );
  }
}

/** The file is never touched: what is in it may be all there is. The advice keeps it, and never covers another. */
export function corruptDatabase(path: string, what: string, fix?: string): MemoryError {
  const aside = `mv ${quoteWord(path)}* "$(mktemp -d ${quoteWord(`${dirname(path)}/damaged-memory-XXXXXX`)})"`;
  return new MemoryError(
    "corrupt",
    `the memory database ${path} is damaged: ${what}. It was left as it is`,
    fix ?? `put it aside and begin a new one: ${aside}`,
  );
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}
