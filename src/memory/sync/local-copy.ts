import type { System } from "../../system/index.ts";
import { firstCharacters } from "../../text/index.ts";
import {
  encodeText,
  isSameMemory,
  type Memory,
  type MemoryName,
  shortHash,
  TEXT_LIMITS,
  withFreeId,
} from "../memory.ts";
import { isSharedProject } from "../memory-place.ts";
import type { SqliteConnection } from "../sqlite-connection.ts";
import {
  CHANGE,
  readMemoryRow,
  readTextColumn,
  recordAll,
  SELECTED,
  selectAsBytes,
} from "../sqlite-schema.ts";
import { openConnection } from "../sqlite-store.ts";
import {
  dropRemovedWords,
  type FoundMemory,
  findRow,
  insertRow,
  isShared,
  numberOfId,
  readNumber,
  removeRows,
  replaceRow,
} from "../sqlite-writes.ts";
import type { NamedState, PendingChange, TeamState } from "./decide.ts";
import { hasSameText } from "./decide.ts";

const SAME_NAME = "agent = ? AND session = ? AND key = ?";

/** What became of a change in the team's database. */
export interface SentChange {
  readonly change: PendingChange;
  /** what the team has now */
  readonly state: TeamState;
  /** what was sent is what the team has */
  readonly isTaken: boolean;
}

export interface CopyState {
  /** the team and its database, in words */
  readonly origin: string;
  /** what is in the copy: everything up to this */
  readonly revision: number;
  /** of which projects, as the team's database said it */
  readonly projects: string;
}

/**
 * The local database as a copy of a team's memories. Every method is one transaction: a process that ends at any moment
 * leaves a change in the log, or what came of it in the copy.
 */
export class LocalCopy {
  /** names of own memories that had to make room for one of the team's */
  readonly renamed: { readonly from: string; readonly to: string }[] = [];
  private readonly connection: SqliteConnection;
  private readonly system: System;
  private readonly path: string;

  static async open(system: System, path: string, origin: string): Promise<LocalCopy> {
    return new LocalCopy(await openConnection(system, path, { origin }), system, path);
  }

  private constructor(connection: SqliteConnection, system: System, path: string) {
    this.connection = connection;
    this.system = system;
    this.path = path;
  }

  state(): CopyState {
    const [row] = this.connection.rows("SELECT origin, revision, projects FROM memory_team");
    return {
      origin: String(row?.["origin"] ?? ""),
      revision: Number(row?.["revision"] ?? 0),
      projects: String(row?.["projects"] ?? ""),
    };
  }

  countWaiting(): number {
    return Number(this.connection.rows("SELECT count(*) AS count FROM memory_changes")[0]?.["count"]);
  }

  /**
   * Sets dates of changes back that are later. This is done here, before they are sent, so that a change has the same
   * date however often it is sent.
   */
  limitDates(limitMs: number): void {
    this.connection.write(() => {
      const late = this.connection.rows(
        `SELECT ${SELECTED} FROM memories WHERE updated_ms > ? AND (agent, session, key) IN (
           SELECT agent, session, key FROM memory_changes WHERE changes & ?
         )`,
        [limitMs, CHANGE.content],
      );
      for (const row of late) {
        const memory = readMemoryRow(row, this.path);
        replaceRow(this.connection, { number: readNumber(row), memory }, { ...memory, updatedMs: limitMs });
      }
      this.connection.run("UPDATE memory_changes SET changed_ms = ? WHERE changed_ms > ?", [
        limitMs,
        limitMs,
      ]);
    });
  }

  /** The next entries of the log, at most so many, and about so many characters. */
  pending(afterNumber: number, limit: number, maxCharacters: number): readonly PendingChange[] {
    const rows = this.connection.rows(
      `SELECT number, changes, base, changed_ms, ${["agent", "session", "key"].map(selectAsBytes).join(", ")}
       FROM memory_changes WHERE number > ? ORDER BY number LIMIT ?`,
      [afterNumber, limit],
    );
    const changes: PendingChange[] = [];
    let characters = 0;
    for (const row of rows) {
      const text = (column: string): string => readTextColumn(row, column, this.path);
      const name = { agent: text("agent"), session: text("session"), key: text("key") };
      const memory = this.find(name)?.memory;
      characters += memory?.value.length ?? 0;
      if (changes.length > 0 && characters > maxCharacters) break;
      changes.push({
        ...name,
        number: readNumber(row),
        changes: Number(row["changes"]),
        base: Number(row["base"]),
        memory,
        removedMs: Number(row["changed_ms"]),
      });
    }
    return changes;
  }

  /**
   * Takes what the team's database made of changes, and drops them from the log. One that changed again meanwhile stays
   * there; where the team has what was sent, that change followed it.
   */
  acknowledge(sent: readonly SentChange[], revision: number): void {
    this.connection.write(() => {
      const dropped = sent.filter(({ change, isTaken }) => {
        if (this.connection.run("DELETE FROM memory_changes WHERE number = ?", [change.number]) > 0)
          return true;
        const sql = `UPDATE memory_changes SET base = max(base, ?) WHERE ${SAME_NAME}`;
        if (isTaken) this.connection.run(sql, [revision, ...nameValues(change)]);
        return false;
      });
      this.applyAll(
        dropped.map(({ change: { agent, session, key }, state }) => ({ agent, session, key, state })),
      );
      // Nobody else changed anything in between, so nothing of it is missing here.
      this.connection.run("UPDATE memory_team SET revision = ? WHERE revision = ?", [revision, revision - 1]);
    });
  }

