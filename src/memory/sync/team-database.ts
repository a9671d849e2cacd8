import { type Database, PostgresError, type Row, SCHEMA, type SqlValue } from "../../postgres/index.ts";
import type { System } from "../../system/index.ts";
import { encodeText, idKey, type Memory, type MemoryName, nameKey, withFreeId } from "../memory.ts";
import { NOW_MS } from "../postgres-schema.ts";
import {
  named,
  nameValues,
  readMemoryRow,
  readTextColumn,
  SELECTED,
  type TeamSearch,
} from "../postgres-search.ts";
import { findOwners, insertRows, removeRows, replaceRows } from "../postgres-store.ts";
import {
  type Decision,
  decide,
  hasSameText,
  type NamedState,
  type PendingChange,
  type TeamState,
} from "./decide.ts";
import type { SentChange } from "./local-copy.ts";

const EARLIER = `${SCHEMA}.earlier_values`;
const NAME_HASH = `${SCHEMA}.text_hash(given.agent, given.session, given.key)`;

interface Decided {
  readonly change: PendingChange;
  readonly decision: Decision;
}

type NumberedState = NamedState & { readonly number?: string };

/** The statements of one transaction that takes changes. */
class Batch {
  private readonly target: TeamSearch;
  private readonly random: System["random"];

  constructor(target: TeamSearch, random: System["random"]) {
    this.target = target;
    this.random = random;
  }

  async states(names: readonly MemoryName[]): Promise<ReadonlyMap<string, NumberedState>> {
    const { run, team } = this.target;
    const values = [team, ...nameValues(names)];
    const isNamed = `team = $1 AND ${named("name", 2)}`;
    const memories = await run(`SELECT ${SELECTED}, revision FROM memories WHERE ${isNamed}`, values);
    const removals = await run(
      `SELECT agent, session, key, removed_ms, revision FROM memory_removals WHERE ${isNamed}`,
      values,
    );
    const found: readonly NumberedState[] = [
      ...removals.map(removalState),
      ...memories.map(row => ({ ...memoryState(row), number: String(row["number"]) })),
    ];
    return new Map(found.map(each => [nameKey(each), each]));
  }

  /** Tells what was stored, by name: an id that another memory has is replaced by a fresh one. */
  async write(
    decided: readonly Decided[],
    states: ReadonlyMap<string, NumberedState>,
    nowMs: number,
  ): Promise<ReadonlyMap<string, Memory>> {
    const removed = decided.flatMap(({ change, decision: { removedMs, store } }) =>
      removedMs === undefined ? [] : [{ ...change, removedMs, isFinal: store === undefined }],
    );
    await this.remove(removed);
    const wanted = decided.flatMap(({ change, decision: { store, removedMs } }) => {
      const number = removedMs === undefined ? states.get(nameKey(change))?.number : undefined;
      return store === undefined ? [] : [{ number, memory: store }];
    });
    const stored = await this.withFreeIds(wanted);
    await insertRows(
      this.target,
      stored.flatMap(({ number, memory }) => (number === undefined ? [memory] : [])),
    );
    await replaceRows(
      this.target,
      stored.flatMap(({ number, memory }) => (number === undefined ? [] : [{ number, memory }])),
    );
    await this.keepEarlier(
      decided.flatMap(({ decision: { earlier } }) => earlier ?? []),
      nowMs,
    );
    return new Map(stored.map(({ memory }) => [nameKey(memory), memory]));
  }

  private async remove(
    removed: readonly (MemoryName & { removedMs: number; isFinal: boolean })[],
  ): Promise<void> {
    if (removed.length === 0) return;
    const { run, team } = this.target;
    await removeRows(this.target, named("name", 2), nameValues(removed));
    const final = removed.filter(({ isFinal }) => isFinal);
    await run(
      `SELECT ${SCHEMA}.date_removals($1, array_agg(${NAME_HASH}), array_agg(given.removed_ms))
       FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) AS given (agent, session, key, removed_ms)`,
      [team, ...nameValues(final), final.map(({ removedMs }) => String(removedMs))],
    );
  }

