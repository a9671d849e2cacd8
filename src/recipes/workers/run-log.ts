import { type Database, type Migration, migrate, SCHEMA } from "../../postgres/index.ts";
import { type JsonObject, parseJsonObject } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { count, redact } from "../../text/index.ts";
import { eventFields } from "../logs/event-log.ts";
import type { RunEvent, StepReference } from "../logs/events.ts";

const MIGRATIONS: readonly Migration[] = [
  [
    `CREATE TABLE ${SCHEMA}.recipe_log (
       run_id text NOT NULL,
       seq bigint GENERATED ALWAYS AS IDENTITY,
       worker text NOT NULL,
       is_output boolean NOT NULL,
       record text NOT NULL,
       PRIMARY KEY (run_id, seq))`,
  ],
  [
    `CREATE TABLE ${SCHEMA}.recipe_approvals (
       run_id text NOT NULL,
       path text NOT NULL,
       question text NOT NULL,
       asked timestamptz NOT NULL DEFAULT now(),
       is_approved boolean,
       answered_by text,
       answered timestamptz,
       PRIMARY KEY (run_id, path))`,
    // Whoever answers is whom the server let in, and an answer stays as it was given.
    `CREATE FUNCTION ${SCHEMA}.approval_answering() RETURNS trigger LANGUAGE plpgsql
       SET search_path = pg_catalog, pg_temp
       AS $$ BEGIN
         IF OLD.is_approved IS NOT NULL THEN
           RAISE insufficient_privilege USING MESSAGE = 'it is answered';
         END IF;
         NEW.answered_by := session_user;
         NEW.answered := now();
         RETURN NEW;
       END $$`,
    `CREATE TRIGGER approval_answering BEFORE UPDATE ON ${SCHEMA}.recipe_approvals
       FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.approval_answering()`,
  ],
  [
    `CREATE TABLE ${SCHEMA}.recipe_files (
       run_id text NOT NULL,
       path text NOT NULL,
       name text NOT NULL,
       size bigint NOT NULL,
       sha256 text NOT NULL,
       content bytea NOT NULL,
       kept timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (run_id, path, name))`,
  ],
];

/** Of what the steps of one run print, by one worker. The rest is in the results of the steps. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** What waits to be written when the database is slow. */
const MAX_WAITING = 2_000;
const FLUSH_MS = 250;
/** A line that is longer is not waited for. */
const MAX_LINE = 64 * 1024;
const MAX_RECORD = 16 * 1024;
const MAX_DEPTH = 10;

export function migrateLog(database: Database): Promise<void> {
  return migrate(database, "recipes", MIGRATIONS);
}

interface Output {
  readonly step: StepReference;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

interface Line {
  readonly isOutput: boolean;
  readonly record: string;
}

/** Writes what happens in one run into the database: the same records as in the log file of a run, and what steps print. */
export class RunLogWriter {
  private readonly system: System;
  private readonly database: Database;
  private readonly runId: string;
  private readonly worker: string;
  private readonly hasOutput: boolean;
  private waiting: Line[] = [];
  private readonly unfinished = new Map<string, Output>();
  private outputBytes = 0;
  private dropped = 0;
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    system: System,
    database: Database,
    run: { readonly runId: string; readonly worker: string; readonly hasOutput: boolean },
  ) {
    this.system = system;
    this.database = database;
    this.runId = run.runId;
    this.worker = run.worker;
    this.hasOutput = run.hasOutput;
  }

  add(event: RunEvent): void {
    if (event.kind === "heartbeat" || event.kind === "pointer" || event.kind === "process") return;
    if (event.kind === "output") {
      if (this.takesOutput(event.chunk.length)) this.addOutput(event);
      return;
    }
    if (event.kind === "step_end") this.endLines(event.step);
    const fields =
      event.kind === "notice"
        ? { text: event.text, warning: event.isWarning }
        : eventFields(event, true, this.system);
    if (fields === undefined) return;
    this.push(event.kind, redacted(fields));
  }

