import { type Database, type Row, type RunSql, SCHEMA } from "../postgres/index.ts";
import type { System } from "../system/index.ts";
import { contentFingerprint } from "./content-fingerprint.ts";
import { checkTexts, type Memory, type MemoryDraft, type MemoryId } from "./memory.ts";
import { occupiedAgent } from "./memory-error.ts";
import type { MovableStore, StoredUse } from "./move.ts";
import { newMemory, withPin } from "./new-memory.ts";
import { listCondition } from "./postgres-conditions.ts";
import { readTextHistory, type TextHistory } from "./postgres-history.ts";
import { toMemoryError } from "./postgres-problems.ts";
import { idValues, MEMORIES, memoryOf, named, nameValues, ofProject, SELECTED } from "./postgres-rows.ts";
import { countTerms, searchRows, type TeamSearch } from "./postgres-search.ts";
import {
  type FoundMemory,
  foundOf,
  insertRows,
  removeRows,
  replaceRows,
  takeBatches,
} from "./postgres-take.ts";
import { addUses, latestRows, listUses, takeUses } from "./postgres-uses.ts";
import { readMatch } from "./read-row.ts";
import type { SearchQuery } from "./search-words.ts";
import type {
  ImportCounts,
  MemoryFilter,
  MemoryUse,
  Retention,
  WeightedMemory,
  WordCounts,
} from "./store.ts";
import { encodeText } from "./stored-text.ts";

/**
 * The memories of one team in a PostgreSQL database. What the user may not see is not there for any method: the
 * policies of the tables decide that, not this program.
 */
export class PostgresStore implements MovableStore {
  private readonly database: Database;
  private readonly team: string;
  private readonly system: Pick<System, "clock" | "random">;

  constructor(database: Database, team: string, system: Pick<System, "clock" | "random">) {
    this.database = database;
    this.team = team;
    this.system = system;
  }

  async list(filter: MemoryFilter, order: "name" | "newest", limit?: number): Promise<readonly Memory[]> {
    const { text, values } = listCondition(this.team, filter);
    const by =
      order === "name"
        ? `agent COLLATE "C", session COLLATE "C", key COLLATE "C"`
        : "updated_ms DESC, number DESC";
    const rows = await this.read(
      `SELECT ${SELECTED} FROM ${MEMORIES} WHERE ${text} ORDER BY ${by} LIMIT $${values.length + 1}`,
      [...values, limit ?? null],
    );
    return rows.map(memoryOf);
  }

  async search(query: SearchQuery, filter: MemoryFilter, limit: number): Promise<readonly WeightedMemory[]> {
    const rows = await searchRows(this.searching(), query, filter, limit);
    return rows.map(row => readMatch(row, memoryOf(row)));
  }

  countWords(terms: readonly string[]): Promise<WordCounts> {
    return countTerms(this.searching(), terms);
  }

  async latest(project: string, sinceMs: number, limit: number): Promise<readonly Memory[]> {
    return (await latestRows(this.searching(), project, sinceMs, limit)).map(memoryOf);
  }

  /** What a memory said before. The server keeps it, for as long as the memory is there. */
  async textHistory(memory: Memory): Promise<TextHistory> {
    return readTextHistory(this.searching(), memory);
  }

