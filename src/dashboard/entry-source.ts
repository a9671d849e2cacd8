import type { System } from "../system/index.ts";
import type { DataFiles } from "./data-files.ts";
import { type JudgementEntry, type NewEntry, parseJudgement, parseRun, type RunEntry } from "./entries.ts";
import { LogReader } from "./log-reader.ts";

export interface EntryBatch {
  /** oldest first */
  readonly runs: readonly NewEntry<RunEntry>[];
  readonly judgements: readonly NewEntry<JudgementEntry>[];
  /** how many could not be understood */
  readonly unreadable: number;
}

/** Where entries come from. Asked again it goes on where it stopped. */
export interface EntrySource {
  read(): Iterable<EntryBatch> | AsyncIterable<EntryBatch>;
}

/** The logs of this machine. */
export class LogSource implements EntrySource {
  private readonly runs: LogReader;
  private readonly audit: LogReader;

  constructor(system: System, { runs, audit }: Pick<DataFiles, "runs" | "audit">) {
    this.runs = new LogReader(system, runs);
    this.audit = new LogReader(system, audit);
  }

  *read(): Generator<EntryBatch> {
    for (const { lines, skipped } of this.runs.read()) {
      const runs = lines.flatMap(line => parseRun(line) ?? []);
      yield { runs, judgements: [], unreadable: skipped + lines.length - runs.length };
    }
    for (const { lines, skipped } of this.audit.read()) {
      const judgements = lines.flatMap(line => parseJudgement(line) ?? []);
      yield { runs: [], judgements, unreadable: skipped + lines.length - judgements.length };
    }
  }
}
