import type { Database } from "../postgres/index.ts";
import { type ChainBreakKind, FIRST_PREV } from "../state/index.ts";
import { count, numberedLines } from "../text/index.ts";
import { timeText } from "./compare-log.ts";
import {
  type LogChoice,
  readAtOnce,
  readHeads,
  readLinks,
  type ShippedHead,
  type ShippedLink,
  seesEveryRecord,
} from "./shipped-chain.ts";

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
export function verifyRecords(
  database: Database,
  { machine: wanted, ...choice }: LogChoice,
): Promise<RecordsReport> {
  return readAtOnce(database, async run => {
    const isComplete = await seesEveryRecord(run, choice.team);
    const walks = new Map<string, RecordWalk>();
    const walkOf = ({ person, machine }: Pick<ShippedHead, "person" | "machine">): RecordWalk => {
      const key = JSON.stringify([person, machine]);
      const walk = walks.get(key) ?? new RecordWalk(person, machine, isComplete);
      walks.set(key, walk);
      return walk;
    };
    for (const head of await readHeads(run, choice)) walkOf(head).addHead(head);
    const ends = new Ends();
    for await (const link of readLinks(run, choice)) {
      const walk = walkOf(link);
      const { end } = walk;
      walk.take(link, () => ends.has(keyBefore(link)));
      if (walk.end !== end) ends.move(end, walk.end);
    }
    const logs = [...walks.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, walk]) => walk.report())
      .filter(({ machine }) => wanted === undefined || machine === wanted);
    return { logs, isComplete };
  });
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
        `number ${seq} came behind number ${last.seq} (${when}): the log on the machine was rewritten or replaced, or two machines have this name`,
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
