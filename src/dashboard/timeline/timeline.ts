import type { Activity } from "../activity.ts";
import type { JudgementEntry, Origin, RunEntry } from "../entries.ts";
import { assembleCalls, type Call, type Moment } from "./calls.ts";
import { type ChangeSource, type ChangeSummary, canUndo } from "./changes.ts";
import type { Outcome } from "./outcome.ts";

/** What came of one prompt. */
export interface Turn {
  readonly number: number;
  /** newest first */
  readonly items: readonly (Call | Moment)[];
}

export interface Session {
  /** names it on this page: of one machine what its host calls it, of a team also whose it is */
  readonly id: string;
  /** what its host calls it; empty for calls that belong to none */
  readonly name: string;
  /** undefined for this machine */
  readonly origin: Origin | undefined;
  readonly host: string;
  readonly project: string;
  readonly firstMs: number;
  readonly lastMs: number;
  /** newest first */
  readonly turns: readonly Turn[];
  readonly calls: readonly Call[];
  readonly figures: SessionFigures;
  /** where the host records it; empty where that is not known */
  readonly transcript: string;
}

export interface SessionFigures {
  readonly calls: number;
  readonly refused: number;
  readonly asked: number;
  readonly kept: number;
  readonly held: number;
  readonly unchecked: number;
  readonly changes: number;
  readonly undone: number;
}

/** Everything that was read, newest first. */
export interface Timeline {
  readonly sessions: readonly Session[];
  readonly byId: ReadonlyMap<string, Session>;
  readonly calls: readonly Call[];
  /** calls, and other events that something came of */
  readonly items: readonly (Call | Moment)[];
  /** undos and redos, which belong to no session */
  readonly undos: readonly ChangeSummary[];
}

/** Builds the timeline when it is asked for and something has happened since. */
export class Timelines {
  private readonly activity: Activity;
  private readonly changes: ChangeSource;
  private built: Timeline | undefined;
  private version = "";
  private sessions: ReadonlyMap<string, AssembledSession> = new Map();

  constructor(activity: Activity, changes: ChangeSource) {
    this.activity = activity;
    this.changes = changes;
  }

  read(): Timeline {
    const { runs, judgements } = this.activity;
    const version = `${runs.total} ${judgements.total} ${this.changes.version()}`;
    if (this.built === undefined || version !== this.version) {
      this.sessions = assembleSessions(this.activity, this.changes.list(), this.sessions);
      this.built = buildTimeline([...this.sessions.values()], this.changes.list());
      this.version = version;
    }
    return this.built;
  }
}

interface AssembledSession {
  /** differs when anything of the session does */
  readonly version: string;
  readonly session: Session | undefined;
}

/** Of many sessions few are under way: the others are taken as they were. */
function assembleSessions(
  activity: Activity,
  changes: readonly ChangeSummary[],
  known: ReadonlyMap<string, AssembledSession>,
): ReadonlyMap<string, AssembledSession> {
  const runs = bySession([...activity.runs.newestFirst()].reverse());
  const judgements = bySession([...activity.judgements.newestFirst()].reverse());
  const made = bySession(changes.filter(({ kind }) => kind === "call"));
  const ids = new Set([...runs.keys(), ...judgements.keys(), ...made.keys()]);
  return new Map(
    [...ids].map(id => {
      const own = {
        runs: runs.get(id) ?? [],
        judgements: judgements.get(id) ?? [],
        changes: made.get(id) ?? [],
      };
      const version = versionOf(own);
      const before = known.get(id);
      return [id, before?.version === version ? before : { version, session: makeSession(id, own) }];
    }),
  );
}

interface SessionEntries {
  readonly runs: readonly RunEntry[];
  readonly judgements: readonly JudgementEntry[];
  readonly changes: readonly ChangeSummary[];
}

/** Entries come at the end and go at the beginning, so that the first and the last tell of all. */
function versionOf({ runs, judgements, changes }: SessionEntries): string {
  const ends = [runs[0], runs.at(-1), judgements[0], judgements.at(-1)].map(entry => entry?.number);
  return JSON.stringify([
    ends,
    changes.map(({ id, isOpen, fileCount, undoneBy, isPartlyUndone }) => [
      id,
      isOpen,
      fileCount,
      undoneBy,
      isPartlyUndone,
    ]),
  ]);
}

function buildTimeline(assembled: readonly AssembledSession[], changes: readonly ChangeSummary[]): Timeline {
  const sessions = assembled
    .flatMap(({ session }) => session ?? [])
    .sort((one, other) => other.lastMs - one.lastMs);
  const items = sessions
    .flatMap(({ turns }) => turns.flatMap(turn => turn.items.filter(isNotable)))
    .sort((one, other) => other.atMs - one.atMs);
  return {
    sessions,
    byId: new Map(sessions.map(session => [session.id, session])),
    calls: items.filter(item => item.kind === "call"),
    items,
    undos: changes.filter(({ kind }) => kind !== "call"),
  };
}

/** Of what is no call, most came to nothing. */
function isNotable(item: Call | Moment): boolean {
  return item.kind === "call" || (item.outcome !== "silent" && item.outcome !== "context");
}

interface OfSession {
  readonly session: string;
  readonly origin?: Origin;
}

/** Two machines may call their sessions by the same name. */
export function sessionIdOf({ session, origin }: OfSession): string {
  return origin === undefined ? session : `${session}~${origin.person}@${origin.machine}/${origin.team}`;
}

function bySession<E extends OfSession>(entries: readonly E[]): Map<string, E[]> {
  const groups = new Map<string, E[]>();
  for (const entry of entries) {
    const id = sessionIdOf(entry);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [entry]);
    else group.push(entry);
  }
  return groups;
}

function makeSession(id: string, { runs, judgements, changes }: SessionEntries): Session | undefined {
  const items = assembleCalls(runs, judgements, changes);
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const turns = new Map<number, (Call | Moment)[]>();
  let number = 0;
  for (const item of items) {
    // What no run tells of has no turn of its own, and happened in the one under way.
    number = Math.max(number, item.turn);
    const turn = turns.get(number) ?? [];
    turns.set(number, turn);
    turn.push(item);
  }
  const calls = items.filter(item => item.kind === "call").reverse();
  return {
    id,
    name: last.session,
    origin: last.origin,
    host: last.host,
    project: (calls[0] ?? last).project,
    firstMs: first.atMs,
    lastMs: last.atMs,
    turns: [...turns].reverse().map(([of, its]) => ({ number: of, items: its.reverse() })),
    calls,
    figures: figuresOf(items),
    transcript: runs.findLast(({ transcript }) => transcript !== "")?.transcript ?? "",
  };
}

export function figuresOf(items: readonly (Call | Moment)[]): SessionFigures {
  const calls = items.filter(item => item.kind === "call");
  const count = (outcome: Outcome) => items.filter(item => item.outcome === outcome).length;
  return {
    calls: calls.length,
    refused: count("refused"),
    asked: count("asked"),
    kept: count("kept"),
    held: count("held"),
    unchecked: count("unchecked"),
    changes: calls.filter(({ change }) => change !== undefined).length,
    undone: calls.filter(({ change }) => change?.undoneBy !== undefined).length,
  };
}

/** Ids of changes that can still be undone, newest first. */
export function undoableOf(items: readonly (Call | Moment)[]): readonly string[] {
  return items.flatMap(item =>
    item.kind === "call" && item.change !== undefined && canUndo(item.change) ? [item.change.id] : [],
  );
}
