import { setImmediate } from "node:timers/promises";
import type { System } from "../system/system.ts";
import type { DataFiles } from "./data-files.ts";
import { type JudgementEntry, parseJudgement, parseRun, type RunEntry } from "./entries.ts";
import { LogReader } from "./log-reader.ts";
import { Recent } from "./recent.ts";
import { Tally } from "./tally.ts";

const KEPT_RUNS = 50_000;
const KEPT_JUDGEMENTS = 10_000;

/** What the hooks did, from their logs: figures over all of it, and the newest entries themselves. */
export class Activity {
  readonly runs = new Recent<RunEntry>(KEPT_RUNS);
  readonly judgements = new Recent<JudgementEntry>(KEPT_JUDGEMENTS);
  readonly tally = new Tally();
  private readonly runsLog: LogReader;
  private readonly auditLog: LogReader;
  private reading: Promise<boolean> | undefined;
  /** the logs were read to their end once */
  isRead = false;

  constructor(system: System, files: DataFiles) {
    this.runsLog = new LogReader(system, files.runs);
    this.auditLog = new LogReader(system, files.audit);
  }

  /** Reads what was written since the last time; true when there was something. Calls at once share one reading. */
  catchUp(): Promise<boolean> {
    this.reading ??= this.readNews().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readNews(): Promise<boolean> {
    const runs = await this.take(this.runsLog, line => {
      const run = parseRun(line);
      if (run !== undefined) this.tally.addRun(this.runs.add(run));
      return run !== undefined;
    });
    const judgements = await this.take(this.auditLog, line => {
      const judgement = parseJudgement(line);
      if (judgement !== undefined) this.tally.addJudgement(this.judgements.add(judgement));
      return judgement !== undefined;
    });
    this.isRead = true;
    return runs || judgements;
  }

  private async take(log: LogReader, accept: (line: string) => boolean): Promise<boolean> {
    let isNews = false;
    for (const { lines, skipped } of log.read()) {
      isNews = true;
      this.tally.unreadable += skipped;
      for (const line of lines) if (!accept(line)) this.tally.unreadable++;
      // Requests are answered between the pieces of a long log.
      await setImmediate();
    }
    return isNews;
  }
}
