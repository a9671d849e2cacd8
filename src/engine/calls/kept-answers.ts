import { hasErrorCode, join } from "../../system/index.ts";
import { createNodeSystem } from "../../system/node.ts";
import { digestContent } from "../trust.ts";
import type { AnswerStore } from "./answer-store.ts";

const SWEEP_EVERY_MS = 60 * 60 * 1000;
const MAX_ENTRY_BYTES = 64;

/** Answers as files of one folder: they survive a restart and are shared by the processes of one machine. */
export function fileAnswers(directory: string): AnswerStore {
  const { files } = createNodeSystem();
  let sweptMs = 0;
  const answerPath = (key: string): string => join(directory, digestContent(key));
  const readExpiry = (path: string): number => {
    try {
      return Number(new TextDecoder().decode(files.read(path, MAX_ENTRY_BYTES)));
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return 0;
      throw error;
    }
  };
  const sweep = (): void => {
    if (Date.now() - sweptMs < SWEEP_EVERY_MS) return;
    sweptMs = Date.now();
    for (const name of files.list(directory)) {
      const path = join(directory, name);
      if (/^[0-9a-f]{64}$/.test(name) && readExpiry(path) < Date.now()) removeIfThere(path);
    }
  };
  const removeIfThere = (path: string): void => {
    try {
      files.remove(path);
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT")) throw error;
    }
  };
  return {
    async claim(key, expiresAt) {
      files.makeDirectory(directory, 0o700);
      sweep();
      try {
        files.createExclusive(answerPath(key), new TextEncoder().encode(String(expiresAt)), 0o600);
        return true;
      } catch (error) {
        if (hasErrorCode(error, "EEXIST")) return false;
        throw error;
      }
    },
    has: async key => readExpiry(answerPath(key)) > Date.now(),
  };
}

/** What `pg`'s pools and clients have. */
export interface PostgresQueries {
  query(text: string, values?: unknown[]): Promise<{ readonly rowCount: number | null }>;
}

/** Answers in PostgreSQL, in the table `amplihack_answers`, which is made when it is not there. */
export function postgresAnswers(database: PostgresQueries): AnswerStore {
  let ready: Promise<unknown> | undefined;
  const open = (): Promise<unknown> => {
    ready ??= makeTable(database).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };
  return {
    async claim(key, expiresAt) {
      await open();
      await database.query("DELETE FROM amplihack_answers WHERE expires_at < now()");
      const { rowCount } = await database.query(
        "INSERT INTO amplihack_answers VALUES ($1, to_timestamp($2)) ON CONFLICT DO NOTHING",
        [digestContent(key), expiresAt / 1000],
      );
      return rowCount === 1;
    },
    async has(key) {
      await open();
      const { rowCount } = await database.query(
        "SELECT 1 FROM amplihack_answers WHERE digest = $1 AND expires_at > now()",
        [digestContent(key)],
      );
      return rowCount === 1;
    },
  };
}

/** Two processes that begin at once may both try; the one that fails finds the table of the other. */
async function makeTable(database: PostgresQueries): Promise<void> {
  const make = () =>
    database.query(
      "CREATE TABLE IF NOT EXISTS amplihack_answers (digest text PRIMARY KEY, expires_at timestamptz NOT NULL)",
    );
  await make().catch(make);
}