  private async withFreeIds<T extends { readonly number: string | undefined; readonly memory: Memory }>(
    wanted: readonly T[],
  ): Promise<readonly T[]> {
    if (wanted.length === 0) return wanted;
    const memories = wanted.map(({ memory }) => memory);
    const owners = new Map(await findOwners(this.target, memories));
    return wanted.map(one => {
      const key = idKey(one.memory);
      const memory = withFreeId(one.memory, owners.get(key), one.number, this.random);
      // Whoever has the same id behind it finds it taken.
      owners.set(key, one.number ?? "added");
      return { ...one, memory };
    });
  }

  /** Each text once, however often it is sent. */
  private async keepEarlier(memories: readonly Memory[], nowMs: number): Promise<void> {
    if (memories.length === 0) return;
    const texts = (member: "project" | "id" | "value" | "type" | "category"): SqlValue =>
      memories.map(memory => encodeText(memory[member]));
    const { run, team } = this.target;
    await run(
      `INSERT INTO ${EARLIER}
         (team, agent, session, key, project, id, value, type, category, updated_ms, replaced_ms)
       SELECT $1, given.*, $11::bigint
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
         $10::bigint[]) AS given (agent, session, key, project, id, value, type, category, updated_ms)
       WHERE NOT EXISTS (
         SELECT FROM earlier_values AS known
         WHERE known.team = $1 AND known.name_hash = ${NAME_HASH}
           AND (known.value, known.type, known.category) = (given.value, given.type, given.category)
       )`,
      [
        team,
        ...nameValues(memories),
        texts("project"),
        texts("id"),
        texts("value"),
        texts("type"),
        texts("category"),
        memories.map(({ updatedMs }) => String(updatedMs)),
        nowMs,
      ],
    );
  }
}

function memoryState(row: Row): NamedState {
  const memory = readMemoryRow(row);
  const { agent, session, key } = memory;
  return { agent, session, key, state: { kind: "memory", memory, revision: Number(row["revision"]) } };
}

function removalState(row: Row): NamedState {
  const text = (column: string): string => readTextColumn(row, column);
  const state = {
    kind: "removed",
    removedMs: Number(row["removed_ms"]),
    revision: Number(row["revision"]),
  } as const;
  return { agent: text("agent"), session: text("session"), key: text("key"), state };
}

const MAX_PAGE = 500;
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** Where the next page begins. Made by whoever has the memories, and given back as it is. */
export interface PageCursor {
  readonly since: number;
  readonly upTo: number;
  readonly of: "removals" | "memories" | "end";
  readonly revision: number;
  /** of the last one that was told: its number, or the hash of its name */
  readonly last: string;
}

/** What was fetched: after it, the copy has everything up to `revision`. Nothing follows a page without `next`. */
export interface FetchedPage {
  readonly states: readonly NamedState[];
  readonly revision: number;
  readonly next: PageCursor | undefined;
}

export interface TeamFacts {
  readonly revision: number;
  readonly projects: string;
  readonly nowMs: number;
}

/** The memories of a team as its copies need them. All failures are `PostgresError`. */
export interface TeamSide {
  look(): Promise<TeamFacts>;
  send(changes: readonly PendingChange[]): Promise<SentChanges>;
  page(from: number | PageCursor): Promise<FetchedPage>;
}

export interface SentChanges {
  readonly sent: readonly SentChange[];
  readonly revision: number;
}

/** What changed after `since`, page by page, oldest first. */
export async function* fetchAll(side: TeamSide, since: number): AsyncGenerator<FetchedPage> {
  for (let next: number | PageCursor | undefined = since; next !== undefined; ) {
    const page: FetchedPage = await side.page(next);
    yield page;
    next = page.next;
  }
}

export class TeamDatabase implements TeamSide {
  private readonly database: Database;
  private readonly team: string;
  private readonly random: System["random"];

  constructor(database: Database, team: string, random: System["random"]) {
    this.database = database;
    this.team = team;
    this.random = random;
  }

  /** How far the team is, which projects this user may see of it, and what the server's clock says. */
  async look(): Promise<TeamFacts> {
    const [row] = await this.database.run(
      `SELECT revision, ${NOW_MS} AS now_ms, (
         SELECT coalesce(projects::text, 'all') FROM members
         WHERE members.team = teams.team AND member = session_user
       ) AS projects
       FROM teams WHERE team = $1`,
      [this.team],
    );
    if (row === undefined) throw this.notMember();
    return {
      revision: Number(row["revision"]),
      projects: String(row["projects"] ?? ""),
      nowMs: Number(row["now_ms"]),
    };
  }

