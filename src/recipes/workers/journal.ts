import type { Database } from "../../postgres/index.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import type { KeptRun, ProgressKeeper } from "../run/progress-keeper.ts";
import { DBOS_SCHEMA, type Dbos } from "./dbos.ts";
import { ProgressRecorder, pathsIn, readProgress } from "./progress-delta.ts";

/** The last record of a run: its result. */
export const RESULT = "result";
/** A record without a step of its own: the members of a parallel group are taken over together. */
const GROUP = "group";
const MAX_NAME = 200;

/**
 * The records of one run, each a step of a DBOS workflow: DBOS stores it in one transaction with the check that this
 * worker still owns the run. So a record counts once, and a worker that was taken for dead can add none.
 *
 * Records are written when a step has ended, one after the other, and are read back in that order. Which steps run at
 * the same time, and which of them ends first, need not be the same on the next machine.
 */
export class Journal {
  private readonly dbos: Dbos;
  private readonly records: readonly Json[];
  private readonly onFailure: () => void;
  private last: Promise<void> = Promise.resolve();
  private hasFailed = false;
  private readonly failed: Promise<void>;
  private resolveFailed: () => void = () => {};
  private endedBefore: ReadonlySet<string> = new Set();

  private constructor(dbos: Dbos, records: readonly Json[], onFailure: () => void) {
    this.dbos = dbos;
    this.records = records;
    this.onFailure = onFailure;
    this.failed = new Promise(resolve => {
      this.resolveFailed = resolve;
    });
  }

  /**
   * Inside the workflow, before anything else of it, with the names of its records. `onFailure` is called once when no
   * record can be added any more.
   */
  static async open(dbos: Dbos, names: readonly string[], onFailure: () => void): Promise<Journal> {
    const records: Json[] = [];
    // DBOS answers with what is recorded and counts on, so that the next record is a new one.
    for (const name of names) records.push(await dbos.DBOS.runStep(missingRecord, { name }));
    return new Journal(dbos, records, onFailure);
  }

  /** of a run that had ended when its worker was lost */
  get result(): JsonObject | undefined {
    const last = this.records.at(-1);
    const result = isJsonObject(last) ? ownValue(last, RESULT) : undefined;
    return isJsonObject(result) ? result : undefined;
  }

  keep(runId: string, given: JsonObject): KeptRun {
    return {
      runId,
      begin: ({ recipe, sha256 }) => {
        const root = readProgress(sha256, { ...recipe.context, ...given }, this.records);
        this.endedBefore = new Set(pathsIn(root));
        const recorder = new ProgressRecorder(root);
        const keeper: ProgressKeeper = {
          save: ended => {
            const { record, paths } = recorder.next(ended);
            return this.append(paths.join(", ").slice(0, MAX_NAME) || GROUP, record);
          },
          close() {},
        };
        return { root, keeper };
      },
    };
  }

  /** Had the step ended before this worker took the run? Its end is told in the log already. */
  hasEndedBefore(path: string): boolean {
    return this.endedBefore.has(path);
  }

  /** Writes the result as the last record. */
  async finish(result: JsonObject): Promise<void> {
    await this.append(RESULT, { [RESULT]: result });
  }

  /** Nothing more is recorded, and nobody waits for what is under way. */
  abandon(): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.resolveFailed();
    this.onFailure();
  }

  get isAbandoned(): boolean {
    return this.hasFailed;
  }

  /** Resolves when the record is written, or when it never will be. */
  private append(name: string, record: JsonObject): Promise<void> {
    const written = this.last.then(async () => {
      if (this.hasFailed) return;
      try {
        await this.dbos.DBOS.runStep(async () => record, { name });
      } catch {
        // The run was cancelled, or belongs to another worker now; its row tells which.
        this.abandon();
      }
    });
    this.last = written;
    return Promise.race([written, this.failed]);
  }
}

/** The names of a run's records, in their order. */
export async function recordNames({ run }: Database, runId: string): Promise<readonly string[]> {
  const rows = await run(
    `SELECT function_name FROM ${DBOS_SCHEMA}.operation_outputs WHERE workflow_uuid = $1 ORDER BY function_id`,
    [runId],
  );
  return rows.map(({ function_name: name }) => String(name));
}

function missingRecord(): Promise<Json> {
  return Promise.reject(new Error("a record of the run is gone"));
}
