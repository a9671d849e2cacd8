import { factsOfCall } from "../../hosts/index.ts";
import { errorText } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { clip, redactOpening } from "../../text/index.ts";
import {
  entryText,
  isUserMessage,
  type LineOptions,
  readTranscript,
  type ToolUsePart,
  toolNaming,
} from "../../transcripts/index.ts";
import { type Activity, type Counted, countByName, Latency, type LatencySeries } from "../activity.ts";
import type { JudgementEntry, Origin, RunEntry } from "../entries.ts";
import {
  assembleCalls,
  type Call,
  type ChangeSource,
  type ChangeSummary,
  canUndo,
  type Moment,
  type Outcome,
} from "./calls.ts";

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
  readonly answered: number;
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
    figures: countFigures(items),
    transcript: runs.findLast(({ transcript }) => transcript !== "")?.transcript ?? "",
  };
}

function countFigures(items: readonly (Call | Moment)[]): SessionFigures {
  const calls = items.filter(item => item.kind === "call");
  const count = (outcome: Outcome) => items.filter(item => item.outcome === outcome).length;
  return {
    calls: calls.length,
    refused: count("refused"),
    asked: count("asked"),
    kept: count("kept"),
    answered: count("answered"),
    held: count("held"),
    unchecked: count("unchecked"),
    changes: calls.filter(({ change }) => change !== undefined).length,
    undone: calls.filter(({ change }) => change?.undoneBy !== undefined).length,
  };
}

/** Ids of changes that can still be undone, newest first. */
export function undoableChanges(items: readonly (Call | Moment)[]): readonly string[] {
  return items.flatMap(item =>
    item.kind === "call" && item.change !== undefined && canUndo(item.change) ? [item.change.id] : [],
  );
}

/** What happened in one stretch of time. */
export interface Stretch {
  readonly startMs: number;
  readonly refused: number;
  readonly asked: number;
  readonly kept: number;
  readonly answered: number;
  readonly undone: number;
}

/** What agents did since some time. */
export interface Summary {
  readonly figures: SessionFigures;
  readonly stretches: readonly Stretch[];
  readonly rules: readonly Counted[];
  readonly projects: readonly Counted[];
  readonly hosts: readonly Counted[];
  /** of a team */
  readonly people: readonly Counted[];
  readonly latency: readonly LatencySeries[];
  /** the newest ones */
  readonly sessions: readonly Session[];
  readonly sessionCount: number;
}

interface SummaryRange {
  /** beginnings of the stretches, oldest first */
  readonly starts: readonly number[];
}

export function summariseSince(
  { items, undos, sessions }: Timeline,
  runs: Iterable<RunEntry>,
  { starts }: SummaryRange,
): Summary {
  const fromMs = starts[0] ?? 0;
  const all = items.filter(({ atMs }) => atMs >= fromMs);
  const recent = all.filter(item => item.kind === "call");
  const taken = undos.filter(({ kind, timeMs }) => kind === "undo" && timeMs >= fromMs);
  const latency = new Latency();
  for (const { hook, ts, ms } of runs) {
    const atMs = Date.parse(ts);
    if (atMs >= fromMs) latency.add(hook, atMs, ms * 1_000);
  }
  const stopped = recent.filter(({ outcome }) => outcome !== "silent");
  const shown = sessions.filter(({ lastMs }) => lastMs >= fromMs);
  return {
    figures: { ...countFigures(all), undone: taken.reduce((sum, { of }) => sum + of.length, 0) },
    stretches: starts.map((startMs, index) => {
      const endMs = starts[index + 1] ?? Number.POSITIVE_INFINITY;
      const within = (ms: number) => ms >= startMs && ms < endMs;
      const count = (outcome: Outcome) =>
        stopped.filter(call => call.outcome === outcome && within(call.atMs)).length;
      return {
        startMs,
        refused: count("refused"),
        asked: count("asked"),
        kept: count("kept"),
        answered: count("answered"),
        undone: taken.filter(({ timeMs }) => within(timeMs)).reduce((sum, { of }) => sum + of.length, 0),
      };
    }),
    rules: countByName(stopped, call => call.rules),
    projects: countByName(recent, call => call.project),
    hosts: countByName(recent, call => call.host),
    people: countByName(recent, call => call.origin?.person ?? ""),
    latency: latency.series(),
    sessions: shown,
    sessionCount: shown.length,
  };
}