  /** Takes changes of others; tells how many there were. What is changed here and not sent yet stays until it is. */
  take(states: readonly NamedState[], revision: number): number {
    return this.connection.write(() => {
      const sql = `SELECT 1 FROM memory_changes WHERE ${SAME_NAME}`;
      const free = states.filter(name => this.connection.rows(sql, nameValues(name)).length === 0);
      this.connection.run("UPDATE memory_team SET revision = max(revision, ?)", [revision]);
      return this.applyAll(free);
    });
  }

  /** Everything is fetched again, of these projects. */
  fetchAnew(projects: string): void {
    this.connection.write(() =>
      this.connection.run("UPDATE memory_team SET revision = 0, projects = ?", [projects]),
    );
  }

  /** Everything is fetched, and everything that is shared is sent again: the team's database has lost something. */
  restart(): void {
    this.connection.write(() => {
      this.connection.run("UPDATE memory_team SET revision = 0");
      this.connection.run("UPDATE memory_changes SET base = 0");
      recordAll(this.connection);
    });
  }

  /** The team that is named now is the first that is asked. */
  belongTo(origin: string): void {
    this.connection.write(() => this.connection.run("UPDATE memory_team SET origin = ?", [origin]));
  }

  /** Belongs to another team from now on; what the former one shared stays here, as memories of one's own. */
  leave(origin: string): void {
    this.connection.write(() => {
      this.connection.run("DELETE FROM memory_changes");
      this.connection.run("UPDATE memories SET is_shared = 0");
      this.connection.run("UPDATE memory_team SET origin = ?, revision = 0, projects = ''", [origin]);
    });
  }

  /** How many memories each project has that are not shared. */
  unsharedProjects(): ReadonlyMap<string, number> {
    const rows = this.connection.rows(
      `SELECT ${selectAsBytes("project")}, count(*) AS count FROM memories
       WHERE is_shared = 0 AND project <> '' GROUP BY memories.project`,
    );
    return new Map(rows.map(row => [readTextColumn(row, "project", this.path), Number(row["count"])]));
  }

  /** Files memories of a project under another name, by which they are shared. */
  share(from: string, to: string): void {
    if (!isSharedProject(to)) return;
    this.connection.write(() => {
      const rows = this.connection.rows(
        `SELECT ${SELECTED} FROM memories WHERE project = ? AND is_shared = 0`,
        [encodeText(from)],
      );
      for (const row of rows) {
        const memory = readMemoryRow(row, this.path);
        replaceRow(this.connection, { number: readNumber(row), memory }, { ...memory, project: to });
      }
    });
  }

  close(): void {
    this.connection.close();
  }

  private find({ agent, session, key }: MemoryName): FoundMemory | undefined {
    return findRow(this.connection, this.path, SAME_NAME, [agent, session, key]);
  }

  private applyAll(states: readonly NamedState[]): number {
    const changed = states.filter(({ state, ...name }) => this.apply(name, state));
    if (changed.some(({ state }) => state.kind !== "memory")) dropRemovedWords(this.connection);
    return changed.length;
  }

  /** Makes the copy equal to the team's state; false when it was. The entry that its own triggers make is dropped. */
  private apply(name: MemoryName, state: TeamState): boolean {
    const found = this.find(name);
    const own =
      found !== undefined &&
      !isShared(this.connection, found.number) &&
      !(state.kind === "memory" && hasSameText(found.memory, state.memory));
    if (state.kind === "memory") {
      if (own) this.rename(found);
      const hasChanged = this.put(own ? undefined : found, state.memory);
      const sql = `UPDATE memories SET is_shared = 1 WHERE is_shared = 0 AND ${SAME_NAME}`;
      this.connection.run(sql, nameValues(name));
      this.forget(name);
      return hasChanged;
    }
    if (found === undefined || own) return false;
    removeRows(this.connection, [found.number], this.system.clock.nowMs());
    this.forget(name);
    return true;
  }

  private put(found: FoundMemory | undefined, memory: Memory): boolean {
    const owner = numberOfId(this.connection, memory.agent, memory.id);
    const taken = {
      ...withFreeId(memory, owner, found?.number, this.system.random),
      isPinned: memory.isPinned === true,
    };
    if (found === undefined) insertRow(this.connection, taken);
    else if (isSameMemory(found.memory, taken)) return false;
    else replaceRow(this.connection, found, taken);
    return true;
  }

  private forget(name: MemoryName): void {
    this.connection.run(`DELETE FROM memory_changes WHERE ${SAME_NAME}`, nameValues(name));
  }

  /** A memory of one's own makes room under its name for one of the team's, and is kept under another. */
  private rename({ number, memory }: FoundMemory): void {
    const wanted = `${firstCharacters(memory.key, TEXT_LIMITS.key / 2)} (own)`;
    const isFree = this.find({ ...memory, key: wanted }) === undefined;
    const key = isFree ? wanted : `${wanted} ${shortHash(memory.id)}`;
    replaceRow(this.connection, { number, memory }, { ...memory, key });
    this.connection.run("UPDATE memories SET is_shared = 0 WHERE number = ?", [number]);
    this.forget({ ...memory, key });
    this.renamed.push({ from: memory.key, to: key });
  }
}

function nameValues({ agent, session, key }: MemoryName): readonly string[] {
  return [agent, session, key].map(encodeText);
}