  async put(draft: MemoryDraft): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.write(async run => {
      const existing = await this.findNamed(run, draft);
      const nowMs = this.system.clock.nowMs();
      if (existing === undefined) return { memory: await this.insert(run, draft, nowMs), isNew: true };
      const { id, createdMs } = existing.memory;
      const memory = { ...draft, id, createdMs, updatedMs: nowMs };
      return { memory: await this.replace(run, existing, memory), isNew: false };
    });
  }

  async remember(draft: MemoryDraft, retention: Retention): Promise<{ memory: Memory; isNew: boolean }> {
    checkTexts(draft);
    return this.write(async run => {
      const nowMs = this.system.clock.nowMs();
      const existing = (await this.findSame(run, draft)) ?? (await this.findNamed(run, draft));
      const memory =
        existing === undefined
          ? await this.insert(run, draft, nowMs)
          : await this.replace(run, existing, { ...existing.memory, updatedMs: nowMs });
      await this.retain(run, draft.project, retention);
      return { memory, isNew: existing === undefined };
    });
  }

  async remove(memories: readonly MemoryId[]): Promise<number> {
    if (memories.length === 0) return 0;
    return this.write(run => removeRows({ run, team: this.team }, named("id", 2), idValues(memories)));
  }

  async pin(memories: readonly MemoryId[], isPinned: boolean): Promise<number> {
    if (memories.length === 0) return 0;
    return this.write(async run => {
      const rows = await run(
        `UPDATE ${MEMORIES} SET is_pinned = $4 WHERE team = $1 AND ${named("id", 2)} RETURNING number`,
        [this.team, ...idValues(memories), isPinned],
      );
      return rows.length;
    });
  }

  async recordUse(memories: readonly MemoryId[], use: MemoryUse): Promise<void> {
    if (memories.length === 0) return;
    const nowMs = this.system.clock.nowMs();
    await this.transaction(run => addUses({ run, team: this.team }, memories, use, nowMs));
  }

  listUses(): Promise<readonly StoredUse[]> {
    return listUses(this.searching());
  }

  async takeUses(uses: readonly StoredUse[]): Promise<void> {
    await this.transaction(run => takeUses({ run, team: this.team }, uses));
  }

  async take(
    agents: string | readonly string[],
    memories: readonly Memory[],
    isMerge: boolean,
  ): Promise<ImportCounts> {
    for (const memory of memories) checkTexts(memory);
    return this.write(async run => {
      if (!isMerge) for (const agent of [agents].flat()) await this.checkEmpty(run, agent);
      return takeBatches({ run, team: this.team }, memories, this.system.random);
    });
  }

  /** What is under way ends by itself; the process does not wait for it. */
  close(): void {
    void this.database.close().catch(() => {});
  }

  private async checkEmpty(run: RunSql, agent: string): Promise<void> {
    const rows = await run(`SELECT FROM ${MEMORIES} WHERE team = $1 AND agent = $2 LIMIT 1`, [
      this.team,
      encodeText(agent),
    ]);
    if (rows.length > 0) throw occupiedAgent();
  }

  private async insert(run: RunSql, draft: MemoryDraft, nowMs: number): Promise<Memory> {
    const memory = newMemory(draft, this.system.random, nowMs);
    await insertRows({ run, team: this.team }, [memory]);
    return memory;
  }

  private async replace(run: RunSql, existing: FoundMemory, memory: Memory): Promise<Memory> {
    const replaced = withPin(memory, existing.memory);
    await replaceRows({ run, team: this.team }, [{ number: existing.number, memory: replaced }]);
    return replaced;
  }

  private findNamed(run: RunSql, draft: MemoryDraft): Promise<FoundMemory | undefined> {
    return this.findOne(run, named("name", 2), nameValues([draft]));
  }

  /** By what it says, in the same project and of the same agent. */
  private findSame(run: RunSql, { project, agent, value }: MemoryDraft): Promise<FoundMemory | undefined> {
    return this.findOne(run, "fingerprint = $2 AND project = $3 AND agent = $4", [
      contentFingerprint(value),
      encodeText(project),
      encodeText(agent),
    ]);
  }

  private async findOne(
    run: RunSql,
    condition: string,
    values: Parameters<RunSql>[1] & {},
  ): Promise<FoundMemory | undefined> {
    const sql = `SELECT ${SELECTED} FROM ${MEMORIES} WHERE team = $1 AND ${condition} ORDER BY number LIMIT 1`;
    const [row] = await run(sql, [this.team, ...values]);
    return row === undefined ? undefined : foundOf(row);
  }

  private async retain(
    run: RunSql,
    project: string,
    { keyPrefix, keepNewest, updatedSinceMs }: Retention,
  ): Promise<void> {
    await removeRows(
      { run, team: this.team },
      `number IN (
         SELECT number FROM (
           SELECT number, updated_ms, row_number() OVER (ORDER BY updated_ms DESC, number DESC) AS place
           FROM ${MEMORIES}
           WHERE team = $1 AND ${ofProject("$2")}
             AND starts_with(key, $3) AND NOT is_pinned
         ) AS counted
         WHERE place > $4 OR updated_ms < $5
       )`,
      [encodeText(project), keyPrefix, keepNewest, updatedSinceMs],
    );
  }

  private searching(): TeamSearch {
    return { run: (sql, values) => this.read(sql, values), team: this.team };
  }

  private async read(...[sql, values]: Parameters<RunSql>): Promise<readonly Row[]> {
    try {
      return await this.database.run(sql, values);
    } catch (error) {
      throw toMemoryError(error);
    }
  }

  /** Takes the team's revision first, so that writers of one team follow each other instead of meeting midway. */
  private write<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
    return this.transaction(async run => {
      await run(`SELECT ${SCHEMA}.take_revision($1)`, [this.team]);
      return work(run);
    });
  }

  private async transaction<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      throw toMemoryError(error);
    }
  }
}
