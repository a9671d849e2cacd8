import { type Database, PostgresError } from "../postgres/index.ts";
import { loadOpenTarget, type ShippedPart } from "../ship/index.ts";
import { alertRows } from "./alerts.ts";
import { noteSeen, type Seen } from "./seen.ts";
import { ROLE } from "./tables.ts";

/** What a machine sends at once. */
export interface Shipment extends Seen {
  readonly part: ShippedPart;
}

interface Upload extends Shipment {
  readonly done: (answer: object) => void;
  readonly failed: (error: unknown) => void;
}

const MAX_ROWS_AT_ONCE = 4_000;

/**
 * Writers of one team follow each other, since sums are kept with what is added. So whatever comes while one transaction is
 * under way goes into the next one together: a hundred machines cost hardly more than one.
 */
export class RecordQueue {
  private readonly database: Database;
  private readonly waiting = new Map<string, Upload[]>();

  constructor(database: Database) {
    this.database = database;
  }

  /** Resolves when the lines are there for good, with what the machine is answered. */
  add(shipment: Shipment): Promise<object> {
    const { machine } = shipment;
    return new Promise((done, failed) => {
      const upload = { ...shipment, done, failed };
      const queue = this.waiting.get(machine.team);
      if (queue !== undefined) {
        queue.push(upload);
        return;
      }
      this.waiting.set(machine.team, [upload]);
      void this.work(machine.team);
    });
  }

  private async work(team: string): Promise<void> {
    for (let uploads = this.next(team); uploads.length > 0; uploads = this.next(team)) {
      try {
        await this.write(team, uploads);
      } catch (error) {
        const isAway = error instanceof PostgresError && error.problem === "offline";
        // What is wrong with one of them is not the fault of the others.
        if (uploads.length > 1 && !isAway) await this.writeEach(team, uploads);
        else for (const { failed } of uploads) failed(error);
      }
    }
    this.waiting.delete(team);
  }

  private next(team: string): readonly Upload[] {
    const queue = this.waiting.get(team) ?? [];
    let rows = 0;
    const end = queue.findIndex(({ part }, index) => {
      rows += part.rows.length;
      return index > 0 && rows > MAX_ROWS_AT_ONCE;
    });
    return queue.splice(0, end < 0 ? queue.length : end);
  }

  private async writeEach(team: string, uploads: readonly Upload[]): Promise<void> {
    for (const upload of uploads) await this.write(team, [upload]).catch(upload.failed);
  }

  private async write(team: string, uploads: readonly Upload[]): Promise<void> {
    const { addRows } = await loadOpenTarget();
    const parts = uploads.map(({ part }) => part);
    const answers = await this.database.ofTeam(ROLE, team).transaction(async run => {
      await addRows(run, team, parts);
      await alertRows(run, team, parts, Date.now());
      return noteSeen(run, uploads);
    });
    for (const [index, { done }] of uploads.entries()) done(answers[index] ?? {});
  }
}