  /** Everything that was added is written, or the database does not take it. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    await this.writing;
  }

  /** Whole lines only: half of a secret would not be known as one. */
  private addOutput({ step, stream, chunk }: RunEvent & { readonly kind: "output" }): void {
    const key = `${stream} ${step.path}`;
    const text = (this.unfinished.get(key)?.text ?? "") + this.system.text.decode(chunk).text;
    const end = text.length > MAX_LINE ? text.length : text.lastIndexOf("\n") + 1;
    this.unfinished.set(key, { step, stream, text: text.slice(end) });
    this.pushOutput({ step, stream, text: text.slice(0, end) });
  }

  private endLines({ path }: StepReference): void {
    for (const [key, output] of [...this.unfinished]) {
      if (output.step.path !== path) continue;
      this.unfinished.delete(key);
      this.pushOutput(output);
    }
  }

  private pushOutput({ step, stream, text }: Output): void {
    const shown = redact(text);
    for (let start = 0; start < shown.length; start += MAX_RECORD)
      this.push("output", {
        step_id: step.id,
        path: step.path,
        stream,
        text: shown.slice(start, start + MAX_RECORD),
      });
  }

  private takesOutput(bytes: number): boolean {
    if (!this.hasOutput || this.outputBytes > MAX_OUTPUT_BYTES) return false;
    this.outputBytes += bytes;
    if (this.outputBytes <= MAX_OUTPUT_BYTES) return true;
    const text = `More than ${MAX_OUTPUT_BYTES} bytes were printed; the rest is not in this log`;
    this.push("notice", { text, warning: true });
    return false;
  }

  private push(event: RunEvent["kind"], fields: JsonObject): void {
    if (this.waiting.length >= MAX_WAITING) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(this.line(event, fields));
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  private async write(): Promise<void> {
    const lines = this.waiting;
    if (lines.length === 0) return;
    this.waiting = [];
    const lost = this.dropped;
    const unwritten = lines.length + lost;
    this.dropped = 0;
    const text = `Missing here: ${count(lost, "line")}, which the database did not take`;
    if (lost > 0) lines.push(this.line("notice", { text, warning: true }));
    try {
      await this.database.run(
        `INSERT INTO ${SCHEMA}.recipe_log (run_id, worker, is_output, record)
         SELECT $1, $2, line.is_output::boolean, line.record
         FROM unnest($3::text[], $4::text[]) AS line(is_output, record)`,
        [this.runId, this.worker, lines.map(line => String(line.isOutput)), lines.map(line => line.record)],
      );
    } catch {
      // The records of the steps are kept elsewhere; a log that is not complete says so when it can.
      this.dropped += unwritten;
    }
  }

  private line(event: RunEvent["kind"], fields: JsonObject): Line {
    const ts = new Date(this.system.clock.nowMs()).toISOString();
    return { isOutput: event === "output", record: JSON.stringify({ event, ts, ...fields }) };
  }
}

/** Why a step failed, and warnings, without what looks like a secret. */
function redacted(fields: JsonObject): JsonObject {
  const { text, error } = fields;
  return {
    ...fields,
    ...(typeof text === "string" ? { text: redact(text) } : {}),
    ...(typeof error === "string" ? { error: redact(error) } : {}),
  };
}

export interface LogRecord {
  readonly runId: string;
  readonly seq: string;
  readonly worker: string;
  readonly record: JsonObject;
}

/** What was logged of these runs behind a place, in order. */
export async function readLog(
  database: Database,
  runIds: readonly string[],
  options: { readonly after?: string; readonly limit?: number; readonly hasOutput?: boolean } = {},
): Promise<readonly LogRecord[]> {
  const { after = "0", limit = 100_000, hasOutput = false } = options;
  const rows = await database.run(
    `SELECT run_id, seq, worker, record FROM ${SCHEMA}.recipe_log
     WHERE run_id = ANY($1) AND seq > $2 AND (NOT is_output OR $3) ORDER BY seq LIMIT $4`,
    [runIds, after, hasOutput, limit],
  );
  return rows.flatMap(({ run_id: runId, seq, worker, record }) => {
    const parsed = parseJsonObject(String(record), MAX_DEPTH);
    return parsed === undefined
      ? []
      : [{ runId: String(runId), seq: String(seq), worker: String(worker), record: parsed }];
  });
}
