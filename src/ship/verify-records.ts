import type { Database, RunSql } from "../postgres/index.ts";
import {
  type ChainBreak,
  type ChainBreakKind,
  type ChainReport,
  FIRST_PREV,
  type LogLine,
  readLink,
  readLogLines,
} from "../state/index.ts";
import { type System, sha256Hex } from "../system/index.ts";
import { count, numberedLines } from "../text/index.ts";
import {
  type LogChoice,
  readAtOnce,
  readHeads,
  readLinks,
  type ShippedHead,
  type ShippedLink,
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
    for await (const { seq, ...link } of readLinks(run, choice, { fromSeq: firstSeq })) {
      if (seq === undefined) continue;
      if (lines.has(seq)) sent.add(seq);
      walk.take({ seq, ...link });
    }
    const absent = isComplete ? findMissing(lines, sent, walk.provenSeq) : [];
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
          `the database lacks ${count(absent.length, "line")} that are here as they were written, the first is number ${absent[0]}: removed there, never sent, or sent by another machine`,
        ]),
  ];
  // Rotation may have removed all of it; a person who wrote other lines since may have, too.
  const noneShipped =
    head === undefined
      ? []
      : [
          `whether it is the log that was shipped: it begins after number ${head.seq}, the newest head of that one`,
        ];
  const rest = `whether lines after number ${provenSeq}, the last that was shipped, were cut off at the end, or rewritten with new hashes`;
  const isProven = provenSeq > 0 && provenSeq === report.head?.seq;
  const unknown = isProven ? [] : provenSeq > 0 ? [rest] : [...report.unknown, ...noneShipped];
  return { ...report, notes, unknown, broken: firstBreak(report, report.broken, broken) };
}

/** The break that stands first in the log. */
function firstBreak(
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
    for (const { file, line, bytes } of readLogLines(system, name)) {
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
function findMissing(lines: LocalLines, sent: ReadonlySet<number>, provenSeq: number): readonly number[] {
  const oldest = [...sent].reduce((lowest, seq) => Math.min(lowest, seq), Number.POSITIVE_INFINITY);
  return [...lines.keys()].filter(seq => seq > oldest && seq <= provenSeq && !sent.has(seq));
}

/** `2026-11-16T09:00:00Z` */
function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

interface RecordBreak {
  readonly kind: ChainBreakKind;
  readonly seq: number;
  readonly message: string;
}

/** The audit log of one person on one machine, as far as it was shipped. */
export interface RecordReport {
  readonly person: string;
  readonly machine: string;
  /** lines up to the break, if there is one */
  readonly lines: number;
  /** the head that came last */
  readonly head: ShippedHead | undefined;
  readonly broken: RecordBreak | undefined;
  readonly notes: readonly string[];
}

export interface RecordsReport {
  readonly logs: readonly RecordReport[];
  /** false for a member of some projects, who cannot tell a line that was removed from one that is not shown */
  readonly isComplete: boolean;
}

/** Follows the hashes of shipped audit logs from line to line, each up to its first break. Only reads. */
export function verifyRecords(database: Database, choice: LogChoice): Promise<RecordsReport> {
  return readAtOnce(database, run => followRecords(run, choice));
}

/** The same in a transaction of the caller's, of records behind a number. */
export async function followRecords(
  run: RunSql,
  { machine: wanted, ...choice }: LogChoice,
  after = "0",
): Promise<RecordsReport> {
  const isComplete = await seesEveryRecord(run, choice.team);
  const walks = new Map<string, RecordWalk>();
  const openWalk = ({ person, machine }: Pick<ShippedHead, "person" | "machine">): RecordWalk => {
    const key = JSON.stringify([person, machine]);
    const walk = walks.get(key) ?? new RecordWalk(person, machine, isComplete);
    walks.set(key, walk);
    return walk;
  };
  for (const head of await readHeads(run, choice)) openWalk(head).addHead(head);
  const ends = new Ends();
  for await (const link of readLinks(run, choice, { after })) {
    const walk = openWalk(link);
    const { end } = walk;
    walk.take(link, () => ends.has(keyBefore(link)));
    if (walk.end !== end) ends.move(end, walk.end);
  }
  const logs = [...walks.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, walk]) => walk.report())
    .filter(({ machine }) => wanted === undefined || machine === wanted);
  return { logs, isComplete };
}

/** Where walks have come to, by a key: a home that machines share has one log, and each sends a part of it. */
class Ends {
  private readonly counts = new Map<string, number>();

  has(key: string): boolean {
    return this.counts.has(key);
  }

