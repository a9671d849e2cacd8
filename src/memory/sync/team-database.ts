import { type Database, PostgresError, type Row, SCHEMA } from "../../postgres/index.ts";
import type { System } from "../../system/index.ts";
import { type Memory, nameKey } from "../memory.ts";
import { MEMORIES, SELECTED } from "../postgres-rows.ts";
import { NOW_MS } from "../postgres-schema.ts";
import type { NamedState, PendingChange, TeamState } from "./change.ts";
import { type Decision, decide, hasSameText } from "./decide.ts";
import type { SentChange } from "./local-copy.ts";
import { Batch, memoryState, REMOVALS, removalState } from "./team-batch.ts";

const MAX_PAGE = 500;
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** What was fetched: after it, the copy has everything up to `revision`. */
export interface FetchedPage {
  readonly states: readonly NamedState[];
  readonly revision: number;
}

interface TeamFacts {
  readonly revision: number;
  readonly projects: string;
  readonly nowMs: number;
}

/** The memories of a team as its copies need them. All failures are `PostgresError`. */
export class TeamDatabase {
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
         SELECT coalesce(projects::text, 'all') FROM ${SCHEMA}.members
         WHERE members.team = teams.team AND member = session_user
       ) AS projects
       FROM ${SCHEMA}.teams WHERE team = $1`,
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
  send(changes: readonly PendingChange[]): Promise<{
    readonly sent: readonly SentChange[];
    readonly revision: number;
  }> {
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

  /** What changed after `since`, page by page, oldest first. */
  async *fetch(since: number): AsyncGenerator<FetchedPage> {
    const { revision: upTo } = await this.look();
    if (upTo <= since) return;
    // First, because what is saved after a page of memories says that nothing before it is missing.
    for (let last: Row = { revision: since, name_hash: "\\x" }; ; ) {
      const rows = await this.removalsAfter(last, upTo);
      const end = rows.at(-1);
      if (end === undefined) break;
      last = end;
      yield { states: rows.map(removalState), revision: since };
    }
    for (let last: Row = { revision: since, number: "0" }; ; ) {
      const rows = await this.memoriesAfter(last, upTo);
      const end = rows.at(-1);
      if (end === undefined) break;
      last = end;
      // Others of the same revision may be on the next page.
      yield { states: rows.map(memoryState), revision: Number(end["revision"]) - 1 };
    }
    yield { states: [], revision: upTo };
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
  private memoriesAfter(last: Row, upTo: number): Promise<readonly Row[]> {
    return this.database.run(
      `SELECT * FROM (
         SELECT page.*, sum(octet_length(value)) OVER (ORDER BY revision, number) AS size FROM (
           SELECT ${SELECTED}, revision FROM ${MEMORIES}
           WHERE team = $1 AND (revision, number) > ($2, $3) AND revision <= $4
           ORDER BY revision, number LIMIT ${MAX_PAGE}
         ) AS page
       ) AS sized
       WHERE size - octet_length(value) < ${MAX_PAGE_BYTES} ORDER BY revision, number`,
      [this.team, String(last["revision"]), String(last["number"]), upTo],
    );
  }

  private removalsAfter(last: Row, upTo: number): Promise<readonly Row[]> {
    return this.database.run(
      `SELECT agent, session, key, removed_ms, revision, name_hash::text AS name_hash FROM ${REMOVALS}
       WHERE team = $1 AND (revision, name_hash) > ($2, $3::bytea) AND revision <= $4
       ORDER BY memory_removals.revision, memory_removals.name_hash LIMIT ${MAX_PAGE}`,
      [this.team, String(last["revision"]), String(last["name_hash"]), upTo],
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