/** What the host recorded of a session: the prompts, and the calls that no log of ours has the command of. */
export interface Recorded {
  /** why nothing is known; undefined when something is, or nobody expects it */
  readonly problem: string | undefined;
  /** What the person wrote at that time. */
  promptAt(ms: number): string | undefined;
  /** The call with its command, where it had none. */
  complete(call: Call): Call;
}

export const NOTHING_RECORDED: Recorded = {
  problem: undefined,
  promptAt: () => undefined,
  complete: call => call,
};

const MAX_BYTES = 64 * 1024 * 1024;
const OPTIONS: LineOptions = { maxLineBytes: 2 * 1024 * 1024, chunkBytes: 512 * 1024 };
const SUBJECT_LENGTH = 500;
const PROMPT_LENGTH = 2_000;
/** Host and hook look at their clocks at different times. */
const MAX_APART_MS = 60_000;

/** Reads it anew for every look: only the session that somebody looks at is read. */
export function readRecorded(system: System, session: Session): Recorded {
  const { transcript, host } = session;
  if (transcript === "") return NOTHING_RECORDED;
  const prompts: { readonly atMs: number; readonly text: string }[] = [];
  const subjects = new Map<string, string>();
  try {
    const facts = system.files.follow(transcript);
    if (facts?.kind !== "file") return problem("The host's own record of this session is gone.");
    if (facts.size > MAX_BYTES) return problem("The host's own record of this session is too large to read.");
    for (const entry of readTranscript(system, transcript, toolNaming(host), undefined, OPTIONS)) {
      const atMs = Date.parse(entry.timestamp ?? "");
      if (isUserMessage(entry) && Number.isFinite(atMs))
        prompts.push({ atMs, text: clip(redactOpening(entryText(entry)), PROMPT_LENGTH) });
      for (const part of entry.parts)
        if (part.kind === "tool-use" && part.id !== undefined) subjects.set(part.id, subjectOf(part));
    }
  } catch (error) {
    return problem(`The host's own record of this session cannot be read: ${errorText(error)}`);
  }
  return {
    problem: undefined,
    promptAt(ms) {
      const near = prompts.filter(({ atMs }) => Math.abs(atMs - ms) <= MAX_APART_MS);
      return near.sort((one, other) => Math.abs(one.atMs - ms) - Math.abs(other.atMs - ms))[0]?.text;
    },
    complete: call => (call.subject === "" ? { ...call, subject: subjects.get(call.useId) ?? "" } : call),
  };
}

const TITLE_LENGTH = 100;
const MAX_TITLES = 2_000;

/** What sessions are about: their first prompt, as far as the host recorded it. Read once for each. */
export class Titles {
  private readonly system: System;
  private readonly known = new Map<string, string>();

  constructor(system: System) {
    this.system = system;
  }

  /** Undefined where it is not known. */
  of({ transcript, host }: Session): string | undefined {
    if (transcript === "") return undefined;
    const known = this.known.get(transcript) ?? this.read(transcript, host);
    if (known !== undefined && this.known.size < MAX_TITLES) this.known.set(transcript, known);
    return known;
  }

  private read(transcript: string, host: string): string | undefined {
    const { system } = this;
    try {
      if (system.files.follow(transcript)?.kind !== "file") return undefined;
      for (const entry of readTranscript(system, transcript, toolNaming(host), undefined, OPTIONS)) {
        if (!isUserMessage(entry)) continue;
        const [first = ""] = redactOpening(entryText(entry)).trim().split("\n");
        return clip(first, TITLE_LENGTH);
      }
    } catch {
      // The page of the session tells why it cannot be read.
    }
    return undefined;
  }
}

function problem(text: string): Recorded {
  return { ...NOTHING_RECORDED, problem: text };
}

function subjectOf({ name, input }: ToolUsePart): string {
  const { command, paths } = factsOfCall(name, input, { command: null, paths: [] });
  return clip(redactOpening(command ?? paths.join(", ")), SUBJECT_LENGTH);
}