  move(from: string | undefined, to: string | undefined): void {
    const left = from === undefined ? 0 : (this.counts.get(from) ?? 1) - 1;
    if (from !== undefined && left === 0) this.counts.delete(from);
    else if (from !== undefined) this.counts.set(from, left);
    if (to !== undefined) this.counts.set(to, (this.counts.get(to) ?? 0) + 1);
  }
}

function keyBefore({ person, seq = 0, prev }: ShippedLink): string {
  return JSON.stringify([person, seq - 1, prev]);
}

type NumberedLink = ShippedLink & { readonly seq: number };

class RecordWalk {
  private readonly person: string;
  private readonly machine: string;
  private readonly isComplete: boolean;
  private readonly heads = new Map<number, Set<string>>();
  private head: ShippedHead | undefined;
  private lines = 0;
  private last: NumberedLink | undefined;
  /** lines without a number behind the last one that has one */
  private unnumbered = 0;
  private allUnnumbered = 0;
  private broken: RecordBreak | undefined;
  private readonly notes: string[] = [];

  constructor(person: string, machine: string, isComplete: boolean) {
    this.person = person;
    this.machine = machine;
    this.isComplete = isComplete;
  }

  addHead(head: ShippedHead): void {
    this.head = head;
    this.heads.set(head.seq, (this.heads.get(head.seq) ?? new Set()).add(head.hash));
  }

  /** The line that this machine sent last, as the key of the one before another. */
  get end(): string | undefined {
    return this.last && JSON.stringify([this.person, this.last.seq, this.last.hash]);
  }

  take(link: ShippedLink, isOfOther: () => boolean): void {
    if (this.broken !== undefined) return;
    const { seq } = link;
    if (seq === undefined) {
      this.lines++;
      this.unnumbered++;
      this.allUnnumbered++;
      return;
    }
    const numbered = { ...link, seq };
    this.broken = this.checkLink(numbered, isOfOther) ?? this.checkHead(numbered);
    if (this.broken !== undefined) return;
    this.lines++;
    this.unnumbered = 0;
    this.last = numbered;
  }

  private checkLink(link: NumberedLink, isOfOther: () => boolean): RecordBreak | undefined {
    const { last, unnumbered, isComplete } = this;
    const { seq, prev, receivedMs } = link;
    if (last?.seq === seq - 1 && last.hash === prev) return undefined;
    const at = (kind: ChainBreakKind, message: string): RecordBreak => ({ kind, seq, message });
    if (last === undefined) {
      if (isComplete && (seq > 1 || (prev !== FIRST_PREV && unnumbered === 0)) && !isOfOther())
        this.notes.push(`begins with number ${seq}: older lines were removed here, or never sent`);
      return undefined;
    }
    const when = `sent ${timeText(receivedMs)}`;
    if (seq <= last.seq)
      return at(
        "changed",
        `number ${seq} came after number ${last.seq} (${when}): the log on the machine was rewritten or replaced, or two machines have this name`,
      );
    if (seq > last.seq + 1) {
      if (!isComplete || isOfOther()) return undefined;
      const missing = numberedLines(last.seq + 1, seq - 1);
      return at("removed", `missing before it: ${missing}, removed here or never sent`);
    }
    // What covers lines without a number is a hash of their texts, which stay on the machine.
    if (unnumbered > 0 || !isComplete) return undefined;
    return at(
      "changed",
      `number ${seq} (${when}) does not follow number ${last.seq} as it was sent (${timeText(last.receivedMs)}): one of them was changed, here or on the machine`,
    );
  }

  private checkHead({ seq, hash }: NumberedLink): RecordBreak | undefined {
    const noted = this.heads.get(seq);
    if (noted === undefined || (noted.size === 1 && noted.has(hash))) return undefined;
    return {
      kind: "changed",
      seq,
      message: `number ${seq} is not the line that a head names which was sent`,
    };
  }

  report(): RecordReport {
    const { person, machine, lines, head, broken, notes, last, isComplete, allUnnumbered } = this;
    if (allUnnumbered > 0)
      notes.push(
        `without a number: ${count(allUnnumbered, "line")}, which only the machine itself can check`,
      );
    const highest = [...this.heads.keys()].reduce((most, seq) => Math.max(most, seq), 0);
    if (broken === undefined && isComplete && highest > (last?.seq ?? 0))
      notes.push(
        `the head with number ${highest} was sent, and lines up to number ${last?.seq ?? 0} are here: the rest was removed, or is not sent yet`,
      );
    return { person, machine, lines, head, broken, notes };
  }
}
