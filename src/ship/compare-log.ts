import type { Database } from "../postgres/index.ts";
import { type ChainBreak, type ChainReport, type LogLine, linesOf, readLink } from "../state/index.ts";
import { type System, sha256Hex } from "../system/index.ts";
import { count } from "../text/index.ts";
import {
  type LogChoice,
  readAtOnce,
  readHeads,
  readLinks,
  type ShippedHead,
  seesEveryRecord,
} from "./shipped-chain.ts";

type Mark = Pick<ShippedHead, "hash" | "receivedMs"> & { readonly seq: number };

/** A log on this machine beside what was shipped of it. */
export interface Comparison {
  /** the one of the log alone, and what the comparison found */
  readonly report: ChainReport;
  /** the head that came last */
  readonly head: ShippedHead | undefined;
}

/** Compares each line of a log that has a number with the lines and heads which its machine shipped. Only reads. */
export function compareLog(
  system: LogSystem,
  database: Database,
  choice: LogChoice,
  log: { readonly path: string; readonly verify: () => ChainReport },
): Promise<Comparison> {
  return readAtOnce(database, async run => {
    const isComplete = await seesEveryRecord(run, choice.team);
    const heads = await readHeads(run, choice);
    // Only now: lines that are written and shipped in between would be missing from the log as it was before.
    const report = log.verify();
    const lines = readLines(system, report.files);
    const [firstSeq = 0] = lines.keys();
    const walk = new MarkWalk(lines);
    for (const head of heads) walk.take(head);
    const sent = new Set<number>();
    for await (const { seq, ...link } of readLinks(run, choice, firstSeq)) {
      if (seq === undefined) continue;
      if (lines.has(seq)) sent.add(seq);
      walk.take({ seq, ...link });
    }
    const absent = isComplete ? absentOf(lines, sent, walk.provenSeq) : [];
    const head = heads.at(-1);
    const { provenSeq } = walk;
    return {
      report: joinReport(report, { broken: walk.findBreak(log.path), provenSeq, absent, head }),
      head,
    };
  });
}

interface Findings {
  readonly broken: ChainBreak | undefined;
  /** the highest number of a line that is in the log as it was shipped; 0 for none */
  readonly provenSeq: number;
  /** numbers that the database should have too, and has not */
  readonly absent: readonly number[];
  readonly head: ShippedHead | undefined;
}

function joinReport(report: ChainReport, { broken, provenSeq, absent, head }: Findings): ChainReport {
  const notes = [
    ...report.notes,
    ...(absent.length === 0
      ? []
      : [
          `the database lacks ${count(absent.length, "line")} that stand here as they were written, the first is number ${absent[0]}: removed there, never sent, or sent by another machine`,
        ]),
  ];
  // Rotation can have removed all of it, and so can somebody who then wrote other lines.
  const noneShipped =
    head === undefined
      ? []
      : [
          `whether it is the log that was shipped: it begins behind number ${head.seq}, the newest head of that one`,
        ];
  const rest = `whether lines behind number ${provenSeq}, the last that was shipped, were cut off at the end, or rewritten with new hashes`;
  const isProven = provenSeq > 0 && provenSeq === report.head?.seq;
  const unknown = isProven ? [] : provenSeq > 0 ? [rest] : [...report.unknown, ...noneShipped];
  return { ...report, notes, unknown, broken: firstOf(report, report.broken, broken) };
}

/** The break that stands first in the log. */
function firstOf(
  { files }: ChainReport,
  own: ChainBreak | undefined,
  shipped: ChainBreak | undefined,
): ChainBreak | undefined {
  if (own === undefined || shipped === undefined) return own ?? shipped;
  const order = files.indexOf(own.file) - files.indexOf(shipped.file) || own.line - shipped.line;
  return order < 0 ? own : shipped;
}

type LogSystem = Pick<System, "files" | "text">;
type LocalLine = Pick<LogLine, "file" | "line"> & { readonly hash: string };
type LocalLines = ReadonlyMap<number, LocalLine>;

function readLines(system: LogSystem, files: readonly string[]): LocalLines {
  const lines = new Map<number, LocalLine>();
  for (const name of files)
    for (const { file, line, bytes } of linesOf(system, name)) {
      const seq = readLink(system.text.decode(bytes).text)?.seq;
      if (seq !== undefined && !lines.has(seq)) lines.set(seq, { file, line, hash: sha256Hex(bytes) });
    }
  return lines;
}

class MarkWalk {
  private readonly lines: LocalLines;
  private readonly lastSeq: number;
  private differing: (Mark & LocalLine) | undefined;
  private last: Mark | undefined;
  provenSeq = 0;

  constructor(lines: LocalLines) {
    this.lines = lines;
    this.lastSeq = [...lines.keys()].reduce((highest, seq) => Math.max(highest, seq), 0);
  }

  take(mark: Mark): void {
    if (mark.seq > (this.last?.seq ?? 0)) this.last = mark;
    const line = this.lines.get(mark.seq);
    if (line === undefined) return;
    if (line.hash === mark.hash) this.provenSeq = Math.max(this.provenSeq, mark.seq);
    else if (mark.seq < (this.differing?.seq ?? Number.POSITIVE_INFINITY))
      this.differing = { ...line, ...mark };
  }

  findBreak(path: string): ChainBreak | undefined {
    const { differing, last, lastSeq, lines } = this;
    if (differing !== undefined) {
      const { file, line, seq, receivedMs } = differing;
      const message = `number ${seq} was another line when it was shipped (${timeText(receivedMs)}): the log was rewritten or replaced`;
      return { kind: "changed", file, line, message };
    }
    if (last === undefined || last.seq <= lastSeq) return undefined;
    const { file, line } = lines.get(lastSeq) ?? { file: path, line: 0 };
    const end = lastSeq === 0 ? "the log has no line" : `the log ends with number ${lastSeq}`;
    const missing = count(last.seq - lastSeq, "line");
    const message = `${end}, and number ${last.seq} was shipped (${timeText(last.receivedMs)}); missing: ${missing}`;
    return { kind: "truncated", file, line, message };
  }
}

/** What the database should have too, and has not: behind the oldest line that is still kept there. */
function absentOf(lines: LocalLines, sent: ReadonlySet<number>, provenSeq: number): readonly number[] {
  const oldest = [...sent].reduce((lowest, seq) => Math.min(lowest, seq), Number.POSITIVE_INFINITY);
  return [...lines.keys()].filter(seq => seq > oldest && seq <= provenSeq && !sent.has(seq));
}

/** `2026-11-16T09:00:00Z` */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
