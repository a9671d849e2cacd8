import { setImmediate } from "node:timers/promises";
import type { JudgementEntry, RunEntry } from "./entries.ts";
import type { EntrySource } from "./entry-source.ts";
import { Recent } from "./recent.ts";
import { Tally } from "./tally.ts";

export const KEPT_RUNS = 50_000;
export const KEPT_JUDGEMENTS = 10_000;

/** What the hooks did: figures over all that was read, and the newest entries themselves. */
export class Activity {
  readonly runs = new Recent<RunEntry>(KEPT_RUNS);
  readonly judgements = new Recent<JudgementEntry>(KEPT_JUDGEMENTS);
  readonly tally = new Tally();
  private readonly source: EntrySource;
  private reading: Promise<boolean> | undefined;
  /** everything was read to its end once */
  isRead = false;

  constructor(source: EntrySource) {
    this.source = source;
  }

  /** Reads what was written since the last time; true when there was something. Calls at once share one reading. */
  catchUp(): Promise<boolean> {
    this.reading ??= this.readNews().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readNews(): Promise<boolean> {
    let isNews = false;
    for await (const { runs, judgements, unreadable } of this.source.read()) {
      isNews = true;
      this.tally.unreadable += unreadable;
      for (const run of runs) this.tally.addRun(this.runs.add(run));
      for (const judgement of judgements) this.tally.addJudgement(this.judgements.add(judgement));
      // Requests are answered between the pieces of something long.
      await setImmediate();
    }
    this.isRead = true;
    return isNews;
  }
}