  /**
   * All of these changes or none, in one transaction; no two are of one name. Sending them again changes nothing and
   * gives the same answer, so a lost acknowledgement does no harm.
   */
  send(changes: readonly PendingChange[]): Promise<SentChanges> {
    return this.database.transaction(async run => {
      // Whoever has the revision is the only one who changes the team's memories.
      const [now] = await run(`SELECT ${SCHEMA}.take_revision($1) AS revision, ${NOW_MS} AS now_ms`, [
        this.team,
      ]);
      if ((now?.["revision"] ?? null) === null) throw this.notMember();
      const revision = Number(now?.["revision"]);
      const batch = new Batch({ run, team: this.team }, this.random);
      const states = await batch.states(changes);
      const decided = changes.map(change => {
        const state: TeamState = states.get(nameKey(change))?.state ?? { kind: "absent" };
        return { change, state, decision: decide(change, state, Number(now?.["now_ms"])) };
      });
      const stored = await batch.write(decided, states, Number(now?.["now_ms"]));
      const sent = decided.map(({ change, state, decision }) => {
        const after = stateAfter(decision, stored.get(nameKey(change)), state, revision);
        return { change, state: after, isTaken: isTaken(change, after) };
      });
      return { sent, revision };
    });
  }

  async page(from: number | PageCursor): Promise<FetchedPage> {
    const cursor = typeof from === "number" ? await this.begin(from) : from;
    const { since, upTo, of } = cursor;
    if (of === "end") return { states: [], revision: upTo, next: undefined };
    // Removals first, because what is saved after a page of memories says that nothing before it is missing.
    const isRemovals = of === "removals";
    const rows = await (isRemovals ? this.removalsAfter(cursor) : this.memoriesAfter(cursor));
    const end = rows.at(-1);
    if (end === undefined)
      return this.page({ since, upTo, of: isRemovals ? "memories" : "end", revision: since, last: "0" });
    const revision = Number(end["revision"]);
    return {
      states: rows.map(isRemovals ? removalState : memoryState),
      // Others of the same revision may be on the next page.
      revision: isRemovals ? since : revision - 1,
      next: { since, upTo, of, revision, last: String(end[isRemovals ? "name_hash" : "number"]) },
    };
  }

  private async begin(since: number): Promise<PageCursor> {
    const { revision: upTo } = await this.look();
    const of = upTo <= since ? "end" : "removals";
    return { since, upTo: Math.max(since, upTo), of, revision: since, last: "\\x" };
  }

  private notMember(): PostgresError {
    return new PostgresError(
      "refused",
      `you are no longer in the team ${this.team} of ${this.database.place}`,
      {
        fix: "ask its administrator",
      },
    );
  }

  /** As many as fit a page, and at least one. */
  private memoriesAfter({ revision, last, upTo }: PageCursor): Promise<readonly Row[]> {
    return this.database.run(
      `SELECT * FROM (
         SELECT page.*, sum(octet_length(value)) OVER (ORDER BY revision, number) AS size FROM (
           SELECT ${SELECTED}, revision FROM memories
           WHERE team = $1 AND (revision, number) > ($2, $3) AND revision <= $4
           ORDER BY revision, number LIMIT ${MAX_PAGE}
         ) AS page
       ) AS sized
       WHERE size - octet_length(value) < ${MAX_PAGE_BYTES} ORDER BY revision, number`,
      [this.team, revision, last, upTo],
    );
  }

  private removalsAfter({ revision, last, upTo }: PageCursor): Promise<readonly Row[]> {
    return this.database.run(
      `SELECT agent, session, key, removed_ms, revision, name_hash::text AS name_hash FROM memory_removals
       WHERE team = $1 AND (revision, name_hash) > ($2, $3::bytea) AND revision <= $4
       ORDER BY memory_removals.revision, memory_removals.name_hash LIMIT ${MAX_PAGE}`,
      [this.team, revision, last, upTo],
    );
  }
}

function stateAfter(
  { removedMs }: Decision,
  stored: Memory | undefined,
  before: TeamState,
  revision: number,
): TeamState {
  if (stored !== undefined) return { kind: "memory", memory: stored, revision };
  return removedMs === undefined ? before : { kind: "removed", removedMs, revision };
}

function isTaken({ memory }: PendingChange, after: TeamState): boolean {
  if (after.kind !== "memory") return memory === undefined;
  return memory !== undefined && hasSameText(memory, after.memory);
}
